// The fault server keeps to what its variants say of themselves, and to the two eras of the base protocol.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { digestOf } from "./fault-server/catalog.mjs";
import { startFaultServer } from "./fault-server/main.mjs";
import { VARIANTS } from "./fault-server/variants.mjs";

const MODERN = "2026-07-28";
const REFUNDS = "skill://acme/billing/refunds/SKILL.md";

let server;
before(async () => {
  server = await startFaultServer({ fault: "get-without-skill" });
});
after(() => server.close());

/** Asks in the modern era; `headers` may spoil what the body says. */
async function ask(path, method, params = {}, headers = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": MODERN,
      "Mcp-Method": method,
      ...(method === "resources/read" ? { "Mcp-Name": params.uri } : {}),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": MODERN,
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
  return { status: response.status, ...(await response.json()) };
}

/** Sends a message of the older era. */
function older(method, { id, params = {}, headers = {} } = {}) {
  return fetch(`${server.url}/honest`, {
    method: "POST",
    headers: { Accept: "application/json, text/event-stream", "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
  });
}

test("every fault says which check it is for, and no honest variant breaks one", () => {
  for (const { id, honest, breaks, warns, title } of VARIANTS.values()) {
    const named = breaks.length + warns.length;
    assert.match(id, /^[a-z0-9-]+$/);
    assert.ok(title.length > 0, id);
    assert.ok(honest ? breaks.length === 0 : named > 0 || id.endsWith("-503"), id);
  }
});

test("--list prints what the variants say of themselves", () => {
  const program = join(import.meta.dirname, "fault-server/main.mjs");
  const listed = JSON.parse(execFileSync(process.execPath, [program, "--list"], { encoding: "utf8" }));
  assert.deepEqual(
    listed.map((variant) => variant.id),
    [...VARIANTS.keys()],
  );
  assert.ok(listed.every((variant) => Array.isArray(variant.breaks) && typeof variant.title === "string"));
});

test("the honest server's bytes are those that its entries promise", async () => {
  const { skill } = (await ask("/honest", "skills/get", { uri: REFUNDS })).result;
  assert.equal(skill.resources.length, 6);
  for (const { uri, digest, size } of skill.resources) {
    const [{ text }] = (await ask("/honest", "resources/read", { uri })).result.contents;
    assert.deepEqual([digestOf(Buffer.from(text)), Buffer.byteLength(text)], [digest, size]);
  }
});

test("a fault is served at the root if it is named, and at its own path always", async () => {
  const get = async (path) => "skill" in (await ask(path, "skills/get", { uri: REFUNDS })).result;
  assert.deepEqual([await get(""), await get("/get-without-skill"), await get("/honest")], [false, false, true]);
  await assert.rejects(startFaultServer({ fault: "no-such-fault" }), /--list/);
});

test("variants do not share what they hold", async () => {
  const title = VARIANTS.get("list-names-collide").title;
  assert.match(title, /two skills/);
  const names = async (path) => (await ask(path, "skills/list", { cursor: "after-6" })).result.skills.length;
  assert.deepEqual([await names("/honest"), await names("/list-names-collide")], [1, 2]);
});

test("a modern request must carry its metadata, and headers that say the same", async () => {
  const code = async (headers) => (await ask("/honest", "resources/read", { uri: REFUNDS }, headers)).error.code;
  assert.equal(await code({ "Mcp-Method": "skills/list" }), -32020);
  assert.equal(await code({ "Mcp-Name": "skill://a/SKILL.md" }), -32020);
  assert.equal(await code({ "MCP-Protocol-Version": "2026-07-29" }), -32020);
  const { status, error } = await ask("/honest", "tools/list");
  assert.deepEqual([status, error.code], [404, -32601]);
});

test("the older era is spoken in sessions that end", async () => {
  const initialize = { id: 0, params: { protocolVersion: "2025-06-18", capabilities: {} } };
  const begun = await older("initialize", initialize);
  const session = { "Mcp-Session-Id": begun.headers.get("mcp-session-id"), "MCP-Protocol-Version": "2025-06-18" };
  assert.match(await begun.text(), /^: .*\n\nevent: message\ndata: .*"protocolVersion":"2025-06-18".*\n\n$/s);
  assert.equal((await older("notifications/initialized", { headers: session })).status, 202);
  const listed = await (await older("skills/list", { id: 1, headers: session })).text();
  assert.match(listed, /"skills":\[/);
  assert.doesNotMatch(listed, /resultType|ttlMs|cacheScope/);
  assert.equal((await older("skills/list", { id: 2 })).status, 400);
  assert.equal((await fetch(`${server.url}/honest`, { method: "DELETE", headers: session })).status, 200);
  assert.equal((await older("skills/list", { id: 3, headers: session })).status, 404);
});

test("only pages of this machine may ask", async () => {
  const status = async (origin) => (await older("ping", { headers: { Origin: origin } })).status;
  assert.deepEqual([await status("https://example.com"), await status("http://127.0.0.1:8787")], [403, 400]);
});
