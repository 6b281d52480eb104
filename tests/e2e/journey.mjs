// One visit to the built page, as its users see it: found by roles and names, and watched for everything it must not do.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";

import axe from "axe-core";

import { launchChromium } from "../chromium.mjs";
import { serveStatic } from "../servers/static.mjs";

/** The built page. */
export const DIST = join(import.meta.dirname, "../../dist");
/** Files that are made by tests, and kept by nobody. */
export const ARTIFACTS = join(import.meta.dirname, "../artifacts");

/** For a crowded machine; nothing here waits for time to pass. */
const PATIENCE = 30_000;

/** Addresses that a page makes for itself. */
const OWN_SCHEMES = ["blob:", "data:"];

let browser;
let site;

/** Starts what the visits of a test file share. @param {{ prefix?: string }} options */
export function setUp(options) {
  before(() => start(options));
  after(stop);
}

/** Starts what visits share, and says where the page is. @param {{ prefix?: string }} options */
export async function start({ prefix = "/" } = {}) {
  browser = await launchChromium();
  site = await serveStatic({ dir: DIST, prefix });
  return site.url;
}

export async function stop() {
  await browser?.close();
  await site?.close();
}

/**
 * Opens the page in a fresh profile and walks through it. Whatever was reported as an error, opened a window or a
 * dialogue, or asked a host other than the page's own and `servers`, fails the test at the end.
 *
 * `reports` are the console errors that the walk must cause, such as the browser's own line on a dead port.
 * `script` runs in the page before the page's own programs do. `windows` is how many there are, with those that the walk
 * opens. `home` is another place to find the page at, which is served from a folder without any network.
 *
 * @param {{
 *   servers?: { url: string }[], reports?: RegExp[], route?: string, script?: () => void, windows?: number,
 *   home?: { url: string, folder: string },
 * } & import("playwright-core").BrowserContextOptions} options
 * @param {(page: import("playwright-core").Page) => Promise<void>} walk
 */
export async function visit(
  { servers = [], reports = [], route = "", script, windows = 1, home = site, ...options },
  walk,
) {
  // What a service worker does has journeys of its own (offline.test.mjs); these should see every request.
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block", ...options });
  context.setDefaultTimeout(PATIENCE);
  try {
    const seen = watch(context);
    if (script) {
      await context.addInitScript(script);
    }
    if (home.folder) {
      await context.route(`${home.url}**`, (request) => request.fulfill({ path: fileOf(home, request.request().url()) }));
    }
    const page = await context.newPage();
    await page.goto(home.url + route);
    await page.waitForSelector("#boot", { state: "detached" });
    await walk(page);
    seen.judge([home.url, ...servers.map((server) => server.url)], reports, windows);
  } finally {
    await context.close();
  }
}

const fileOf = ({ url, folder }, asked) => join(folder, new URL(asked).pathname.slice(new URL(url).pathname.length) || "index.html");

function watch(context) {
  const [errors, requests, pages, dialogs] = [[], [], [], []];
  context.on("weberror", (error) => errors.push(String(error.error())));
  context.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  context.on("request", (request) => requests.push(request.url()));
  context.on("page", (page) => pages.push(page.url()));
  context.on("dialog", (dialog) => {
    dialogs.push(dialog.message());
    return dialog.dismiss();
  });
  return {
    judge(addresses, reports, windows) {
      const unexpected = errors.filter((error) => !reports.some((report) => report.test(error)));
      assert.deepEqual(unexpected, [], "errors on the console");
      for (const report of reports) {
        assert.ok(errors.some((error) => report.test(error)), `the console should have said ${report}`);
      }
      const origins = addresses.map((address) => new URL(address).origin);
      const strangers = requests.filter(
        (url) => !OWN_SCHEMES.includes(new URL(url).protocol) && !origins.includes(new URL(url).origin),
      );
      assert.deepEqual(strangers, [], "requests to hosts that nobody named");
      assert.deepEqual(dialogs, [], "dialogues of the browser");
      assert.equal(pages.length, windows, "windows");
    },
  };
}

/** What axe finds wrong with the page, a line for each place. The page's policy lets the program in as text only. */
export async function axeFindings(page) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
  );
}

/** Keeps a picture of the page for people to look at. */
export async function takePicture(page, name) {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`), fullPage: true, animations: "disabled" });
}
