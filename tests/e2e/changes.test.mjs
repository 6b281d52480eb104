// What has changed: since it was read, and since it was approved. An approval is of exactly these files, and says why it ends.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";

import { skill, startWireServer } from "../servers/wire.mjs";
import { axeFindings, setUp, takePicture, visit } from "./journey.mjs";
import { connect, fileStates, openFile, openSkill, openTab, panel, read, row, says, standing, verifyAll } from "./steps.mjs";

setUp();

const URI = "skill://odd/SKILL.md";
const NOTES = "skill://odd/references/001.md";

/** A skill in which files have other texts; what the `description` says is in both places. */
function edited({ entry, texts }, changes, description = entry.frontmatter.description) {
  const now = new Map([...texts, ...Object.entries(changes)]);
  now.set(URI, now.get(URI).replace(entry.frontmatter.description, description));
  const line = ([uri, text]) => ({
    uri,
    digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
    size: Buffer.byteLength(text),
  });
  const frontmatter = { ...entry.frontmatter, description };
  return { entry: { ...entry, frontmatter, resources: [...now].map(line) }, texts: now };
}

/** A server whose skills a test can exchange. */
async function serve(t) {
  const skills = [skill("odd", 2)];
  const server = await startWireServer({ skills });
  t.after(server.close);
  return { server, skills };
}

const fetchEntry = (page) => page.getByRole("button", { name: "Fetch with skills/get" }).click();
const comparison = (page) => page.getByRole("status", { name: "Comparison" });
const approval = (page) => page.locator("details.approval");
const changedLines = (place) => place.getByRole("region", { name: "Changed lines" });

test("what is new is shown field by field, file by file, and line by line once it is read", async (t) => {
  const { server, skills } = await serve(t);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, URI);
    await openFile(page, "references/001.md");
    await panel(page).getByText("File 1 of odd.").waitFor();

    skills[0] = edited(skills[0], { [NOTES]: "File 1 of odd.\nAnd a line more.\n" }, "For other tests.");
    await fetchEntry(page);
    await says(comparison(page), "skills/get answers with another entry: 1 other field, 2 changed files.");
    await says(comparison(page).getByRole("row", { name: /description/ }), '"For other tests."');
    await says(comparison(page).getByRole("row", { name: /references\/001\.md/ }), "32 B");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "changes-entry");

    await standing(page, "Verified 1 of 3 so far; since changed").waitFor();
    await says(row(page, URI), "changed");
    await comparison(page).getByRole("button", { name: "Hold this entry instead" }).click();
    await standing(page, "Not read yet").waitFor();
    await panel(page).getByRole("button", { name: /^Read / }).click();
    await changedLines(panel(page)).getByText("And a line more.").waitFor();
    assert.equal(await changedLines(panel(page)).locator(".diff-gone").count(), 0);
    await takePicture(page, "changes-text");
  });
});

test("an approval is of these files, outlasts a visit, and says why it has ended", async (t) => {
  const { server, skills } = await serve(t);
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, URI);
    await read(page, "SKILL.md");
    await says(approval(page), "Not approved by you");
    const reads = server.asked("resources/read").length;
    await approval(page).locator("summary").click();
    await says(approval(page), "An approval would be of 3 files");
    await says(approval(page), "2 of its 3 files were not read here.");
    await approval(page).getByRole("button", { name: "Approve this skill" }).click();
    await says(approval(page), "Approved by you just now, as it is");
    assert.equal(server.asked("resources/read").length, reads, "nothing is read for an approval");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "approval-given");

    skills[0] = edited(skills[0], { [NOTES]: "Something else.\n", "skill://odd/run.sh": "rm -rf /\n" }, "For other tests.");
    await page.reload();
    await page.getByRole("button", { name: `Connect to ${server.url}` }).click();
    await says(approval(page), "Your approval, given just now, no longer holds: 1 added, 2 changed");
    await says(approval(page).getByRole("row", { name: /run\.sh/ }), "added");
    await says(approval(page).getByRole("row", { name: /description/ }), '"For tests."');
    await says(approval(page), "Read SKILL.md to see which of its lines have changed.");
    await openTab(page, "Instructions");
    await read(page, "SKILL.md");
    await changedLines(approval(page)).getByText("description: For other tests.").waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "approval-revoked");

    await approval(page).getByRole("button", { name: "Approve these files instead" }).click();
    await says(approval(page), "Approved by you just now, as it is");
    await approval(page).locator("summary").click();
    await approval(page).getByRole("button", { name: "Withdraw" }).click();
    await says(approval(page), "Not approved by you");
  });
});

test("an approval is of a skill of one server", async (t) => {
  const [{ server: first }, { server: second }] = [await serve(t), await serve(t)];
  await visit({ servers: [first, second] }, async (page) => {
    await connect(page, first.url);
    await openSkill(page, URI);
    await approval(page).locator("summary").click();
    await approval(page).getByRole("button", { name: "Approve this skill" }).click();
    await says(approval(page), "Approved by you");
    await page.getByRole("link", { name: "+ Server" }).click();
    await connect(page, second.url);
    await openSkill(page, URI);
    await says(approval(page), "Not approved by you");
  });
});

test("verifying again says what is not as it was the time before", async (t) => {
  const skills = [skill("odd", 4)];
  const [{ texts }] = skills;
  const file = (number) => `skill://odd/references/00${number}.md`;
  texts.set(file(2), "Not what was promised.\n");
  const server = await startWireServer({ skills });
  t.after(server.close);
  const since = (page) => page.locator(".since");
  await visit({ servers: [server] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, URI);
    await verifyAll(page);
    await standing(page, "Refused 1 of 5").waitFor();
    assert.equal(await since(page).count(), 0, "there is nothing to compare with");

    await verifyAll(page);
    await says(since(page), "As at the verification before, just now: the same came for 5 files.");

    texts.set(file(1), "Other bytes.\n");
    texts.set(file(2), "File 2 of odd.\n");
    await verifyAll(page);
    await says(since(page), "Since the verification before, just now: 1 newly refused, 1 mended; the same came for 3 files");
    await says(page.locator("[role=status][aria-live]"), "1 refused. Since the time before: 1 newly refused, 1 mended.");
    const states = await fileStates(page);
    assert.equal(states["references/001.md"], "refusednewly refused");
    assert.equal(states["references/002.md"], "verifiedmended");
    assert.equal(states["references/003.md"], "verified");
    await since(page).locator("summary").click();
    await says(since(page).getByRole("row", { name: /001\.md/ }), "refused");
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "since-before");

    // Still refused, but with other bytes.
    texts.set(file(1), "Yet other bytes.\n");
    await verifyAll(page);
    await says(since(page), "Since the verification before, just now: 1 other bytes; the same came for 4 files");

    // The entry follows: what was refused is what it promises now, and a file is new.
    skills[0] = edited(skills[0], { "skill://odd/new.md": "New.\n" });
    await fetchEntry(page);
    await comparison(page).getByRole("button", { name: "Hold this entry instead" }).click();
    await standing(page, "Verified 5 of 6 so far").waitFor();
    assert.equal(await since(page).count(), 0);
    await verifyAll(page);
    await says(since(page), "Since the verification before, just now: 1 mended, 1 new; the same came for 4 files");
  });
});
