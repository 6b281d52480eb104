// What a host does with a skill, step by step, on real servers: each message is seen, each refusal explained, and the model's side shown.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { skill, startWireServer } from "../servers/wire.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { connect, focused, heading, openDemo, openSkill, openTab, panel, says } from "./steps.mjs";

setUp();

const CODE_REVIEW = "skill://code-review/SKILL.md";
const ODD = "skill://odd/SKILL.md";

const rail = (page) => panel(page).getByRole("list", { name: "Steps of a host" });
const station = (page, name) => panel(page).getByRole("region", { name, exact: true });
const press = (page, name) => panel(page).getByRole("button", { name, exact: true }).click();
const received = (page) => panel(page).getByLabel("What the model receives");

/** From the start of the walk to the station where files are read. */
async function load(page, name) {
  await press(page, "Next: Find the skill");
  await press(page, "Take the entry");
  await says(received(page), `"uri": "${name}"`);
  await press(page, "Next: Look it up");
  await press(page, "Use the entry if it is fresh");
  await press(page, "Next: Ask a person");
  await panel(page).getByRole("group", { name: "A person is asked" }).waitFor();
  await press(page, "Approve");
  await press(page, "Next: Load SKILL.md");
  await press(page, "Send resources/read");
}

test("the whole flow on a demonstration that really changes", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:good");
    await openSkill(page, CODE_REVIEW);
    await openTab(page, "As a host");
    assert.equal(await page.getByRole("tab", { name: "As a host" }).getAttribute("aria-selected"), "true");
    await says(station(page, "Discover the server"), "It declares io.modelcontextprotocol/skills");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "host-begin");
    await load(page, CODE_REVIEW);
    await says(station(page, "Load SKILL.md"), "the frontmatter equals the entry's");
    await says(received(page), "server: demo-good");
    await takePicture(page, "host-load");
    await panel(page).getByRole("button", { name: /^Exchange \d+$/ }).click();
    await page.getByRole("heading", { name: /^resources\/read/ }).waitFor();
    await page.keyboard.press("Escape");

    await press(page, "Next: Read a file");
    await press(page, "Read it");
    await press(page, "Send resources/read");
    await says(station(page, "Read a file"), "Verified: size and SHA-256 are those of the manifest.");
    await panel(page).getByLabel("The model asks for").fill("../daily-briefing/SKILL.md");
    await press(page, "Read it");
    await says(station(page, "Read a file"), "lies outside of the skill");
    await takePicture(page, "host-read");

    await press(page, "Next: The server changes");
    await press(page, "Change it on the server");
    await press(page, "Send resources/read");
    await says(station(page, "The server changes"), "What the server serves now is not what it served before.");
    await press(page, "Next: Refuse the content");
    await says(station(page, "Refuse the content"), "content-size-match");
    await says(station(page, "Refuse the content"), "The model receives nothing of it.");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "host-refuse");

    await press(page, "Next: Look it up again");
    await press(page, "Look the skill up again");
    await press(page, "Send skills/get");
    await says(station(page, "Look it up again"), "The skill has changed: 1 changed. The approval has ended.");
    await press(page, "Next: Ask again");
    await says(panel(page).getByRole("group", { name: "A person is asked" }), "references/checklist.md");
    await takePicture(page, "host-ask-again");
    await press(page, "Approve");
    await press(page, "Next: Load it again");
    await press(page, "Send resources/read");
    await press(page, "Send resources/read");
    await says(station(page, "Load it again"), "This is the whole flow.");
    await says(received(page).last(), "Written on ");
    assert.equal(await panel(page).getByText("Played in").count(), 0);
    await takePicture(page, "host-end");

    // What was seen stays, at its station and over a look at another side of the skill.
    await openTab(page, "Raw");
    await openTab(page, "As a host");
    await rail(page).getByRole("button", { name: "Load SKILL.md" }).click();
    await says(received(page), "server: demo-good");
    await press(page, "Start again");
    await press(page, "Next: Find the skill");
  }));

test("a link leads there; the keyboard does all of it", () =>
  visit({ route: `#/s/demo:good/${encodeURIComponent(CODE_REVIEW)}/host` }, async (page) => {
    await page.getByRole("button", { name: "Connect to demo:good" }).click();
    const go = (name) => panel(page).getByRole("button", { name, exact: true });
    await go("Next: Find the skill").focus();
    const names = [
      "Next: Find the skill",
      "Take the entry",
      "Next: Look it up",
      "Use the entry if it is fresh",
      "Next: Ask a person",
      "Approve",
      "Next: Load SKILL.md",
      "Send resources/read",
    ];
    for (const name of names) {
      await focused(page, go(name));
      await page.keyboard.press("Enter");
    }
    await focused(page, go("Next: Read a file"));
    await rail(page).getByRole("button", { name: "Load SKILL.md" }).focus();
    await page.keyboard.press("ArrowUp");
    await focused(page, rail(page).getByRole("button", { name: "Ask a person" }));
    await says(station(page, "Ask a person"), "Approved: 2 files, bound together by sha256:");
  }));

test("a change is played in, and said to be one", async (t) => {
  const skills = [skill("odd", 2)];
  const server = await startWireServer({ skills });
  t.after(server.close);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await page.getByRole("link", { name: "Walk through as a host" }).click();
    await heading(page, "odd").waitFor();
    await load(page, ODD);
    await press(page, "Next: Read a file");
    await press(page, "Next: The server changes");
    await press(page, "Play a change in");
    await press(page, "Send resources/read");
    await says(station(page, "The server changes"), "This says nothing about the server.");
    await press(page, "Next: Refuse the content");
    await press(page, "Next: Look it up again");
    await press(page, "Look the skill up again");
    await press(page, "Send skills/get");
    await press(page, "Next: Ask again");
    await press(page, "Approve");
    await press(page, "Next: Load it again");
    await press(page, "Send resources/read");
    await press(page, "Send resources/read");
    await says(received(page).last(), "This line was put here by Skillglass");
    assert.equal(await panel(page).getByText("Played in:").count(), 2);
    assert.equal(server.asked("resources/read").length, 4, "SKILL.md and the file, before and after");
  });
});

test("a real change on a real server, and a person who says no", async (t) => {
  const skills = [skill("odd", 2)];
  const server = await startWireServer({ skills });
  t.after(server.close);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, ODD);
    await openTab(page, "As a host");
    await load(page, ODD);
    await press(page, "Next: Read a file");
    await press(page, "Next: The server changes");
    await press(page, "Read it again");
    await press(page, "Send resources/read");
    await says(station(page, "The server changes"), "Nothing has changed");

    const text = "Obey.\n";
    const uri = "skill://odd/references/001.md";
    skills[0].texts.set(uri, text);
    const line = skills[0].entry.resources.find((file) => file.uri === uri);
    line.size = Buffer.byteLength(text);
    line.digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
    await press(page, "Read it again");
    await press(page, "Send resources/read");
    await press(page, "Next: Refuse the content");
    await press(page, "Next: Look it up again");
    await press(page, "Look the skill up again");
    await press(page, "Send skills/get");
    await press(page, "Next: Ask again");
    await press(page, "Deny");
    await says(station(page, "Ask again"), "Nothing more is read, and the model receives nothing.");
  });
});

test("what comes too late does not answer a walk that was begun anew", async (t) => {
  let [release, answer, reads] = [undefined, undefined, 0];
  const probed = new Promise((resolve) => (release = resolve));
  const awaited = new Promise((resolve) => (answer = resolve));
  const on = {
    "resources/read": async ({ response, send }) => {
      reads += 1;
      if (reads === 1) {
        response.removeHeader("Access-Control-Allow-Origin");
        return send(200, {});
      }
      await awaited;
      return false;
    },
    // The page looks for the reason why nothing came.
    GET: async ({ send }) => {
      await probed;
      send(405, {});
    },
  };
  const server = await startWireServer({ on });
  t.after(server.close);
  await visit({ servers: [server], reports: [/blocked by CORS policy/, /ERR_FAILED/, /status of 40[05]/] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, ODD);
    await openTab(page, "As a host");
    await load(page, ODD);
    await press(page, "Start again");
    await load(page, ODD);
    await page.keyboard.press("`");
    const busy = (number) => page.waitForFunction((number) => document.querySelectorAll(".wire-line .mark.busy").length === number, number);
    await busy(2);
    release();
    await busy(1);
    answer();
    await says(station(page, "Load SKILL.md"), "the frontmatter equals the entry's");
  });
});

test("a skill that is not what its entry says is not loaded, however often it is looked up", () =>
  visit({}, async (page) => {
    await openDemo(page, "demo:broken");
    await openSkill(page, "skill://changed-after-listing/SKILL.md");
    await openTab(page, "As a host");
    await load(page, "skill://changed-after-listing/SKILL.md");
    await says(station(page, "Refuse the content"), "The model receives nothing of it.");
    await press(page, "Next: Look it up again");
    await press(page, "Look the skill up again");
    await press(page, "Send skills/get");
    await says(station(page, "Look it up again"), "The entry is the one that was approved");
    await press(page, "Next: Load it again");
    await press(page, "Send resources/read");
    await says(station(page, "Load it again"), "A host ends here.");
    assert.equal(await received(page).count(), 0);
    await takePicture(page, "host-broken");
  }));
