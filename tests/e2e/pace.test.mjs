// What is large is gone through in steps, and let go of afterwards. Counted, not timed: how often the page gave the browser
// its turn, how much one frame had to lay out, and the bytes of the program's memory.

import assert from "node:assert/strict";
import { test } from "node:test";

import { watchMemory } from "../memory.mjs";
import { skillOf, startWireServer } from "../servers/wire.mjs";
import { setUp, visit } from "./journey.mjs";
import { catalog, connect, openFile, openSkill, openTab, panel, read, says, standing, verifyAll } from "./steps.mjs";

setUp();

const MIB = 1024 * 1024;

/** How many bytes of an answer are read before the browser has its turn. */
const TURN = 256 * 1024;

async function serve(t, skills, on) {
  const server = await startWireServer({ skills, on });
  t.after(server.close);
  return server;
}

/** Counts the turns of the browser, what it hashes, and the most elements that came between two frames. */
function watchPace() {
  globalThis.pace = { turns: 0, hashed: 0, most: 0 };
  const turn = scheduler.yield.bind(scheduler);
  scheduler.yield = () => {
    pace.turns += 1;
    return turn();
  };
  // The page that a browser begins with has none.
  const digest = crypto.subtle?.digest.bind(crypto.subtle);
  if (digest) {
    crypto.subtle.digest = (algorithm, bytes) => {
      pace.hashed += bytes.byteLength;
      return digest(algorithm, bytes);
    };
  }
  let came = 0;
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const node of addedNodes) came += 1 + (node.querySelectorAll?.("*").length ?? 0);
    }
    pace.most = Math.max(pace.most, came);
  }).observe(document, { subtree: true, childList: true });
  const frame = () => {
    came = 0;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

const pace = (page) => page.evaluate(() => globalThis.pace);
const rows = (page) => panel(page).locator(".source > code").count();

test("a long answer is judged in steps, and hashed by the browser", async (t) => {
  const long = "All of it on one line, without an end. ".repeat(100_000);
  const server = await serve(t, [skillOf("long", { "line.txt": long, "short.txt": "Short.\n" })]);
  await visit({ servers: [server], script: watchPace }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, "skill://long/SKILL.md");
    const before = await pace(page);
    await openFile(page, "short.txt");
    await panel(page).getByText("Verified.").waitFor();
    const short = await pace(page);
    assert.deepEqual(short.hashed, before.hashed);
    await panel(page).getByRole("link", { name: "‹ All files" }).click();
    await openFile(page, "line.txt");
    await panel(page).getByText("Verified.").waitFor();
    const after = await pace(page);
    assert.equal(after.hashed - short.hashed, long.length);
    // Its bytes as they come, and four steps of judging them.
    assert.equal(after.turns - short.turns, Math.floor(long.length / TURN) + 4);
  });
});

/** A test's answer to `resources/read` behind so many messages of the server's own. */
function behind(count, note) {
  let bytes = 0;
  const on = {
    "resources/read": ({ message, stream }) => {
      const text = skillOf("flood", {}).texts.get(message.params.uri);
      const result = { resultType: "complete", ttlMs: 1_000, cacheScope: "private", contents: [{ uri: message.params.uri, text }] };
      const flood = Array.from({ length: count }, (_, index) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...note(index) })}\n\n`).join("");
      bytes += flood.length;
      stream().raw(flood).event(JSON.stringify({ jsonrpc: "2.0", id: message.id, result })).end();
    },
  };
  return { on, bytes: () => bytes };
}

test("a flood of notifications is gone through in steps, and little of it is kept", async (t) => {
  const method = "notifications/progress";
  const flood = behind(20_000, (progress) => ({ method, params: { progressToken: 1, progress, message: "x".repeat(60) } }));
  const server = await serve(t, [skillOf("flood", {})], flood.on);
  await visit({ servers: [server], script: watchPace }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, "skill://flood/SKILL.md");
    const before = await pace(page);
    await read(page, "SKILL.md");
    await panel(page).getByText("Verified.").waitFor();
    assert.equal((await pace(page)).turns - before.turns, Math.floor(flood.bytes() / TURN));
    await page.keyboard.press("`");
    const wire = page.getByRole("region", { name: "Wire", exact: true });
    await wire.getByRole("button", { name: /^\d+ resources\/read/ }).click();
    await says(wire, "19,801 more events not kept.");
    assert.equal(await wire.locator(".events > li").count(), 200);
  });
});

test("of a flood of questions some are answered", async (t) => {
  const flood = behind(3_000, (id) => ({ id, method: "ping" }));
  const server = await startWireServer({ era: "legacy", skills: [skillOf("flood", {})], on: flood.on });
  t.after(server.close);
  await visit({ servers: [server], reports: [/status of 400/] }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, "skill://flood/SKILL.md");
    await read(page, "SKILL.md");
    await panel(page).getByText("Verified.").waitFor();
    const asked = server.requests.filter(({ method }) => method !== "answer").length;
    const wire = page.getByRole("region", { name: "Wire", exact: true });
    await says(wire, `${asked + 150} exchanges`);
    await page.keyboard.press("`");
    await wire.getByLabel("Filter the exchanges").fill("SKILL.md resources/read");
    await wire.getByRole("button", { name: /^\d+ resources\/read/ }).click();
    await says(wire, "2,850 questions of the server dropped unanswered: it asked too many while one answer was awaited.");
  });
});

test("what is long is laid out some at a time", async (t) => {
  const lines = Array.from({ length: 4_000 }, (_, index) => `Line ${index}.\n`).join("");
  const parts = Array.from({ length: 2_000 }, (_, index) => `## Part ${index}\n\n*Some* text.\n\n`).join("");
  const many = Object.fromEntries(Array.from({ length: 1_500 }, (_, index) => [`many/${index}.txt`, "x"]));
  const server = await serve(t, [skillOf("shown", { "lines.txt": lines, "parts.md": parts, ...many })]);
  await visit({ servers: [server], script: watchPace }, async (page) => {
    await connect(page, server.url);
    await openSkill(page, "skill://shown/SKILL.md");
    await openFile(page, "lines.txt");
    await page.waitForFunction(() => document.querySelectorAll(".source > code").length === 4_000);
    await openTab(page, "Files");
    await page.waitForFunction(() => document.querySelectorAll(".data.files tbody tr").length === 1_503);
    await panel(page).getByRole("link", { name: "parts.md", exact: true }).click();
    await page.waitForFunction(() => document.querySelectorAll(".prose h3").length === 2_000);
    const { most } = await pace(page);
    assert.ok(most < 3_000, `${most} elements and texts came in one frame`);
    assert.equal(await rows(page), 0);
  });
});

test("a page of many entries is read some at a time", async (t) => {
  const skills = Array.from({ length: 2_000 }, (_, index) => skillOf(`skill-${index}`, {}));
  const server = await serve(t, skills);
  await visit({ servers: [server], script: watchPace }, async (page) => {
    await connect(page, server.url);
    await says(catalog(page), "2,000 skills in 1 page, listing complete");
    assert.ok((await pace(page)).turns >= 8);
  });
});

const memory = (page) => page.evaluate(() => globalThis.memory.buffer.byteLength);

test("what was verified is let go of, and read again when it is opened", async (t) => {
  const bytes = Buffer.alloc(2 * MIB);
  const files = Object.fromEntries([0, 1, 2, 3].map((number) => [`${number}.bin`, bytes]));
  const names = Array.from({ length: 10 }, (_, index) => `full-${index}`);
  const blob = bytes.toString("base64");
  const on = {
    "resources/read": ({ message, result }) => {
      const { uri } = message.params;
      return uri.endsWith(".bin") ? result({ contents: [{ uri, blob }] }) : false;
    },
  };
  const server = await serve(t, names.map((name) => skillOf(name, files)), on);
  await visit({ servers: [server], script: watchMemory }, async (page) => {
    await connect(page, server.url);
    let first;
    for (const name of names) {
      await openSkill(page, `skill://${name}/SKILL.md`);
      await verifyAll(page);
      await standing(page, "Verified 5 of 5").waitFor();
      first ??= await memory(page);
    }
    // Ten times 8 MiB came, of which 16 MiB are kept.
    const grown = (await memory(page)) - first;
    assert.ok(grown < 24 * MIB, `${grown} bytes more than after the first skill`);
    const asked = server.asked("resources/read").length;
    assert.equal(asked, 50);
    await openFile(page, "3.bin");
    await says(panel(page), "The first 1,024 of 2,097,152 bytes");
    assert.equal(server.asked("resources/read").length, asked + 1);
    await openTab(page, "Instructions");
    await panel(page).getByText("Verified.").waitFor();
    assert.equal(server.asked("resources/read").length, asked + 1);
  });
});
