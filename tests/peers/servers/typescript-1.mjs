// The article's skill from version 1 of the official TypeScript SDK.
//
//   node tests/peers/servers/typescript-1.mjs sessions|stateless
//
// This SDK knows nothing of skills: the methods are answered by a handler for whatever it does not know, and the entry
// is made by the newer SDK. `sessions` asks its client for a sign of life before it lists, and answers as event streams;
// `stateless` answers in JSON.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { EmptyResultSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";

import { ARTICLE } from "../../servers/sdk-skills.mjs";
import { bySession, describe, serve } from "./serve.mjs";

const { entries } = await loadSkills(ARTICLE);
const capabilities = { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } };

function makeServer({ pings }) {
  const server = new Server(describe("@modelcontextprotocol/sdk"), { capabilities });
  server.fallbackRequestHandler = async ({ method, params }, { sendRequest }) => {
    switch (method) {
      case "skills/list":
        if (pings) {
          await sendRequest({ method: "ping" }, EmptyResultSchema);
        }
        return { skills: entries };
      case "skills/get":
        return { skill: found(entries.find(({ uri }) => uri === params?.uri)) };
      case "resources/read":
        return { contents: [contents(params?.uri)] };
      default:
        throw new McpError(ErrorCode.MethodNotFound, "Method not found");
    }
  };
  return server;
}

function contents(uri) {
  found(entries.flatMap(({ resources }) => resources).find((file) => file.uri === uri));
  return { uri, text: readFileSync(join(ARTICLE, uri.slice("skill://".length)), "utf8") };
}

function found(thing) {
  if (thing === undefined) {
    throw new McpError(ErrorCode.InvalidParams, "There is no such URI here");
  }
  return thing;
}

async function stateless(request, response) {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await makeServer({ pings: false }).connect(transport);
  await transport.handleRequest(request, response);
}

const listeners = {
  sessions: bySession(StreamableHTTPServerTransport, () => makeServer({ pings: true })),
  stateless,
};
await serve(listeners[process.argv[2]]);
