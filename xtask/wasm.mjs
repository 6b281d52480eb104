// What building the page and the npm package have in common: running programs, and making a WebAssembly module small.

import { spawnSync } from "node:child_process";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { gzipSync } from "node:zlib";

export const root = join(import.meta.dirname, "..");
const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");

// The project's own tools come first: their versions are the ones the workspace pins.
const path = [
  join(cache, "skillglass/tools/bin"),
  join(root, "tests/node_modules/.bin"),
  process.env.PATH,
].join(delimiter);

/** Runs a program and returns what it prints. Where it fails, it has said why, and there is nothing to add. */
export function run(program, args, environment = {}) {
  const { status, stdout, error } = spawnSync(program, args, {
    cwd: root,
    env: { ...process.env, PATH: path, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) {
    console.error(`${program} could not be started: ${error.message}`);
  }
  if (status !== 0) {
    process.exit(1);
  }
  return stdout;
}

/** What the compiler takes for granted of every engine. A module that was cut off from another one does not say so itself. */
const FEATURES = [
  "bulk-memory",
  "bulk-memory-opt",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
].map((feature) => `--enable-${feature}`);

/**
 * Makes a module small in place. What is downloaded is compressed, so gzip decides. It likes functions that look alike side
 * by side, small ones left alone even if they are called only once, and no hints that engines do not need. `first` names
 * further passes that pay off for the module.
 */
export function shrink(wasm, first = []) {
  run("wasm-opt", [
    ...["--reorder-functions-by-name", ...first, "-Oz", "--converge", "--one-caller-inline-max-function-size=25"],
    ...["--dealign", "--strip-producers", "--strip-target-features", ...FEATURES, wasm, "-o", wasm],
  ]);
}

/** Prints a name, and how many bytes there are, as they are and compressed. */
export function row(name, bytes) {
  const gzip = gzipSync(bytes, { level: 9 }).length;
  console.log(`${name.padEnd(40)}${String(bytes.length).padStart(10)}${String(gzip).padStart(10)}`);
}
