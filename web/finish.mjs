// Runs after Trunk's build: cuts off what is loaded when it is first wanted (web/src/later.rs), bundles styles and scripts,
// makes all of it small in release, and writes names and SHA-384 into the page, so that a browser refuses other bytes. Where
// SKILLGLASS_URL says at which address the page is going to be hosted, authorization servers can know it there. At last it tells
// the service worker what there is to keep (web/sw.js).

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { root, row, run, shrink } from "../xtask/wasm.mjs";
import { hostAt } from "./client-metadata.mjs";

const esbuild = createRequire(join(root, "tests/package.json"))("esbuild");
const crate = "skillglass-web";
const folder = process.env.TRUNK_STAGING_DIR;
const small = process.env.TRUNK_PROFILE === "release";

const digest = (bytes, algorithm, form) => createHash(algorithm).update(bytes).digest(form);
const integrityOf = (bytes) => `sha384-${digest(bytes, "sha384", "base64")}`;

/** Puts a file of the program beside the page under a name that changes with its bytes, and says how a browser checks it. */
function publish(name, bytes) {
  const dot = name.lastIndexOf(".");
  const file = `${name.slice(0, dot)}-${digest(bytes, "sha256", "hex").slice(0, 16)}${name.slice(dot)}`;
  writeFileSync(join(folder, file), bytes);
  row(file, Buffer.from(bytes));
  return { file, integrity: integrityOf(bytes) };
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

/** Styles or a script with everything that they import, as one file. */
function bundled(file, define = {}) {
  const options = { bundle: true, format: "esm", target: "es2022", write: false, logLevel: "warning" };
  return esbuild.buildSync({ entryPoints: [file], minify: small, define, ...options }).outputFiles[0].contents;
}

/** The glue as one script, which loads the second file with its styles, and has the browser check both. */
function glue(work, program, styles) {
  const link = join(work, "__wasm_split.js");
  const plain = 'fetch(new URL("./split_later.wasm", import.meta.url))';
  const parts = readFileSync(link, "utf8").split(plain);
  if (parts.length !== 2) {
    throw new Error(`${link} should fetch one file, but does so ${parts.length - 1} times`);
  }
  const loaded = parts.join(`loadLater(${JSON.stringify(program)}, ${JSON.stringify(styles)})`);
  writeFileSync(link, `import { loadLater } from ${JSON.stringify(join(root, "web/later.js"))};\n${loaded}`);
  return bundled(join(work, `${crate}.js`));
}

/** Puts the files that the page starts with in the place of those that it names, and of those that Trunk has linked. */
function link(files) {
  const page = join(folder, "index.html");
  const html = readFileSync(page, "utf8").replace(
    /<(?:link rel="(modulepreload|wasm|stylesheet)" href|script type="(module)" src)="([^"]+)"/g,
    (whole, relation, type, named) => {
      const { file, integrity } = files[relation ?? type];
      delete files[relation ?? type];
      rmSync(join(folder, named), { force: true });
      return whole.replace(`"${named}"`, `"./${file}" integrity="${integrity}"`);
    },
  );
  if (Object.keys(files).length > 0) {
    throw new Error(`index.html should link the program, but lacks ${Object.keys(files).join(" and ")}`);
  }
  writeFileSync(page, html);
}

/** What lies beside the page for those who are sent back from somewhere, which they never are without a network. */
const ONLY_ONLINE = /^(callback|client-metadata)\./;

/** Tells the service worker which files it keeps, and both the page and the worker which version they are. */
function keepOffline() {
  const page = join(folder, "index.html");
  const html = readFileSync(page, "utf8");
  const names = readdirSync(folder).filter((name) => name !== "index.html" && !ONLY_ONLINE.test(name)).sort();
  const files = names.map((file) => ({ file, integrity: integrityOf(readFileSync(join(folder, file))) }));
  const version = digest(JSON.stringify([html, files]), "sha256", "hex").slice(0, 16);
  const versioned = html.replace("<html", `<html data-version="${version}"`);
  writeFileSync(page, versioned);
  files.push({ file: "./", integrity: integrityOf(versioned) });
  writeFileSync(join(folder, "sw.js"), bundled(join(root, "web/sw.js"), { BUILT: JSON.stringify({ version, files }) }));
}

const work = split();
const [first, later] = [join(work, `${crate}_bg.wasm`), join(work, "split_later.wasm")];
if (small) {
  [first, later].forEach((wasm) => shrink(wasm));
}
const styled = (name) => bundled(join(root, "web/styles", name));
const second = [publish("later.wasm", readFileSync(later)), publish("later.css", styled("later.css"))];
link({
  stylesheet: publish("styles.css", styled("first.css")),
  modulepreload: publish(`${crate}.js`, glue(work, ...second)),
  wasm: publish(`${crate}.wasm`, readFileSync(first)),
  module: publish("boot.js", bundled(join(root, "web/boot.js"))),
});
for (const name of ["callback.css", "callback.js"]) {
  writeFileSync(join(folder, name), bundled(join(root, "web", name)));
}
if (process.env.SKILLGLASS_URL) {
  hostAt(folder, process.env.SKILLGLASS_URL);
}
keepOffline();
