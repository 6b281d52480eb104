// Several servers: what the user calls them, what is kept of them, and links that lead others to the same place.

import assert from "node:assert/strict";
import { test } from "node:test";

import { skill, startWireServer } from "../servers/wire.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { connect, enter, heading, openFile, openSkill, panel, read, says, standing, verifyAll } from "./steps.mjs";

setUp();

const ODD = "skill://odd/SKILL.md";
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

async function serve(t, options) {
  const server = await startWireServer({ skills: [skill("odd", 3)], ...options });
  t.after(server.close);
  return server;
}

const pills = (page) => page.getByRole("navigation", { name: "Servers" });
const recents = (page) => page.getByRole("region", { name: "Earlier servers" });
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());
const kept = (page) => page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));

/** The part of a link that a page reads. */
const placeOf = (link) => link.slice(link.indexOf("#"));

test("a server has a name and a colour of the user's own, kept over visits until they are forgotten", async (t) => {
  const server = await serve(t);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await page.getByText("Name and colour").click();
    await page.getByLabel("What you call it").fill("Staging");
    await page.getByRole("button", { name: "Amber" }).click();
    await heading(page, "Staging").waitFor();
    await pills(page).locator(".hue-4").getByText("Staging").waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "server-named");

    await page.goto(`${page.url().split("#")[0]}#/connect`);
    await page.reload();
    await says(recents(page), `Staging ${server.url}`);
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "servers-recent");
    const asked = server.requests.length;
    await recents(page).getByRole("button", { name: `Connect to ${server.url}`, exact: true }).click();
    await heading(page, "Staging").waitFor();
    assert.ok(server.requests.length > asked);

    await page.getByRole("button", { name: /^Disconnect/ }).click();
    await recents(page).getByRole("button", { name: `Forget ${server.url}` }).click();
    await recents(page).waitFor({ state: "detached" });
    assert.ok(!(await kept(page)).includes(new URL(server.url).host));
  });
});

test("nothing secret is kept", async (t) => {
  const server = await serve(t);
  await visit({ servers: [server] }, async (page) => {
    await page.getByText("Headers and token").click();
    await page.getByLabel("Bearer token").fill("abc-secret");
    await connect(page, server.url);
    await page.getByRole("link", { name: "+ Server" }).click();
    await enter(page, `${server.url}?key=def-secret`);
    await page.waitForFunction(() => document.querySelectorAll(".pill-close").length === 2);
    const [local] = await page.evaluate(() => [JSON.stringify({ ...localStorage })]);
    assert.ok(local.includes(server.url));
    assert.ok(!local.includes("secret"), local);
  });
});

test("a server that the user does not want to be remembered is kept nowhere, nor are all once they say so", async (t) => {
  const [kept1, unkept] = [await serve(t), await serve(t)];
  const hosts = [kept1, unkept].map(({ url }) => new URL(url).host);
  await visit({ servers: [kept1, unkept] }, async (page) => {
    const keepsHosts = async () => {
      const text = await kept(page);
      return hosts.map((host) => text.includes(host));
    };
    await page.getByText("Headers and token").click();
    await page.getByLabel("Do not remember this server").check();
    await connect(page, unkept.url);
    assert.deepEqual(await keepsHosts(), [false, false]);
    await page.getByText("Name and colour").click();
    await page.getByLabel("What you call it").fill("Quiet");
    await page.getByRole("link", { name: "+ Server" }).click();
    await connect(page, kept1.url);
    assert.deepEqual(await keepsHosts(), [true, false]);

    // It can be said later, too, and taken back.
    await page.getByText("Name and colour").click();
    const remember = page.getByLabel("Remember this server");
    await remember.uncheck();
    assert.deepEqual(await keepsHosts(), [false, false]);
    await remember.check();
    assert.deepEqual(await keepsHosts(), [true, false]);

    await page.getByRole("button", { name: `Disconnect ${hosts[0]}` }).click();
    await recents(page).getByRole("button", { name: "Forget all" }).click();
    await recents(page).waitFor({ state: "detached" });
    assert.deepEqual(await keepsHosts(), [false, false]);
  });
});

test("an address that may hold a secret is kept nowhere, named in no link, and not in the page's own address", async (t) => {
  const server = await serve(t);
  for (const secret of ["mcp?key=hush-hush", "s/9f86d081884c7d659a2feaa0c55ad015/mcp"]) {
    await visit({ servers: [server], ...CLIPBOARD }, async (page) => {
      await connect(page, new URL(secret, server.url).href);
      await page.getByText("Name and colour").click();
      await page.getByText("The address may hold a secret").waitFor();
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      const told = [await copied(page), page.url(), await page.title(), await kept(page)].join(" ");
      assert.ok(!/hush|9f86d0/.test(told), told);
    });
  }
});

test("a link leads others to the same skill, and connects to nothing by itself", async (t) => {
  const server = await serve(t);
  let link;
  await visit({ servers: [server], ...CLIPBOARD }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, ODD);
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    link = await copied(page);
    assert.ok(link.includes(encodeURIComponent(new URL(server.url).host.split(":")[0])), link);
  });
  const asked = server.requests.length;
  await visit({ servers: [server], route: placeOf(link) }, async (page) => {
    await says(page.getByRole("main"), "A link leads here. Nothing is sent to the server before you connect");
    await takePicture(page, "server-linked");
    assert.equal(server.requests.length, asked);
    await page.getByRole("button", { name: `Connect to ${server.url}` }).click();
    await heading(page, "odd").waitFor();
    assert.ok(!page.url().includes("at="), page.url());
  });
});

test("a link means its own server, whatever else is called the same here", async (t) => {
  const [first, second] = [await serve(t), await serve(t, { skills: [skill("other")] })];
  const label = new URL(first.url).host;
  const route = `#/s/${encodeURIComponent(label)}/skill:%2F%2Fother%2FSKILL.md/instructions?at=${encodeURIComponent(second.url)}`;
  await visit({ servers: [first, second] }, async (page) => {
    await connect(page, first.url);
    await page.evaluate((hash) => (location.hash = hash), route);
    await page.getByRole("button", { name: `Connect to ${second.url}` }).click();
    await heading(page, "other").waitFor();
    // Now that both are connected, the same link finds the right one at once.
    await page.evaluate(() => (location.hash = "#/connect"));
    await page.evaluate((hash) => (location.hash = hash), route);
    await heading(page, "other").waitFor();
  });
});

test("a link points at a line, and a line has a link", async (t) => {
  const server = await serve(t);
  const file = "skill://odd/references/001.md";
  const route = `#/s/x/${encodeURIComponent(ODD)}/files/${encodeURIComponent(file)}?at=${encodeURIComponent(server.url)}&line=1`;
  await visit({ servers: [server], route, ...CLIPBOARD }, async (page) => {
    await page.getByRole("button", { name: `Connect to ${server.url}` }).click();
    await read(page, "references/001.md");
    await panel(page).locator("code.wanted").getByText("File 1 of odd.").waitFor();

    await openFile(page, "references/002.md");
    await panel(page).getByRole("button", { name: "Source" }).click();
    await panel(page).locator(".source > code").first().click({ position: { x: 8, y: 8 } });
    await panel(page).locator("code.wanted").getByText("File 2 of odd.").waitFor();
    await panel(page).getByRole("button", { name: /^Copy a link to this file/ }).click();
    const link = await copied(page);
    assert.match(link, /002\.md\?at=.*&line=1$/);
  });
});

test("a server that was lost is connected to again, and what was read of it stays", async (t) => {
  const on = {};
  const server = await serve(t, { on });
  await visit({ servers: [server], reports: [/status of 418/, /status of 40[05]/] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, ODD);
    await verifyAll(page);
    await standing(page, "Verified 4 of 4").waitFor();
    await pills(page).getByRole("link", { name: new URL(server.url).host }).click();

    on["server/discover"] = ({ send }) => send(418, { "content-type": "text/plain" }, "I am a teapot");
    await page.getByRole("button", { name: "Reconnect" }).click();
    const alert = page.getByRole("main").getByRole("alert");
    await says(alert, "What was read of the server before is kept.");
    delete on["server/discover"];
    await alert.getByRole("button", { name: "Reconnect" }).click();
    await alert.waitFor({ state: "detached" });
    await openSkill(page, ODD);
    await standing(page, "Verified 4 of 4").waitFor();
  });
});
