// The entry for Node: importing it, or requiring it, is enough.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as skillglass from "./skillglass.js";

export * from "./skillglass.js";

skillglass.initSync({ module: readFileSync(new URL("./skillglass_bg.wasm", import.meta.url)) });
// Not every part of the package hashes.
skillglass.hashWith?.((bytes) => createHash("sha256").update(bytes).digest());

/** Nothing is left to do here; it exists so that one source text runs in Node and in browsers. */
export default async function init() {}

/** See `init`. */
export function initSync() {}
