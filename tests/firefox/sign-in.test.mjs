// Signing in, in Firefox: the window, what it hands back, and that it closes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { startAuthorizationServer } from "../servers/authorization-server.mjs";
import { LIST, READ, startProtectedServer } from "../servers/protected-skills.mjs";
import { serveStatic } from "../servers/static.mjs";
import { launchFirefox } from "./firefox.mjs";

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

test("the way to a token leads through a window of its own", async (t) => {
  const authority = await startAuthorizationServer({ scopes: [LIST, READ] });
  t.after(authority.close);
  const server = await startProtectedServer({ authority });
  t.after(server.close);

  const page = await firefox.open(site.url);
  await page.click("input[aria-label='Address of an MCP server']");
  await page.type(server.url);
  await page.click("form.connect button", "Connect");
  await page.click(".sign-in button", "Sign in");
  await page.find(".sign-in", authority.issuer);
  const popup = await page.opens(() => page.click(".sign-in button", "Go on at"));
  await popup.click("button", "Agree");
  await page.find("nav[aria-label^='Skills of']", "listing complete");
  await page.find(".account", authority.issuer);
  await popup.closed();
  assert.deepEqual(page.errors, []);
  assert.ok(page.requests.every((url) => ![...authority.secrets].some((secret) => url.includes(secret))));
});
