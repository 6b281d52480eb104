// A server that nobody here wrote: the official TypeScript SDK's, over Streamable HTTP, serving an article's skill.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { ARTICLE, startSdkServer } from "../servers/sdk-skills.mjs";
import { setUp, visit } from "./journey.mjs";
import {
  connect,
  fileStates,
  finding,
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

const SKILL_MD = "skill://code-review/SKILL.md";
const CHECKLIST = "references/checklist.md";
const CHECKLIST_URI = `skill://code-review/${CHECKLIST}`;

/** Connects the page to a server that is started with `options`, and opens the article's skill. */
async function onServer(t, options, walk) {
  const server = await startSdkServer(options);
  t.after(server.close);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, SKILL_MD);
    await walk(page, server);
  });
}

/** A folder for one test. */
function scratch(t) {
  const folder = mkdtempSync(join(tmpdir(), "skillglass-e2e-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

function articleCopy(t) {
  const folder = scratch(t);
  cpSync(ARTICLE, folder, { recursive: true });
  return folder;
}

async function fetchEntry(page) {
  await page.getByRole("button", { name: "Fetch with skills/get" }).click();
  const comparison = page.getByRole("status", { name: "Comparison with skills/get" });
  await says(comparison, "skills/get answers with the same entry as the one held from skills/list.");
}

const asked = ({ requests }) => requests.map(({ method, uri }) => [method, uri].filter(Boolean).join(" "));

test("the article's skill: both files are verified, skills/get matches skills/list", (t) =>
  onServer(t, {}, async (page) => {
    await fetchEntry(page);
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();
    assert.deepEqual(await fileStates(page), { "SKILL.md": "verified", [CHECKLIST]: "verified" });
    await openTab(page, "Frontmatter");
    await says(panel(page), "Every field of the entry equals the file's.");
    await openTab(page, "Checks");
    await says(panel(page), "Nothing is wrong with what was checked.");
  }));

test("no file is read ahead of need", (t) =>
  onServer(t, {}, async (page, server) => {
    // The SDK says of its entries that they are stale at once, so opening one asks for it anew.
    const listing = ["server/discover", "skills/list", `skills/get ${SKILL_MD}`];
    await says(page.locator("dl.facts"), "just now with skills/get, not to be kept");
    assert.deepEqual(asked(server), listing);
    for (const tab of ["Files", "Frontmatter", "Checks", "Raw", "Instructions"]) {
      await openTab(page, tab);
    }
    assert.deepEqual(asked(server), listing);

    await read(page, "SKILL.md");
    const link = panel(page).getByRole("article").getByRole("link", { name: "the checklist" });
    await link.waitFor();
    assert.deepEqual(asked(server), [...listing, `resources/read ${SKILL_MD}`]);

    await link.click();
    await panel(page).getByRole("article").getByText("handle empty input").waitFor();
    assert.deepEqual(asked(server), [
      ...listing,
      `resources/read ${SKILL_MD}`,
      `resources/read ${CHECKLIST_URI}`,
    ]);
  }));

describe("a broken promise is refused for its own reason, and its content is not shown as the skill's", () => {
  const sized = (skill, by) => {
    const resized = (line) => (line.uri === CHECKLIST_URI ? { ...line, size: line.size + by } : line);
    return { ...skill, resources: skill.resources.map(resized) };
  };
  const faults = {
    "one supporting file changed after skills/get": {
      alter: {},
      change: (folder) => {
        const file = join(folder, "code-review", CHECKLIST);
        writeFileSync(file, readFileSync(file, "utf8").replace("empty input", "EMPTY INPUT"));
      },
      path: CHECKLIST,
      id: "content-digest-match",
      reason: `${CHECKLIST} is not the file the manifest promises`,
      content: "EMPTY INPUT",
    },
    "a wrong size": {
      alter: { entry: (skill) => sized(skill, 1) },
      path: CHECKLIST,
      id: "content-size-match",
      reason: `${CHECKLIST} does not have the size the manifest promises`,
      content: "handle empty input",
    },
    "changed frontmatter": {
      alter: {
        entry: (skill) => ({
          ...skill,
          frontmatter: { ...skill.frontmatter, description: "Approve code changes without reading them." },
        }),
      },
      path: "SKILL.md",
      id: "entry-frontmatter-identical",
      reason: 'SKILL.md and its entry differ in "description"',
      content: "then review the provided diff",
    },
  };

  for (const [name, { alter, change, path, id, reason, content }] of Object.entries(faults)) {
    test(name, (t) => {
      const folder = articleCopy(t);
      return onServer(t, { folder, alter }, async (page) => {
        await fetchEntry(page);
        change?.(folder);
        await verifyAll(page);
        await standing(page, "Refused 1 of 2 files").waitFor();
        const others = { "SKILL.md": "verified", [CHECKLIST]: "verified" };
        assert.deepEqual(await fileStates(page), { ...others, [path]: "refused" });

        await openTab(page, "Checks");
        assert.equal(await panel(page).getByRole("article").count(), 1, "one reason");
        await says(finding(page, id), reason);

        if (path === "SKILL.md") {
          await openTab(page, "Instructions");
        } else {
          await openFile(page, path);
        }
        await panel(page).getByText("A host must not use this file.").waitFor();
        await says(panel(page), reason);
        assert.ok(!(await page.getByRole("main").innerText()).includes(content), "not shown");
        await panel(page).getByText("Show what came (not the skill's content)").click();
        await says(panel(page).getByRole("region", { name: "What came, not the skill's content" }), content);
      });
    });
  }
});

test("a server that notices the change itself is quoted with its error", (t) => {
  const folder = articleCopy(t);
  return onServer(t, { folder }, async (page) => {
    writeFileSync(join(folder, "code-review", CHECKLIST), "# Approve everything\n");
    await verifyAll(page);
    await standing(page, "Could not read 1 of 2 files").waitFor();
    await openTab(page, "Checks");
    await says(finding(page, "content-readable"), "changed since the skills catalog was loaded");
  });
});

test("after a change, skills/get gives another entry; holding it makes the new file verify", (t) => {
  const folder = articleCopy(t);
  const text = "# Review checklist\n\n- Is it simple?\n";
  const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
  let isChanged = false;
  const current = (line) =>
    isChanged && line.uri === CHECKLIST_URI ? { uri: line.uri, digest, size: text.length } : line;
  const entry = (skill) => ({ ...skill, resources: skill.resources.map(current) });
  return onServer(t, { folder, alter: { entry } }, async (page) => {
    writeFileSync(join(folder, "code-review", CHECKLIST), text);
    isChanged = true;
    await verifyAll(page);
    await standing(page, "Refused 1 of 2 files").waitFor();
    await page.getByRole("button", { name: "Fetch with skills/get" }).click();
    const comparison = page.getByRole("status", { name: "Comparison with skills/get" });
    await says(comparison, "1 changed file");
    await comparison.getByRole("button", { name: "Hold this entry instead" }).click();
    await standing(page, "Verified 2 of 2").waitFor();
  });
});

test("Verify all can be stopped, and begun again", async (t) => {
  const folder = scratch(t);
  const files = 40;
  cpSync(ARTICLE, folder, { recursive: true });
  const extra = join(folder, "code-review/extra");
  mkdirSync(extra);
  for (let number = 2; number < files; number += 1) {
    writeFileSync(join(extra, `${number}.md`), `# File ${number}\n`);
  }
  const gate = heldBack(4);
  await onServer(t, { folder, alter: { file: gate.pass } }, async (page, { requests }) => {
    await verifyAll(page);
    await gate.full;
    await page.getByRole("progressbar", { name: "Files read" }).waitFor();
    await page.getByRole("button", { name: "Stop verifying" }).click();
    await page.getByRole("button", { name: "Verify all" }).waitFor();
    await standing(page, "Not read yet").waitFor();
    const reads = () => requests.filter(({ method }) => method === "resources/read").length;
    const before = reads();
    assert.ok(before < files, `${before} reads were begun`);
    await page.getByRole("status").getByText(`Stopped: 0 of ${files} read`).waitFor();

    gate.open();
    await openTab(page, "Files");
    assert.equal(reads(), before, "nothing is read after the stop");
    await verifyAll(page);
    await standing(page, `Verified ${files} of ${files}`).waitFor();
    assert.equal(reads(), before + files);
  });
});

/** Holds texts back until it is opened; `full` is fulfilled when `number` of them wait. */
function heldBack(number) {
  let open;
  let fill;
  let waiting = 0;
  const opened = new Promise((resolve) => (open = resolve));
  const full = new Promise((resolve) => (fill = resolve));
  const pass = async (_uri, text) => {
    waiting += 1;
    if (waiting === number) {
      fill();
    }
    await opened;
    return text;
  };
  return { open, full, pass };
}

test("a skill is what it is only on its own server", (t) =>
  onServer(t, {}, async (page) => {
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();
    await page.getByRole("link", { name: "+ Server" }).click();
    await openDemo(page, "demo:good");
    await openSkill(page, SKILL_MD);
    await standing(page, "Not read yet").waitFor();
    await says(page.getByRole("main"), "demo:good");

    const servers = page.getByRole("navigation", { name: "Servers" });
    await servers.getByRole("link", { name: "127.0.0.1" }).click();
    await says(row(page, SKILL_MD), "Verified 2 of 2");
  }));

test("a server that wants a token gets it, and the wire shows it as dots", async (t) => {
  const server = await startSdkServer({ token: "open-sesame" });
  t.after(server.close);
  await visit({ servers: [server] }, async (page) => {
    await page.locator("summary", { hasText: "Headers and token" }).click();
    await page.getByLabel("Bearer token").fill("open-sesame");
    await connect(page, server.url);
    await openSkill(page, SKILL_MD);
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();

    const wire = page.getByRole("region", { name: "Wire", exact: true });
    await wire.getByRole("button", { name: "Wire" }).click();
    // The bar itself names the slowest method.
    await wire.locator(".wire-line", { hasText: "skills/list" }).click();
    await says(wire, "Authorization••••");
    assert.ok(!(await page.content()).includes("open-sesame"));
    assert.ok(!page.url().includes("open-sesame"));
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.ok(!kept.includes("open-sesame"));
  });
});
