// Replies that cannot be read as answers, or in which the official suite waits for what never comes.

import { randomUUID } from "node:crypto";

/** Changes the replies to one method. */
function replyTo(method, edit) {
  return { reply: (reply, context) => (context.method === method ? edit(reply, context) : reply) };
}

const withBody = (edit) => (reply) => ({ ...reply, body: edit(reply.body) });

/** Changes the messages of a method, or of all. */
const message = (edit, method) => ({
  reply: (reply, context) => ((method ?? context.method) === context.method ? withBody(edit)(reply) : reply),
});

const STREAMS = { settings: { modernReplies: "stream" } };

/** What follows where skills/list or skills/get is not answered as the protocol wants. */
const UNANSWERED = ["capability-commits-to-methods", "skills-list-implemented", "list-invalid-cursor-32602"];

export default [
  {
    id: "list-reply-not-json",
    title: "Answers skills/list with cut-off JSON",
    breaks: ["wire-schema-valid"],
    follows: UNANSWERED,
    ...replyTo(
      "skills/list",
      withBody((body) => body.slice(0, -9)),
    ),
  },
  {
    id: "list-reply-html",
    title: "Answers skills/list with a web page",
    breaks: ["wire-schema-valid"],
    follows: UNANSWERED,
    ...replyTo("skills/list", () => ({
      status: 200,
      headers: { "Content-Type": "text/html" },
      body: "<h1>Hello</h1>",
    })),
  },
  {
    id: "list-reply-503",
    title: "Answers skills/list with the status 503",
    ...replyTo("skills/list", () => ({ status: 503, headers: {}, body: "" })),
  },
  {
    id: "list-reply-other-id",
    title: "Answers skills/list under another id",
    breaks: ["wire-schema-valid"],
    follows: UNANSWERED,
    ...replyTo(
      "skills/list",
      withBody((body) => body.replace(/"id":("[^"]*"|\d+)/, '"id":"other"')),
    ),
  },
  {
    id: "read-reply-503",
    title: "Answers the read of one file with the status 503",
    reply: (reply, { method, params }) =>
      method === "resources/read" && params.uri.endsWith("POLICY.md") ? { status: 503, headers: {}, body: "" } : reply,
  },
  {
    id: "stream-ends-early",
    title: "Ends the event stream of skills/get before the answer",
    breaks: ["wire-schema-valid"],
    follows: [
      "capability-commits-to-methods",
      "get-answers-every-listed",
      "get-answers-unlisted",
      "get-nonskill-uri-32602",
      "instructions-uris-resolve",
      "skills-get-implemented",
      "skills-get-unknown-uri-invalid-params",
    ],
    ...replyTo("skills/get", () => ({
      status: 200,
      headers: { "Content-Type": "text/event-stream" },
      body: ": wait\n\n",
    })),
  },
  ...[500, 202, 404].map((status) => ({
    id: `list-result-${status}`,
    title: `Answers skills/list with a sound result under the status ${status}`,
    breaks: ["wire-schema-valid"],
    ...replyTo("skills/list", (reply) => ({ ...reply, status })),
  })),
  {
    id: "refusals-202",
    title: "Sends errors under the status 202, which says that there is no answer",
    breaks: ["wire-schema-valid"],
    follows: ["method-not-found-404", "directory-undeclared-method-not-found"],
    reply: (reply) => (reply.body.includes('"error":{') ? { ...reply, status: 202 } : reply),
  },
  {
    id: "id-as-text",
    title: "Sends the ids of requests back as texts",
    breaks: ["wire-schema-valid"],
    ...message((body) => body.replace(/"id":(\d+)/, '"id":"$1"')),
  },
  {
    id: "error-under-another-id",
    title: "Sends errors under an id of its own",
    breaks: ["wire-schema-valid"],
    ...message((body) => body.replace(/"id":\d+,"error"/, '"id":"server-error","error"')),
  },
  {
    id: "error-without-id",
    title: "Sends errors under the id null",
    warns: ["wire-schema-valid"],
    ...message((body) => body.replace(/"id":\d+,"error"/, '"id":null,"error"')),
  },
  {
    id: "stream-with-junk",
    title: "Sends an event that is no message before each answer",
    warns: ["wire-schema-valid"],
    ...STREAMS,
    reply: (reply) =>
      reply.body.startsWith(":") ? withBody((body) => `data: one moment\n\n${body}`)(reply) : reply,
  },
  {
    id: "result-and-error",
    title: "Answers skills/list with a result and an error",
    breaks: ["wire-schema-valid"],
    follows: UNANSWERED,
    ...message((body) => body.replace('"result":', '"error":{"code":-1,"message":"x"},"result":'), "skills/list"),
  },
  {
    id: "result-and-null-error",
    title: "Sends an error of null beside every result",
    breaks: ["wire-schema-valid"],
    ...message((body) => body.replace('"result":', '"error":null,"result":')),
  },
  ...[
    ["without-jsonrpc", '"jsonrpc":"2.0",', ""],
    ["jsonrpc-1-0", '"jsonrpc":"2.0"', '"jsonrpc":"1.0"'],
    ["jsonrpc-number", '"jsonrpc":"2.0"', '"jsonrpc":2.0'],
  ].map(([id, from, to]) => ({
    id,
    title: to ? `Sends messages with ${to}` : "Sends messages without jsonrpc",
    breaks: ["wire-schema-valid"],
    ...message((body) => body.replace(from, to)),
  })),
  ...[
    ["id-twice", "id", '"id":', '"id":99999,"id":'],
    ["result-twice", "result", '"result":', '"result":{"skills":[]},"result":'],
    ["skills-twice", "skills", '"skills":', '"skills":[],"skills":'],
    ["contents-twice-over", "contents", '"contents":', '"contents":[],"contents":'],
    ["cursor-twice", "nextCursor", '"nextCursor":', '"nextCursor":"after-9","nextCursor":'],
  ].map(([id, member, from, to]) => ({
    id,
    title: `Sends messages with two members of the name ${member}`,
    breaks: ["wire-schema-valid"],
    ...message((body) => body.replace(from, to)),
  })),
  {
    id: "cursor-half-a-surrogate",
    title: "Sends cursors with half a surrogate pair",
    breaks: ["wire-schema-valid"],
    follows: ["skills-list-pagination", "skills-list-implemented", "capability-commits-to-methods"],
    ...message((body) => body.replace('"nextCursor":"after-', "$&\\ud800"), "skills/list"),
  },
  ...[
    ["stream-without-last-line", "the empty line", (body) => body.slice(0, -1)],
    ["stream-without-line-end", "any line end", (body) => body.trimEnd()],
  ].map(([id, what, edit]) => ({
    id,
    title: `Ends event streams without ${what} behind the answer`,
    breaks: ["wire-schema-valid"],
    ...STREAMS,
    reply: (reply) => (reply.body.startsWith(":") ? withBody(edit)(reply) : reply),
  })),
  {
    id: "array-of-one-message",
    title: "Answers with arrays of one message",
    breaks: ["wire-schema-valid"],
    settings: { legacyReplies: "json" },
    reply: (reply, { method }) =>
      ["server/discover", "initialize"].includes(method) || !reply.body
        ? reply
        : withBody((body) => `[${body}]`)(reply),
  },
  ...[
    ["reply-without-media-type", "without a media type", {}],
    ["reply-as-plain-text", "as plain text", { "Content-Type": "text/plain" }],
  ].map(([id, how, headers]) => ({
    id,
    title: `Answers skills/list in JSON, ${how}`,
    breaks: ["wire-schema-valid"],
    follows: UNANSWERED,
    settings: { legacyReplies: "json" },
    ...replyTo("skills/list", (reply) => ({ ...reply, headers })),
  })),
  ...[
    ["reply-with-more-behind", "with more text behind the message", (body) => `${body}\n{}`],
    ["reply-with-nan", "with NaN, which JSON does not have", (body) => body.replace(/"size":\d+/, '"size":NaN')],
    ["reply-in-single-quotes", "in single quotes", (body) => body.replaceAll('"', "'")],
    ["reply-with-comments", "with a comment in its JSON", (body) => `/* hi */${body}`],
    ["reply-empty", "with an empty body", () => ""],
    ["reply-latin-1", "in Latin-1", (body) => Buffer.from(body.replace("Pay money", "Pay m\u00f6ney"), "latin1")],
  ].map(([id, how, edit]) => ({
    id,
    title: `Answers skills/list ${how}`,
    breaks: ["wire-schema-valid"],
    follows: UNANSWERED,
    settings: { legacyReplies: "json" },
    ...replyTo("skills/list", withBody(edit)),
  })),
  ...[
    ["result-null", "null"],
    ["result-array", "[]"],
    ["result-text", '"done"'],
  ].map(([id, result]) => ({
    id,
    title: `Answers skills/list with the result ${result}`,
    breaks: ["wire-schema-valid", "list-skills-array"],
    follows: ["result-type-complete", "skills-list-cache-attributes"],
    settings: { legacyReplies: "json" },
    ...replyTo(
      "skills/list",
      withBody((body) => body.replace(/"result":.*$/, `"result":${result}}`)),
    ),
  })),
  ...[
    ["error-code-text", '{"code":"-32602","message":"no"}'],
    ["error-without-code", '{"message":"no"}'],
    ["error-as-text", '"no"'],
    ["error-null", "null"],
  ].map(([id, error]) => ({
    id,
    title: `Refuses unknown skills with ${error} as error`,
    breaks: ["wire-schema-valid", "skills-get-unknown-uri-invalid-params", "get-nonskill-uri-32602"],
    follows: ["error-message-informative"],
    ...replyTo(
      "skills/get",
      withBody((body) => body.replace(/"error":\{.*$/, `"error":${error}}`)),
    ),
  })),
  {
    id: "refusal-as-page",
    title: "Answers an unknown skill with 404 and a web page",
    breaks: ["wire-schema-valid", "skills-get-unknown-uri-invalid-params", "get-nonskill-uri-32602"],
    ...replyTo("skills/get", (reply) =>
      reply.body.includes('"error"')
        ? { status: 404, headers: { "Content-Type": "text/html" }, body: "<h1>Not found</h1>" }
        : reply,
    ),
  },
  {
    id: "unknown-method-404-page",
    title: "Answers an unknown method with 404 and a web page",
    breaks: ["method-not-found-404", "wire-schema-valid"],
    reply: (reply, { method }) =>
      method.startsWith("skillglass/")
        ? { status: 404, headers: { "Content-Type": "text/html" }, body: "<h1>Not found</h1>" }
        : reply,
  },
  {
    id: "resources-list-cursor-repeats",
    title: "Gives the same cursor of resources/list for ever",
    breaks: ["wire-schema-valid"],
    answer: {
      "resources/list": (honest, { params, complete }) =>
        params.cursor === "again"
          ? complete({ resources: [], nextCursor: "again" })
          : { ...honest(), nextCursor: "again" },
    },
  },
  {
    id: "answered-twice",
    title: "Answers skills/get twice on one event stream",
    warns: ["wire-schema-valid"],
    ...STREAMS,
    ...replyTo("skills/get", (reply) =>
      reply.body.startsWith(":") ? withBody((body) => body + body.slice(body.indexOf("event:")))(reply) : reply,
    ),
  },
  {
    id: "session-id-with-a-blank",
    title: "Gives sessions ids with a blank in them",
    breaks: ["wire-schema-valid"],
    settings: { eras: ["legacy"], newSession: () => `session ${randomUUID()}` },
  },
  {
    id: "list-reply-utf-16",
    title: "Answers skills/list in UTF-16",
    breaks: ["wire-schema-valid"],
    follows: UNANSWERED,
    settings: { legacyReplies: "json" },
    ...replyTo(
      "skills/list",
      withBody((body) => Buffer.from(`\ufeff${body}`, "utf16le")),
    ),
  },
  {
    id: "refusals-as-problems",
    title: "Sends errors as application/problem+json",
    breaks: ["wire-schema-valid", "skills-get-unknown-uri-invalid-params", "method-not-found-404"],
    warns: ["list-invalid-cursor-32602"],
    follows: [
      "get-nonskill-uri-32602",
      "read-unknown-32602",
      "directory-read-invalid-params",
      "directory-unknown-32602",
    ],
    reply: (reply) =>
      reply.body.includes('"error":{')
        ? { ...reply, status: 404, headers: { "Content-Type": "application/problem+json" } }
        : reply,
  },
];
