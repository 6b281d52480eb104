// The palette: what has a name is a few letters and Enter away, from the keyboard, without losing one's place.

import assert from "node:assert/strict";
import { test } from "node:test";

import { skill, startWireServer } from "../servers/wire.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { connect, focused, heading, openDemo, standing } from "./steps.mjs";

setUp();

const field = (page) => page.getByRole("combobox", { name: "Find a skill, a place or an action" });
const options = (page) => page.getByRole("listbox", { name: "Found" }).getByRole("option");
const status = (page, text) => page.getByRole("dialog", { name: "Find" }).getByRole("status").getByText(text);

/** The option that Enter would choose, which the field points at. */
async function chosen(page) {
  const id = await field(page).getAttribute("aria-activedescendant");
  const option = page.locator(`[id="${id}"]`);
  assert.equal(await option.getAttribute("aria-selected"), "true");
  return (await option.locator(".palette-title").innerText()).trim();
}

async function find(page, text) {
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  await focused(page, field(page));
  await page.keyboard.type(text);
}

test("skills, places and actions are chosen with a few letters", () =>
  visit({}, async (page) => {
    await find(page, "demo:bro");
    assert.equal(await chosen(page), "Connect to demo:broken");
    await page.keyboard.press("Enter");
    await heading(page, "demo:broken").waitFor();
    await page.getByText("listing complete").waitFor();

    await find(page, "wrong-");
    assert.deepEqual(await options(page).locator(".palette-title").allInnerTexts(), ["wrong-digest", "wrong-size"]);
    await page.keyboard.press("ArrowDown");
    assert.equal(await chosen(page), "wrong-size");
    await page.keyboard.press("ArrowDown");
    assert.equal(await chosen(page), "wrong-digest");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "palette");
    await page.keyboard.press("Enter");
    await heading(page, "wrong-digest").waitFor();
    await focused(page, heading(page, "wrong-digest"));

    await find(page, "verify");
    await page.keyboard.press("Enter");
    await standing(page, "Refused 1 of 2 files").waitFor();
    await find(page, "torque");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "references/torque.csv", exact: true }).waitFor();
    await find(page, "conformance");
    await page.keyboard.press("Enter");
    await heading(page, "Does this server conform?").waitFor();
    await find(page, "dark");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.getByRole("button", { name: "Colours: dark" }).waitFor();
    await find(page, "");
    await page.getByText("Copy a link to this place").waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "palette-all");
    await page.keyboard.type("no such thing");
    await status(page, "Nothing has all of these words.").waitFor();
    assert.equal(await options(page).count(), 0);
  }));

test("Escape gives the focus back, and so does the key again", () =>
  visit({}, async (page) => {
    const address = page.getByLabel("Address of an MCP server");
    await address.focus();
    for (const key of ["Escape", "Control+k"]) {
      await find(page, "x");
      await page.keyboard.press(key);
      await page.getByRole("dialog", { name: "Find" }).waitFor({ state: "hidden" });
      await focused(page, address);
    }
    await page.getByRole("button", { name: "Help" }).click();
    await page.getByRole("button", { name: "Find a skill, a place or an action" }).click();
    await focused(page, field(page));
    await page.keyboard.press("Escape");
  }));

test("the URI of a skill opens it, listed or not", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:good");
    await find(page, "skill://atelier/internal/onboarding/SKILL.md");
    await page.keyboard.press("Enter");
    await heading(page, "onboarding").waitFor();
  }));

test("ten thousand skills of two servers are looked through, and few are put into the document", async (t) => {
  const skills = Array.from({ length: 10_000 }, (_, number) => skill(`skill-${number}`));
  const server = await startWireServer({ skills });
  t.after(server.close);
  await visit({ servers: [server] }, async (page) => {
    await openDemo(page, "demo:good");
    await page.getByRole("link", { name: "+ Server" }).click();
    await connect(page, server.url);
    await page.getByText("listing complete").waitFor();
    await find(page, "skill-99");
    await status(page, "111 found, 81 more not shown").waitFor();
    assert.equal(await chosen(page), "skill-99");
    assert.equal(await options(page).count(), 30);
    await page.keyboard.type("99");
    await page.keyboard.press("Enter");
    await heading(page, "skill-9999").waitFor();
    await find(page, "code-review");
    await page.keyboard.press("Enter");
    await heading(page, "code-review").waitFor();
  });
});
