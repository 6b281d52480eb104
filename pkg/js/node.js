// The entry for Node: importing it, or requiring it, is enough.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hashWith, initSync as instantiate } from "./skillglass.js";

export * from "./skillglass.js";

instantiate({ module: readFileSync(new URL("./skillglass_bg.wasm", import.meta.url)) });
hashWith((bytes) => createHash("sha256").update(bytes).digest());

/** Nothing is left to do here; it exists so that one source text runs in Node and in browsers. */
export default async function init() {}

/** See `init`. */
export function initSync() {}
