// The official conformance suite, run through its own command line, many times in one process.
//
// Its package exports nothing: it is a command that reads `process.argv`. Its command line is made with `commander`,
// which this file hands it with `parse` taken over, so that it comes to be called here instead of at once.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Command } from "commander";

/** The scenarios that ask a server for skills. */
export const SCENARIOS = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"];

const suite = await commandLine();

async function commandLine() {
  const { parse } = Command.prototype;
  let program;
  Command.prototype.parse = function () {
    program = this;
    return this;
  };
  await import("./node_modules/@modelcontextprotocol/conformance/dist/index.js");
  Command.prototype.parse = parse;
  return program;
}

/** The scenarios that play a server for a host. */
export const HOST_SCENARIOS = [
  "sep-2640-client-no-prefetch",
  "sep-2640-client-verify-digest",
  "sep-2640-client-verify-size",
  "sep-2640-client-verify-frontmatter",
];

/**
 * Runs one scenario against a server.
 *
 * @param {string} url
 * @param {string} scenario One of `SCENARIOS`.
 * @param {{ legacy?: boolean }} [options] `legacy` speaks revision 2025-11-25 instead of 2026-07-28.
 * @returns {Promise<Check[]>} None where the suite itself broke off.
 *
 * @typedef {{ id: string, status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED", errorMessage?: string }} Check
 */
export async function run(url, scenario, options) {
  return (await results(["server", "--url", url], scenario, options)).checks;
}

/**
 * Runs one scenario for a host: a command, to which the suite adds the address of the server that it plays.
 *
 * @param {string} command Without quotes: the suite splits it at blanks.
 * @param {string} scenario One of `HOST_SCENARIOS`.
 * @param {{ legacy?: boolean }} [options] As for `run`.
 * @returns {Promise<{ checks: Check[], printed: string }>} What the suite found, and what the host printed.
 */
export function runHost(command, scenario, options) {
  return results(["client", "--command", command], scenario, options);
}

async function results(subject, scenario, { legacy = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "skillglass-suite-"));
  const version = legacy ? "2025-11-25" : "2026-07-28";
  const options = ["--scenario", scenario, "--spec-version", version, "--force", "-o", folder];
  const path = (file) => join(folder, readdirSync(folder)[0] ?? "", file);
  const read = (file) => (existsSync(path(file)) ? readFileSync(path(file), "utf8") : "");
  try {
    await quietly(() => suite.parseAsync([...subject, ...options], { from: "user" }));
    // Where the suite broke off, there is no file of checks; what a server printed it does not know.
    return { checks: JSON.parse(read("checks.json") || "[]"), printed: read("stdout.txt") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

class Exit extends Error {}

/** Keeps the suite from printing, and from ending this process. */
async function quietly(work) {
  const { exit } = process;
  const { log, error } = console;
  process.exit = () => {
    throw new Exit();
  };
  console.log = console.error = () => {};
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof Exit)) {
      throw thrown;
    }
  } finally {
    process.exit = exit;
    Object.assign(console, { log, error });
  }
}
