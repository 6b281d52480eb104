// The watch that every visit is under: each thing that a page must not do fails the visit in which it happens.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { startWebSite } from "../servers/dead-ends.mjs";
import { axeFindings, setUp, visit } from "./journey.mjs";

setUp();

const fails = (options, walk, reason) => assert.rejects(visit(options, walk), reason);

describe("a visit fails on", () => {
  test("an error on the console", () =>
    fails({}, (page) => page.evaluate(() => console.error("broken")), /errors on the console[^]*broken/));

  test("an uncaught error", () =>
    fails(
      {},
      (page) =>
        Promise.all([
          page.waitForEvent("pageerror"),
          page.evaluate(() => queueMicrotask(() => { throw new Error("broken"); })),
        ]),
      /errors on the console[^]*broken/,
    ));

  test("something that the page's policy forbids", () =>
    fails(
      {},
      (page) => page.evaluate(() => document.body.setAttribute("style", "color: red")),
      /errors on the console[^]*Content Security Policy/,
    ));

  test("a request to a host that nobody named", async (t) => {
    const stranger = await startWebSite();
    t.after(stranger.close);
    await fails(
      {},
      (page) => page.evaluate((url) => fetch(url).then(() => undefined), stranger.url),
      /requests to hosts that nobody named/,
    );
    await visit({ servers: [stranger] }, (page) =>
      page.evaluate((url) => fetch(url).then(() => undefined), stranger.url),
    );
  });

  test("a dialogue", () => fails({}, (page) => page.evaluate(() => alert("boo")), /dialogues[^]*boo/));

  test("another window", () =>
    fails(
      {},
      (page) => Promise.all([page.waitForEvent("popup"), page.evaluate(() => void open("about:blank"))]),
      /windows/,
    ));

  test("an expected report that does not come", () => fails({ reports: [/refused/] }, async () => {}, /should have said/));
});

test("axe runs, and finds a field without a name", () =>
  visit({}, async (page) => {
    await page.evaluate(() => document.querySelector("main").append(document.createElement("input")));
    assert.match((await axeFindings(page)).join("\n"), /^label at/m);
  }));
