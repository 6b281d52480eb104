// Every variant of the server: the honest ones, and one for each way to break a rule.

import capabilities from "./variants/capabilities.mjs";
import content from "./variants/content.mjs";
import directories from "./variants/directories.mjs";
import entries from "./variants/entries.mjs";
import format from "./variants/format.mjs";
import frontmatter from "./variants/frontmatter.mjs";
import get from "./variants/get.mjs";
import honest from "./variants/honest.mjs";
import listing from "./variants/listing.mjs";
import manifest from "./variants/manifest.mjs";
import metadata from "./variants/metadata.mjs";
import protocol from "./variants/protocol.mjs";
import transport from "./variants/transport.mjs";

/**
 * A server that differs from the honest one in one thing.
 *
 * The ids are those of the checks. A fault is what `breaks` and `warns` name; `follows` names what may go wrong with
 * it, as when a skill without a SKILL.md has no frontmatter to compare either. Honest variants break nothing.
 *
 * @typedef {object} Variant
 * @property {string} id
 * @property {string} title What the server does, as a sentence.
 * @property {string} [group] The file it is in.
 * @property {boolean} [honest]
 * @property {string[]} [breaks] Checks that fail.
 * @property {string[]} [warns] Checks that warn.
 * @property {string[]} [follows] Checks that may fail or warn because of it.
 * @property {"modern"} [era] The only era in which it is a fault.
 * @property {Record<string, string>} [lenient] Checks that the official suite fails and we do not, with the reason.
 * @property {Partial<import("./methods.mjs").Settings>} [settings]
 * @property {(skills: Record<string, import("./catalog.mjs").Skill>) => void} [skills] Changes what is served; whatever
 *   follows from it stays right.
 * @property {(entry: object, skill: object, method: string) => unknown} [entry] Changes an entry on its way out.
 * @property {Record<string, (honest: () => object, context: object) => unknown>} [answer] Answers a method in place of
 *   the honest server, whose result or `Refusal` `honest` gives; `*` is every method that has none of its own.
 * @property {(reply: import("./wire.mjs").Reply, context: object) => import("./wire.mjs").Reply} [reply] Changes the
 *   HTTP reply.
 */

const GROUPS = {
  honest: honest.map((variant) => ({ ...variant, honest: true })),
  capabilities,
  listing,
  entries,
  manifest,
  format,
  frontmatter,
  content,
  get,
  directories,
  metadata,
  protocol,
  transport,
};

/** The id of the server that does everything right. */
export const HONEST = "honest";

/** @type {Map<string, Variant>} */
export const VARIANTS = new Map();
for (const [group, variants] of Object.entries(GROUPS)) {
  for (const variant of variants) {
    if (VARIANTS.has(variant.id)) {
      throw new Error(`Two variants have the id ${variant.id}.`);
    }
    VARIANTS.set(variant.id, {
      group,
      honest: false,
      era: null,
      breaks: [],
      warns: [],
      follows: [],
      lenient: {},
      ...variant,
    });
  }
}

/** @returns {Variant} */
export function byId(id) {
  const variant = VARIANTS.get(id);
  if (variant === undefined) {
    throw new Error(`There is no variant ${id}; --list names them all.`);
  }
  return variant;
}
