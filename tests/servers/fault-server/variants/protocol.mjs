// The base protocol: unknown methods, error messages, the frame around results, the two eras.

import { EXTENSION, INTERNAL_ERROR, INVALID_PARAMS, Refusal } from "../methods.mjs";
import { having, refusing, result, without } from "./tools.mjs";

const KNOWN = [
  "server/discover",
  "initialize",
  "skills/list",
  "skills/get",
  "resources/list",
  "resources/read",
  "resources/directory/read",
];

/** Answers methods that do not exist. */
function unknownMethod(answer) {
  return {
    answer: {
      "*": (honest, context) => (KNOWN.includes(context.method) ? honest() : answer(context)),
    },
  };
}

const withBody = (edit) => (reply) => ({ ...reply, body: edit(reply.body) });

export default [
  {
    id: "unknown-method-200",
    title: "Answers an unknown method with the status 200",
    breaks: ["method-not-found-404"],
    era: "modern",
    follows: ["directory-undeclared-method-not-found"],
    reply: (reply) => ({ ...reply, status: 200 }),
  },
  {
    id: "unknown-method-internal",
    title: "Answers an unknown method with an internal error",
    breaks: ["method-not-found-404"],
    ...unknownMethod(() => {
      throw new Refusal(INTERNAL_ERROR, "What is that?");
    }),
  },
  {
    id: "unknown-method-invalid-params",
    title: "Answers an unknown method with the code of wrong parameters",
    breaks: ["method-not-found-404"],
    ...unknownMethod(() => {
      throw new Refusal(INVALID_PARAMS, "What is that?");
    }),
  },
  {
    id: "unknown-method-accepted",
    title: "Answers an unknown method with an empty result",
    breaks: ["method-not-found-404"],
    ...unknownMethod(({ complete }) => complete({})),
  },
  {
    id: "message-with-mark",
    title: "Begins every message with a byte order mark",
    warns: ["json-mark"],
    reply: withBody((body) => (body ? `\ufeff${body}` : body)),
  },
  {
    id: "error-message-empty",
    title: "Sends errors without a word",
    warns: ["error-message-informative"],
    reply: withBody((body) =>
      body.replace(/"error":\{"code":(-\d+),"message":"(?:[^"\\]|\\.)*"/, '"error":{"code":$1,"message":""'),
    ),
  },
  {
    id: "error-message-missing",
    title: "Sends errors without a message",
    breaks: ["wire-schema-valid"],
    warns: ["error-message-informative"],
    lenient: { "directory-read-invalid-params": "the error's code is right" },
    reply: withBody((body) =>
      body.replace(/"error":\{"code":(-\d+),"message":"(?:[^"\\]|\\.)*"/, '"error":{"code":$1'),
    ),
  },
  {
    id: "capability-differs-by-era",
    title: "Declares directoryRead in server/discover and not in initialize",
    warns: ["capability-same-on-both-wires"],
    ...having("initialize", { capabilities: { resources: {}, extensions: { [EXTENSION]: {} } } }),
  },
  {
    id: "cache-fields-on-legacy",
    title: "Sends ttlMs and cacheScope in the older era, which does not know them",
    warns: ["no-cache-fields-on-legacy"],
    ...result("skills/list", (honest) => ({ ...honest, ttlMs: 1000, cacheScope: "public" })),
  },
  {
    id: "instructions-name-nothing",
    title: "Names a skill in its instructions that it does not serve",
    warns: ["instructions-uris-resolve"],
    follows: ["get-answers-unlisted"],
    answer: Object.fromEntries(
      ["server/discover", "initialize"].map((method) => [
        method,
        (honest) => ({ ...honest(), instructions: "Begin with skill://acme/welcome/SKILL.md." }),
      ]),
    ),
  },
  {
    id: "discover-without-cache-fields",
    title: "Leaves ttlMs and cacheScope out of server/discover",
    breaks: ["wire-schema-valid"],
    era: "modern",
    ...without("server/discover", "ttlMs", "cacheScope"),
  },
  {
    id: "resources-list-without-cache-fields",
    title: "Leaves ttlMs and cacheScope out of resources/list",
    breaks: ["wire-schema-valid"],
    era: "modern",
    ...without("resources/list", "ttlMs", "cacheScope"),
  },
  {
    id: "discover-instructions-list",
    title: "Answers server/discover with instructions as a list",
    breaks: ["wire-schema-valid"],
    era: "modern",
    follows: ["get-answers-unlisted"],
    ...result("server/discover", (honest) => ({ ...honest, instructions: ["Begin."] })),
  },
  ...[
    ["map", "a map by URI", (resources) => Object.fromEntries(resources.map((it) => [it.uri, it]))],
    ["without-names", "resources without names", (resources) => resources.map(({ name: _, ...it }) => it)],
    ["without-uris", "resources without URIs", (resources) => resources.map(({ uri: _, ...it }) => it)],
  ].map(([name, what, edit]) => ({
    id: `resources-list-${name}`,
    title: `Answers resources/list with ${what}`,
    breaks: ["wire-schema-valid"],
    follows: ["skillmd-metadata-name", "skillmd-metadata-description"],
    ...result("resources/list", (honest) => ({ ...honest, resources: edit(honest.resources) })),
  })),
  {
    id: "resources-list-cursor-refused",
    title: "Refuses the cursors of resources/list that it gave",
    breaks: ["wire-schema-valid"],
    ...refusing("resources/list", INVALID_PARAMS, ({ cursor }) => cursor !== undefined),
  },
  ...[
    ["size-text", "a size as text", { size: "12" }],
    ["annotations-list", "annotations as a list", { annotations: [] }],
    ["description-null", "descriptions of null", { description: null }],
  ].map(([name, what, members]) => ({
    id: `resources-list-${name}`,
    title: `Answers resources/list with ${what}`,
    breaks: ["wire-schema-valid"],
    follows: ["skillmd-metadata-description"],
    ...result("resources/list", (honest) => ({
      ...honest,
      resources: honest.resources.map((resource) => ({ ...resource, ...members })),
    })),
  })),
];
