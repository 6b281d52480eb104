// Serves a built folder the way a careful static host does: right types, strict headers, GET and HEAD only.
//
//   node tests/servers/static.mjs DIR PORT [PREFIX]
//
// Tests import `serveStatic`.

import { createServer } from "node:http";
import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const HOST = "127.0.0.1";

const CONTENT_TYPES = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ts": "text/plain; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/** Quality 9 is within a few percent of the best and twenty times quicker than it. */
const ENCODERS = {
  br: (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
};

/** The build puts a hash of the content into the name, so such a file never changes. */
const HASHED_NAME = /-[0-9a-f]{8,16}[._][^/]*$/;

const META_CSP = /<meta\s+http-equiv="Content-Security-Policy"\s+content="([^"]+)"/;

/**
 * Serves `dir` on a loopback port; port 0 takes any free one.
 * `prefix` is the path the folder appears under, such as `/repo/` on a project page.
 *
 * @param {{ dir: string, port?: number, prefix?: string }} options
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export async function serveStatic({ dir, port = 0, prefix = "/" }) {
  const site = {
    root: await realpath(dir),
    prefix: `/${prefix}/`.replace(/\/+/g, "/"),
    encoded: new Map(),
  };
  site.policy = await contentSecurityPolicy(site.root);

  const server = createServer((request, response) => {
    respond(site, request, response).catch((error) => {
      console.error(error);
      response.destroy(error);
    });
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, HOST, resolve);
  });

  return {
    url: `http://${HOST}:${server.address().port}${site.prefix}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** The page's own policy, so that it is written once, and what only a header can say. */
async function contentSecurityPolicy(root) {
  const html = await readFile(join(root, "index.html"), "utf8").catch(() => "");
  const own = META_CSP.exec(html)?.[1];
  return [own, "frame-ancestors 'none'"].filter(Boolean).join("; ");
}

async function respond(site, request, response) {
  response.setHeader("Content-Security-Policy", site.policy);
  response.setHeader("Cross-Origin-Opener-Policy", "same-origin-allow-popups");
  response.setHeader("Referrer-Policy", "no-referrer");
  response.setHeader("X-Content-Type-Options", "nosniff");

  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("Allow", "GET, HEAD");
    return refuse(response, 405, "Only GET and HEAD are answered here.");
  }

  const path = request.url.split(/[?#]/, 1)[0];
  if (`${path}/` === site.prefix) {
    response.writeHead(308, { Location: site.prefix }).end();
    return;
  }
  const file = await locate(site, path);
  const bytes = file && (await readFile(file).catch(() => undefined));
  if (!bytes) {
    return refuse(response, 404, "There is no such file here.");
  }
  await send(site, file, bytes, request, response);
}

/** The real file behind a request path, or nothing when it would lie outside the folder. */
async function locate(site, path) {
  if (!path.startsWith(site.prefix)) {
    return undefined;
  }
  let relative;
  try {
    relative = decodeURIComponent(path.slice(site.prefix.length));
  } catch {
    return undefined;
  }
  if (relative.includes("\0")) {
    return undefined;
  }
  const wanted = relative === "" || relative.endsWith("/") ? `${relative}index.html` : relative;
  const file = await realpath(join(site.root, wanted)).catch(() => undefined);
  return file?.startsWith(site.root + sep) ? file : undefined;
}

async function send(site, file, bytes, request, response) {
  const type = CONTENT_TYPES[extname(file)] ?? "application/octet-stream";
  response.setHeader("Content-Type", type);
  response.setHeader(
    "Cache-Control",
    HASHED_NAME.test(file) ? "public, max-age=31536000, immutable" : "no-cache",
  );

  let body = bytes;
  if (type !== "image/png") {
    response.setHeader("Vary", "Accept-Encoding");
    const encoding = acceptedEncoding(request);
    if (encoding) {
      response.setHeader("Content-Encoding", encoding);
      body = await encode(site, file, bytes, encoding);
    }
  }
  response.setHeader("Content-Length", body.length);
  response.writeHead(200).end(request.method === "HEAD" ? undefined : body);
}

function acceptedEncoding(request) {
  const accepted = (request.headers["accept-encoding"] ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => !/;\s*q=0(\.0*)?$/.test(item))
    .map((item) => item.split(";", 1)[0].trim());
  return Object.keys(ENCODERS).find((name) => accepted.includes(name));
}

/** Compressed bytes, kept for as long as the file stays what it was. */
async function encode(site, file, bytes, encoding) {
  const key = `${encoding} ${file}`;
  const known = site.encoded.get(key);
  if (known?.from.equals(bytes)) {
    return known.body;
  }
  const body = await ENCODERS[encoding](bytes);
  site.encoded.set(key, { from: bytes, body });
  return body;
}

function refuse(response, status, sentence) {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" }).end(`${sentence}\n`);
}

async function main([dir, port, prefix]) {
  if (!dir || !/^\d+$/.test(port ?? "")) {
    console.error("Usage: node tests/servers/static.mjs DIR PORT [PREFIX]");
    process.exit(2);
  }
  try {
    const { url } = await serveStatic({ dir, port: Number(port), prefix });
    console.log(`Skillglass is at ${url} (Ctrl+C stops it)`);
  } catch (error) {
    const reason =
      error.code === "EADDRINUSE"
        ? `Port ${port} on ${HOST} is taken by another program; choose another port.`
        : `Cannot serve ${dir}: ${error.message}.`;
    console.error(reason);
    process.exit(1);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv.slice(2));
}
