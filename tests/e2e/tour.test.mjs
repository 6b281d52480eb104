// The tour: offered, never forced; each stop stands beside the real thing on the real screen, and can be left.

import assert from "node:assert/strict";
import { test } from "node:test";

import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { focused, heading } from "./steps.mjs";

setUp();

const tour = (page) => page.getByRole("dialog").filter({ has: page.getByRole("button", { name: "Leave the tour" }) });

/** The titles of the stops, and what each one points at. */
const STOPS = [
  ["What the server lists", ".catalog-list"],
  ["Read one file, or verify all", ".skill-acts"],
  ["Each file has its own mark", ".panel table"],
  ["What a host does with it", ".walk-rail"],
  ["What is wrong, and how to mend it", ".panel .finding >> nth=0"],
  ["Every rule at once", ".report-start"],
  ["Every message", ".wire-bar"],
];

/** Waits until the ring is around it. */
const pointsAt = async (page, selector) => {
  const target = await page.locator(selector).elementHandle();
  await page.waitForFunction((target) => {
    const ring = document.querySelector(".tour-ring")?.getBoundingClientRect();
    const place = target.getBoundingClientRect();
    return ring && Math.abs(ring.left + 4 - place.left) < 2 && Math.abs(ring.top + 4 - place.top) < 2 && ring.width > 8;
  }, target);
};

for (const [size, viewport] of [["wide", { width: 1440, height: 900 }], ["narrow", { width: 390, height: 844 }]]) {
  test(`every stop points at the real thing, by keyboard (${size})`, () =>
    visit({ viewport }, async (page) => {
      assert.equal(await tour(page).count(), 0, "nobody is made to take it");
      await page.getByRole("button", { name: "Take the tour" }).press("Enter");
      for (const [number, [title, target]] of STOPS.entries()) {
        await page.getByRole("dialog", { name: title }).waitFor();
        await pointsAt(page, target);
        await focused(page, page.locator("#tour-next"));
        const box = await tour(page).boundingBox();
        assert.ok(box.x >= 0 && box.y >= 0 && box.x + box.width <= viewport.width && box.y + box.height <= viewport.height, title);
        assert.deepEqual(await axeFindings(page), [], title);
        await takePicture(page, `tour-${size}-${number + 1}`);
        await page.keyboard.press("Enter");
      }
      await tour(page).waitFor({ state: "detached" });
      await focused(page, heading(page, "Does this server conform?"));
    }));
}

test("one can go back, and leave at any time", () =>
  visit({}, async (page) => {
    await page.getByRole("button", { name: "Take the tour" }).click();
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByRole("dialog", { name: STOPS[1][0] }).waitFor();
    await page.getByRole("button", { name: "Back" }).click();
    await page.getByRole("dialog", { name: STOPS[0][0] }).waitFor();
    await heading(page, "demo:good").waitFor();
    await page.keyboard.press("Escape");
    await tour(page).waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("tour");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: STOPS[0][0] }).waitFor();
    await page.getByRole("button", { name: "Leave the tour" }).click();
    await tour(page).waitFor({ state: "detached" });
  }));
