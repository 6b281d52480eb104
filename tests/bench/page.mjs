// The page in Chromium: how long it takes, what it holds, and for how long it keeps the browser from anything else.
// Prints tables and writes tests/artifacts/bench-page.json; asserts nothing. `cargo xtask bench page` builds the page first.
//
//   node tests/bench/page.mjs [PART…]     with CHROME_PATH; PAGE may name another build to measure

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";

import { launchChromium } from "../chromium.mjs";
import { watchMemory } from "../memory.mjs";
import { serveStatic } from "../servers/static.mjs";
import { zip } from "../zip.mjs";

const ROOT = join(import.meta.dirname, "../..");
const DIST = process.env.PAGE ?? join(ROOT, "dist");
const MIB = 1024 * 1024;
const FULL = "512x32768";
const ROUNDS = 5;

const site = await serveStatic({ dir: DIST });
const browser = await launchChromium();
const results = {};

/** What a task may take of the page's own thread, in ms. */
const LONG = 50;

// ---------------------------------------------------------------------------------------------------------------------
// What is measured with

/** Runs the work with a server of these skills. */
async function withServer(what, work) {
  const server = spawn(process.execPath, [join(import.meta.dirname, "skill-server.mjs"), ...what], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = await once(createInterface(server.stdout), "line");
  try {
    return await work(url);
  } finally {
    server.stdin.end();
  }
}

/** Opens the page with nothing in the browser's cache. */
async function withPage(work) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(watchMemory);
    await page.goto(site.url);
    await page.waitForSelector("#boot", { state: "detached" });
    return await work(page);
  } finally {
    await context.close();
  }
}

/**
 * Does something and waits for what `page` shows then, in the page itself, so that nobody looks at it meanwhile. Gives the
 * milliseconds between the two.
 */
const timed = (page, act, shown) =>
  page.evaluate(
    ([act, shown]) =>
      new Promise((resolve) => {
        const find = ([selector, text]) => [...document.querySelectorAll(selector)].find((it) => it.textContent.match(text) && !it.disabled);
        const started = performance.now();
        const end = () => {
          if (!find(shown)) return false;
          observer.disconnect();
          resolve(performance.now() - started);
          return true;
        };
        const observer = new MutationObserver(end);
        observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
        find(act).click();
      }),
    [act, shown],
  );

/** The tasks of the page's own thread while the work is done: what they took by the clock, and of the processor. */
async function tasksOf(page, work) {
  const idle = () => page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  await idle();
  await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline", "__metadata"] });
  const value = await work();
  await idle();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const main = new Set(
    traceEvents.filter((it) => it.name === "thread_name" && it.args.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = traceEvents.filter((it) => it.name === "RunTask" && it.dur && main.has(`${it.pid} ${it.tid}`));
  const longest = (unit) => Math.round(Math.max(0, ...tasks.map((task) => task[unit] ?? 0)) / 1000);
  const long = (unit) => tasks.filter((task) => task[unit] > LONG * 1000).length;
  return { value, tasks: { longest: longest("dur"), "of processor": longest("tdur"), long: long("dur"), "long of processor": long("tdur") } };
}

const median = (all) => all.toSorted((a, b) => a - b)[all.length >> 1];
const round = (value) => Number(value.toPrecision(3));

function table(title, rows) {
  results[title] = rows;
  console.log(`\n${title}`);
  console.table(rows);
}

// ---------------------------------------------------------------------------------------------------------------------
// What people do

async function connect(page, url, skills = "listing complete") {
  await page.getByLabel("Address of an MCP server").fill(url);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await page.locator(".catalog-foot").getByText(skills).waitFor();
}

async function openSkill(page, name) {
  await page.locator(".catalog-list").getByTitle(`skill://${name}/SKILL.md`, { exact: true }).click();
  await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}

const VERIFY = ["button", "^Verify all$"];
const VERIFIED = [".badge", "Verified 512 of 512"];

// ---------------------------------------------------------------------------------------------------------------------
// The measurements

function assets() {
  const sizes = readdirSync(DIST).map((name) => {
    const bytes = readFileSync(join(DIST, name));
    const when = name.startsWith("later-") ? "later" : name.startsWith("callback") ? "signing in" : "first load";
    return [name.replace(/-[0-9a-f]{8,16}(?=[._])/, ""), { bytes: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length, when }];
  });
  table("What is downloaded", Object.fromEntries(sizes.toSorted(([, a], [, b]) => b.gzip - a.gzip)));
}

/** A first visit, as it is and over a slow line on a slow machine (1.6 Mbit/s, 150 ms, a quarter of the speed). */
async function firstLoad() {
  const visit = async (isSlow) => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    if (isSlow) {
      await cdp.send("Network.enable");
      await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 });
      await cdp.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    }
    await page.goto(site.url, { waitUntil: "commit" });
    await page.waitForSelector("#boot", { state: "detached" });
    const took = await page.evaluate(() => {
      const paints = performance.getEntriesByType("paint");
      return { painted: paints.find((paint) => paint.name === "first-contentful-paint")?.startTime ?? 0, usable: performance.now() };
    });
    await context.close();
    return took;
  };
  const rows = {};
  for (const [name, isSlow, rounds] of [["as it is", false, ROUNDS], ["slow line, slow machine", true, 3]]) {
    const all = [];
    for (let count = 0; count < rounds; count++) all.push(await visit(isSlow));
    rows[name] = { "first paint, ms": Math.round(median(all.map((it) => it.painted))), "usable, ms": Math.round(median(all.map((it) => it.usable))) };
  }
  table("The first visit", rows);
}

/** Does the work, and says how many ms of the page's own thread the processor spent on it. */
async function withProcessor(page, work) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
  const spent = async () => (await cdp.send("Performance.getMetrics")).metrics.find((it) => it.name === "TaskDuration").value;
  const before = await spent();
  const ms = await work();
  const processor = 1000 * ((await spent()) - before);
  await cdp.detach();
  return { ms, processor };
}

/** Fetches and parses what verifying reads, and does nothing with it. */
const bare = (page, url, lanes) =>
  page.evaluate(
    async ([url, lanes]) => {
      const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
      const ask = async (id, method, params) => {
        const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method };
        const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }) });
        return (await response.json()).result;
      };
      const { skills } = await ask(1, "skills/list", {});
      const started = performance.now();
      const queue = skills[0].resources.entries();
      const work = async () => {
        for (const [index, { uri }] of queue) await ask(index, "resources/read", { uri });
      };
      await Promise.all(Array.from({ length: lanes }, work));
      return performance.now() - started;
    },
    [url, lanes],
  );

async function verifying() {
  await withServer([FULL], async (url) => {
    const took = { "bare loop, 6 at a time": [], "the page: Verify all": [] };
    for (let count = -1; count < ROUNDS; count++) {
      const loop = await withPage((page) => withProcessor(page, () => bare(page, url, 6)));
      const ours = await withPage(async (page) => {
        await connect(page, url);
        await openSkill(page, `files-${FULL}`);
        return withProcessor(page, () => timed(page, VERIFY, VERIFIED));
      });
      if (count < 0) continue;
      took["bare loop, 6 at a time"].push(loop);
      took["the page: Verify all"].push(ours);
    }
    const of = (all, unit) => Math.round(median(all.map((it) => it[unit])));
    const first = of(Object.values(took)[0], "ms");
    const row = (all) => ({
      ms: of(all, "ms"),
      "× the loop": round(of(all, "ms") / first),
      "ms of its own thread": of(all, "processor"),
      rounds: all.map((it) => Math.round(it.ms)).join(" "),
    });
    table("Verifying 512 files, 16 MiB", Object.fromEntries(Object.entries(took).map(([name, all]) => [name, row(all)])));
  });
}

/** What the page's program holds, and what the browser holds for it. */
async function held(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  await cdp.detach();
  const [program, elements] = await page.evaluate(() => [globalThis.memory.buffer.byteLength, document.querySelectorAll("*").length]);
  const mib = (bytes) => round(bytes / MIB);
  return { "program, MiB": mib(program), "JavaScript, MiB": mib(usedSize), "elements of the document": elements };
}

async function memory() {
  await withServer([`${FULL}*10`], (url) =>
    withPage(async (page) => {
      const rows = { "at the start": await held(page) };
      await connect(page, url);
      rows["ten skills listed"] = await held(page);
      for (let copy = 0; copy < 10; copy++) {
        await openSkill(page, copy === 0 ? `files-${FULL}` : `files-${FULL}-${copy}`);
        await timed(page, VERIFY, VERIFIED);
        if ([0, 4, 9].includes(copy)) rows[`${copy + 1} verified, 16 MiB each`] = await held(page);
      }
      table("Memory", rows);
    }),
  );
}

async function longTasks() {
  const rows = {};
  const note = async (name, page, work) => {
    const { value, tasks } = await tasksOf(page, work);
    rows[name] = typeof value === "number" ? { ...tasks, "until shown": Math.round(value) } : tasks;
  };
  const foot = (page, text) => page.locator(".catalog-foot").getByText(text).waitFor();

  await withServer(["list:10000"], (url) =>
    withPage(async (page) => {
      await page.getByLabel("Address of an MCP server").fill(url);
      await note("connect, list 10,000", page, async () => {
        await page.getByRole("button", { name: "Connect", exact: true }).click();
        await foot(page, "10,000 skills in 20 pages");
      });
      await note("type in the filter", page, async () => {
        await page.getByRole("searchbox", { name: "Filter skills" }).pressSequentially("skill-00123");
        await page.waitForFunction(() => document.querySelectorAll(".catalog-list a.row").length === 10);
      });
      await note("clear the filter", page, () => page.keyboard.press("Escape"));
      await note("select a skill", page, () => page.locator(".catalog-list a.row").nth(5).click());
      await page.getByRole("tablist", { name: "Sides of this skill" }).waitFor();
      rows["select a skill"]["elements of the document"] = await page.evaluate(() => document.querySelectorAll("*").length);
    }),
  );

  await withServer(["page:2000"], (url) => withPage((page) => note("connect, list 2,000 on one page", page, () => connect(page, url, "2,000 skills in 1 page,"))));

  await withServer([FULL], async (url) => {
    await withPage(async (page) => {
      await connect(page, url);
      await note("open a skill of 512 files", page, () => openSkill(page, `files-${FULL}`));
      await note("verify 512 files, 16 MiB", page, () => timed(page, VERIFY, VERIFIED));
      await page.getByRole("tab", { name: /^Files/ }).click();
      await note("verify again, the table of files shown", page, () => timed(page, VERIFY, [".progress-place", "^\\s*$"]));
    });
    await conformance(url, "conformance, 512 files, 16 MiB", note);
  });
  await withServer(["list:2000"], (url) => conformance(url, "conformance, 2,000 skills without files", note));

  for (const [kind, size, what] of [
    ["md", MIB, "1 MiB of Markdown"],
    ["json", 5 * MIB, "5 MiB of JSON"],
    ["line", 10 * MIB, "one line of 10 MiB"],
    ["blob", 16 * MIB, "16 MiB as base64"],
  ]) {
    await withServer([`${kind}:${size}`], (url) =>
      withPage(async (page) => {
        await connect(page, url);
        await openSkill(page, `big-${kind}`);
        await page.getByRole("tab", { name: /^Files/ }).click();
        await note(`read and show ${what}`, page, () => timed(page, [".data.files tr:nth-child(2) .path a", ""], [".banner", "Verified"]));
      }),
    );
  }

  for (const [size, what] of [[100, "100,000 notifications"], [1_024, "100,000 notifications of 1 KiB"]]) {
    await withServer([`flood:${size}`], (url) =>
      withPage(async (page) => {
        await connect(page, url);
        await openSkill(page, "big-flood");
        await page.getByRole("tab", { name: /^Files/ }).click();
        await note(`read a file behind ${what}`, page, () => timed(page, [".data.files tr:nth-child(2) .path a", ""], [".banner", "Verified"]));
      }),
    );
  }

  await withServer([`turns:${100_000}`], (url) =>
    withPage(async (page) => {
      await connect(page, url);
      await openSkill(page, "big-turns");
      await page.getByRole("tab", { name: /^Files/ }).click();
      await page.getByRole("tabpanel").getByRole("link", { name: "turns.txt" }).click();
      await page.locator(".banner").waitFor();
      await page.getByRole("button", { name: "Fetch with skills/get" }).click();
      await page.getByRole("button", { name: "Hold this entry instead" }).click();
      await note("compare two texts of 4,000 lines", page, () => timed(page, ["button", "^Read it again$"], [".file-changes", "Changed"]));
    }),
  );

  const text = "The quick brown fox jumps over the lazy dog.\n".repeat(728);
  const folder = Array.from({ length: 511 }, (_, index) => [`mine/skill/files/${index}.txt`, `${index}\n${text}`]);
  const archive = join(mkdtempSync(join(tmpdir(), "skillglass-bench-")), "mine.zip");
  writeFileSync(archive, zip(Object.fromEntries([["mine/skill/SKILL.md", "---\nname: skill\ndescription: Files to read.\n---\n"], ...folder])));
  await withPage((page) =>
    note("choose a zip of 512 files, 16 MiB", page, async () => {
      await page.getByLabel("Choose a zip").setInputFiles(archive);
      await foot(page, "listing complete");
    }),
  );
  rmSync(dirname(archive), { recursive: true });
  table(`Tasks of the page's own thread, ms (long: over ${LONG})`, rows);
}

async function conformance(url, name, note) {
  await withPage(async (page) => {
    await connect(page, url);
    await page.getByRole("link", { name: "Check conformance" }).click();
    await note(name, page, () => timed(page, ["button", "^Check the server$"], ["button", "^Check again"]));
  });
}

const PARTS = { assets, firstLoad, verifying, memory, longTasks };
const chosen = process.argv.slice(2);
for (const [name, measure] of Object.entries(PARTS)) {
  if (chosen.length === 0 || chosen.includes(name)) await measure();
}
mkdirSync(join(ROOT, "tests/artifacts"), { recursive: true });
writeFileSync(join(ROOT, "tests/artifacts/bench-page.json"), `${JSON.stringify(results, null, 2)}\n`);
await browser.close();
await site.close();
