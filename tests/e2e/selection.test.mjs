// Several skills at once: chosen with the pointer or the keys, verified or checked, and no others.

import assert from "node:assert/strict";
import { test } from "node:test";

import { skill, startWireServer } from "../servers/wire.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { catalog, connect, focused, heading, openSkill, row, says } from "./steps.mjs";

setUp();

const uri = (name) => `skill://${name}/SKILL.md`;
const bar = (page) => page.getByRole("region", { name: "Chosen skills" });
const box = (page, name) => catalog(page).getByRole("checkbox", { name: `Choose ${name}`, exact: true });
const rows = (page) => catalog(page).getByRole("listitem").getByRole("link");
const press = (page, name) => bar(page).getByRole("button", { name, exact: true }).click();
const chosen = (page) => catalog(page).getByRole("checkbox", { checked: true }).evaluateAll((all) => all.map((it) => it.ariaLabel.slice(7)));

async function serve(t, names, options) {
  const server = await startWireServer({ skills: names.map((name) => skill(name, 2)), ...options });
  t.after(server.close);
  return server;
}

/** The skills of which files were read. */
const read = (server) => [...new Set(server.asked("resources/read").map(({ params }) => params.uri.split("/")[2]))];

test("with the pointer: boxes, a range, all, none", async (t) => {
  const server = await serve(t, ["a", "b", "c", "d", "e"]);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    assert.equal(await box(page, "b").evaluate((it) => getComputedStyle(it).opacity), "0");
    await row(page, uri("b")).hover();
    assert.equal(await box(page, "b").evaluate((it) => getComputedStyle(it).opacity), "1");
    await box(page, "b").click();
    await says(bar(page), "1 skill chosen");
    assert.equal(await box(page, "e").evaluate((it) => getComputedStyle(it).opacity), "1");
    await box(page, "d").click({ modifiers: ["Shift"] });
    assert.deepEqual(await chosen(page), ["b", "c", "d"]);
    await says(page.locator("[role=status][aria-live]"), "3 skills chosen.");
    await box(page, "c").click();
    assert.deepEqual(await chosen(page), ["b", "d"]);

    await page.getByRole("searchbox", { name: "Filter skills" }).fill("skill://d");
    await says(bar(page), "1 filtered out");
    await page.getByRole("searchbox", { name: "Filter skills" }).fill("");
    await press(page, "All 5");
    assert.deepEqual(await chosen(page), ["a", "b", "c", "d", "e"]);
    await press(page, "Clear");
    await bar(page).waitFor({ state: "detached" });
    await focused(page, catalog(page).getByRole("list"));
    assert.deepEqual(read(server), [], "choosing reads nothing");
  });
});

test("with the keys: x, Shift and arrows, Space, Escape", async (t) => {
  const server = await serve(t, ["a", "b", "c", "d", "e"]);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    assert.deepEqual(await chosen(page), ["a"]);
    await page.keyboard.press("x");
    assert.deepEqual(await chosen(page), []);
    await page.keyboard.press("j");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) {
      await page.keyboard.press(`Shift+${key}`);
    }
    assert.deepEqual(await chosen(page), ["b", "c"]);
    await focused(page, rows(page).nth(2));
    await page.keyboard.press("Shift+ArrowUp");
    await page.keyboard.press("Shift+ArrowUp");
    assert.deepEqual(await chosen(page), ["a", "b"], "the range goes the other way from where it began");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    assert.deepEqual(await chosen(page), ["b", "c"]);
    await page.keyboard.press("k");
    await page.keyboard.press("k");
    await page.keyboard.press("x");
    assert.deepEqual(await chosen(page), ["a", "b", "c"]);

    // Each box is one step before its row, and is ticked as boxes are.
    await page.keyboard.press("Shift+Tab");
    await focused(page, box(page, "a"));
    await page.keyboard.press("Space");
    assert.deepEqual(await chosen(page), ["b", "c"]);
    await page.keyboard.press("ArrowDown");
    await focused(page, rows(page).nth(1));
    await page.keyboard.press("Escape");
    assert.deepEqual(await chosen(page), []);

    await openSkill(page, uri("d"));
    await page.keyboard.press("x");
    assert.deepEqual(await chosen(page), ["d"]);
    await page.keyboard.press("?");
    await page.getByRole("row", { name: "x choose the skill" }).waitFor();
  });
});

test("what is chosen is verified, and nothing else; the rows and the bar say what came of it", async (t) => {
  const skills = ["a", "b", "c", "d"].map((name) => skill(name, 2));
  skills[2].texts.set("skill://c/references/001.md", "Not what was promised.\n");
  const server = await serve(t, [], { skills });
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    for (const name of ["a", "c", "d"]) {
      await box(page, name).click();
    }
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "selection");
    await press(page, "Verify");
    await says(bar(page), "1 refused or broken");
    await says(bar(page), "2 verified");
    await says(page.locator("[role=status][aria-live]"), "Done: 1 refused or broken, 2 verified.");
    assert.deepEqual(read(server), ["a", "c", "d"]);
    assert.equal(server.asked("resources/read").length, 9);
    await says(row(page, uri("a")), "Verified 3 of 3");
    await says(row(page, uri("b")), "Not read yet");
    await says(row(page, uri("c")), "Refused 1 of 3");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "selection-verified");

    // Mended meanwhile: the bar says how much has changed.
    skills[2].texts.set("skill://c/references/001.md", "File 1 of c.\n");
    await press(page, "Verify");
    await says(bar(page), "3 verified");
    await says(bar(page), "1 file changed");
  });
});

test("how far it is, how fast, what is left; and a stop", async (t) => {
  const waiting = [];
  let holds = true;
  const on = {
    "resources/read": async ({ message }) => {
      if (holds && message.params.uri.startsWith("skill://b/")) {
        await new Promise((resolve) => waiting.push(resolve));
      }
      return false;
    },
  };
  const server = await serve(t, [], { skills: ["a", "b", "c"].map((name) => skill(name, 9)), on });
  const isBusy = (page) => row(page, uri("b")).locator(".busy").waitFor();
  await visit({ servers: [server] }, async (page) => {
    await page.clock.install();
    await connect(page, server.url);
    await box(page, "a").click();
    await press(page, "All 3");
    await press(page, "Verify");
    await isBusy(page);
    await says(bar(page), "10 of 30 files");
    await page.clock.fastForward(10_000);
    waiting.shift()();
    const line = bar(page).locator(".progress-line").filter({ hasText: "left" });
    assert.match((await line.innerText()).replaceAll(/\s+/g, " "), /^11 of 30 files, \d+ B 1\.\d files\/s, 1[5-9] s left$/);
    await takePicture(page, "selection-progress");
    holds = false;
    waiting.forEach((pass) => pass());
    await says(bar(page), "3 verified");

    holds = true;
    waiting.length = 0;
    const reads = () => server.asked("resources/read").length;
    const before = reads();
    await press(page, "Verify");
    await isBusy(page);
    await press(page, "Stop verifying");
    await says(page.locator("[role=status][aria-live]"), "Stopped: ");
    assert.ok(reads() - before <= 16, "the ten files of the first, and at most six of the second");
    await bar(page).getByRole("button", { name: "Verify" }).waitFor();
    waiting.forEach((pass) => pass());
  });
});

test("a skill that is being verified already keeps its own stop, and is waited for", async (t) => {
  const waiting = [];
  const on = {
    "resources/read": async ({ message }) => {
      if (message.params.uri.startsWith("skill://a/")) {
        await new Promise((resolve) => waiting.push(resolve));
      }
      return false;
    },
  };
  const server = await serve(t, [], { skills: ["a", "b"].map((name) => skill(name, 9)), on });
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, uri("a"));
    await page.getByRole("button", { name: "Verify all" }).click();
    await row(page, uri("a")).locator(".busy").waitFor();
    await page.keyboard.press("x");
    await press(page, "All 2");
    await press(page, "Verify");
    await says(bar(page), "0 of 20 files");
    assert.deepEqual(read(server), ["a"], "the second one waits for the first");
    await page.locator(".skill-head").getByRole("button", { name: "Stop verifying" }).click();
    await says(bar(page), "1 verified");
    await says(bar(page), "1 not read whole");
    await says(row(page, uri("b")), "Verified 10 of 10");
    waiting.forEach((pass) => pass());
  });
});

test("a server that goes away breaks it off, and the bar says so", async (t) => {
  const on = {
    "resources/read": ({ message, response }) => {
      if (!message.params.uri.startsWith("skill://b/")) {
        return false;
      }
      response.destroy();
    },
  };
  const server = await serve(t, ["a", "b", "c"], { on });
  await visit({ servers: [server], reports: [/net::ERR_|status of 40[05]/] }, async (page) => {
    await connect(page, server.url);
    await box(page, "a").click();
    await press(page, "All 3");
    await press(page, "Verify");
    await says(bar(page), "Broken off.");
    await says(bar(page), "1 verified");
    await says(page.locator("[role=status][aria-live]"), "Broken off: ");
    assert.ok(!read(server).includes("c"));
    await takePicture(page, "selection-broken-off");
  });
});

test("what is chosen is checked, after its cost was told", async (t) => {
  const server = await serve(t, ["a", "b", "c"]);
  await visit({ servers: [server], reports: [/status of 404/] }, async (page) => {
    await connect(page, server.url);
    await box(page, "a").click();
    await box(page, "c").click();
    await press(page, "Check…");
    await heading(page, "Does this server conform?").waitFor();
    const which = page.getByRole("group", { name: "Which skills" });
    assert.equal(await which.getByRole("button", { name: "2 skills chosen" }).getAttribute("aria-pressed"), "true");
    await page.getByRole("button", { name: "Check the server" }).click();
    await page.getByRole("button", { name: "Check again…" }).waitFor();
    await says(page.locator(".place"), "only 2 skills");
    assert.ok(!read(server).includes("b"));

    // Of another choice, though there is a report already.
    await box(page, "c").click();
    await press(page, "Check…");
    await which.getByRole("button", { name: "1 skill chosen" }).waitFor();
    await which.getByRole("button", { name: "All skills" }).click();
    await page.getByRole("button", { name: "Check the server" }).click();
    await says(page.locator(".place"), "3 skills, judged");
  });
});

test("of a long list, a range and all of it, though most lines are not in the document", async (t) => {
  const skills = Array.from({ length: 1_000 }, (_, index) => skill(`s-${String(index).padStart(3, "0")}`));
  const server = await serve(t, [], { skills });
  await visit({ servers: [server], viewport: { width: 390, height: 844 } }, async (page) => {
    await connect(page, server.url);
    await says(catalog(page), "listing complete");
    await box(page, "s-001").click();
    await page.locator(".body").evaluate((it) => (it.scrollTop = it.scrollHeight / 2));
    await box(page, "s-500").click({ modifiers: ["Shift"] });
    await says(bar(page), "500 skills chosen");
    // The bar stays at the bottom while the list goes past.
    const { bottom } = await bar(page).evaluate((it) => it.getBoundingClientRect());
    const line = await page.getByRole("region", { name: "Wire", exact: true }).evaluate((it) => it.getBoundingClientRect().top);
    assert.ok(Math.abs(bottom - line) <= 1, `${bottom} px, the wire begins at ${line}`);
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "selection-narrow");
    await press(page, "All 1,000");
    await says(bar(page), "1,000 skills chosen");
    assert.ok((await catalog(page).getByRole("checkbox").count()) < 200);
  });
});
