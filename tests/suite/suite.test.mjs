// The official conformance suite against servers of ours: it agrees that the honest ones are, and what it finds in the
// faulty ones is kept in findings.json, against which the core's own checks are held.
//
// After a change of the fault server: UPDATE_FINDINGS=1 cargo xtask test --only suite

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { after, before, test } from "node:test";

import { startFaultServer } from "../servers/fault-server/main.mjs";
import { HONEST, VARIANTS } from "../servers/fault-server/variants.mjs";
import { run, SCENARIOS } from "./official.mjs";

/**
 * The variants that the suite is tried on. In the older era it waits half a minute for each answer that it cannot read.
 */
const TRIED = [...VARIANTS.values()].filter((variant) => variant.group !== "transport");

const FINDINGS = join(import.meta.dirname, "findings.json");
const ERAS = ["modern", "legacy"];
const SCHEMA = "wire-schema-valid";
/** What the suite calls its own mistake: it repeats URIs that its schema does not allow. */
const OWN_MISTAKE = "wire-schema-harness-error";
const ONLY_MODERN = ["sep-2640-skills-get-cache-attributes", "sep-2640-skills-list-cache-attributes"];

let faultServer;
/** What the suite found, by variant and era. @type {Map<string, Record<string, ReturnType<typeof summary>>>} */
const found = new Map();

before(async () => {
  faultServer = await startFaultServer();
  for (const { id } of TRIED) {
    const checks = {};
    for (const era of ERAS) {
      checks[era] = await runAll(`${faultServer.url}/${id}`, era);
    }
    found.set(id, checks);
  }
});
after(() => faultServer.close());

/** The checks of every scenario; none for one that broke off. */
async function runAll(url, era) {
  const checks = {};
  for (const scenario of SCENARIOS) {
    checks[scenario] = await run(url, scenario, { legacy: era === "legacy" });
  }
  return checks;
}

/**
 * The ids of the checks with a status, in order, each once. The suite also fails or warns of what it found nothing to
 * try on; such checks count as untestable.
 */
function ids(checks, status) {
  const all = Object.values(checks).flat();
  const statusOf = (check) => (check.details?.untestable ? "UNTESTABLE" : check.status);
  const wanted = all.filter((check) => statusOf(check) === status && check.id !== OWN_MISTAKE);
  return [...new Set(wanted.map((check) => check.id))].sort();
}

function summary(checks) {
  const all = {
    fails: ids(checks, "FAILURE"),
    warns: ids(checks, "WARNING"),
    untestable: ids(checks, "UNTESTABLE"),
    brokeOff: SCENARIOS.filter((scenario) => checks[scenario].length === 0),
  };
  return Object.fromEntries(Object.entries(all).filter(([, list]) => list.length > 0));
}

/** How many checks passed in each scenario. */
function passed(checks) {
  return SCENARIOS.map((scenario) => checks[scenario].filter((check) => check.status === "SUCCESS").length);
}

test("the honest server passes every check in both eras", () => {
  const { modern, legacy } = found.get(HONEST);
  assert.deepEqual([summary(modern), ids(modern, "SKIPPED"), passed(modern)], [{}, [], [32, 6, 7]]);
  assert.deepEqual([summary(legacy), ids(legacy, "SKIPPED"), passed(legacy)], [{}, ONLY_MODERN, [30, 6, 7]]);
});

test("the core's good demonstration passes every check", async (t) => {
  const checks = await runAll(await startDemo(t, "good"), "modern");
  // Two of its skills share a name, each under a path of its own.
  assert.deepEqual(summary(checks), { warns: ["sep-2640-names-should-be-unique"] });
  assert.deepEqual([ids(checks, "SKIPPED"), passed(checks)], [[], [31, 6, 7]]);
});

test("the core's broken demonstration does not", async (t) => {
  const checks = await runAll(await startDemo(t, "broken"), "modern");
  assert.ok(ids(checks, "FAILURE").length > 0);
});

test("a folder that the program serves passes every check in both eras", async (t) => {
  const served = await startServe(t, join(import.meta.dirname, "../skills/good"), ["--page-size", "3"]);
  // Two of its skills share a name, each under a path of its own.
  const warns = ["sep-2640-names-should-be-unique"];
  const modern = await runAll(served, "modern");
  assert.deepEqual([summary(modern), ids(modern, "SKIPPED"), passed(modern)], [{ warns }, [], [31, 6, 7]]);
  const legacy = await runAll(served, "legacy");
  assert.deepEqual([summary(legacy), ids(legacy, "SKIPPED"), passed(legacy)], [{ warns }, ONLY_MODERN, [29, 6, 7]]);
});

test("what the suite fails in an honest server is known, with the reason why we do not", () => {
  for (const { id, lenient } of TRIED.filter((variant) => variant.honest)) {
    const failed = ERAS.flatMap((era) => ids(found.get(id)[era], "FAILURE"));
    const unexplained = failed.filter((check) => !Object.keys(lenient).map(official).includes(check));
    assert.deepEqual(unexplained, [], id);
  }
});

test("we are lenient only where the suite is not", () => {
  for (const { id, lenient } of TRIED) {
    const all = ERAS.flatMap((era) => ["FAILURE", "WARNING"].flatMap((status) => ids(found.get(id)[era], status)));
    assert.deepEqual(
      Object.keys(lenient)
        .map(official)
        .filter((check) => !all.includes(check)),
      [],
      id,
    );
  }
});

test("what the suite finds in each variant is what findings.json says", () => {
  const now = new Map([...found].map(([id, eras]) => [id, ERAS.map((era) => summary(eras[era]))]));
  if (process.env.UPDATE_FINDINGS) {
    const lines = [...now].map(
      ([id, [modern, legacy]]) => `  ${JSON.stringify(id)}: ${JSON.stringify({ modern, legacy })}`,
    );
    writeFileSync(FINDINGS, `{\n${lines.join(",\n")}\n}\n`);
  }
  const kept = new Map(Object.entries(JSON.parse(readFileSync(FINDINGS, "utf8"))));
  assert.deepEqual([...kept.keys()], [...now.keys()]);
  for (const [id, { modern, legacy }] of kept) {
    assert.deepEqual(now.get(id), [modern, legacy], id);
  }
});

/** The official id of a check. */
function official(id) {
  return id === SCHEMA ? id : `sep-2640-${id}`;
}

/** Puts a demonstration of the core's own server on the network. */
function startDemo(t, name) {
  return start(t, ["-p", "skillglass-peers", "--bin", "demo-server", "--", name]);
}

/** Serves a folder of skills. */
function startServe(t, folder, options) {
  return start(t, ["-p", "skillglass-cli", "--", "serve", folder, "--listen", "127.0.0.1:0", ...options]);
}

/** Runs a program of this workspace that prints where it serves. */
async function start(t, words) {
  const run = ["run", "--quiet", ...words];
  const server = spawn("cargo", run, { cwd: import.meta.dirname, stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => server.kill());
  for await (const url of createInterface(server.stdout)) {
    return url;
  }
  throw new Error("The server ended before it served.");
}
