// What the servers made with a TypeScript SDK share: a port, sessions, and the SDK's version.

import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ARTIFACTS = join(import.meta.dirname, "../../artifacts");

/** What stands around the lines that people paste, and the lines that stand there as long as nobody pastes any. */
export const HTTP = {
  usual: "const server = createServer(handler);",
  around: (lines) => `import { createServer } from "node:http";
const { handler } = globalThis;
${lines}
export { server };
`,
};
export const EXPRESS = {
  usual: "const app = createMcpExpressApp();",
  around: (lines) => `import { createServer } from "node:http";
import { createMcpExpressApp } from "@modelcontextprotocol/express";
const { handler } = globalThis;
${lines}
app.all("/mcp", (request, response) => handler(request, response, request.body));
export const server = createServer(app);
`,
};

/**
 * Serves on a free port of this machine, says where, and ends with whoever holds standard input open. `PASTED_LINES` are
 * what the page under test tells people to add to such a server.
 */
export async function serve(handler, { usual, around } = HTTP) {
  const server = await run(around(process.env.PASTED_LINES ?? usual), handler);
  server.listen(0, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${server.address().port}/mcp`);
  });
  process.stdin.on("end", () => process.exit()).resume();
}

/** The server that a program makes of `handler`. It is run where it finds what it imports. */
async function run(program, handler) {
  mkdirSync(ARTIFACTS, { recursive: true });
  const folder = mkdtempSync(join(ARTIFACTS, "server-"));
  const file = join(folder, "server.mjs");
  globalThis.handler = handler;
  writeFileSync(file, program);
  try {
    return (await import(pathToFileURL(file))).server;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * A listener that has one `Transport` of the SDK, with a server of its own, for each session.
 *
 * A session that is not known gets a transport that knows none, so that the SDK itself refuses it.
 */
export function bySession(Transport, makeServer) {
  const transports = new Map();
  return async (request, response) => {
    const transport = transports.get(request.headers["mcp-session-id"]) ?? (await connected());
    await transport.handleRequest(request, response);
  };

  async function connected() {
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => transports.set(id, transport),
      onsessionclosed: (id) => transports.delete(id),
    });
    await makeServer().connect(transport);
    return transport;
  }
}

/** What a server made with the npm package `name` says of itself. */
export function describe(name) {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return { name, version: JSON.parse(readFileSync(manifest, "utf8")).version };
}
