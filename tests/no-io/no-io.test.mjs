// The core asks its host for nothing: a WebAssembly module that walks through all of it has no imports.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const cargo = (...args) => execFileSync("cargo", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

cargo("build", "--quiet", "--package", "skillglass-no-io", "--target", "wasm32-unknown-unknown");
const { target_directory } = JSON.parse(cargo("metadata", "--format-version", "1", "--no-deps"));
const file = join(target_directory, "wasm32-unknown-unknown/debug/skillglass_no_io.wasm");
const module = new WebAssembly.Module(readFileSync(file));

test("nothing is imported", () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
});

test("the walk goes to its end with nothing at hand", () => {
  const { exports } = new WebAssembly.Instance(module);
  // Every file of the listed skills of `demo:good` that have a manifest.
  assert.equal(exports.walk(), 23);
});
