import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { brotliDecompressSync, gunzipSync } from "node:zlib";

import { serveStatic } from "./static.mjs";

const POLICY = "default-src 'none'; script-src 'self'";
const PAGE = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>Site</title>`;
const WASM_MAGIC = Buffer.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]);

let scratch;
let site;

before(async () => {
  scratch = mkdtempSync(join(tmpdir(), "skillglass-static-"));
  const dir = join(scratch, "site");
  mkdirSync(join(dir, "snippets"), { recursive: true });
  writeFileSync(join(dir, "index.html"), PAGE);
  writeFileSync(join(dir, "app-0123456789abcdef.js"), "export {};".repeat(100));
  writeFileSync(join(dir, "app-0123456789abcdef_bg.wasm"), WASM_MAGIC);
  writeFileSync(join(dir, "snippets", "index.html"), "<title>Inner</title>");
  writeFileSync(join(scratch, "secret.txt"), "secret");
  symlinkSync(join(scratch, "secret.txt"), join(dir, "link.txt"));
  site = await serveStatic({ dir, prefix: "/repo/" });
});

after(async () => {
  await site.close();
  rmSync(scratch, { recursive: true });
});

/** A request as it is written: `fetch` would tidy the path and decompress the body. */
function ask(path, { method = "GET", headers = {} } = {}) {
  const { hostname, port } = new URL(site.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode, headers: response.headers, body });
    })
      .on("error", reject)
      .end();
  });
}

test("serves the folder under its prefix only", async () => {
  assert.equal((await ask("/repo/")).body.toString(), PAGE);
  assert.equal((await ask("/repo/index.html?x=1")).body.toString(), PAGE);
  assert.equal((await ask("/repo/snippets/")).body.toString(), "<title>Inner</title>");
  const bare = await ask("/repo");
  assert.deepEqual([bare.status, bare.headers.location], [308, "/repo/"]);
  for (const path of ["/", "/index.html", "/repository/", "/repo/snippets", "/repo/none"]) {
    assert.equal((await ask(path)).status, 404, path);
  }
});

test("never leaves the folder", async () => {
  const paths = [
    "/repo/../secret.txt",
    "/repo/..%2fsecret.txt",
    "/repo/%2e%2e/secret.txt",
    "/repo/snippets/../../secret.txt",
    "/repo/link.txt",
    "/repo//etc/passwd",
    "/repo/%00",
    "/repo/%",
    "/repo/%ff",
    "*",
  ];
  for (const path of paths) {
    const { status, body } = await ask(path);
    assert.equal(status, 404, path);
    assert.ok(!body.includes("secret"), path);
  }
});

test("answers GET and HEAD only", async () => {
  const head = await ask("/repo/", { method: "HEAD" });
  assert.deepEqual([head.status, head.body.length], [200, 0]);
  assert.equal(head.headers["content-length"], String(PAGE.length));
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
    const { status, headers } = await ask("/repo/", { method });
    assert.deepEqual([status, headers.allow], [405, "GET, HEAD"], method);
  }
});

test("sends strict headers with every answer", async () => {
  for (const path of ["/repo/", "/repo/app-0123456789abcdef.js", "/repo/none"]) {
    const { headers } = await ask(path);
    assert.equal(headers["content-security-policy"], `${POLICY}; frame-ancestors 'none'`, path);
    assert.equal(headers["x-content-type-options"], "nosniff", path);
    assert.equal(headers["referrer-policy"], "no-referrer", path);
    assert.equal(headers["cross-origin-opener-policy"], "same-origin-allow-popups", path);
  }
});

test("names types, and lets only hashed names be kept", async () => {
  const cases = {
    "/repo/": ["text/html; charset=utf-8", "no-cache"],
    "/repo/app-0123456789abcdef.js": ["text/javascript; charset=utf-8", "public, max-age=31536000, immutable"],
    "/repo/app-0123456789abcdef_bg.wasm": ["application/wasm", "public, max-age=31536000, immutable"],
  };
  for (const [path, expected] of Object.entries(cases)) {
    const { headers } = await ask(path);
    assert.deepEqual([headers["content-type"], headers["cache-control"]], expected, path);
  }
});

test("compresses for those who accept it", async () => {
  const path = "/repo/app-0123456789abcdef.js";
  const plain = await ask(path);
  assert.equal(plain.headers["content-encoding"], undefined);
  const decoders = {
    "gzip, deflate, br": ["br", brotliDecompressSync],
    "gzip;q=1.0, br;q=0": ["gzip", gunzipSync],
  };
  for (const [accepted, [encoding, decode]] of Object.entries(decoders)) {
    const { headers, body } = await ask(path, { headers: { "accept-encoding": accepted } });
    assert.equal(headers["content-encoding"], encoding);
    assert.ok(body.length < plain.body.length);
    assert.deepEqual(decode(body), plain.body);
  }
});

test("says in one line that its port is taken", async () => {
  const program = join(import.meta.dirname, "static.mjs");
  const { port } = new URL(site.url);
  await assert.rejects(promisify(execFile)(process.execPath, [program, join(scratch, "site"), port]), {
    code: 1,
    stderr: `Port ${port} on 127.0.0.1 is taken by another program; choose another port.\n`,
  });
});
