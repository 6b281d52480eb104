// The package's WebAssembly can ask its host for strings, objects, arrays and errors, and for nothing else.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, test } from "node:test";

import { project } from "./tarball.mjs";

const dist = join(project().root, "node_modules/skillglass/dist");

/** What values are made of and read with. Whoever adds a name here lets the package do one thing more. */
const ALLOWED = new Set([
  "call", "contenttag_new", "entries", "get", "get_unchecked", "isArray", "isView", "isWellFormed", "length",
  "new", "new_from_slice", "parse", "prototypesetcall", "set",
]);

/** Names that wasm-bindgen gives to what every module needs. */
const RUNTIME = /^(__wbg_)?__wbindgen_(boolean_get|debug_string|generic|init_externref_table|is_\w+|number_get|string_get|throw)(_[0-9a-f]{16})?$/;

for (const folder of ["", "protocol", "conformance", "host"].map((module) => join(dist, module))) {
  describe(relative(dist, folder) || "skillglass", () => {
    test("every import is allowed", () => {
      const module = new WebAssembly.Module(readFileSync(join(folder, "skillglass_bg.wasm")));
      const imports = WebAssembly.Module.imports(module);
      assert.ok(imports.length > 0);
      const refused = imports
        .map(({ name }) => name)
        .filter((name) => !RUNTIME.test(name))
        .filter((name) => !ALLOWED.has(name.replace(/^__wbg_/, "").replace(/_[0-9a-f]{16}$/, "")));
      assert.deepEqual(refused, []);
    });

    test("no import reaches the network, the clock, chance or storage", () => {
      const glue = readFileSync(join(folder, "skillglass.js"), "utf8");
      const [, functions] = /function __wbg_get_imports\(\) \{(.*?)\n\}\n/s.exec(glue);
      assert.doesNotMatch(
        functions,
        /fetch|XMLHttpRequest|WebSocket|EventSource|Date|performance|random|crypto|navigator|Storage|indexedDB|set(Timeout|Interval)|console|globalThis|process|require|import\(/,
      );
    });
  });
}
