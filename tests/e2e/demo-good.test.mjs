// A server that keeps every rule: everything can be found, read and verified, and nothing is claimed before.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, test } from "node:test";

import { setUp, visit } from "./journey.mjs";
import {
  catalog,
  fileStates,
  heading,
  listed,
  openDemo,
  openFile,
  openSkill,
  openTab,
  panel,
  read,
  row,
  says,
  standing,
  verifyAll,
} from "./steps.mjs";

setUp();

const CODE_REVIEW = "skill://code-review/SKILL.md";
const BILLING_REFUNDS = "skill://atelier/billing/refunds/SKILL.md";
const FREIGHT_REFUNDS = "skill://atelier/freight/refunds/SKILL.md";
const RELEASE = "skill://atelier/release/SKILL.md";
const CHANGELOG = "skill://atelier/release/steps/changelog/SKILL.md";
const WHEEL_TRUING = "skill://atelier/workshop/wheel-truing/SKILL.md";
const ONBOARDING = "skill://atelier/internal/onboarding/SKILL.md";
const DAILY_BRIEFING = "skill://daily-briefing/SKILL.md";

/** The skills that pin their bytes, and how many files each has. */
const PINNED = {
  [CODE_REVIEW]: 2,
  [BILLING_REFUNDS]: 6,
  [FREIGHT_REFUNDS]: 2,
  "skill://atelier/freight/packing-list/SKILL.md": 3,
  [RELEASE]: 3,
  [CHANGELOG]: 2,
  [WHEEL_TRUING]: 3,
  "skill://atelier/workshop/instrument-intake/SKILL.md": 2,
};

function onGood(walk) {
  return visit({}, async (page) => {
    await openDemo(page, "demo:good");
    await walk(page);
  });
}

test("connecting shows what the server says of itself and what it lists", () =>
  onGood(async (page) => {
    await heading(page, "demo:good").waitFor();
    await says(page.getByRole("main"), "“Northwind Atelier”");
    await says(page.getByRole("main"), "Newcomers begin with skill://atelier/internal/onboarding/SKILL.md");
    await says(catalog(page), "9 skills in 3 pages, listing complete");
    assert.equal((await listed(page)).length, 9);
    assert.equal(await page.title(), "demo:good · Skillglass");
  }));

test("the filter looks at names, descriptions and URIs", () =>
  onGood(async (page) => {
    const filter = page.getByRole("searchbox", { name: "Filter skills" });
    const filtered = async (text) => {
      await filter.fill(text);
      return listed(page);
    };
    assert.deepEqual(await filtered("WHEEL"), ["wheel-truing"]);
    assert.deepEqual(await filtered("atelier/freight"), ["packing-list", "refunds"]);
    assert.deepEqual(await filtered("checklist"), ["code-review"]);
    assert.deepEqual(await filtered("no such skill"), []);
    await says(catalog(page), "No skill matches");
    await filter.press("Escape");
    assert.equal((await listed(page)).length, 9);
  }));

test("skills of one name are told apart", () =>
  onGood(async (page) => {
    await says(row(page, BILLING_REFUNDS), "same name");
    await says(row(page, FREIGHT_REFUNDS), "same name");
    await openSkill(page, BILLING_REFUNDS);
    await says(page.getByRole("main"), "skill://atelier/billing/");
    await openSkill(page, FREIGHT_REFUNDS);
    await says(page.getByRole("main"), "skill://atelier/freight/");
  }));

test("opening a skill reads nothing; reading one file reads that one", () =>
  onGood(async (page) => {
    const wire = page.getByRole("region", { name: "Wire" });
    const exchanges = async () =>
      (await wire.getByRole("listitem").locator(".wire-method").allInnerTexts()).toReversed();
    await wire.getByRole("button", { name: "Wire" }).click();
    const listing = ["server/discover", "skills/list", "skills/list", "skills/list"];
    assert.deepEqual(await exchanges(), listing);

    await openSkill(page, CODE_REVIEW);
    await says(panel(page), "Not read yet");
    for (const tab of ["Files", "Frontmatter", "Checks", "Raw", "Instructions"]) {
      await openTab(page, tab);
    }
    assert.deepEqual(await exchanges(), listing);

    await read(page, "SKILL.md");
    await panel(page).getByRole("heading", { name: "Code review" }).waitFor();
    await wire.getByText("5 exchanges", { exact: true }).waitFor();
    assert.deepEqual(await exchanges(), [...listing, "resources/read"]);
    await standing(page, "Verified 1 of 2 so far").waitFor();
  }));

test("a verified text is shown with whose text it is, as instructions and as source", () =>
  onGood(async (page) => {
    await openSkill(page, CODE_REVIEW);
    await read(page, "SKILL.md");
    const text = panel(page).getByRole("article");
    await text.waitFor();
    await says(panel(page), "Verified. Text from demo:good. It steers a model; it does not vouch for itself.");
    await panel(page).getByRole("button", { name: "Source" }).click();
    const source = panel(page).getByRole("region", { name: "SKILL.md" });
    await says(source, "name: code-review");
    assert.equal(await text.count(), 0);
    await panel(page).getByRole("button", { name: "Rendered" }).click();
    await text.waitFor();
  }));

test("a relative link opens the file it names", () =>
  onGood(async (page) => {
    await openSkill(page, CODE_REVIEW);
    await read(page, "SKILL.md");
    await panel(page).getByRole("article").getByRole("link", { name: "checklist" }).click();
    await panel(page).getByRole("heading", { name: "references/checklist.md" }).waitFor();
    await panel(page).getByRole("article").waitFor();
    await standing(page, "Verified 2 of 2").waitFor();
    await page.goBack();
    await panel(page).getByRole("heading", { name: "Code review" }).waitFor();
  }));

describe("Verify all", () => {
  for (const [uri, files] of Object.entries(PINNED)) {
    test(uri, () =>
      onGood(async (page) => {
        await openSkill(page, uri);
        await standing(page, "Not read yet").waitFor();
        await verifyAll(page);
        await standing(page, `Verified ${files} of ${files}`).waitFor();
        const states = Object.values(await fileStates(page));
        assert.deepEqual(states, Array(files).fill("verified"));
        await openTab(page, "Frontmatter");
        await says(panel(page), "Every field of the entry equals the file's.");
        await openTab(page, "Checks");
        await says(panel(page), "Nothing is wrong with what was checked.");
      }),
    );
  }
});

test("a nested skill belongs to the one around it and stands on its own", () =>
  onGood(async (page) => {
    await openSkill(page, RELEASE);
    await verifyAll(page);
    await standing(page, "Verified 3 of 3").waitFor();
    assert.ok("steps/changelog/SKILL.md" in (await fileStates(page)));
    await openSkill(page, CHANGELOG);
    await standing(page, "Not read yet").waitFor();
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();
  }));

test("a dynamic skill is never called verified", () =>
  onGood(async (page) => {
    await openSkill(page, DAILY_BRIEFING);
    await standing(page, "Dynamic: nothing pins its bytes").waitFor();
    await read(page, "SKILL.md");
    await says(panel(page).locator(".banner"), "Dynamic: nothing pins these bytes.");
    await panel(page).getByRole("article").getByRole("link").first().click();
    await panel(page).getByRole("heading", { name: "today/" }).waitFor();
    await panel(page).getByRole("article").waitFor();
    const states = Object.values(await fileStates(page));
    assert.deepEqual(states, ["read, not pinned", "read, not pinned"]);
    await says(row(page, DAILY_BRIEFING), "dynamic");
  }));

test("an unlisted skill opens by its URI", () =>
  onGood(async (page) => {
    assert.equal(await row(page, ONBOARDING).count(), 0);
    await catalog(page).getByRole("button", { name: "Open by URI" }).click();
    const dialog = page.getByRole("dialog", { name: "Open a skill by its URI" });
    const uri = dialog.getByLabel("URI of the SKILL.md");

    await uri.fill("https://example.com/");
    await uri.press("Enter");
    await says(dialog.getByRole("alert"), "Not the URI of a SKILL.md");

    await uri.fill("skill://atelier/internal/nobody/SKILL.md");
    await uri.press("Enter");
    await dialog.getByText("-32602").waitFor();

    await uri.fill(ONBOARDING);
    await uri.press("Enter");
    await heading(page, "onboarding").waitFor();
    await dialog.waitFor({ state: "hidden" });
    await row(page, ONBOARDING).waitFor();
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();
  }));

test("pictures are shown once they were read, and not before", () =>
  onGood(async (page) => {
    await openSkill(page, WHEEL_TRUING);
    await read(page, "SKILL.md");
    const pictures = panel(page).getByRole("article").getByRole("img");
    const offers = panel(page).getByRole("button", { name: "Read the picture" });
    await offers.first().waitFor();
    assert.equal(await pictures.count(), 0);
    const number = await offers.count();
    for (let shown = 1; shown <= number; shown += 1) {
      await offers.first().click();
      await pictures.nth(shown - 1).waitFor();
    }
    for (const picture of await pictures.all()) {
      assert.match(await picture.getAttribute("src"), /^blob:/);
      assert.ok(await picture.evaluate((image) => image.decode().then(() => image.naturalWidth > 0)));
    }
    assert.equal(number, 2);
  }));

test("tables, scripts and bytes are shown as what they are", () =>
  onGood(async (page) => {
    await openSkill(page, BILLING_REFUNDS);
    await openFile(page, "references/LIMITS.csv");
    const table = panel(page).getByRole("table");
    await table.waitFor();
    assert.ok((await table.getByRole("columnheader").count()) > 1);

    await openFile(page, "scripts/check_order.py");
    await says(panel(page).getByRole("region", { name: "scripts/check_order.py" }), "Reads one order as JSON from standard input");

    await openSkill(page, WHEEL_TRUING);
    await openFile(page, "assets/logo.png");
    await panel(page).getByRole("img", { name: "assets/logo.png" }).waitFor();
    await panel(page).getByRole("button", { name: "Bytes" }).click();
    await says(panel(page).getByLabel("The first bytes"), "89 50 4e 47");
  }));

test("a verified file is downloaded byte for byte", () =>
  onGood(async (page) => {
    await openSkill(page, CODE_REVIEW);
    await openFile(page, "references/checklist.md");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      panel(page).getByRole("button", { name: "Download" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "checklist.md");
    const sample = new URL("../skills/good/code-review/references/checklist.md", import.meta.url);
    assert.deepEqual(await readFile(await download.path()), await readFile(sample));
  }));

test("results stay when one looks elsewhere; back and forward lead through the places", () =>
  onGood(async (page) => {
    await openSkill(page, CODE_REVIEW);
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();
    await openSkill(page, RELEASE);
    await openTab(page, "Raw");
    await page.goBack();
    await page.getByRole("tabpanel", { name: "Instructions" }).waitFor();
    await page.goBack();
    await heading(page, "code-review").waitFor();
    await standing(page, "Verified 2 of 2").waitFor();
    await panel(page).getByRole("heading", { name: "Code review" }).waitFor();
    await page.goForward();
    await heading(page, "release").waitFor();
  }));

test("skills/get and skills/list agree", () =>
  onGood(async (page) => {
    await openSkill(page, CODE_REVIEW);
    await page.getByRole("button", { name: "Fetch with skills/get" }).click();
    const comparison = page.getByRole("status", { name: "Comparison with skills/get" });
    await says(comparison, "skills/get answers with the same entry as the one held from skills/list.");
  }));

test("after a reload it says that it let go of everything, and how to go on", () =>
  onGood(async (page) => {
    await openSkill(page, CODE_REVIEW);
    await page.reload();
    await says(page.getByRole("main"), "This tab is not connected to it.");
    await page.getByRole("button", { name: "Connect to demo:good" }).click();
    await heading(page, "code-review").waitFor();
    await standing(page, "Not read yet").waitFor();
  }));

test("disconnecting lets go of the server", () =>
  onGood(async (page) => {
    await page.getByRole("button", { name: "Disconnect demo:good" }).click();
    await heading(page, "What does this server teach a model?").waitFor();
    assert.equal(await page.getByRole("navigation", { name: "Servers" }).getByRole("link").count(), 1);
  }));
