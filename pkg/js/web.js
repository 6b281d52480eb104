// The entry for browsers, bundlers and workers: call `init` once before anything else.

import instantiate, { initSync as instantiateSync } from "./skillglass.js";

export * from "./skillglass.js";

export default async function init(source) {
  await instantiate(source === undefined ? undefined : { module_or_path: source });
}

export function initSync(module) {
  instantiateSync({ module });
}
