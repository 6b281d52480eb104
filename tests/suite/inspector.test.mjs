// MCP Inspector's command line against `skillglass serve`: it verifies every file of every skill, as a client that is not ours.

import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { test } from "node:test";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");
const INSPECTOR = join(
  import.meta.dirname,
  "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
const FOLDER = join(ROOT, "tests/skills/good");

const metadata = ["metadata", "--format-version", "1", "--no-deps"];
const { target_directory } = JSON.parse(execFileSync("cargo", metadata, { cwd: ROOT, encoding: "utf8" }));
const PROGRAM = join(target_directory, "debug/skillglass");

/** What the Inspector says of every skill of a server, a line for each. It ends with 0 only where nothing is wrong. */
async function verified(era, server) {
  const question = ["--cli", "--protocol-era", era, "--method", "skills/list", "--verify", ...server];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [INSPECTOR, ...question]);
  assert.match(stderr, /no conformance errors/);
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}

function isClean(skills) {
  assert.equal(skills.length, 10);
  for (const { uri, conformance, frontmatter, files, outcome } of skills) {
    // Two skills share a name, which it warns of, as we do.
    const wrong = conformance.filter(({ code }) => code !== "duplicate-name");
    assert.deepEqual([wrong, frontmatter, outcome], [[], [], "verified"], uri);
    assert.ok(files.length > 0 && files.every(({ status }) => status === "verified"), uri);
  }
}

for (const era of ["modern", "legacy"]) {
  test(`over HTTP, ${era}`, async (t) => {
    const serve = spawn(PROGRAM, ["serve", FOLDER, "--listen", "127.0.0.1:0", "--page-size", "3"]);
    t.after(() => serve.kill());
    const { value: url } = await createInterface(serve.stdout)[Symbol.asyncIterator]().next();
    isClean(await verified(era, ["--transport", "http", "--server-url", url]));
  });

  test(`over standard input and output, ${era}`, async () => {
    isClean(await verified(era, [PROGRAM, "serve", FOLDER, "--stdio"]));
  });
}
