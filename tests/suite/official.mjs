// The official conformance suite, run through its own command line, many times in one process.
//
// Its package exports nothing: it is a command that reads `process.argv`. Its command line is made with `commander`,
// which this file hands it with `parse` taken over, so that it comes to be called here instead of at once.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
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

/**
 * Runs one scenario against a server.
 *
 * @param {string} url
 * @param {string} scenario One of `SCENARIOS`.
 * @param {{ legacy?: boolean }} [options] `legacy` speaks revision 2025-11-25 instead of 2026-07-28.
 * @returns {Promise<{ id: string, status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED", errorMessage?: string }[]>}
 *   None where the suite itself broke off.
 */
export async function run(url, scenario, { legacy = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "skillglass-suite-"));
  const version = legacy ? "2025-11-25" : "2026-07-28";
  const options = ["--url", url, "--scenario", scenario, "--spec-version", version, "--force", "-o", folder];
  try {
    await quietly(() => suite.parseAsync(["server", ...options], { from: "user" }));
    const [results] = readdirSync(folder);
    return JSON.parse(readFileSync(join(folder, results, "checks.json"), "utf8"));
  } catch (error) {
    if (error.code === "ENOENT") {
      return [];
    }
    throw error;
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
