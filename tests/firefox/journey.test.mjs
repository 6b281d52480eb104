// The main way through the page, in Firefox: connect to a server on this machine, list, open, read and verify.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startSdkServer } from "../servers/sdk-skills.mjs";
import { serveStatic } from "../servers/static.mjs";
import { launchFirefox } from "./firefox.mjs";

const SKILL = "skill://code-review/SKILL.md";
const CHECKLIST = "skill://code-review/references/checklist.md";

let firefox;
let site;

before(async () => {
  firefox = await launchFirefox();
  site = await serveStatic({ dir: join(import.meta.dirname, "../../dist"), prefix: "/" });
});
after(async () => {
  await firefox?.close();
  await site?.close();
});

/** Walks through the page. An error, or a request to a host other than the page's own and the server's, fails the test. */
async function visit(server, walk) {
  const page = await firefox.open(site.url);
  await page.click("input[aria-label='Address of an MCP server']");
  await page.type(server.url);
  await page.click("form.connect button", "Connect");
  await walk(page);
  assert.deepEqual(page.errors, []);
  const own = [site.url, server.url].map((url) => new URL(url).origin);
  const isOwn = (url) => url.protocol === "data:" || own.includes(url.origin);
  assert.deepEqual(page.requests.filter((url) => !isOwn(new URL(url))), []);
}

async function openAndVerify(page) {
  await page.find("nav[aria-label^='Skills of']", "listing complete");
  await page.click(`nav[aria-label^='Skills of'] a[title='${SKILL}']`);
  await page.find("h1", "code-review");
  await page.click("button", "Verify all");
}

test("a sound skill is verified", async (t) => {
  const server = await startSdkServer();
  t.after(server.close);
  await visit(server, async (page) => {
    await openAndVerify(page);
    await page.find(".title-line", "Verified 2 of 2");
  });
  const read = server.requests.filter(({ method }) => method === "resources/read").map(({ uri }) => uri);
  assert.deepEqual(read.sort(), [SKILL, CHECKLIST], "each file once, and only when asked to");
});

test("a file that is not what was promised is seen, with its reason", async (t) => {
  const file = (uri, text) => (uri === CHECKLIST ? text.replaceAll("\n", "\r\n") : text);
  const server = await startSdkServer({ alter: { file } });
  t.after(server.close);
  await visit(server, async (page) => {
    await openAndVerify(page);
    await page.click("[role=tab]", "Checks");
    await page.find("[role=tabpanel] article", "content-size-match");
    await page.find("[role=tabpanel] article", "CRLF");
  });
});
