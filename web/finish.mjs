// Runs after Trunk's build: cuts off what is loaded when it is first wanted (web/src/later.rs), makes both files small in
// release, and writes names and SHA-384 into the page, so that a browser refuses other bytes. Where SKILLGLASS_URL says at
// which address the page is going to be hosted, authorization servers can know it there.

import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { root, row, run, shrink } from "../xtask/wasm.mjs";
import { hostAt } from "./client-metadata.mjs";

const esbuild = createRequire(join(root, "tests/package.json"))("esbuild");
const crate = "skillglass-web";
const folder = process.env.TRUNK_STAGING_DIR;
const small = process.env.TRUNK_PROFILE === "release";

/** Puts a file of the program beside the page under a name that changes with its bytes, and says how a browser checks it. */
function publish(name, bytes) {
  const dot = name.lastIndexOf(".");
  const digest = (algorithm, form) => createHash(algorithm).update(bytes).digest(form);
  const file = `${name.slice(0, dot)}-${digest("sha256", "hex").slice(0, 16)}${name.slice(dot)}`;
  writeFileSync(join(folder, file), bytes);
  row(file, Buffer.from(bytes));
  return { file, integrity: `sha384-${digest("sha384", "base64")}` };
}

/** Where cargo has put the program for Trunk. */
function compiled() {
  const { target_directory } = JSON.parse(run("cargo", ["metadata", "--no-deps", "--format-version", "1"]));
  return join(target_directory, "wasm32-unknown-unknown", small ? "wasm" : "debug");
}

/** Cuts the program, and has wasm-bindgen make the glue of both parts. Returns the folder they are in. */
function split() {
  const work = join(compiled(), "page");
  rmSync(work, { recursive: true, force: true });
  run("wasm-split-cli", [join(compiled(), `${crate}.wasm`), work, "--target", "web", "--out-name", crate]);
  run("wasm-bindgen", [
    ...[join(work, `${crate}.wasm`), "--target", "web", "--no-typescript", "--keep-lld-exports"],
    ...["--out-dir", work, "--out-name", crate],
  ]);
  return work;
}

/** The glue as one script, which fetches the second file by its name and has the browser check it. */
function glue(work, { file, integrity }) {
  const link = join(work, "__wasm_split.js");
  const plain = 'fetch(new URL("./split_later.wasm", import.meta.url))';
  const parts = readFileSync(link, "utf8").split(plain);
  if (parts.length !== 2) {
    throw new Error(`${link} should fetch one file, but does so ${parts.length - 1} times`);
  }
  writeFileSync(link, parts.join(`fetch(new URL("./${file}", import.meta.url), { integrity: "${integrity}" })`));
  const entryPoints = [join(work, `${crate}.js`)];
  const options = { bundle: true, format: "esm", target: "es2022", write: false, logLevel: "warning" };
  return esbuild.buildSync({ entryPoints, minify: small, ...options }).outputFiles[0].contents;
}

/** Puts the two files that the page starts with in the place of those that Trunk has linked. */
function link(files) {
  const page = join(folder, "index.html");
  const html = readFileSync(page, "utf8").replace(
    /<link rel="(modulepreload|wasm)" href="([^"]+)"/g,
    (_, relation, href) => {
      rmSync(join(folder, href));
      const { file, integrity } = files[relation];
      delete files[relation];
      return `<link rel="${relation}" href="./${file}" integrity="${integrity}"`;
    },
  );
  if (Object.keys(files).length > 0) {
    throw new Error(`index.html should link the program, but lacks ${Object.keys(files).join(" and ")}`);
  }
  writeFileSync(page, html);
}

const work = split();
const [first, later] = [join(work, `${crate}_bg.wasm`), join(work, "split_later.wasm")];
if (small) {
  [first, later].forEach(shrink);
}
const second = publish("later.wasm", readFileSync(later));
const modulepreload = publish(`${crate}.js`, glue(work, second));
link({ modulepreload, wasm: publish(`${crate}.wasm`, readFileSync(first)) });
if (process.env.SKILLGLASS_URL) {
  hostAt(folder, process.env.SKILLGLASS_URL);
}
