// What the server declares.

import { EXTENSION, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from "../methods.mjs";
import { omit, refusing } from "./tools.mjs";

/** Changes the capabilities, in both eras. */
function declaring(edit) {
  const declare = (honest) => {
    const result = honest();
    return { ...result, capabilities: edit(result.capabilities) };
  };
  return { answer: { "server/discover": declare, initialize: declare } };
}

/** Declares the extension as this. */
function as(settings) {
  return declaring((capabilities) => ({ ...capabilities, extensions: { [EXTENSION]: settings } }));
}

const NO_DIRECTORIES = { settings: { directoryRead: false } };

export default [
  ...[
    ["true", true],
    ["null", null],
    ["array", []],
    ["string", "1.0"],
    ["number", 1],
    ["false", false],
  ].map(([name, settings]) => ({
    id: `capability-${name}`,
    title: `Declares the extension as ${JSON.stringify(settings)} instead of an object`,
    breaks: ["capability-empty-object"],
    follows: ["wire-schema-valid"],
    ...NO_DIRECTORIES,
    ...as(settings),
  })),
  {
    id: "capability-in-envelope",
    title: "Puts the extension's settings into a member `config`",
    breaks: ["capability-declaration-inline"],
    ...NO_DIRECTORIES,
    ...as({ config: {} }),
  },
  {
    id: "capability-with-version",
    title: "Puts a version and a stability beside the extension's settings",
    breaks: ["capability-declaration-inline"],
    ...as({ specVersion: "1.0", stability: "stable", directoryRead: true }),
  },
  {
    id: "capability-experimental",
    title: "Declares the extension under `experimental`, as in an early draft",
    breaks: ["capability-declaration-inline"],
    ...declaring((capabilities) => ({
      ...omit(capabilities, "extensions"),
      experimental: { [EXTENSION]: { directoryRead: true } },
    })),
  },
  {
    id: "capability-in-settings",
    title: "Puts directoryRead into a member `settings`",
    breaks: ["capability-declaration-inline"],
    ...NO_DIRECTORIES,
    ...as({ settings: { directoryRead: true } }),
  },
  {
    id: "capability-beside-extensions",
    title: "Declares the extension beside `extensions` instead of in it",
    breaks: ["capability-declaration-inline"],
    ...declaring((capabilities) => ({ ...omit(capabilities, "extensions"), [EXTENSION]: { directoryRead: true } })),
  },
  {
    id: "capability-list-of-extensions",
    title: "Lists the extension's identifier in an array",
    breaks: ["capability-declaration-inline"],
    follows: ["wire-schema-valid"],
    ...declaring((capabilities) => ({ ...capabilities, extensions: [EXTENSION] })),
  },
  {
    id: "capability-no-resources",
    title: "Declares skills without the resources capability",
    breaks: ["capability-requires-resources"],
    ...declaring((capabilities) => omit(capabilities, "resources")),
  },
  {
    id: "capability-resources-true",
    title: "Declares the resources capability as true",
    breaks: ["capability-requires-resources"],
    follows: ["wire-schema-valid"],
    ...declaring((capabilities) => ({ ...capabilities, resources: true })),
  },
  ...[
    ["string", "true"],
    ["number", 1],
    ["null", null],
  ].map(([name, directoryRead]) => ({
    id: `directory-flag-${name}`,
    title: `Declares directoryRead as ${JSON.stringify(directoryRead)}`,
    breaks: ["capability-directory-read-boolean"],
    lenient: directoryRead === null ? { "wire-schema-valid": "null is a value of JSON" } : {},
    ...NO_DIRECTORIES,
    ...as({ directoryRead }),
  })),
  {
    id: "list-not-implemented",
    title: "Does not know skills/list",
    breaks: ["skills-list-implemented", "capability-commits-to-methods"],
    ...refusing("skills/list", METHOD_NOT_FOUND),
  },
  {
    id: "list-fails",
    title: "Answers skills/list with an internal error",
    breaks: ["skills-list-implemented", "capability-commits-to-methods"],
    ...refusing("skills/list", INTERNAL_ERROR),
  },
  {
    id: "get-not-implemented",
    title: "Does not know skills/get",
    breaks: ["skills-get-implemented", "capability-commits-to-methods"],
    ...refusing("skills/get", METHOD_NOT_FOUND),
  },
  {
    id: "get-fails",
    title: "Answers skills/get with an internal error",
    breaks: ["skills-get-implemented", "capability-commits-to-methods"],
    ...refusing("skills/get", INTERNAL_ERROR),
  },
  {
    id: "get-answers-the-listed-only-first",
    title: "Knows the first listed skill only",
    breaks: ["get-answers-every-listed", "get-answers-unlisted"],
    follows: ["instructions-uris-resolve"],
    ...refusing(
      "skills/get",
      INVALID_PARAMS,
      ({ uri }) => !uri?.endsWith("refunds/SKILL.md"),
      "There is no such skill.",
    ),
  },
  {
    id: "capability-identifier-dotted",
    title: "Declares the extension as io.modelcontextprotocol.skills",
    breaks: ["capability-declaration-inline"],
    ...declaring((capabilities) => ({
      ...capabilities,
      extensions: { "io.modelcontextprotocol.skills": { directoryRead: true } },
    })),
  },
  {
    id: "directory-flag-snake-case",
    title: "Declares directory_read instead of directoryRead",
    warns: ["capability-directory-read-boolean"],
    ...NO_DIRECTORIES,
    ...as({ directory_read: true }),
  },
];
