// Walks through the page for `page.rs`: a walk on each line of standard input, what people saw on each line of standard
// output. The first line out is the page's origin.

import assert from "node:assert/strict";
import { createInterface } from "node:readline";

import { start, stop, visit } from "../../e2e/journey.mjs";
import {
  catalog,
  chooseRevision,
  enter,
  fact,
  listed,
  openSkill,
  panel,
  read,
  says,
  standing,
  verifyAll,
} from "../../e2e/steps.mjs";

const SKILL_MD = "skill://code-review/SKILL.md";

/** What Chromium itself reports on the console when it keeps an answer to itself, and when a server refuses a message. */
const KEPT = /blocked by CORS policy|ERR_FAILED|status of 4\d\d/;

async function begin(page, { url, isOlder }) {
  if (isOlder) {
    await chooseRevision(page, "Older handshake");
  }
  await enter(page, url);
}

const walks = {
  /** What is said of a server that no page may read, and the lines that mend it if it is made with `sdk`. */
  async refused(page, { sdk, ...where }) {
    await begin(page, where);
    const card = page.getByRole("region", { name: "Connection" }).getByRole("alert");
    await card.getByRole("button", { name: sdk, exact: true }).click();
    const last = page.getByRole("list", { name: "Steps of the connection" }).getByRole("listitem").last();
    return {
      what: (await last.locator(".step-text").textContent()).trim(),
      lines: await card.getByLabel("Lines to paste").textContent(),
    };
  },

  /** Lists, gets, reads and verifies the one skill of a server, and tells what is spoken. */
  async verified(page, where) {
    await begin(page, where);
    await catalog(page).waitFor();
    const speaks = await fact(page, "Speaks").locator("dd").innerText();
    const declares = await fact(page, "Declares").locator("dd").innerText();
    if (declares === "no skills") {
      await page.getByRole("button", { name: "Ask for a listing all the same" }).click();
    }
    await says(catalog(page), "1 skill in 1 page, listing complete");
    assert.deepEqual(await listed(page), ["code-review"]);
    await openSkill(page, SKILL_MD);
    await page.getByRole("button", { name: "Fetch with skills/get" }).click();
    const comparison = page.getByRole("status", { name: "Comparison with skills/get" });
    await says(comparison, "skills/get answers with the same entry as the one held from skills/list.");
    await read(page, "SKILL.md");
    await panel(page).getByRole("article").waitFor();
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();
    return { speaks };
  },
};

async function answer({ walk, mayReport, ...where }) {
  let found;
  // A server of the older era refuses the first question; only those are said to.
  const reports = mayReport ? [KEPT] : [];
  await visit({ servers: [where], reports }, async (page) => {
    found = await walks[walk](page, where);
  });
  return { found };
}

const say = (message) => console.log(JSON.stringify(message));

say(new URL(await start()).origin);
for await (const line of createInterface({ input: process.stdin })) {
  say(await answer(JSON.parse(line)).catch((error) => ({ error: String(error) })));
}
await stop();
