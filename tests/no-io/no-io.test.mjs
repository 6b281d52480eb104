// The core asks its host for nothing: a WebAssembly module that walks through it has no imports, nor has one that holds all
// of it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "../..");
const cargo = (...args) => execFileSync("cargo", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const { target_directory } = JSON.parse(cargo("metadata", "--format-version", "1", "--no-deps"));
const built = (name) => new WebAssembly.Module(readFileSync(join(target_directory, "wasm32-unknown-unknown/debug", name)));

cargo("build", "--quiet", "--package", "skillglass-no-io", "--target", "wasm32-unknown-unknown");
const module = built("skillglass_no_io.wasm");

test("nothing is imported", () => {
  assert.deepEqual(WebAssembly.Module.imports(module), []);
});

test("the walk goes to its end with nothing at hand", () => {
  const { exports } = new WebAssembly.Instance(module);
  // Every file of the listed skills of `demo:good` that have a manifest.
  assert.equal(exports.walk(), 23);
});

test("no function of the core imports anything, called or not", () => {
  cargo(
    ...["rustc", "--quiet", "--package", "skillglass", "--lib", "--features", "demo", "--crate-type", "cdylib"],
    ...["--target", "wasm32-unknown-unknown", "--", "-C", "link-dead-code"],
    ...["-C", "link-arg=--no-gc-sections", "-C", "link-arg=--export-dynamic"],
  );
  const whole = built("skillglass.wasm");
  const [names] = WebAssembly.Module.customSections(whole, "name");
  const kept = Buffer.from(names).toString("latin1").match(/10skillglass/g) ?? [];
  assert.ok(kept.length > 1000, `the module has ${kept.length} functions of the core`);
  assert.deepEqual(WebAssembly.Module.imports(whole), []);
});
