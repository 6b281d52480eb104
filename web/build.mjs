// Builds the page into dist/: cargo, wasm-split, wasm-bindgen, wasm-opt, esbuild, and the links of index.html.
//
//   node web/build.mjs             quick to build
//   node web/build.mjs --release   small to load
//
// Where SKILLGLASS_URL says at which address the page is going to be hosted, authorization servers can know it there.

import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

import { compile, root, row, run, shrink } from "../xtask/wasm.mjs";
import { hostAt } from "./client-metadata.mjs";

const esbuild = createRequire(join(root, "tests/package.json"))("esbuild");
const small = process.argv.includes("--release");
const dist = join(root, "dist");
const web = import.meta.dirname;

/** What the page consists of, by the names that index.html has for it. */
const built = new Map();

/** Puts a file into dist/ under a name that changes with its bytes, and returns that and what a browser checks it by. */
function publish(name, bytes) {
  const dot = name.lastIndexOf(".");
  const digest = (algorithm, form) => createHash(algorithm).update(bytes).digest(form);
  const file = `${name.slice(0, dot)}-${digest("sha256", "hex").slice(0, 16)}${name.slice(dot)}`;
  writeFileSync(join(dist, file), bytes);
  row(file, Buffer.from(bytes));
  return { file, integrity: `sha384-${digest("sha384", "base64")}` };
}

/** A script or a style sheet with everything it imports. */
function bundle(entry) {
  const { outputFiles } = esbuild.buildSync({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: small,
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0].contents;
}

/**
 * Compiles the program and cuts off what is loaded when it is first wanted (web/src/later.rs). The second file is fetched by
 * the glue of the first, which is made to name it as it is and to have the browser check it.
 */
function program() {
  const crate = "skillglass-web";
  const compiled = compile({ crate, small, args: ["--", "-C", "link-arg=--emit-relocs"] });
  const work = join(dirname(compiled), "page");
  rmSync(work, { recursive: true, force: true });
  run("wasm-split-cli", [compiled, work, "--target", "web", "--out-name", crate]);
  const [first, later] = [join(work, `${crate}_bg.wasm`), join(work, "split_later.wasm")];
  run("wasm-bindgen", [
    ...[join(work, `${crate}.wasm`), "--target", "web", "--no-typescript", "--keep-lld-exports"],
    ...["--out-dir", work, "--out-name", crate],
  ]);
  if (small) {
    [first, later].forEach(shrink);
  }
  const { file, integrity } = publish("later.wasm", readFileSync(later));
  const link = join(work, "__wasm_split.js");
  const plain = 'fetch(new URL("./split_later.wasm", import.meta.url))';
  const parts = readFileSync(link, "utf8").split(plain);
  if (parts.length !== 2) {
    throw new Error(`${link} should fetch one file, but does so ${parts.length - 1} times`);
  }
  writeFileSync(link, parts.join(`fetch(new URL("./${file}", import.meta.url), { integrity: "${integrity}" })`));
  built.set(`${crate}.js`, publish(`${crate}.js`, bundle(join(work, `${crate}.js`))));
  built.set(`${crate}.wasm`, publish(`${crate}.wasm`, readFileSync(first)));
}

/** index.html with links to the built files instead of their sources. */
function page() {
  const html = readFileSync(join(web, "index.html"), "utf8");
  const unused = new Set(built.keys());
  const linked = html.replace(/\b(href|src)="([^"]+)"/g, (attribute, kind, source) => {
    const target = built.get(source);
    unused.delete(source);
    return target ? `${kind}="./${target.file}" integrity="${target.integrity}"` : attribute;
  });
  if (unused.size > 0) {
    throw new Error(`index.html should link ${[...unused].join(", ")}`);
  }
  return linked;
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
console.log(`${"".padEnd(40)}${"bytes".padStart(10)}${"gzip".padStart(10)}`);
program();
built.set("boot.js", publish("boot.js", bundle(join(web, "boot.js"))));
built.set("styles/index.css", publish("style.css", bundle(join(web, "styles/index.css"))));
built.set("favicon.svg", publish("favicon.svg", readFileSync(join(web, "favicon.svg"))));
for (const file of ["callback.html", "callback.css", "callback.js"]) {
  copyFileSync(join(web, file), join(dist, file));
}
writeFileSync(join(dist, "index.html"), page());
if (process.env.SKILLGLASS_URL) {
  hostAt(dist, process.env.SKILLGLASS_URL);
}
