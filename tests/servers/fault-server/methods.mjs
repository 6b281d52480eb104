// What an honest server answers to each method.

import { randomUUID } from "node:crypto";

import { INSTRUCTIONS, metaOf, mimeTypeOf } from "./catalog.mjs";

export const EXTENSION = "io.modelcontextprotocol/skills";
export const MODERN = "2026-07-28";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;

/** A JSON-RPC error instead of a result. */
export class Refusal extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, data });
  }
}

/**
 * How a server is set up.
 *
 * @typedef {object} Settings
 * @property {("modern" | "legacy")[]} eras The ways of the base protocol that are spoken.
 * @property {string} legacyVersion The newest of the older revisions that is spoken.
 * @property {boolean} sessions Whether the older era has sessions.
 * @property {() => string} newSession Makes a session's id.
 * @property {"json" | "stream"} modernReplies The form of the answers.
 * @property {"json" | "stream"} legacyReplies
 * @property {boolean} directoryRead Whether directories are read, and declared to be.
 * @property {number} pageSize How many entries a page of `skills/list` has.
 * @property {number} resourcePageSize
 * @property {number} directoryPageSize
 * @property {{ ttlMs: number, cacheScope: string }} caching What goes with results that may be kept.
 */

/** @type {Settings} */
export const SETTINGS = {
  eras: ["modern", "legacy"],
  legacyVersion: "2025-11-25",
  sessions: true,
  newSession: randomUUID,
  modernReplies: "json",
  legacyReplies: "stream",
  directoryRead: true,
  pageSize: 3,
  resourcePageSize: 10,
  directoryPageSize: 4,
  caching: { ttlMs: 60_000, cacheScope: "public" },
};

/** @typedef {{ catalog: import("./catalog.mjs").Catalog, settings: Settings, editEntry: (entry: object, skill: object, method: string) => object }} Site */

/** The methods by name: from the site and the parameters to the members of a result, or a `Refusal`. */
const METHODS = {
  "server/discover": (site) => ({ supportedVersions: [MODERN], ...introduction(site) }),
  "skills/list": listSkills,
  "skills/get": getSkill,
  "resources/list": listResources,
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "resources/read": readResource,
  "resources/directory/read": readDirectory,
  ping: () => ({}),
};

/** The methods whose results say how long they may be kept. */
const CACHEABLE = [
  "server/discover",
  "skills/list",
  "skills/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
];

/** The methods that one of the two eras does not have. */
const ONLY_IN = { "server/discover": "modern", ping: "legacy" };

/** What an honest server answers: the result of a method. */
export function call(site, era, method, params) {
  const known = Object.hasOwn(METHODS, method) && (ONLY_IN[method] ?? era) === era;
  if (!known || (method === "resources/directory/read" && !site.settings.directoryRead)) {
    throw new Refusal(METHOD_NOT_FOUND, `There is no method ${method} here.`);
  }
  return complete(site, era, method, METHODS[method](site, params));
}

/** A method's result from its members, with what the era asks of every result. */
export function complete({ settings }, era, method, members) {
  if (era === "legacy") {
    return members;
  }
  return { resultType: "complete", ...members, ...(CACHEABLE.includes(method) ? settings.caching : {}) };
}

/** The result of `initialize`. */
export function initialize(site, offered) {
  const spoken = [site.settings.legacyVersion, "2025-06-18", "2025-03-26"];
  const protocolVersion = spoken.includes(offered) ? offered : site.settings.legacyVersion;
  const { _meta, ...said } = introduction(site);
  return { protocolVersion, serverInfo: Object.values(_meta)[0], ...said };
}

function introduction({ settings }) {
  return {
    capabilities: {
      resources: {},
      extensions: { [EXTENSION]: settings.directoryRead ? { directoryRead: true } : {} },
    },
    instructions: INSTRUCTIONS,
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "fault-server", version: "1.0.0" } },
  };
}

function listSkills(site, { cursor }) {
  const listed = site.catalog.skills.filter((skill) => skill.listed);
  const { items, ...rest } = page(listed, cursor, site.settings.pageSize);
  return { skills: items.map((skill) => entry(site, skill, "skills/list")), ...rest };
}

function getSkill(site, { uri }) {
  const skill = site.catalog.skill(uri);
  if (skill === undefined) {
    throw unknown("skill", uri);
  }
  return { skill: entry(site, skill, "skills/get") };
}

function entry({ catalog, editEntry }, skill, method) {
  return editEntry(catalog.entry(skill), skill, method);
}

function listResources({ catalog, settings }, { cursor }) {
  const { items, ...rest } = page(catalog.resources(), cursor, settings.resourcePageSize);
  return { resources: items, ...rest };
}

function readResource({ catalog }, { uri }) {
  const content = catalog.files.get(uri);
  if (content === undefined) {
    throw unknown("file", uri);
  }
  const skill = catalog.skill(uri);
  const meta = skill === undefined ? {} : { _meta: metaOf(skill) };
  return { contents: [{ uri, mimeType: mimeTypeOf(uri), ...inTransit(content()), ...meta }] };
}

/** Text where the bytes are text, else base64. */
export function inTransit(bytes) {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { blob: bytes.toString("base64") };
  }
}

function readDirectory({ catalog, settings }, { uri, cursor }) {
  const children = catalog.children(uri);
  if (children === undefined) {
    throw unknown("directory", uri);
  }
  const { items, ...rest } = page(children, cursor, settings.directoryPageSize);
  return { resources: items, ...rest };
}

/** A page of `size` items. The cursor says how many come before it. */
function page(items, cursor, size) {
  const start = cursor === undefined ? 0 : Number(/^after-(\d+)$/.exec(cursor)?.[1]);
  if (Number.isNaN(start) || (start > 0 && start >= items.length)) {
    throw new Refusal(INVALID_PARAMS, `The cursor ${JSON.stringify(cursor)} is not one of this list's.`);
  }
  const end = start + size;
  return { items: items.slice(start, end), ...(end < items.length ? { nextCursor: `after-${end}` } : {}) };
}

function unknown(what, uri) {
  return new Refusal(INVALID_PARAMS, `There is no ${what} ${JSON.stringify(uri) ?? "without a uri"}.`);
}
