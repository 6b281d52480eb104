// Replies that cannot be read as answers.

/** Changes the replies to one method. */
function replyTo(method, edit) {
  return { reply: (reply, context) => (context.method === method ? edit(reply, context) : reply) };
}

const withBody = (edit) => (reply) => ({ ...reply, body: edit(reply.body) });

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
];
