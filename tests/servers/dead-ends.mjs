// Addresses a person may type that lead to no skills: nobody there, no answer, no MCP, an older MCP.

import { createServer } from "node:http";
import { text } from "node:stream/consumers";

import { createMcpExpressApp } from "@modelcontextprotocol/express";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer } from "@modelcontextprotocol/server";
import cors from "cors";

const HOST = "127.0.0.1";

/** @typedef {{ url: string, close: () => Promise<void> }} Running */

/** An address that nobody listens on: its port was free a moment ago. */
export async function deadAddress() {
  const { url, close } = await listen(createServer());
  await close();
  return url;
}

/** Takes every request and answers none; `asked` is fulfilled by the first. @returns {Promise<Running & { asked: Promise<void> }>} */
export async function startSilentServer() {
  const server = createServer();
  const asked = new Promise((resolve) => server.once("request", () => resolve()));
  return { ...(await listen(server)), asked };
}

/** A web site that lets every page read it, and has one HTML page, with this status, for every request. @returns {Promise<Running>} */
export function startWebSite(status = 200) {
  const headers = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "*",
    "Content-Type": "text/html; charset=utf-8",
  };
  return listen(
    createServer((request, response) => {
      response.writeHead(request.method === "OPTIONS" ? 204 : status, headers).end("<!doctype html><title>Northwind Atelier</title><h1>Bicycles</h1>");
    }),
  );
}

/**
 * Refuses every request: preflights with the status `options`, others at `/mcp` with `status`, both with `headers`, or
 * `only` one method with them.
 *
 * @param {{ options?: number, status?: number, headers?: Record<string, string>, only?: string }} how
 * @returns {Promise<Running>}
 */
export function startRefuser({ options = 405, status = 405, headers = {}, only } = {}) {
  return listen(
    createServer((request, response) => {
      const usual = request.url === "/mcp" ? status : 404;
      const sent = only === undefined || only === request.method ? headers : {};
      response.writeHead(request.method === "OPTIONS" ? options : usual, sent).end();
    }),
  );
}

/**
 * Knows nothing of CORS, and reads the body of each POST as JSON without a look. Its address has no path.
 *
 * @returns {Promise<Running & { methods: string[] }>}
 */
export async function startTrustful() {
  const methods = [];
  const server = createServer(async (request, response) => {
    if (request.method === "POST") methods.push(JSON.parse(await text(request)).method);
    response.writeHead(request.method === "POST" ? 200 : 405, { "Content-Type": "application/json" }).end("{}");
  });
  const { url, close } = await listen(server);
  return { url: new URL(url).origin, close, methods };
}

/** Speaks the transport of 2024-11-05: a stream for each GET, which names the address for messages. @returns {Promise<Running>} */
export function startOldTransport() {
  const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };
  return listen(
    createServer((request, response) => {
      if (request.method !== "GET") {
        return response.writeHead(request.method === "OPTIONS" ? 204 : 405, headers).end();
      }
      response.writeHead(200, { ...headers, "Content-Type": "text/event-stream" });
      return response.write("event: endpoint\ndata: /messages?session=1\n\n");
    }),
  );
}

/** The SDK's server for revisions before 2026-07-28, which begin with a handshake. @returns {Promise<Running>} */
export function startOlderServer() {
  const app = createMcpExpressApp();
  app.use(cors());
  app.all("/mcp", async (request, response) => {
    const mcp = new McpServer({ name: "older", version: "1.0.0" });
    const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await mcp.connect(transport);
    await transport.handleRequest(request, response, request.body);
  });
  return listen(createServer(app));
}

/** @param {import("node:http").Server} server */
async function listen(server) {
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${server.address().port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}
