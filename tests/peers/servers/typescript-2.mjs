// The article's skill from the official TypeScript SDK, whose extension makes the entries.
//
//   node tests/peers/servers/typescript-2.mjs both|express|modern|stream|sessions
//
// `both` is the SDK's default and speaks both eras, the older one without sessions; `express` is the same in the SDK's
// Express application, which checks whom it is called by. `modern` refuses the older era.
// `stream` answers everything as an event stream. `sessions` is the SDK's transport of the older era.

import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";

import { ARTICLE } from "../../servers/sdk-skills.mjs";
import { bySession, describe, EXPRESS, HTTP, serve } from "./serve.mjs";

const catalog = await loadSkills(ARTICLE);

function makeServer() {
  const server = new McpServer(describe("@modelcontextprotocol/server"));
  catalog.attach(server);
  return server;
}

const handler = (options) => toNodeHandler(createMcpHandler(makeServer, options));
const listeners = {
  both: () => handler(),
  express: () => handler(),
  modern: () => handler({ legacy: "reject" }),
  stream: () => handler({ responseMode: "sse" }),
  sessions: () => bySession(NodeStreamableHTTPServerTransport, makeServer),
};
const [, , setUp] = process.argv;
await serve(listeners[setUp](), setUp === "express" ? EXPRESS : HTTP);
