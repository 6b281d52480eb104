// A server for skills that breaks one rule at a time, or none.
//
//   node tests/servers/fault-server/main.mjs [--fault ID] [--port N]
//   node tests/servers/fault-server/main.mjs --list
//
// serves the variant ID at /mcp, the honest server if none is named, and every variant at /mcp/ID. It prints the
// address, and ends with whoever holds its standard input open, if that is not a terminal. `--list` prints the
// variants as JSON.

import { createServer } from "node:http";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";

import { Catalog, honestSkills } from "./catalog.mjs";
import { SETTINGS } from "./methods.mjs";
import { byId, HONEST, VARIANTS } from "./variants.mjs";
import { answer } from "./wire.mjs";

const HOST = "127.0.0.1";

/** What a variant serves, ready to be asked. */
export function siteOf(variant) {
  const skills = honestSkills();
  variant.skills?.(skills);
  const { entry = (honest) => honest, answer: edits = {}, reply = (honest) => honest } = variant;
  return {
    catalog: new Catalog(skills),
    settings: { ...SETTINGS, ...variant.settings },
    sessions: new Set(),
    editEntry: entry,
    spoil: (honest, context) => (edits[context.method] ?? edits["*"] ?? ((result) => result()))(honest, context),
    spoilReply: reply,
  };
}

/**
 * Serves `fault` at /mcp and every variant at /mcp/ID.
 *
 * @param {{ fault?: string, port?: number }} options
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function startFaultServer({ fault = HONEST, port = 0 } = {}) {
  const atRoot = byId(fault);
  const sites = new Map();
  const siteAt = (path) => {
    const [, id = atRoot.id] = /^\/mcp(?:\/([a-z0-9-]+))?$/.exec(path) ?? [, ""];
    const variant = VARIANTS.get(id);
    if (variant && !sites.has(id)) {
      sites.set(id, siteOf(variant));
    }
    return sites.get(id);
  };

  const server = createServer(async (request, response) => {
    const origin = request.headers.origin;
    if (origin !== undefined && !isOfThisMachine(origin)) {
      response.writeHead(403).end("Only pages of this machine may ask.");
      return;
    }
    if (origin !== undefined) {
      allow(origin, response);
    }
    if (request.method === "OPTIONS") {
      response.writeHead(204).end();
      return;
    }
    const site = siteAt(new URL(request.url, "http://localhost").pathname);
    const body = await textOf(request);
    const reply = site
      ? answer(site, { method: request.method, headers: request.headers, body })
      : { status: 404, headers: {}, body: "There is no such variant; --list names them all." };
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
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

function isOfThisMachine(origin) {
  return /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
}

function allow(origin, response) {
  response.setHeader("Access-Control-Allow-Origin", origin);
  response.setHeader("Vary", "Origin");
  response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS");
  response.setHeader(
    "Access-Control-Allow-Headers",
    "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID",
  );
  response.setHeader("Access-Control-Expose-Headers", "Mcp-Session-Id");
}

async function textOf(request) {
  const pieces = [];
  for await (const piece of request) {
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** What people and tests are told of the variants; the rest of each is code. */
function listed() {
  return [...VARIANTS.values()].map(({ id, title, group, honest, era, breaks, follows, warns, lenient }) => ({
    id,
    title,
    group,
    honest,
    era,
    breaks,
    follows,
    warns,
    lenient,
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { fault: { type: "string" }, port: { type: "string", default: "0" }, list: { type: "boolean" } },
  });
  if (values.list) {
    console.log(JSON.stringify(listed(), null, 2));
  } else {
    const { url } = await startFaultServer({ fault: values.fault, port: Number(values.port) });
    console.log(url);
    if (!process.stdin.isTTY) {
      process.stdin.on("end", () => process.exit()).resume();
    }
  }
}
