// What is published: the right files, resolvable by everybody, and nothing of the machine it was built on.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { parse } from "yaml";

import { pack, project, tool } from "./tarball.mjs";

const packed = pack();
const { root } = project(packed);
const installed = join(root, "node_modules/skillglass");
const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));

test("the tarball holds the package and nothing else", () => {
  assert.deepEqual(packed.files.toSorted(), [
    "README.md",
    "conformance.d.ts",
    "dist/LICENSE-APACHE",
    "dist/LICENSE-MIT",
    "dist/conformance/assert.js",
    "dist/conformance/carry.js",
    "dist/conformance/check.js",
    "dist/conformance/node.js",
    "dist/conformance/skillglass.js",
    "dist/conformance/skillglass_bg.wasm",
    "dist/conformance/web.js",
    "dist/host/carry.js",
    "dist/host/client.js",
    "dist/host/host.js",
    "dist/host/http.js",
    "dist/host/node.js",
    "dist/host/skillglass.js",
    "dist/host/skillglass_bg.wasm",
    "dist/host/skills-client.js",
    "dist/host/web.js",
    "dist/inline-module.js",
    "dist/inline.js",
    "dist/node.js",
    "dist/protocol/node.js",
    "dist/protocol/skillglass.js",
    "dist/protocol/skillglass_bg.wasm",
    "dist/protocol/web.js",
    "dist/skillglass.js",
    "dist/skillglass_bg.wasm",
    "dist/web.js",
    "host.d.ts",
    "index.d.ts",
    "package.json",
    "protocol.d.ts",
  ]);
});

test("it depends on nothing", () => {
  for (const kind of ["dependencies", "peerDependencies", "optionalDependencies", "bundleDependencies", "scripts"]) {
    assert.equal(manifest[kind], undefined, kind);
  }
  assert.deepEqual(readdirSync(join(root, "node_modules")).filter((name) => !name.startsWith(".")), ["skillglass"]);
});

test("it has the version of the workspace", () => {
  const workspace = readFileSync(join(import.meta.dirname, "../../Cargo.toml"), "utf8");
  assert.equal(manifest.version, /\[workspace\.package\]\nversion = "([^"]+)"/.exec(workspace)[1]);
});

test("publint finds nothing", () => {
  assert.match(tool(root, "publint", "run", "--strict", packed.file), /All good!/);
});

test("types resolve wherever the JavaScript does", () => {
  // A raw module has no types, and only ES modules are published, which Node can require.
  tool(root, "attw", packed.file, "--profile", "esm-only", "--exclude-entrypoints", "core.wasm", "protocol.wasm", "conformance.wasm", "host.wasm");
});

test("it names no folder of the machine it was built on", () => {
  const folders = [homedir(), join(import.meta.dirname, "../.."), "/.cargo/", "/registry/"];
  for (const path of packed.files) {
    const text = readFileSync(join(installed, path), "latin1");
    for (const folder of folders) assert.ok(!text.includes(folder), `${path} has ${folder}`);
  }
});

test("the workflow that publishes tries the package first, and proves where it comes from", () => {
  const workflow = parse(readFileSync(join(import.meta.dirname, "../../.github/workflows/publish.yml"), "utf8"));
  const { permissions, steps } = workflow.jobs.npm;
  assert.equal(permissions["id-token"], "write");
  const runs = steps.flatMap(({ run }) => run ?? []);
  assert.match(runs.at(-2), /^cargo xtask test --only .*\bpackage\b/);
  assert.equal(runs.at(-1), "npm publish ./pkg --provenance --access public");
});
