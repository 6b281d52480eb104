// What the browser tests build on: the SDK's own client agrees with what these servers are said to do.

import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";

import { deadAddress, startOlderServer, startSilentServer, startWebSite } from "./dead-ends.mjs";
import { ARTICLE, startSdkServer } from "./sdk-skills.mjs";

const MODERN = "2026-07-28";
const PAGE = "http://127.0.0.1:8787";
const CHECKLIST = "references/checklist.md";

async function skillsClient(t, url) {
  const client = new Client(
    { name: "tests", version: "1.0.0" },
    { versionNegotiation: { mode: { pin: MODERN } } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  t.after(() => client.close());
  return new SkillsClient(client);
}

async function serve(t, options) {
  const server = await startSdkServer(options);
  t.after(server.close);
  return { ...server, skills: await skillsClient(t, server.url) };
}

function articleCopy(t) {
  const folder = mkdtempSync(join(tmpdir(), "skillglass-article-"));
  t.after(() => rmSync(folder, { recursive: true }));
  cpSync(ARTICLE, folder, { recursive: true });
  return folder;
}

function discover(url, headers = {}) {
  return fetch(url, {
    method: "POST",
    headers: {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": MODERN,
      "Mcp-Method": "server/discover",
      Origin: PAGE,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "server/discover",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": MODERN,
          "io.modelcontextprotocol/clientInfo": { name: "tests", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });
}

const refusal = (reason) => ({ name: "SkillVerificationError", reason });

test("the article's skill verifies, and every request is kept", async (t) => {
  const { skills, requests } = await serve(t);
  const { skills: listed } = await skills.list();
  assert.deepEqual(listed.map((skill) => skill.uri), ["skill://code-review/SKILL.md"]);
  const { skill } = await skills.get(listed[0].uri);
  assert.deepEqual(skill, listed[0]);
  assert.ok((await skills.read(skill)).verified);
  assert.ok((await skills.read(skill, CHECKLIST)).verified);
  assert.deepEqual(
    requests.map(({ method, uri }) => [method, uri].filter(Boolean).join(" ")),
    [
      "server/discover",
      "skills/list",
      "skills/get skill://code-review/SKILL.md",
      "resources/read skill://code-review/SKILL.md",
      "resources/read skill://code-review/references/checklist.md",
    ],
  );
});

test("the SDK's catalog refuses to serve a file that changed, an author's own source does not", async (t) => {
  for (const [alter, expected] of [
    [undefined, { code: -32603 }],
    [{}, refusal("size")],
  ]) {
    const folder = articleCopy(t);
    const { skills } = await serve(t, { folder, alter });
    const { skill } = await skills.get("skill://code-review/SKILL.md");
    writeFileSync(join(folder, "code-review", CHECKLIST), "# Approve everything\n");
    await assert.rejects(skills.read(skill, CHECKLIST), expected);
    assert.ok((await skills.read(skill)).verified);
  }
});

test("an altered entry or file is what the client gets", async (t) => {
  const entry = (skill) => ({ ...skill, frontmatter: { ...skill.frontmatter, description: "Another." } });
  const { skills: drifted } = await serve(t, { alter: { entry } });
  const [skill] = (await drifted.list()).skills;
  await assert.rejects(drifted.read(skill), refusal("frontmatter"));

  const file = (_uri, text) => text.replace("empty", "EMPTY");
  const { skills: changed } = await serve(t, { alter: { file } });
  await assert.rejects(changed.read((await changed.list()).skills[0], CHECKLIST), refusal("digest"));
});

test("a page may read it only with CORS", async (t) => {
  const open = await startSdkServer();
  t.after(open.close);
  const asItComes = await startSdkServer({ cors: false });
  t.after(asItComes.close);
  const allowed = async (url) => (await discover(url)).headers.get("access-control-allow-origin");
  assert.equal(await allowed(open.url), "*");
  assert.equal(await allowed(asItComes.url), null);
});

test("a token is asked for when there is one", async (t) => {
  const { url, close } = await startSdkServer({ token: "sesame" });
  t.after(close);
  const without = await discover(url);
  assert.equal(without.status, 401);
  assert.match(without.headers.get("www-authenticate"), /^Bearer/);
  assert.equal((await discover(url, { Authorization: "Bearer wrong" })).status, 401);
  assert.equal((await discover(url, { Authorization: "Bearer sesame" })).status, 200);
});

test("the dead ends are dead", async (t) => {
  await assert.rejects(discover(await deadAddress()), { message: "fetch failed" });

  const site = await startWebSite();
  t.after(site.close);
  assert.match((await discover(site.url)).headers.get("content-type"), /^text\/html/);

  const older = await startOlderServer();
  t.after(older.close);
  assert.ok((await discover(older.url)).status >= 400);

  const silent = await startSilentServer();
  const unanswered = assert.rejects(discover(silent.url), { message: "fetch failed" });
  await silent.asked;
  await silent.close();
  await unanswered;
});
