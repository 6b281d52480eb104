// Skills over MCP from a server that this project did not write: the official TypeScript SDK over Streamable HTTP.
//
//   node tests/servers/sdk-skills.mjs [FOLDER] [PORT]
//
// serves a folder of skills to pages on this machine; tests import `startSdkServer`.

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { createMcpExpressApp, requireBearerAuth } from "@modelcontextprotocol/express";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server";
import { SkillsExtension } from "@modelcontextprotocol/server/ext/skills";
import { loadSkills, nodeSkillFiles } from "@modelcontextprotocol/server/ext/skills/node";
import cors from "cors";

const HOST = "127.0.0.1";
const SCHEME = "skill://";

/** The two-file `code-review` skill that an article on the extension walks through. */
export const ARTICLE = join(import.meta.dirname, "../fixtures/article");

/**
 * Serves the skills of `folder` at `url`, and keeps what it was asked in `requests`.
 *
 * - `cors: false` leaves the server as the SDK sets it up, which no page can read; `app` is an Express application that
 *   its author has set up in another way.
 * - `ttlMs` is for how long it says that entries are fresh; the SDK itself says that none is.
 * - `token` is the bearer token without which every request is answered 401.
 * - `alter` breaks the promise between entries and bytes. The SDK's own catalog refuses to serve a file that has
 *   changed since it was listed; an author's own source, which the SDK also accepts, has no such guard.
 *   `alter.entry` changes an entry, `alter.file` the text of a file, each time before it is sent.
 *
 * @param {{
 *   folder?: string, port?: number, cors?: boolean, app?: import("express").Express, ttlMs?: number, token?: string,
 *   alter?: { entry?: (skill: object) => object, file?: (uri: string, text: string) => string | Promise<string> },
 * }} options
 * @returns {Promise<{ url: string, requests: { method: string, uri?: string }[], close: () => Promise<void> }>}
 */
export async function startSdkServer({
  folder = ARTICLE,
  port = 0,
  cors: readable = true,
  app = expressApp(readable),
  ttlMs = 0,
  token,
  alter,
} = {}) {
  const skills = await skillsOf(folder, alter);
  const requests = [];
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: "sdk-skills", version: "1.0.0" });
    skills.attach(mcp);
    return mcp;
  });

  if (token !== undefined) {
    app.use(requireBearerAuth({ verifier: onlyToken(token) }));
  }
  app.post("/mcp", (request, _response, next) => {
    requests.push({ method: request.body?.method, uri: request.body?.params?.uri });
    next();
  });
  const serve = toNodeHandler(ttlMs === 0 ? handler : { ...handler, fetch: (...asked) => fresh(handler.fetch(...asked), ttlMs) });
  app.all("/mcp", (request, response) => serve(request, response, request.body));

  const server = await new Promise((resolve, reject) => {
    const listening = app.listen(port, HOST, (error) => (error ? reject(error) : resolve(listening)));
  });
  return {
    url: `http://${HOST}:${server.address().port}/mcp`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** The same answer, with another word on how long it is fresh. */
async function fresh(answering, ttlMs) {
  const answer = await answering;
  const { status, headers } = answer;
  const text = await answer.text();
  return new Response(text.replace('"ttlMs":0', `"ttlMs":${ttlMs}`), { status, headers });
}

/** The SDK's application, which refuses every Host and Origin that is not this machine. */
function expressApp(readable) {
  const app = createMcpExpressApp();
  if (readable) {
    app.use(cors({ exposedHeaders: ["WWW-Authenticate"] }));
  }
  return app;
}

async function skillsOf(folder, alter) {
  const catalog = await loadSkills(folder);
  return alter ? new SkillsExtension({ source: unguarded(catalog.entries, folder, alter) }) : catalog;
}

/** A source that sends what the folder holds at that moment, whatever it held when the entries were made. */
function unguarded(entries, folder, { entry = (skill) => skill, file = (_uri, text) => text }) {
  const skills = () => entries.map((skill) => entry(skill));
  const files = nodeSkillFiles(folder);
  return {
    list: async () => ({ skills: skills() }),
    get: async (uri) => skills().find((skill) => skill.uri === uri),
    read: async (uri) => {
      const bytes = await files.read(decodeURIComponent(uri.slice(SCHEME.length)));
      return { text: await file(uri, new TextDecoder().decode(bytes)) };
    },
  };
}

function onlyToken(token) {
  return {
    async verifyAccessToken(given) {
      if (given !== token) {
        throw new OAuthError(OAuthErrorCode.InvalidToken, "This token is not known here.");
      }
      const anHour = 3600;
      return { token, clientId: "tests", scopes: [], expiresAt: Date.now() / 1000 + anHour };
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = ARTICLE, port = 0] = process.argv.slice(2);
  const { url } = await startSdkServer({ folder: resolve(folder), port: Number(port) });
  console.log(`Skills of ${folder} are served at ${url} (Ctrl+C stops it)`);
}
