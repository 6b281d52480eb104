// The page without a network: what it keeps of itself, what it never keeps, and how a newer version comes in.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launchChromium } from "../chromium.mjs";
import { serveStatic } from "../servers/static.mjs";
import { startWireServer } from "../servers/wire.mjs";
import { axeFindings, DIST, takePicture } from "./journey.mjs";
import { connect, listed, openDemo, openSkill, standing, verifyAll } from "./steps.mjs";

const PREFIX = "/repo/";
const SKILLS = join(import.meta.dirname, "../skills/good");

let browser;

before(async () => {
  browser = await launchChromium();
});

after(() => browser.close());

/** A host of a copy of the page, which can go away and come back at the same address, and a browser that has seen nothing. */
async function host(t, change = () => {}) {
  const dir = mkdtempSync(join(tmpdir(), "skillglass-offline-"));
  cpSync(DIST, dir, { recursive: true });
  change(dir);
  const first = await serveStatic({ dir, prefix: PREFIX });
  const port = Number(new URL(first.url).port);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const host = {
    dir,
    context,
    url: first.url,
    stop: first.close,
    comeBack: async () => (host.stop = (await serveStatic({ dir, port, prefix: PREFIX })).close),
  };
  t.after(async () => {
    await context.close();
    await host.stop();
    rmSync(dir, { recursive: true });
  });
  return host;
}

async function open({ context, url }) {
  const page = await context.newPage();
  await page.goto(url);
  await started(page);
  return page;
}

const started = (page) => page.waitForSelector("#boot", { state: "detached" });
const isKept = (page) => page.evaluate(async () => (await navigator.serviceWorker.ready).active.state);
const version = (page) => page.evaluate(() => document.documentElement.dataset.version);
const notice = (page) => page.locator("#news");

/** Waits for what takes its time in the browser. */
const until = (page, check) =>
  page.evaluate(`(async () => { while (!(await (${check})())) await new Promise(requestAnimationFrame); })()`);

/** Every address in every store of the page's origin. */
const stored = (page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return { names, urls: requests.flat().map(({ url }) => url).sort() };
  });

/** Makes the page in a folder one of another version. */
function release(dir, next) {
  const [page, worker] = ["index.html", "sw.js"].map((name) => join(dir, name));
  const integrity = () => `sha384-${createHash("sha384").update(readFileSync(page)).digest("base64")}`;
  const [before, now] = [integrity(), /data-version="([^"]+)"/.exec(readFileSync(page, "utf8"))[1]];
  writeFileSync(page, readFileSync(page, "utf8").replace(now, next));
  writeFileSync(worker, readFileSync(worker, "utf8").replace(now, next).replace(before, integrity()));
}

test("without a network it starts, shows the demonstrations, and looks at folders of this machine", async (t) => {
  const site = await host(t);
  const page = await open(site);
  await isKept(page);
  await site.stop();
  await page.reload();
  await started(page);
  await openDemo(page, "demo:good");
  await openSkill(page, "skill://code-review/SKILL.md");
  await verifyAll(page);
  await standing(page, "Verified 2 of 2").waitFor();

  await page.goto(`${site.url}index.html`);
  await started(page);
  await page.getByLabel("Choose a folder").setInputFiles(join(SKILLS, "code-review"));
  await page.getByRole("heading", { level: 1, name: "local:code-review" }).waitFor();
  assert.deepEqual(await listed(page), ["code-review"]);
});

test("it keeps its own files, and nothing that a server says", async (t) => {
  const site = await host(t);
  const server = await startWireServer();
  t.after(server.close);
  const page = await open(site);
  await isKept(page);
  // From now on the worker is in between.
  await page.reload();
  await started(page);
  assert.ok(await page.evaluate(() => navigator.serviceWorker.controller !== null));
  await connect(page, server.url);
  await openSkill(page, "skill://odd/SKILL.md");
  await verifyAll(page);
  await standing(page, "Verified 4 of 4").waitFor();
  await page.goto(`${site.url}callback.html?code=secret&state=none`);
  const own = readdirSync(site.dir).filter((name) => !/^(index\.html|sw\.js|callback\.)/.test(name));
  const { urls } = await stored(page);
  assert.deepEqual(urls, ["", ...own].map((name) => new URL(name, site.url).href).sort());
});

test("of a newer version one is told; it is loaded when the user says so", async (t) => {
  const site = await host(t);
  const page = await open(site);
  await isKept(page);
  const first = await version(page);
  release(site.dir, "the-next-one");
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await notice(page).getByText("A new version of Skillglass is ready.").waitFor();
  assert.equal(await version(page), first);
  assert.deepEqual(await axeFindings(page), []);
  await takePicture(page, "new-version");
  await page.setViewportSize({ width: 320, height: 640 });
  await takePicture(page, "new-version-320");

  await notice(page).getByRole("button", { name: "Later" }).click();
  assert.equal(await notice(page).innerText(), "");
  await page.evaluate(() => (document.title = "before"));
  release(site.dir, "the-one-after");
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await notice(page).getByRole("button", { name: "Load it" }).click();
  await page.waitForFunction(() => document.documentElement.dataset.version === "the-one-after");
  await started(page);
  const { names } = await stored(page);
  assert.deepEqual(names, [`skillglass ${site.url} the-one-after`]);
  await site.stop();
  await page.reload();
  await started(page);
  assert.equal(await version(page), "the-one-after");
});

test("who opens the newer version needs no word of it, and has it without a network, too", async (t) => {
  const site = await host(t);
  const page = await open(site);
  await isKept(page);
  release(site.dir, "the-next-one");
  await page.reload();
  await started(page);
  assert.equal(await version(page), "the-next-one");
  await until(page, async () => {
    const names = await caches.keys();
    return names.length === 1 && names[0].endsWith("the-next-one");
  });
  assert.equal(await notice(page).innerText(), "");
  await site.stop();
  await page.reload();
  await started(page);
  assert.equal(await version(page), "the-next-one");
});

test("files that are not those of the build are not kept", async (t) => {
  const site = await host(t, (dir) => appendFileSync(join(dir, "icon.png"), "\n"));
  const page = await open(site);
  const taken = await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.register("sw.js");
    // What is refused may be gone before one is told that it was registered.
    const { installing } = registration;
    while (installing?.state === "installing") {
      await new Promise((resolve) => installing.addEventListener("statechange", resolve, { once: true }));
    }
    return [registration.waiting, registration.active].some((worker) => worker !== null);
  });
  assert.equal(taken, false);
  assert.deepEqual((await stored(page)).urls, []);
});

test("the page that skillglass inspect serves is not kept, nor is another one at its address any longer", async (t) => {
  const site = await host(t);
  const page = await open(site);
  await isKept(page);
  const file = join(site.dir, "index.html");
  const told = `<meta name="skillglass-bridge" content="{}"><title>`;
  writeFileSync(file, readFileSync(file, "utf8").replace("<title>", told));
  await page.reload();
  await started(page);
  await until(page, async () => (await navigator.serviceWorker.getRegistrations()).length === 0);
  await page.reload();
  await started(page);
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
  assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0);
});

test("a browser can install it", async (t) => {
  const site = await host(t);
  const page = await open(site);
  await isKept(page);
  const devTools = await site.context.newCDPSession(page);
  const { errors, data } = await devTools.send("Page.getAppManifest");
  assert.deepEqual(errors, []);
  assert.equal(new URL(JSON.parse(data).start_url, site.url).href, site.url);
  const { installabilityErrors } = await devTools.send("Page.getInstallabilityErrors");
  // The profiles of tests are private ones, into which nothing is installed.
  assert.deepEqual(installabilityErrors.map(({ errorId }) => errorId), ["in-incognito"]);
});
