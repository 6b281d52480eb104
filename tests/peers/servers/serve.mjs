// What the servers made with a TypeScript SDK share: a port, sessions, and the SDK's version.

import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

/** Serves on a free port of this machine, says where, and ends with whoever holds standard input open. */
export function serve(listener) {
  const server = createServer(listener).listen(0, "127.0.0.1", () => {
    console.log(`http://127.0.0.1:${server.address().port}/mcp`);
  });
  process.stdin.on("end", () => process.exit()).resume();
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
