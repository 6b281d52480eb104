// Every screen in every size and both colour schemes: axe finds nothing, the frame of the page stands still, and a
// picture is kept for people to look at, in tests/artifacts/.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { startSdkServer } from "../servers/sdk-skills.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import {
  catalog,
  enter,
  focused,
  heading,
  openDemo,
  openFile,
  openTab,
  panel,
  read,
  row,
  standing,
  verifyAll,
} from "./steps.mjs";

setUp();

const SIZES = [
  { width: 1440, height: 900 },
  { width: 820, height: 1180 },
  { width: 390, height: 844 },
];

const REFUNDS = "skill://atelier/billing/refunds/SKILL.md";
const WHEEL_TRUING = "skill://atelier/workshop/wheel-truing/SKILL.md";

/** Leads through the page and calls `look` with a name on every screen. */
async function tour(page, refusing, look) {
  await heading(page, "What does this server teach a model?").waitFor();
  await look("connect");
  await page.getByText("Your own server").click();
  await page.locator("summary", { hasText: "Headers and token" }).click();
  await page.locator("summary", { hasText: "Protocol and limits" }).click();
  await look("connect-own-server");
  await enter(page, refusing.url);
  await page.getByRole("region", { name: "Connection" }).getByText("A server answers there, but does not let pages").waitFor();
  await look("connect-refused");

  await openDemo(page, "demo:good");
  await look("server");
  await catalog(page).getByRole("button", { name: "Open by URI" }).click();
  await look("open-by-uri");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Help" }).click();
  await look("help");
  await page.keyboard.press("Escape");

  await goTo(page, REFUNDS);
  await look("skill-unread");
  await read(page, "SKILL.md");
  await panel(page).getByRole("article").waitFor();
  await look("skill-instructions");
  await verifyAll(page);
  await standing(page, "Verified 6 of 6").waitFor();
  await openTab(page, "Files");
  await look("skill-files");
  await openFile(page, "references/LIMITS.csv");
  await look("file-table");
  await openFile(page, "scripts/check_order.py");
  await look("file-source");
  await openTab(page, "Frontmatter");
  await look("skill-frontmatter");
  await openTab(page, "Checks");
  await look("skill-checks");
  await openTab(page, "Raw");
  await look("skill-raw");
  await openTab(page, "As a host");
  await look("skill-host");
  await page.getByRole("region", { name: "Wire", exact: true }).getByRole("button", { name: "Wire" }).click();
  await page.locator(".wire-line", { hasText: "resources/read" }).first().click();
  await look("wire");
  await page.getByRole("region", { name: "Wire", exact: true }).getByRole("button", { name: "Wire" }).click();

  await goTo(page, WHEEL_TRUING);
  await openFile(page, "assets/logo.png");
  await panel(page).getByRole("img").waitFor();
  await look("file-picture");

  await page.getByRole("link", { name: "+ Server" }).click();
  await openDemo(page, "demo:broken");
  await goTo(page, "skill://yaml-1-1-dates/SKILL.md");
  await read(page, "SKILL.md");
  await panel(page).getByText("A host must not use this file.").waitFor();
  await look("file-refused");
  await openTab(page, "Frontmatter");
  await look("frontmatter-differs");
  await openTab(page, "Checks");
  await look("checks-broken");
  await page.getByRole("button", { name: "Run every check on this skill" }).waitFor();
  await page.evaluate(() => location.assign("#/c/demo:broken"));
  await page.getByRole("button", { name: "Check the server" }).waitFor();
  await look("report-start");
  await page.getByRole("button", { name: "Check the server" }).click();
  await page.getByRole("button", { name: "Check again…" }).waitFor();
  await look("report");
  await page.getByRole("link", { name: "All skills" }).or(page.getByRole("link", { name: "demo:broken", exact: true })).first().click();
  // Until the report is gone, its way back is there, too.
  await page.getByRole("heading", { level: 1, name: "demo:broken" }).waitFor();
  await goTo(page, "skill://get-differs/SKILL.md");
  await page.getByRole("button", { name: "Fetch with skills/get" }).click();
  await page.getByRole("status", { name: "Comparison with skills/get" }).waitFor();
  await look("skills-get-differs");
  await goTo(page, "skill://hidden-characters/SKILL.md");
  await read(page, "SKILL.md");
  await panel(page).locator(".prose").waitFor();
  await look("hidden-characters");
  await page.reload();
  await page.getByText("This tab is not connected to it.").waitFor();
  await look("not-connected");
}

/** Opens a skill from the list, which on a narrow page is a level above. */
async function goTo(page, uri) {
  const back = page.getByRole("link", { name: "All skills" });
  if (await back.isVisible()) {
    await back.click();
  }
  await row(page, uri).click();
  await page.getByRole("tab", { name: "Instructions" }).waitFor();
}

/** How people look at the page. The narrowest and forced colours need not be seen in both themes. */
const LOOKS = [
  ...SIZES.flatMap((viewport) => ["light", "dark"].map((colorScheme) => ({ viewport, colorScheme }))),
  { viewport: { width: 320, height: 640 }, colorScheme: "light" },
  { viewport: SIZES[0], colorScheme: "dark", forcedColors: "active" },
];

describe("every screen", () => {
  for (const look of LOOKS) {
    const { viewport, colorScheme, forcedColors } = look;
    const theme = forcedColors ? "forced" : colorScheme;
    test(`${viewport.width} px, ${theme}`, async (t) => {
      const refusing = await startSdkServer({ cors: false });
      t.after(refusing.close);
      const reports = [/CORS policy/, /ERR_FAILED/, /status of 405/];
      const faults = [];
      await visit({ servers: [refusing], reports, ...look }, (page) =>
        tour(page, refusing, async (screen) => {
          await takePicture(page, `${screen}-${viewport.width}-${theme}`);
          const found = await axeFindings(page);
          const { width, height } = await page.evaluate(() => {
            const { scrollWidth: width, scrollHeight: height } = document.documentElement;
            return { width, height };
          });
          if (width > viewport.width || height > viewport.height) {
            found.push(`the frame of the page scrolls: ${width} × ${height} px`);
          }
          faults.push(...found.map((fault) => `${screen}: ${fault}`));
        }),
      );
      assert.deepEqual(faults, []);
    });
  }
});

test("on a phone the list, a skill and a file are levels, each seen from its top, with a way back", () =>
  visit({ viewport: SIZES.at(-1) }, async (page) => {
    const filter = page.getByRole("searchbox", { name: "Filter skills" });
    const isInSight = (locator) =>
      locator.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
    await page.getByText("Your own server").click();
    await page.getByRole("button", { name: "demo:good" }).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 400);
    await openDemo(page, "demo:good");
    await focused(page, heading(page, "demo:good"));
    assert.ok(await isInSight(filter), "the list begins at its top");

    await row(page, REFUNDS).click();
    await focused(page, heading(page, "refunds"));
    assert.ok(await isInSight(heading(page, "refunds")));
    assert.ok(!(await filter.isVisible()), "the list is a level above");

    await openFile(page, "references/LIMITS.csv");
    await page.getByRole("link", { name: "All files" }).click();
    await panel(page).getByRole("table").getByText("verified").waitFor();
    await page.getByRole("link", { name: "All skills" }).click();
    await filter.waitFor();
  }));

test("the colours follow the switch, and the switch is remembered", () =>
  visit({ colorScheme: "light" }, async (page) => {
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.getByRole("button", { name: "Colours: auto" }).click();
    await page.getByRole("button", { name: "Colours: light" }).click();
    await page.getByRole("button", { name: "Colours: dark" }).waitFor();
    assert.notEqual(await background(), light);
    const dark = await background();
    await page.reload();
    await page.getByRole("button", { name: "Colours: dark" }).waitFor();
    assert.equal(await background(), dark);
  }));
