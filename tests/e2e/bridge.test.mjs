// The page from the program: servers that a page cannot reach by itself, over the program's bridge.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { basename, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { test } from "node:test";

import { startSdkServer } from "../servers/sdk-skills.mjs";
import { axeFindings, DIST, setUp, takePicture, visit } from "./journey.mjs";
import { fileStates, openSkill, openTab, panel, says, standing, verifyAll } from "./steps.mjs";

setUp();

const ROOT = join(import.meta.dirname, "../..");
const ARTICLE = join(ROOT, "tests/servers/article-program.mjs");
const SKILLS = join(ROOT, "tests/skills/good");
const SKILL_MD = "skill://code-review/SKILL.md";

/** Visits the page that `skillglass inspect` serves with these arguments. */
async function inspect(t, words, walk, watched = {}) {
  const run = ["run", "--quiet", "-p", "skillglass-cli", "--", "inspect", "--no-open", "--page", DIST, ...words];
  const program = spawn("cargo", run, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => program.kill());
  for await (const url of createInterface(program.stdout)) {
    return visit({ home: { url }, ...watched }, walk);
  }
  throw new Error("The program ended before it served the page.");
}

async function bothFilesVerify(page) {
  await openSkill(page, SKILL_MD);
  await verifyAll(page);
  await standing(page, "Verified 2 of 2").waitFor();
  assert.deepEqual(await fileStates(page), { "SKILL.md": "verified", "references/checklist.md": "verified" });
  await openTab(page, "Checks");
  await says(panel(page), "Nothing is wrong with what was checked.");
}

test("a program over standard input and output: both files are verified, what it writes is shown", (t) =>
  inspect(t, ["--", process.execPath, ARTICLE], async (page) => {
    // It is the only one that was named, so it is opened at once.
    const title = page.getByRole("heading", { level: 1, name: `stdio:${process.execPath}` });
    await title.waitFor();
    await bothFilesVerify(page);
    await page.getByRole("banner").getByRole("link", { name: "stdio:" }).click();
    await page.getByText("What its program writes").click();
    const said = page.getByRole("list", { name: "Standard error" });
    await said.getByText("asked skills/list").waitFor();
    await said.getByText("asked resources/read").first().waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "bridge-program");
    await page.getByRole("button", { name: "Start the program again" }).click();
    await said.waitFor({ state: "detached" });
    await title.waitFor();
    await bothFilesVerify(page);
  }));

test("a server without CORS: both files are verified, and it hears of no page", async (t) => {
  const server = await startSdkServer({ cors: false });
  t.after(server.close);
  await inspect(t, [server.url], async (page) => {
    await page.getByRole("heading", { level: 1, name: new URL(server.url).host }).waitFor();
    await bothFilesVerify(page);
  });
  assert.ok(server.requests.some(({ uri }) => uri === "skill://code-review/references/checklist.md"));
});

test("the bridge is offered where a direct connection fails, and takes the headers along", async (t) => {
  const server = await startSdkServer({ cors: false, token: "sesame" });
  t.after(server.close);
  const reports = [/blocked by CORS policy/, /ERR_FAILED/, /status of 40/];
  await inspect(
    t,
    [],
    async (page) => {
      await page.getByText("Headers and token").click();
      await page.getByLabel("Bearer token").fill("sesame");
      await page.getByRole("textbox", { name: "Address of an MCP server" }).fill(server.url);
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      const offer = page.getByRole("button", { name: "Connect through skillglass inspect" });
      await offer.waitFor();
      await offer.scrollIntoViewIfNeeded();
      await takePicture(page, "bridge-offer");
      assert.equal(server.requests.length, 0, "the page got nowhere by itself");
      await offer.click();
      await page.getByRole("heading", { level: 1, name: new URL(server.url).host }).waitFor();
      await bothFilesVerify(page);
    },
    { servers: [server], reports },
  );
});

test("several servers wait to be chosen", async (t) => {
  const server = await startSdkServer({ cors: false });
  t.after(server.close);
  await inspect(t, [server.url, SKILLS], async (page) => {
    const servers = page.getByRole("region", { name: "Servers of skillglass inspect" });
    await servers.getByRole("button", { name: server.url }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await takePicture(page, "bridge-start");
    assert.equal(server.requests.length, 0, "nothing is asked before it is wanted");
    await servers.getByRole("button", { name: basename(SKILLS) }).click();
    await page.getByRole("heading", { level: 1, name: basename(SKILLS) }).waitFor();
    await page.getByText("10 skills in 1 page, complete").waitFor();
    await page.reload();
    await page.goBack();
    await servers.getByRole("button", { name: server.url }).click();
    await page.getByRole("heading", { level: 1, name: new URL(server.url).host }).waitFor();
  });
});
