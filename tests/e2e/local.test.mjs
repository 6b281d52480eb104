// Skills of the user's own machine: a folder or a zip archive, looked at as if it were served, and compared with what is.

import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { zip } from "../zip.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { catalog, fileStates, heading, listed, openDemo, openSkill, openTab, panel, says, standing, verifyAll } from "./steps.mjs";

setUp();

const GOOD = join(import.meta.dirname, "../skills/good");

/** A folder `mine` with a copy of a skill of the demonstration, which a test may change. */
function folder(t) {
  const scratch = mkdtempSync(join(tmpdir(), "skillglass-local-"));
  t.after(() => rmSync(scratch, { recursive: true }));
  const mine = join(scratch, "mine");
  mkdirSync(mine);
  cpSync(join(GOOD, "code-review"), join(mine, "code-review"), { recursive: true });
  return { scratch, mine };
}

const URI = "skill://code-review/SKILL.md";

async function choose(page, mine) {
  await page.getByLabel("Choose a folder").setInputFiles(mine);
  await catalog(page).getByText("listing complete").waitFor();
}

test("a folder is listed, verified and published as an entry", async (t) => {
  const { mine } = folder(t);
  await visit({}, async (page) => {
    await takePicture(page, "start");
    await choose(page, mine);
    await heading(page, "local:mine").waitFor();
    assert.deepEqual(await listed(page), ["code-review"]);
    await openSkill(page, URI);
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();
    assert.deepEqual(await fileStates(page), { "SKILL.md": "verified", "references/checklist.md": "verified" });
    await openTab(page, "Raw");
    await says(panel(page), "sha256:");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "local-skill");

    await page.reload();
    await says(page.getByRole("main"), "Files of your own machine are kept in the tab's memory only");
  });
});

test("choosing it again tells what has changed", async (t) => {
  const { mine } = folder(t);
  await visit({}, async (page) => {
    await choose(page, mine);
    await openSkill(page, URI);
    appendFileSync(join(mine, "code-review/references/checklist.md"), "One more.\n");
    await page.getByRole("link", { name: "+ Server" }).click();
    await choose(page, mine);
    await openSkill(page, URI);
    const comparison = page.getByRole("status", { name: "Comparison" });
    await says(comparison, "skills/list answers with another entry: 1 changed file.");
  });
});

test("it is compared with a skill of its name on a server", async (t) => {
  const { mine } = folder(t);
  appendFileSync(join(mine, "code-review/references/checklist.md"), "One more.\n");
  await visit({}, async (page) => {
    await openDemo(page, "demo:good");
    await page.getByRole("link", { name: "+ Server" }).click();
    await choose(page, mine);
    await openSkill(page, URI);
    await page.getByRole("button", { name: "Compare with demo:good" }).click();
    const comparison = page.getByRole("status", { name: "Comparison with demo:good" });
    await says(comparison, "Since the entry of demo:good: 1 changed file.");
    await says(comparison.getByRole("row", { name: /checklist/ }), "changed");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "local-compared");
  });
});

test("a zip archive is a folder, too", async (t) => {
  const { mine } = folder(t);
  const paths = ["code-review/SKILL.md", "code-review/references/checklist.md"];
  const buffer = zip(Object.fromEntries(paths.map((path) => [path, readFileSync(join(mine, path))])));
  await visit({}, async (page) => {
    await page.getByLabel("Choose a zip").setInputFiles({ name: "mine.zip", mimeType: "application/zip", buffer });
    await heading(page, "local:mine").waitFor();
    await openSkill(page, URI);
    await verifyAll(page);
    await standing(page, "Verified 2 of 2").waitFor();
  });
});

const archived = (files) => ({ name: "mine.zip", mimeType: "application/zip", buffer: zip(files) });

/** Archives that are refused, and the reason, which is another one each time, so that none is taken for the one before. */
const REFUSED = {
  "a name that leads out": [[["../code-review/SKILL.md", "x"]], "a name in it leads out of the archive."],
  "a name twice": [[["a/SKILL.md", "x"], ["a/SKILL.md", "y"]], "two files in it have one name."],
  "an absolute name": [[["/code-review/SKILL.md", "x"]], "a name in it leads out of the archive."],
  "a name twice, spelled otherwise": [[["a/SKILL.md", "x"], ["a/./SKILL.md", "y"]], "two files in it have one name."],
  "a name of Windows that leads out": [[["a\\..\\..\\SKILL.md", "x"]], "a name in it leads out of the archive."],
  "a password": [[["a/SKILL.md", "x", { flags: 1 }]], "it is locked with a password."],
  "another way of packing": [[["a/SKILL.md", "x", { method: 14 }]], "it is packed in a way this page does not read."],
  "more than it says": [[["a/b", ""], ["a/SKILL.md", "x".repeat(1e6), { size: 10 }]], "a file in it is larger than it says."],
  "too much": [[["a/SKILL.md", "x", { size: 256 * 1024 * 1024 + 1 }]], "this page looks at 20000 files and 256 MiB at most."],
};

test("archives that mean harm or cannot be read are refused, each for its reason", () =>
  visit({}, async (page) => {
    for (const [what, [files, why]] of Object.entries(REFUSED)) {
      await page.getByLabel("Choose a zip").setInputFiles(archived(files));
      await says(page.getByRole("alert"), why).catch((error) => assert.fail(`${what}: ${error.message}`));
    }
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "local-refused");
  }));

test("more files than are looked at are refused", () =>
  visit({}, async (page) => {
    const files = Array.from({ length: 20_001 }, (_, number) => [`a/${number}.md`, ""]);
    await page.getByLabel("Choose a zip").setInputFiles(archived([["a/SKILL.md", "x"], ...files]));
    await says(page.getByRole("alert"), "That is too much");
  }));

/** Lets go of files over the page, as a file manager does. */
async function drop(page, ...files) {
  const devTools = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await devTools.send("Input.dispatchDragEvent", { type, x: 400, y: 300, data });
  }
}

test("folders and archives can be dropped anywhere", async (t) => {
  const { scratch, mine } = folder(t);
  const archive = join(scratch, "packed.zip");
  writeFileSync(archive, zip({ "code-review/SKILL.md": readFileSync(join(mine, "code-review/SKILL.md")) }));
  mkdirSync(join(mine, "code-review/.git"));
  writeFileSync(join(mine, "code-review/.git/config"), "[core]\n");
  await visit({}, async (page) => {
    await drop(page, mine);
    await heading(page, "local:mine").waitFor();
    await openSkill(page, URI);
    assert.deepEqual(Object.keys(await fileStates(page)), ["SKILL.md", "references/checklist.md"]);
    await drop(page, archive);
    await heading(page, "local:packed").waitFor();
    assert.deepEqual(await listed(page), ["code-review"]);
    await drop(page, join(mine, "code-review"), archive);
    await heading(page, "local:dropped").waitFor();
    await drop(page, join(mine, "code-review/SKILL.md"));
    await says(page.getByRole("alert"), "No folder with a SKILL.md is in there.");
  });
});

test("what cannot be shown says why", async (t) => {
  const { scratch } = folder(t);
  const [empty, broken] = [join(scratch, "empty"), join(scratch, "broken.zip")];
  mkdirSync(empty);
  writeFileSync(join(empty, "README.md"), "Nothing here.\n");
  writeFileSync(broken, "no archive");
  await visit({}, async (page) => {
    await page.getByLabel("Choose a folder").setInputFiles(empty);
    await says(page.getByRole("alert"), "No folder with a SKILL.md is in there.");
    await page.getByLabel("Choose a zip").setInputFiles(broken);
    await says(page.getByRole("alert"), "The zip archive cannot be read: it is damaged, or none.");
    assert.deepEqual(await axeFindings(page), []);
  });
});
