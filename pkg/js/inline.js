// The entry for places that can load nothing but JavaScript: the WebAssembly is in it as text.

import base64 from "./inline-module.js";
import { initSync as instantiate } from "./skillglass.js";

export * from "./skillglass.js";

instantiate({ module: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)) });

/** Nothing is left to do here; it exists so that one source text runs with every entry. */
export default async function init() {}

/** See `init`. */
export function initSync() {}
