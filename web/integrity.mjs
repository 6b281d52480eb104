// Runs after Trunk's build: writes the SHA-384 of the program's two files into the page, so that a browser refuses
// other bytes. Trunk does this for style sheets and scripts, but not in a way a browser applies to WebAssembly.

import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.TRUNK_STAGING_DIR;
const page = join(folder, "index.html");

const integrityOf = (file) =>
  `sha384-${createHash("sha384").update(readFileSync(join(folder, file))).digest("base64")}`;

let links = 0;
const html = readFileSync(page, "utf8").replace(
  /<link rel="(?:modulepreload|wasm)" href="([^"]+)"/g,
  (link, href) => {
    links += 1;
    return `${link} integrity="${integrityOf(href)}"`;
  },
);
if (links !== 2) {
  throw new Error(`index.html should link one module and one wasm file, but ${links} links were found`);
}
writeFileSync(page, html);
