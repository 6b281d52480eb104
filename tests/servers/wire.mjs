// A server of skills whose every byte on the wire a test may decide: both eras of MCP over plain `node:http`.

import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { join } from "node:path";

const HOST = "127.0.0.1";
const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const SKILLS = "io.modelcontextprotocol/skills";

/** What a page needs in order to be let in, in both eras. */
const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, POST, DELETE, OPTIONS",
  "Access-Control-Allow-Headers":
    "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id",
  "Access-Control-Expose-Headers": "Mcp-Session-Id, WWW-Authenticate, Retry-After",
  "Access-Control-Max-Age": "600",
};

/** A certificate that no browser trusts, and its key. */
const loopback = (name) => readFileSync(join(import.meta.dirname, "../fixtures/loopback", name));

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/** A sound skill with `files` files beside its `SKILL.md`. */
export function skill(name, files = 0) {
  const file = (_, index) => [`references/${String(index + 1).padStart(3, "0")}.md`, `File ${index + 1} of ${name}.\n`];
  return skillOf(name, Object.fromEntries(Array.from({ length: files }, file)));
}

/** A sound skill with these files, by their paths; its `SKILL.md` has this `body`. */
export function skillOf(name, files, body = `Do ${name}.\n`) {
  const texts = { "SKILL.md": `---\nname: ${name}\ndescription: For tests.\n---\n${body}`, ...files };
  const uri = (path) => `skill://${name}/${path}`;
  const resources = Object.entries(texts).map(([path, text]) => ({
    uri: uri(path),
    digest: `sha256:${sha256(text)}`,
    size: Buffer.byteLength(text),
  }));
  const entry = { uri: uri("SKILL.md"), frontmatter: { name, description: "For tests." }, resources };
  const byUri = new Map(Object.entries(texts).map(([path, text]) => [uri(path), text]));
  return { entry, texts: byUri };
}

/** @typedef {{
 *   message: any, request: import("node:http").IncomingMessage, response: import("node:http").ServerResponse,
 *   result: (members: object) => void, error: (code: number, message: string, status?: number, data?: object) => void,
 *   send: (status: number, headers: object, body?: string) => void, stream: () => ReturnType<typeof eventStream>,
 * }} Exchange */

/**
 * Serves `skills` at `url`. What came is kept in `requests`, without preflights: the HTTP method, the JSON-RPC method or
 * `answer`, the id, the session and the revision in the headers.
 *
 * - `era`: what it speaks. Each refuses the other as the SDK's servers do.
 * - `sessions`: whether the older era has them; those that are known are in `known`, which a test may clear.
 * - `streams`: whether results come as event streams.
 * - `cors`: headers in place of the usual ones; `alsoSends` are more of them.
 * - `secure`: over HTTP/2, which browsers speak over TLS only.
 * - `on`: takes the JSON-RPC methods that it names, or the HTTP method of what holds no message; what it does not answer
 *   is answered as usual if it returns `false`.
 *
 * @param {{
 *   era?: "modern" | "legacy", sessions?: boolean, streams?: boolean, skills?: ReturnType<typeof skill>[],
 *   cors?: Record<string, string>, alsoSends?: Record<string, string>, secure?: boolean,
 *   on?: Record<string, (exchange: Exchange) => void | false | Promise<void | false>>,
 * }} options
 */
export async function startWireServer({
  era = "modern",
  sessions = false,
  streams = false,
  skills = [skill("odd", 3)],
  cors = CORS,
  alsoSends = {},
  secure = false,
  on = {},
} = {}) {
  const known = new Set();
  const requests = [];
  const usual = { ...common(skills), ...(era === "modern" ? MODERN_METHODS : legacy(sessions && known)) };

  const take = async (request, response) => {
    for (const [name, value] of Object.entries({ ...cors, ...alsoSends })) {
      response.setHeader(name, value);
    }
    if (request.method === "OPTIONS") {
      return response.writeHead(204).end();
    }
    const message = await bodyOf(request);
    const session = request.headers["mcp-session-id"];
    requests.push({
      http: request.method,
      method: message?.method ?? (message?.result || message?.error ? "answer" : undefined),
      id: message?.id,
      params: message?.params,
      session,
      version: request.headers["mcp-protocol-version"],
      message,
    });
    const exchange = exchangeOf(request, response, message, { streams, era });
    const name = message ? message.method : request.method;
    if (name in on && (await on[name](exchange)) !== false) {
      return;
    }
    const refusal = era === "modern" ? refuseOlder(request, message) : refuseNewer(request, message, sessions && known);
    if (refusal) {
      return exchange.error(...refusal);
    }
    if (request.method === "DELETE") {
      known.delete(session);
      return response.writeHead(200).end();
    }
    if (message?.id === undefined || message.method === undefined) {
      return response.writeHead(202).end();
    }
    const answer = usual[message.method];
    return answer ? answer(exchange) : exchange.error(-32601, "no such method", era === "modern" ? 404 : 200);
  };
  const server = secure
    ? createSecureServer({ key: loopback("key.pem"), cert: loopback("cert.pem") }, take)
    : createServer(take);
  const sessionsOfHttp2 = new Set();
  server.on("session", (open) => {
    sessionsOfHttp2.add(open);
    open.on("close", () => sessionsOfHttp2.delete(open));
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, HOST, resolve);
  });
  return {
    url: `${secure ? "https" : "http"}://${HOST}:${server.address().port}/mcp`,
    requests,
    known,
    /** The requests of one method. */
    asked: (method) => requests.filter((request) => request.method === method),
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections?.();
        sessionsOfHttp2.forEach((open) => open.destroy());
      }),
  };
}

/** The server of {@link startWireServer}, for as long as the test `t` goes on. */
export async function serve(t, options) {
  const server = await startWireServer(options);
  t.after(server.close);
  return server;
}

function exchangeOf(request, response, message, { streams, era }) {
  const send = (status, headers, body) => response.writeHead(status, headers).end(body);
  const stream = () => eventStream(response);
  const respond = (status, members) => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: message?.id ?? null, ...members });
    if (streams && status === 200) {
      return stream().event(text).end();
    }
    return send(status, { "Content-Type": "application/json" }, text);
  };
  const complete = era === "modern" ? { resultType: "complete", ttlMs: 300_000, cacheScope: "private" } : {};
  return {
    message,
    request,
    response,
    send,
    stream,
    result: (members) => respond(200, { result: { ...complete, ...members } }),
    error: (code, text, status = 200, data) => respond(status, { error: { code, message: text, data } }),
  };
}

/** Writes an event stream; `bytes` sends what follows one byte at a time. */
function eventStream(response) {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const writer = {
    event: (data) => writer.raw(`event: message\ndata: ${data}\n\n`),
    raw: (text) => {
      response.write(text);
      return writer;
    },
    bytes: async (text) => {
      for (const byte of Buffer.from(text)) {
        response.write(Buffer.of(byte));
        // A turn of the loop, so that each byte is a chunk of its own.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return writer;
    },
    end: () => response.end(),
  };
  return writer;
}

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) {
    pieces.push(piece);
  }
  const text = Buffer.concat(pieces).toString();
  return text === "" ? undefined : JSON.parse(text);
}

function refuseOlder(request, message) {
  if (request.method !== "POST") {
    return [-32000, "Method not allowed", 405];
  }
  const version = message?.params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  return version === MODERN ? undefined : [-32022, "Unsupported protocol version", 400, { supported: [MODERN] }];
}

function refuseNewer(request, message, known) {
  const isFirst = message?.method === "initialize";
  if (known && !isFirst && !known.has(request.headers["mcp-session-id"])) {
    return request.headers["mcp-session-id"] ? [-32001, "Session not found", 404] : [-32000, "Bad Request: Mcp-Session-Id header is required", 400];
  }
  const version = request.headers["mcp-protocol-version"];
  return version === undefined || version === LEGACY ? undefined : [-32000, `Unsupported protocol version: ${version}`, 400];
}

const common = (skills) => ({
  "skills/list": ({ result }) => result({ skills: skills.map(({ entry }) => entry) }),
  "skills/get": ({ message, result, error }) => {
    const found = skills.find(({ entry }) => entry.uri === message.params.uri);
    return found ? result({ skill: found.entry }) : error(-32602, "unknown skill");
  },
  "resources/read": ({ message, result, error }) => {
    const { uri } = message.params;
    const text = skills.map(({ texts }) => texts.get(uri)).find((found) => found !== undefined);
    return text === undefined ? error(-32602, "unknown file") : result({ contents: [{ uri, text }] });
  },
});

const capabilities = { resources: {}, extensions: { [SKILLS]: {} } };

const MODERN_METHODS = {
  "server/discover": ({ result }) => result({ supportedVersions: [MODERN], capabilities }),
};

const legacy = (known) => ({
  initialize: ({ response, result }) => {
    if (known) {
      const session = randomUUID();
      known.add(session);
      response.setHeader("Mcp-Session-Id", session);
    }
    result({ protocolVersion: LEGACY, capabilities, serverInfo: { name: "odd", version: "1.0.0" } });
  },
});
