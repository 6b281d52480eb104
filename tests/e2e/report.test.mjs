// The conformance report: begun, watched, stopped, read, filtered, linked to, compared, saved.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { startFaultServer } from "../servers/fault-server/main.mjs";
import { startSdkServer } from "../servers/sdk-skills.mjs";
import { setUp, visit } from "./journey.mjs";
import { catalog, connect, focused, heading, openDemo, openSkill, openTab, panel, says } from "./steps.mjs";

setUp();

/** From a server's overview to the end of a run over all of it. */
async function check(page) {
  await page.getByRole("link", { name: "Check conformance" }).click();
  await page.getByRole("button", { name: "Check the server" }).click();
  await page.getByRole("button", { name: "Check again…" }).waitFor();
}

/** A check's card, by its id. */
const card = (page, id) => page.locator(`#check-${id}`);

/** How many checks came to this, as the legend says. */
const legend = async (page, word) => {
  const item = page.locator(".report-legend li").filter({ hasText: new RegExp(`\\d ${word}$`) });
  return (await item.count()) === 0 ? 0 : Number.parseInt((await item.innerText()).replaceAll(/[^0-9]/g, ""), 10);
};

test("a sound server passes, and what could not be tested is said", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:good");
    await check(page);
    assert.match(await page.getByRole("heading", { level: 1 }).innerText(), /^\d+ checks passed$|^No check failed/);
    assert.equal(await legend(page, "failed"), 0);
    const untested = await legend(page, "untested");
    if (untested > 0) {
      await page.getByRole("button", { name: `${untested} untested` }).click();
      const reasons = await page.locator(".report-group .finding-place").allInnerTexts();
      assert.ok(reasons.length >= untested && reasons.every((reason) => reason.length > 5));
    }
  }));

test("what is broken stands open with evidence, cause and repair, and leads to the file", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await check(page);
    const failed = await legend(page, "failed");
    assert.ok(failed > 5, `${failed} failed`);
    await says(page.getByRole("heading", { level: 1 }), `${failed} of `);
    const digest = card(page, "content-digest-match");
    await says(digest, "crlf-conversion");
    await says(digest, "Cause:");
    const box = (part) => digest.locator(part).first().boundingBox();
    const [head, body] = [await box("header"), await box(".finding-body")];
    assert.ok(body.y >= head.y + head.height, "what was found stands below its heading");
    await digest.getByText(/^Exchange \d+/).first().click();
    await digest.locator(".exchange[open] .evidence").first().waitFor();
    await digest.getByRole("link", { name: /label\.txt/ }).click();
    await page.getByRole("tab", { name: /^Files/, selected: true }).waitFor();
    await page.goBack();
    await digest.waitFor();
  }));

test("the costs are said before, a filtered list can be checked alone", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await page.getByRole("searchbox", { name: "Filter skills" }).fill("wrong-");
    await page.getByRole("link", { name: "Check conformance" }).click();
    const cost = page.locator(".report-cost");
    const all = await cost.innerText();
    assert.match(all, /^About \d+ requests, [\d.]+ k?B of files\.$/);
    await page.getByRole("button", { name: "Skills in the filtered list" }).click();
    await page.waitForFunction((before) => document.querySelector(".report-cost").innerText !== before, all);
    await page.getByRole("button", { name: "Check the server" }).click();
    await page.getByRole("button", { name: "Check again…" }).waitFor();
    await says(page.locator(".place"), "only 2 skills");
  }));

test("a check has an address, which opens its group and shows it", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:good");
    await check(page);
    const passed = await legend(page, "passed");
    const fold = page.getByRole("button", { name: `${passed} passed` });
    assert.equal(await fold.getAttribute("aria-expanded"), "false");
    await page.evaluate(() => location.assign("#/c/demo:good/entry-frontmatter-identical"));
    const wanted = card(page, "entry-frontmatter-identical");
    await focused(page, wanted);
    assert.equal(await fold.getAttribute("aria-expanded"), "true");
  }));

test("the filter finds checks by id, by words and by skill", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await check(page);
    const filter = page.getByLabel("Filter the checks");
    const shown = () => page.locator(".report-cards > article:visible").count();
    await filter.fill("content-size-match");
    await card(page, "content-size-match").waitFor();
    assert.equal(await shown(), 1);
    await filter.fill("skill://wrong-size/");
    await card(page, "content-size-match").waitFor();
    await filter.fill("nothing is called this");
    await page.waitForFunction(() => document.querySelectorAll(".report-cards > article").length === 0);
  }));

test("the menu of forms looks like one, and goes away as menus do", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:good");
    await check(page);
    const summary = page.locator("summary", { hasText: "Export" });
    const json = page.getByRole("button", { name: "JSON", exact: true });
    await summary.click();
    assert.equal(await json.evaluate((button) => getComputedStyle(button).borderStyle), "none");
    await json.focus();
    await page.keyboard.press("Escape");
    assert.equal(await json.isVisible(), false);
    assert.ok(await focused(page, summary));
    await summary.click();
    await page.locator("h1").click();
    assert.equal(await json.isVisible(), false);
    await page.setViewportSize({ width: 390, height: 844 });
    await summary.click();
    assert.ok((await json.boundingBox()).x > 0, "it lies within a narrow page");
  }));

test("what a run found is told where the skill is shown", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await check(page);
    await openSkill(page, "skill://wrong-size/SKILL.md");
    await openTab(page, "Checks");
    await says(panel(page), "The conformance run found it broken. 2 files are not read yet.");
    await says(panel(page), "In the conformance report, 1 check failed on this skill.");
    await panel(page).getByRole("link", { name: "See the first" }).click();
    await card(page, "content-size-match").waitFor();
  }));

test("a report is saved in five forms", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await check(page);
    const save = async (name) => {
      if (!(await page.getByRole("button", { name, exact: true }).isVisible())) {
        await page.locator("summary", { hasText: "Export" }).click();
      }
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name, exact: true }).click(),
      ]);
      return { file: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
    };
    const json = await save("JSON");
    assert.equal(json.file, "demo-broken-report.json");
    const report = JSON.parse(json.text);
    assert.equal(report.version, 1);
    assert.equal(report.counts.fail, await legend(page, "failed"));
    assert.match((await save("Markdown")).text, /content-digest-match/);
    assert.match((await save("JUnit XML")).text, /^<\?xml/);
    assert.equal(JSON.parse((await save("SARIF")).text).version, "2.1.0");
    const checks = JSON.parse((await save("Official suite's checks.json")).text);
    assert.ok(checks.some(({ id, status }) => id.startsWith("sep-2640-") && status === "FAILURE"));
  }));

test("a second run is compared with the first", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await check(page);
    await page.getByRole("button", { name: "Check again…" }).click();
    await page.getByRole("button", { name: "Check the server" }).click();
    await says(page.locator(".report-note"), "Since the run before: ");
    await page.getByRole("button", { name: "Check again…" }).waitFor();
    assert.doesNotMatch(await page.locator(".report-note").innerText(), /new|fixed/);
  }));

test("what a report rests on is shown on the wire", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await check(page);
    const evidence = card(page, "content-digest-match").locator("details.exchange").first();
    await evidence.locator("summary").click();
    const asked = await evidence.locator("summary").innerText();
    // One number for one exchange, here and there.
    const number = asked.match(/^Exchange \d+/)[0];
    await evidence.getByRole("button", { name: number, exact: true }).click();
    const detail = page.locator("#exchange");
    await detail.waitFor();
    const uri = asked.match(/skill:\/\/[^\s,]+/)[0];
    assert.ok((await detail.innerText()).includes(uri), `${uri} is not in what the wire shows`);
  }));

test("both eras are compared where that is wanted", async (t) => {
  const server = await startFaultServer({ fault: "capability-differs-by-era" });
  t.after(server.close);
  await visit({ servers: [server], reports: [/status of 4\d\d/] }, async (page) => {
    await connect(page, server.url);
    await page.getByRole("link", { name: "Check conformance" }).click();
    await page.getByText("Compare both eras of the protocol").click();
    await page.getByRole("button", { name: "Check the server" }).click();
    await page.getByRole("button", { name: "Check again…" }).waitFor();
    assert.equal(await legend(page, "warned"), 1);
    // Without the comparison there is nothing to warn of.
    await page.getByRole("button", { name: "Check again…" }).click();
    await page.getByRole("button", { name: "Check the server" }).click();
    await page.getByRole("button", { name: "Check again…" }).waitFor();
    assert.equal(await legend(page, "warned"), 0);
  });
});

test("one skill can be checked from its own side", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await openSkill(page, "skill://wrong-size/SKILL.md");
    await openTab(page, "Checks");
    await page.getByRole("button", { name: "Run every check on this skill" }).click();
    await page.getByRole("button", { name: "Check again…" }).waitFor();
    await says(page.locator(".place"), "only 1 skill");
    await card(page, "content-size-match").waitFor();
  }));

test("a run over a real server goes on while other screens are shown, can be stopped and goes on", async (t) => {
  const server = await startSdkServer({});
  t.after(server.close);
  // Errors that are provoked on purpose come with a status that browsers report.
  await visit({ servers: [server], reports: [/status of 4\d\d/] }, async (page) => {
    let release;
    const held = new Promise((resolve) => {
      release = resolve;
    });
    await page.route(server.url, async (route) => {
      if (route.request().postData()?.includes("resources/read")) {
        await held;
      }
      await route.continue();
    });
    await connect(page, server.url);
    await page.getByRole("link", { name: "Check conformance" }).click();
    await page.getByRole("button", { name: "Check the server" }).click();
    await page.locator(".report .progress").waitFor();
    await catalog(page).getByRole("link").first().click();
    await page.goBack();
    await page.getByRole("button", { name: "Stop checking" }).click();
    // What is under way is not waited for: no file was let through yet.
    await page.getByRole("button", { name: "Go on" }).waitFor();
    await says(page.locator(".report-note"), "Not complete: it was stopped");
    release();
    await page.getByRole("button", { name: "Go on" }).click();
    await page.waitForFunction(() => !document.querySelector(".report-note"));
    await page.getByRole("button", { name: "Check again…" }).waitFor();
    assert.equal(await legend(page, "failed"), 0);
    await heading(page, /passed|No check failed/).waitFor();
  });
});
