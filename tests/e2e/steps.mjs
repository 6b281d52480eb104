// What people do on the page, in the words of its screens.

import assert from "node:assert/strict";

/** The way from the start to a server, as far as its overview. */
export async function connect(page, address) {
  await enter(page, address);
  await page.getByRole("navigation", { name: "Skills of" }).waitFor();
}

/** Types an address and asks for a connection, whatever becomes of it. */
export async function enter(page, address) {
  await page.getByLabel("Address of an MCP server").fill(address);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
}

/** Chooses what is spoken, before connecting. */
export async function chooseRevision(page, revision) {
  await page.locator("summary", { hasText: "Protocol" }).click();
  await page.getByRole("group", { name: "Revision of the protocol" }).getByRole("button", { name: revision }).click();
}

/** What a server's overview says of it under a name. */
export const fact = (page, name) => page.locator("dl.facts .fact").filter({ hasText: name });

export async function openDemo(page, name) {
  await page.getByRole("button", { name }).click();
  await catalog(page).getByText("listing complete").waitFor();
}

export const catalog = (page) => page.getByRole("navigation", { name: "Skills of" });

/** A skill's row in the list. */
export const row = (page, uri) => catalog(page).getByTitle(uri, { exact: true });

/** Every skill's name in the list, in its order. */
export const listed = (page) => catalog(page).locator("li a .row-name").allInnerTexts();

export async function openSkill(page, uri) {
  await row(page, uri).click();
  await page.getByRole("tablist", { name: "Sides of this skill" }).waitFor();
  await heading(page, uri.split("/").at(-2)).waitFor();
}

export async function openTab(page, name) {
  await page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();
  await page.getByRole("tabpanel", { name }).waitFor();
}

export const heading = (page, name) => page.getByRole("heading", { level: 1, name });

export const panel = (page) => page.getByRole("tabpanel");

/** The skill's standing beside its name. */
export const standing = (page, text) => page.locator(".title-line").getByText(text);

export async function verifyAll(page) {
  await page.getByRole("button", { name: "Verify all" }).click();
}

/** Reads the file that is shown. */
export async function read(page, path) {
  await panel(page).getByRole("button", { name: `Read ${path}`, exact: true }).click();
}

/** Opens a file from the table of files. */
export async function openFile(page, path) {
  await openTab(page, "Files");
  await panel(page).getByRole("link", { name: path, exact: true }).click();
  await panel(page).getByRole("heading", { name: path, exact: true }).waitFor();
}

/** The rows of the table of files: path and status. */
export async function fileStates(page) {
  await openTab(page, "Files");
  await panel(page).getByRole("table").waitFor();
  const rows = await panel(page).getByRole("row").filter({ has: page.getByRole("cell") }).all();
  const cells = (row) => row.getByRole("cell").allInnerTexts();
  const states = (await Promise.all(rows.map(cells))).map(([status, path]) => [path.trim(), word(status)]);
  return Object.fromEntries(states);
}

/** A status without its glyph. */
const word = (status) => status.replaceAll(/[^a-z, ]/gi, "").trim();

/** Waits until a part of the page says this, letter by letter. */
export async function says(locator, expected) {
  const exactly = new RegExp(expected.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  try {
    await locator.filter({ hasText: exactly }).waitFor();
  } catch (error) {
    const texts = await locator.allInnerTexts();
    assert.fail(`${JSON.stringify(texts)} should say ${JSON.stringify(expected)} (${error.name})`);
  }
}

/** A finding under Checks, by its id. */
export const finding = (page, id) => panel(page).getByRole("article").filter({ has: page.getByText(id, { exact: true }) });

/** Waits until the page has moved the focus there by itself. */
export const focused = (page, locator) =>
  locator.elementHandle().then((element) => page.waitForFunction((there) => there === document.activeElement, element));
