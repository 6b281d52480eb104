// The main journey without a mouse: every step is a key, and the focus is always where one would look for it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { setUp, visit } from "./journey.mjs";
import { focused, heading, panel, standing } from "./steps.mjs";

setUp();

/** More stops than any screen of these journeys has. */
const MAX_STOPS = 80;

const hasFocus = (locator) => locator.evaluate((element) => element === document.activeElement);

/** Presses Tab until the focus is there. */
async function tabTo(page, locator) {
  await locator.waitFor();
  for (let stop = 0; stop < MAX_STOPS; stop += 1) {
    if (await hasFocus(locator)) {
      return;
    }
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not lead to ${locator}`);
}

test("from the address to a verified skill", () =>
  visit({}, async (page) => {
    await page.keyboard.press("Tab");
    assert.ok(await hasFocus(page.getByRole("link", { name: "Skip to the content" })));
    await page.keyboard.press("Enter");
    await focused(page, page.getByRole("main"));

    await tabTo(page, page.getByLabel("Address of an MCP server"));
    await page.keyboard.type("demo:good");
    await page.keyboard.press("Enter");
    await heading(page, "demo:good").waitFor();
    await focused(page, heading(page, "demo:good"));

    await page.keyboard.press("/");
    await focused(page, page.getByRole("searchbox", { name: "Filter skills" }));
    await page.keyboard.type("checklist");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await heading(page, "code-review").waitFor();
    await focused(page, heading(page, "code-review"));

    await tabTo(page, panel(page).getByRole("button", { name: "Read SKILL.md" }));
    await page.keyboard.press("Enter");
    await tabTo(page, panel(page).getByRole("article").getByRole("link"));
    await page.keyboard.press("Enter");
    await panel(page).getByRole("heading", { name: "references/checklist.md" }).waitFor();
    await standing(page, "Verified 2 of 2").waitFor();
  }));

test("j, k and Enter go through the skills, v verifies", () =>
  visit({}, async (page) => {
    await tabTo(page, page.getByRole("button", { name: "demo:good" }));
    await page.keyboard.press("Enter");
    await page.getByText("listing complete").waitFor();
    const rows = page.getByRole("navigation", { name: "Skills of" }).getByRole("listitem").getByRole("link");
    await page.keyboard.press("j");
    await focused(page, rows.nth(0));
    await page.keyboard.press("j");
    await focused(page, rows.nth(1));
    await page.keyboard.press("k");
    await focused(page, rows.nth(0));
    await page.keyboard.press("Enter");
    await heading(page, "release").waitFor();
    await page.keyboard.press("v");
    await standing(page, "Verified 3 of 3").waitFor();
  }));

test("arrows move between the tabs", () =>
  visit({}, async (page) => {
    await page.getByRole("button", { name: "demo:good" }).click();
    await page.getByText("listing complete").waitFor();
    await page.getByTitle("skill://code-review/SKILL.md").click();
    await tabTo(page, page.getByRole("tab", { name: "Instructions" }));
    for (const [key, name] of [["ArrowRight", "Files"], ["End", "As a host"], ["ArrowRight", "Instructions"], ["ArrowLeft", "As a host"], ["Home", "Instructions"]]) {
      await page.keyboard.press(key);
      await page.getByRole("tabpanel", { name }).waitFor();
      await focused(page, page.getByRole("tab", { name: new RegExp(`^${name}`) }));
    }
  }));

test("? opens the help, ` the wire, Escape closes what is open and gives the focus back", () =>
  visit({}, async (page) => {
    const help = page.getByRole("button", { name: "Help" });
    await tabTo(page, help);
    await page.keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keys and marks" });
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await focused(page, help);

    const wire = page.getByRole("region", { name: "Wire", exact: true }).getByRole("button", { name: "Wire" });
    await page.keyboard.press("`");
    await page.getByText("Nothing has gone over the wire yet.").waitFor();
    assert.equal(await wire.getAttribute("aria-expanded"), "true");
    await page.keyboard.press("`");
    assert.equal(await wire.getAttribute("aria-expanded"), "false");
  }));

test("keys typed into a field stay in the field", () =>
  visit({}, async (page) => {
    const address = page.getByLabel("Address of an MCP server");
    await tabTo(page, address);
    await page.keyboard.type("/jkv?`");
    assert.equal(await address.inputValue(), "/jkv?`");
    assert.equal(await page.getByRole("dialog").count(), 0);
  }));
