// On paper: no frame, everything unfolded, identifiers whole, black on white, from a dark screen too.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { skillOf, startWireServer } from "../servers/wire.mjs";
import { ARTIFACTS, setUp, visit } from "./journey.mjs";
import { connect, heading, openDemo, openSkill, openTab, panel, standing, verifyAll } from "./steps.mjs";

setUp();

const DARK = { colorScheme: "dark" };

/** Puts the page on paper, and says how many sheets that makes. */
async function print(page, name) {
  mkdirSync(ARTIFACTS, { recursive: true });
  const pdf = await page.pdf({ path: join(ARTIFACTS, `print-${name}.pdf`), format: "A4" });
  return pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;
}

/** Shows on the screen what goes on paper, for as long as `look` takes. */
async function onPaper(page, look) {
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  await look();
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: null });
}

/** Nothing of the frame is there, and the text is black on white. */
async function isPaper(page) {
  for (const part of [".top", ".catalog", ".wire", ".skill-acts", ".tabs"]) {
    for (const element of await page.locator(part).all()) {
      assert.equal(await element.isVisible(), false, part);
    }
  }
  const colours = await page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.documentElement);
    return [color, backgroundColor];
  });
  assert.deepEqual(colours, ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]);
}

test("a report has every check on paper, folded or not", () =>
  visit(DARK, async (page) => {
    await openDemo(page, "demo:broken");
    await page.getByRole("link", { name: "Check conformance" }).click();
    await page.getByRole("button", { name: "Check the server" }).click();
    await heading(page, /checks failed$/).waitFor();
    const onScreen = await page.locator("article.check").count();
    await onPaper(page, async () => {
      const total = await page.locator(".report-legend li").allInnerTexts();
      const sum = total.reduce((sum, text) => sum + Number(/\d+/.exec(text)[0]), 0);
      assert.equal(await page.locator("article.check").count(), sum, "every check is there");
      assert.ok(sum > onScreen);
      assert.equal(await page.getByRole("button", { name: /^Show .* more$/ }).count(), 0);
      // What needs nobody is a line, everything else is there as a whole.
      for (const [group, isWhole] of [[".report-group:not(.brief)", true], [".report-group.brief", false]]) {
        const bodies = await page.locator(`${group} .finding-body`).all();
        assert.ok(bodies.length > 3);
        for (const body of bodies) assert.equal(await body.isVisible(), isWhole);
      }
      await isPaper(page);
    });
    assert.equal(await page.locator("article.check").count(), onScreen, "the screen is as it was");
    assert.ok((await print(page, "report")) > 3);
  }));

test("a skill has all its sides on paper, with digests and URIs as a whole", () =>
  visit(DARK, async (page) => {
    await openDemo(page, "demo:good");
    await openSkill(page, "skill://atelier/billing/refunds/SKILL.md");
    await verifyAll(page);
    await standing(page, "Verified 6 of 6").waitFor();
    await onPaper(page, async () => {
      const sides = await page.locator(".on-paper > section > h2").allInnerTexts();
      assert.deepEqual(sides, ["Instructions", "Files", "Frontmatter", "Checks", "Raw"]);
      assert.equal(await page.locator(".panel").isVisible(), false);
      const digest = page.locator(".on-paper .digest code").first();
      const written = await digest.evaluate((code) => getComputedStyle(code, "::after").content);
      assert.match(written, /sha256:[0-9a-f]{64}/);
      await isPaper(page);
    });
    assert.ok((await print(page, "skill")) > 1);
    // A file that is open is what one wants on paper then.
    await openTab(page, "Files");
    await page.getByRole("tabpanel").getByRole("link", { name: "references/POLICY.md", exact: true }).click();
    await onPaper(page, async () => {
      assert.equal(await page.locator(".on-paper").count(), 0);
      assert.equal(await page.locator(".panel").isVisible(), true);
    });
    assert.ok((await print(page, "file")) > 0);
  }));

/** How many of these there are as soon as paper is laid out, before which no frame comes. */
const atOnce = (page, selectors) =>
  page.evaluate(async (selectors) => {
    window.requestAnimationFrame = () => 0;
    window.dispatchEvent(new Event("beforeprint"));
    // What was put behind the event is done when the next task begins.
    await new Promise((resolve) => setTimeout(resolve));
    return selectors.map((selector) => document.querySelectorAll(selector).length);
  }, selectors);

const texts = (length, text) => Array.from({ length }, (_, index) => text(index + 1));

test("what is long is on paper as a whole, though no frame comes before", async (t) => {
  const files = Object.fromEntries(texts(300, (number) => [`many/${number}.txt`, "x"]));
  const body = texts(400, (number) => `## Part ${number}\n\nSome text.\n\n`).join("");
  const lines = texts(1_500, (number) => `Line ${number}.\n`).join("");
  const server = await startWireServer({ skills: [skillOf("long", { "lines.txt": lines, ...files }, body)] });
  t.after(server.close);
  const look = (walk) =>
    visit({ servers: [server] }, async (page) => {
      await connect(page, server.url);
      await openSkill(page, "skill://long/SKILL.md");
      await walk(page);
    });
  await look(async (page) => {
    await panel(page).getByRole("button", { name: "Read SKILL.md" }).click();
    await panel(page).getByText("Verified.").waitFor();
    // 302 files, of five lines each in the entry.
    assert.ok((await print(page, "long")) > 30);
    const parts = [".data.files tbody tr", ".prose h3", ".raw .source > code"].map((part) => `.on-paper ${part}`);
    const [rows, headings, raw] = await atOnce(page, parts);
    assert.deepEqual([rows, headings], [302, 400]);
    assert.ok(raw > 1_510, `${raw} lines of the entry`);
  });
  // And what is still coming to the screen when the paper is wanted.
  await look(async (page) => {
    await openTab(page, "Files");
    await page.evaluate(() => (window.requestAnimationFrame = () => 0));
    await panel(page).getByRole("link", { name: "lines.txt", exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll(".panel .source > code").length === 250);
    assert.deepEqual(await atOnce(page, [".panel .source > code"]), [1_500]);
  });
});
