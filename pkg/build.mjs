// Builds the npm package: cargo, wasm-bindgen, wasm-opt, then pkg/dist/ and a table of sizes. Run it by `cargo xtask package`,
// which keeps this machine's folders out of what is published.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { root, row, run, shrink } from "../xtask/wasm.mjs";

const dist = join(import.meta.dirname, "dist");

/** Compiles the crate with these features and returns the path of its WebAssembly. */
function compile(features) {
  const messages = run("cargo", [
    ...["build", "--quiet", "--package", "skillglass-wasm", "--profile", "wasm", "--no-default-features", "--features", features],
    ...["--target", "wasm32-unknown-unknown", "--message-format", "json-render-diagnostics"],
  ]);
  return messages
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .flatMap(({ target, filenames }) => (target?.name === "skillglass_wasm" ? filenames : []))
    .find((file) => file.endsWith(".wasm"));
}

/** Wraps the module as text, for places that can load nothing but JavaScript. */
function inline(module) {
  return `export default "${module.toString("base64")}";\n`;
}

/** Builds one module into a folder, with the entries that load it and the scripts that they export. Returns the module. */
function build(name, folder, features, entries, scripts = {}) {
  mkdirSync(folder, { recursive: true });
  const wasm = join(folder, "skillglass_bg.wasm");
  const compiled = compile(features);
  run("wasm-bindgen", [compiled, "--target", "web", "--no-typescript", "--out-dir", folder, "--out-name", "skillglass"]);
  row(`${name}, not optimised`, readFileSync(wasm));
  shrink(wasm, ["--merge-similar-functions"]);
  const { exported = [], inner = [] } = scripts;
  const source = (file) => readFileSync(join(import.meta.dirname, "js", file), "utf8");
  for (const entry of entries) {
    const exports = exported.map((script) => `export * from "./${script}";\n`);
    writeFileSync(join(folder, entry), [source(entry), ...exports].join(""));
  }
  for (const script of [...exported, ...inner]) {
    writeFileSync(join(folder, script), source(script));
  }
  const module = readFileSync(wasm);
  row(name, module);
  row(`${name}, JavaScript around it`, readFileSync(join(folder, "skillglass.js")));
  return module;
}

rmSync(dist, { recursive: true, force: true });
console.log(`${"".padEnd(40)}${"bytes".padStart(10)}${"gzip".padStart(10)}`);
const module = build("skillglass", dist, "verify", ["node.js", "web.js", "inline.js"]);
writeFileSync(join(dist, "inline-module.js"), inline(module));
build("skillglass/protocol", join(dist, "protocol"), "protocol", ["node.js", "web.js"]);
build("skillglass/conformance", join(dist, "conformance"), "conformance", ["node.js", "web.js"], {
  exported: ["check.js", "assert.js"],
  inner: ["carry.js"],
});
build("skillglass/host", join(dist, "host"), "host", ["node.js", "web.js"], {
  exported: ["host.js"],
  inner: ["http.js", "carry.js", "client.js", "skills-client.js"],
});
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  copyFileSync(join(root, licence), join(dist, licence));
}
