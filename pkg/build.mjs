// Builds the npm package: cargo, wasm-bindgen, wasm-opt, then pkg/dist/ and a table of sizes.

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "..");
const dist = join(import.meta.dirname, "dist");
const wasm = join(dist, "skillglass_bg.wasm");
const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");

// The project's own tools come first: their versions are the ones the workspace pins.
const path = [
  join(cache, "skillglass/tools/bin"),
  join(root, "tests/node_modules/.bin"),
  process.env.PATH,
].join(delimiter);

function run(program, args, environment = {}) {
  return execFileSync(program, args, {
    cwd: root,
    env: { ...process.env, PATH: path, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Keeps this machine's folders out of the module: panic messages name the source files of dependencies. */
function withoutFolders() {
  const registry = join(process.env.CARGO_HOME || join(homedir(), ".cargo"), "registry/src");
  const sources = existsSync(registry) ? readdirSync(registry) : [];
  return sources.map((source) => `--remap-path-prefix=${join(registry, source)}/=`).join("\x1f");
}

/** Compiles the crate and returns the path of its WebAssembly. */
function compile() {
  const messages = run(
    "cargo",
    [
      ...["build", "--quiet", "--package", "skillglass-wasm", "--profile", "wasm"],
      ...["--target", "wasm32-unknown-unknown", "--message-format", "json-render-diagnostics"],
    ],
    { CARGO_ENCODED_RUSTFLAGS: withoutFolders() },
  );
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

function row(name, bytes) {
  const gzip = gzipSync(bytes, { level: 9 }).length;
  console.log(`${name.padEnd(30)}${String(bytes.length).padStart(10)}${String(gzip).padStart(10)}`);
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
run("wasm-bindgen", [compile(), "--target", "web", "--no-typescript", "--out-dir", dist, "--out-name", "skillglass"]);
const unoptimised = readFileSync(wasm);
// Inlining every function that is called once makes fewer bytes, of which gzip makes many more.
const once = "--one-caller-inline-max-function-size=25";
run("wasm-opt", ["-Oz", "--converge", once, "--strip-producers", wasm, "-o", wasm]);
const module = readFileSync(wasm);
writeFileSync(join(dist, "inline-module.js"), inline(module));
for (const licence of ["LICENSE-APACHE", "LICENSE-MIT"]) {
  copyFileSync(join(root, licence), join(dist, licence));
}

console.log(`${"".padEnd(30)}${"bytes".padStart(10)}${"gzip".padStart(10)}`);
row("WebAssembly, not optimised", unoptimised);
row("WebAssembly", module);
row("JavaScript around it", readFileSync(join(dist, "skillglass.js")));
