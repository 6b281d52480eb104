// Without a network, in Firefox: the page starts from what the browser keeps of it.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { serveStatic } from "../servers/static.mjs";
import { launchFirefox } from "./firefox.mjs";

let firefox;

before(async () => {
  firefox = await launchFirefox();
});
after(() => firefox?.close());

test("without a network it starts, and shows the demonstrations", async (t) => {
  const site = await serveStatic({ dir: join(import.meta.dirname, "../../dist"), prefix: "/repo/" });
  t.after(site.close);
  const page = await firefox.open(site.url);
  await page.isKept();
  await site.close();
  await page.reload();
  await page.click("button", "demo:good");
  await page.find("nav[aria-label^='Skills of']", "listing complete");
  await page.click("nav[aria-label^='Skills of'] a[title='skill://code-review/SKILL.md']");
  await page.click("button", "Verify all");
  await page.find(".title-line", "Verified 2 of 2");
  assert.deepEqual(page.errors, []);
});
