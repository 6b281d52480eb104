// How the built page starts: on any static host, with exactly the bytes it was built with, and never silently not.

import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { launchChromium } from "../chromium.mjs";
import { serveStatic } from "../servers/static.mjs";

const DIST = join(import.meta.dirname, "../../dist");
const GLUE = /^skillglass-web-.*\.js$/;
const WASM = /^skillglass-web-.*\.wasm$/;
const LATER = /^later-.*\.wasm$/;
const LATER_STYLES = /^later-.*\.css$/;

let browser;

before(async () => {
  browser = await launchChromium();
});

after(() => browser.close());

/** Opens the page of a folder, and hands it over with everything that was reported as an error. */
async function visit({ dir = DIST, prefix = "/", url, ...context }, look) {
  const site = await serveStatic({ dir, prefix });
  const page = await browser.newPage({ serviceWorkers: "block", ...context });
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  try {
    await page.goto(url ?? site.url);
    await look(page, errors);
  } finally {
    await page.close();
    await site.close();
  }
}

/** A copy of the built page in which `change` was done to the one file that matches. */
function changedCopy(t, pattern, change) {
  const dir = mkdtempSync(join(tmpdir(), "skillglass-boot-"));
  t.after(() => rmSync(dir, { recursive: true }));
  cpSync(DIST, dir, { recursive: true });
  const names = readdirSync(dir).filter((name) => pattern.test(name));
  assert.equal(names.length, 1, `one file should match ${pattern}`);
  change(join(dir, names[0]));
  return { dir, name: names[0] };
}

describe("starts under any path", () => {
  for (const prefix of ["/", "/repo/", "/a/b/"]) {
    test(prefix, () =>
      visit({ prefix }, async (page, errors) => {
        await page.waitForSelector("#boot", { state: "detached" });
        assert.ok(await page.locator("#app > *").count(), "the program has put something on the page");
        assert.deepEqual(errors, []);
      }),
    );
  }
});

describe("refuses changed bytes, and says so", () => {
  for (const [what, pattern] of Object.entries({ WebAssembly: WASM, glue: GLUE })) {
    test(what, async (t) => {
      const { dir, name } = changedCopy(t, pattern, (file) => appendFileSync(file, "\n"));
      await visit({ dir }, async (page) => {
        const alert = await page.getByRole("alert").innerText();
        assert.match(alert, /could not start/);
        assert.ok(alert.includes(`${name} is not the file this page was built with`), alert);
        assert.equal(await page.locator("#app > *").count(), 0);
      });
    });
  }
});

describe("names a missing file and what the host answered", () => {
  for (const [what, pattern] of Object.entries({ WebAssembly: WASM, glue: GLUE })) {
    test(what, async (t) => {
      const { dir, name } = changedCopy(t, pattern, rmSync);
      await visit({ dir }, async (page) => {
        const alert = await page.getByRole("alert").innerText();
        assert.ok(alert.includes(`${name} could not be loaded: the host answered 404`), alert);
      });
    });
  }
});

/** What shows something of the second file without any server. */
const openWire = (page) => page.getByRole("button", { name: /^Wire/ }).click();

describe("the second file", () => {
  test("is loaded when it is first wanted", () =>
    visit({}, async (page, errors) => {
      const wanted = [];
      page.on("request", (request) => wanted.push(request.url().split("/").at(-1)));
      await page.waitForSelector("#boot", { state: "detached" });
      const wantedLater = () => wanted.filter((name) => name.startsWith("later-"));
      assert.deepEqual(wantedLater(), []);
      await openWire(page);
      await page.getByText("Nothing has gone over the wire yet.").waitFor();
      assert.equal(wantedLater().length, 2);
      for (const pattern of [LATER, LATER_STYLES]) {
        assert.ok(wantedLater().some((name) => pattern.test(name)), `${pattern} is loaded`);
      }
      assert.deepEqual(errors, []);
    }));

  for (const [what, pattern] of Object.entries({ program: LATER, styles: LATER_STYLES })) {
    test(`is not used with another ${what} than it was built with`, async (t) => {
      const { dir } = changedCopy(t, pattern, (file) => appendFileSync(file, "\n"));
      await visit({ dir }, async (page) => {
        await openWire(page);
        const alert = await page.getByRole("alert").innerText();
        assert.match(alert, /A part of this page could not be loaded/);
      });
    });

    test(`is had on another try, where its ${what} did not come`, () =>
      visit({}, async (page) => {
        const isWanted = ({ pathname }) => pattern.test(pathname.split("/").at(-1));
        await page.route(isWanted, (route) => route.abort());
        await openWire(page);
        await page.getByRole("alert").waitFor();
        await page.unroute(isWanted);
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByText("Nothing has gone over the wire yet.").waitFor();
      }));
  }
});

test("without JavaScript it says what it needs", () =>
  visit({ javaScriptEnabled: false }, async (page) => {
    assert.match(await page.innerText("body"), /needs JavaScript/);
  }));

test("opened as a file it says that it needs a server", () =>
  visit({ url: pathToFileURL(join(DIST, "index.html")).href }, async (page) => {
    assert.match(await page.innerText("body"), /has to come unchanged from a web server/);
  }));
