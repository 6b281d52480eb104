// The page beside MCP Inspector's, at the same servers: what either shows where a server is large, broken or strange.
// Prints a table and keeps pictures in tests/artifacts/inspector; asserts nothing. The page has to be in dist/, and the
// Inspector in tests/suite/node_modules (`npm ci` there), or where INSPECTOR says.
//
//   node tests/bench/inspector.mjs [SCENARIO…]     with CHROME_PATH; PAGE may name another build to look at

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { launchChromium } from "../chromium.mjs";
import { serveStatic } from "../servers/static.mjs";
import { skill, startWireServer } from "../servers/wire.mjs";

const ROOT = join(import.meta.dirname, "../..");
const INSPECTOR = process.env.INSPECTOR ?? join(ROOT, "tests/suite/node_modules/@modelcontextprotocol/inspector");
const PICTURES = join(ROOT, "tests/artifacts/inspector");
const VIEWPORT = { width: 1440, height: 900 };
/** How long either may take for what others do at once, in ms. */
const PATIENCE = 90_000;

const site = await serveStatic({ dir: process.env.PAGE ?? join(ROOT, "dist") });
const browser = await launchChromium();
const home = mkdtempSync(join(tmpdir(), "inspector-"));
mkdirSync(PICTURES, { recursive: true });

// ---------------------------------------------------------------------------------------------------------------------
// The two pages

/** Starts the Inspector for a server; its page is at `at`. */
async function startInspector(url) {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address();
  await new Promise((resolve) => free.close(resolve));
  const env = { ...process.env, HOME: home, MCP_STORAGE_DIR: home, MCP_AUTO_OPEN_ENABLED: "false", CLIENT_PORT: String(port) };
  const launcher = join(INSPECTOR, "clients/launcher/build/index.js");
  const question = ["--web", "--protocol-era", "modern", "--transport", "http", "--server-url", url];
  const child = spawn(process.execPath, [launcher, ...question], { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface(child.stdout)) {
    const [at] = line.match(/http:\/\/\S+/) ?? [];
    if (at) return { at, stop: () => child.kill() };
  }
  throw new Error("the Inspector did not start");
}

const theirs = {
  name: "Inspector",
  async open(url, work) {
    const inspector = await startInspector(url);
    try {
      return await withPage(async (page) => {
        await page.goto(inspector.at);
        await page.getByRole("switch").first().click({ force: true });
        await page.getByText("Skills", { exact: true }).first().click();
        return await work(page);
      });
    } finally {
      inspector.stop();
    }
  },
  listed: (page) => page.getByText(/\d+ skill\(s\) over \d+ page\(s\)|Could not load skills/).first().waitFor(),
  select: (page, name) => page.getByText(`skill://${name}/SKILL.md`, { exact: true }).first().click(),
  rows: (page) => page.getByText(/^skill:\/\/[^/]+\/SKILL\.md$/),
  verify: (page) => page.getByRole("button", { name: "Verify all" }).click(),
  verified: (page, number) =>
    page.waitForFunction((number) => document.body.innerText.match(/^verified$/gim)?.length >= number, number, { timeout: 600_000 }),

};

const ours = {
  name: "Skillglass",
  open: (url, work) =>
    withPage(async (page) => {
      await page.goto(site.url);
      await page.getByLabel("Address of an MCP server").fill(url);
      await page.getByRole("button", { name: "Connect", exact: true }).click();
      return await work(page);
    }),
  listed: (page) => page.locator(".catalog-foot").getByText(/listing complete|stopped|could not/).waitFor(),
  select: async (page, name) => {
    await page.locator(".catalog-list").getByTitle(`skill://${name}/SKILL.md`, { exact: true }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
  },
  rows: (page) => page.locator(".catalog-list a.row"),
  verify: (page) => page.getByRole("button", { name: "Verify all" }).click(),
  verified: (page, number) => page.locator(".badge").getByText(`Verified ${number} of ${number}`).waitFor(),
};

async function withPage(work) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  context.setDefaultTimeout(PATIENCE);
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

const picture = (page, who, name) => page.screenshot({ path: join(PICTURES, `${name}-${who.name.toLowerCase()}.png`) });
const isThere = (locator) => locator.first().isVisible();
const settled = (page) => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 3_000)));

// ---------------------------------------------------------------------------------------------------------------------
// What either is asked

/** The rows that are in sight, and whether the wheel and the keyboard lead to others. */
async function longList(who, page) {
  await who.listed(page);
  const inSight = () =>
    who.rows(page).evaluateAll((rows) =>
      rows.filter((row) => {
        const { left, top, width, height } = row.getBoundingClientRect();
        const found = document.elementFromPoint(left + width / 2, top + height / 2);
        return found && (row.contains(found) || found.contains(row));
      }).map((row) => row.title || row.innerText),
    );
  const before = await inSight();
  await who.rows(page).nth(3).hover();
  await page.mouse.wheel(0, 3_000);
  await settled(page);
  const after = await inSight();
  await page.mouse.wheel(0, -3_000);
  let reached = false;
  await page.mouse.click(5, 450);
  for (let stop = 0; stop < 40 && !reached; stop += 1) {
    await page.keyboard.press("Tab");
    reached = await page.evaluate(() => /skill:\/\//.test(document.activeElement.title + document.activeElement.innerText.slice(0, 400)) && document.activeElement !== document.body);
  }
  const scrolls = after.some((row) => !before.includes(row));
  return `${before.length} rows in sight; the wheel ${scrolls ? "moves on" : "does nothing"}; Tab ${reached ? "leads to a row" : "leads to none"}`;
}

async function malformed(who, page) {
  await who.listed(page);
  await settled(page);
  return `${await who.rows(page).count()} rows of 12`;
}

async function unlisted(who, page) {
  await who.listed(page);
  const open = page.getByRole("button", { name: /URI/i });
  if (!(await isThere(open))) return "nothing to open a skill with";
  await open.first().click();
  await page.getByRole("textbox", { name: /URI/ }).fill("skill://a/SKILL.md");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "a", exact: true }).waitFor();
  return "opened by its URI";
}

async function manyPages(who, page) {
  const text = page.getByText(/10,?000 skill|exceeded|could not/i).first();
  await text.waitFor();
  return (await text.innerText()).split("\n")[0].slice(0, 120);
}

async function failingReads(who, page) {
  await who.listed(page);
  await who.select(page, "a");
  await who.verify(page);
  await page.getByText(/could not (be )?read|read failed/i).first().waitFor();
  await settled(page);
  const green = await isThere(page.getByText("No structural issues", { exact: true }));
  const badge = await page.locator(".badge").allInnerTexts();
  return who === ours ? `“${badge[0].split("\n").at(-1)}”` : green ? "“No structural issues”, in green" : "no green badge";
}

async function markdown(who, page, { tracker }) {
  await who.listed(page);
  await who.select(page, "a");
  const read = page.getByRole("button", { name: "Read SKILL.md" });
  if (await isThere(read)) await read.first().click();
  await page.getByText("the notes").first().waitFor();
  await settled(page);
  const asked = tracker.count;
  const link = page.locator("a", { hasText: "the notes" });
  const opens = (await link.count()) > 0 && (await link.first().getAttribute("href")) !== null;
  if (opens) {
    await link.first().click();
    await page.getByText("File 1 of a.").first().waitFor();
  }
  return `${asked} requests to the picture's host; the link to a file ${opens ? "opens it" : "does nothing"}`;
}

async function bigNumber(who, page) {
  await who.listed(page);
  await who.select(page, "a");
  const read = page.getByRole("button", { name: "Read SKILL.md" });
  if (await isThere(read)) await read.first().click();
  await settled(page);
  const text = await page.locator("body").innerText();
  return /mismatch|refused|differs?\b|not use this file/i.test(text) ? "told apart" : "taken as equal";
}

async function kept(who, page) {
  await who.listed(page);
  await who.select(page, "a");
  await who.verify(page);
  await who.verified(page, 3);
  await who.select(page, "b");
  await settled(page);
  await who.select(page, "a");
  await settled(page);
  const still = who === ours ? await isThere(page.locator(".badge").getByText("Verified 3 of 3")) : /^verified$/im.test(await page.locator("body").innerText());
  return still ? "kept" : "lost";
}

/** How much of the screen the text of a SKILL.md of 200 lines gets. */
async function room(who, page) {
  await who.listed(page);
  await who.select(page, "a");
  const read = page.getByRole("button", { name: "Read SKILL.md" });
  if (await isThere(read)) await read.first().click();
  await page.getByText("Line 1.", { exact: true }).first().waitFor();
  await settled(page);
  const height = await page.getByText("Line 1.", { exact: true }).first().evaluate((line) => {
    let [top, bottom] = [0, innerHeight];
    for (let it = line.parentElement; it; it = it.parentElement) {
      if (getComputedStyle(it).overflowY === "visible") continue;
      const box = it.getBoundingClientRect();
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return Math.round(bottom - Math.max(top, line.getBoundingClientRect().top));
  });
  return `${height} px of ${VIEWPORT.height}`;
}

async function verifying(who, page, { files }) {
  await who.listed(page);
  await who.select(page, `files-${files}x32768`);
  const started = performance.now();
  await who.verify(page);
  await who.verified(page, files);
  return `${((performance.now() - started) / 1000).toFixed(1)} s`;
}

/** What opening the page moves, and from whom. */
async function firstLoad(who, url) {
  const visit = (at) =>
    withPage(async (page) => {
      const hosts = new Set();
      let bytes = 0;
      const cdp = await page.context().newCDPSession(page);
      await cdp.send("Network.enable");
      cdp.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
      page.on("request", (request) => hosts.add(new URL(request.url()).host));
      await page.goto(at);
      await settled(page);
      hosts.delete(new URL(at).host);
      const strangers = [...hosts].filter((host) => host !== "");
      return `${Math.round(bytes / 1000).toLocaleString("en")} kB over the wire; asks ${strangers.join(", ") || "no other host"}`;
    });
  if (who === ours) return visit(site.url);
  const inspector = await startInspector(url);
  return visit(inspector.at).finally(inspector.stop);
}

// ---------------------------------------------------------------------------------------------------------------------
// The servers

const named = (count, files) => Array.from({ length: count }, (_, index) => skill(`s-${index}`, files));

/** A skill whose SKILL.md reads so, with an entry that promises it. */
async function withText(text, frontmatter = {}) {
  const { createHash } = await import("node:crypto");
  const made = skill("a", 2);
  const uri = "skill://a/SKILL.md";
  made.texts.set(uri, text);
  Object.assign(made.entry.frontmatter, frontmatter);
  Object.assign(made.entry.resources[0], { size: Buffer.byteLength(text), digest: `sha256:${createHash("sha256").update(text).digest("hex")}` });
  return made;
}

const HEAD = "---\nname: a\ndescription: For tests.\n";
const tracker = { count: 0 };
const pictures = createServer((_, response) => {
  tracker.count += 1;
  response.writeHead(404).end();
}).listen(0, "127.0.0.1");
await once(pictures, "listening");

const paged = ({ message, result }) => {
  const page = Number(message.params.cursor ?? 0);
  const skills = Array.from({ length: 50 }, (_, index) => skill(`s-${page * 50 + index}`).entry);
  result({ skills, ...(page < 199 ? { nextCursor: String(page + 1) } : {}) });
};
const nulled = named(12, 0);
nulled[5].entry.frontmatter.description = null;
const remote = `http://127.0.0.1:${pictures.address().port}/seen.png`;

const SCENARIOS = {
  "first load": { options: {}, alone: firstLoad },
  "1,000 skills": { options: { skills: named(1_000, 0) }, look: longList },
  "one malformed entry": { options: { skills: nulled }, look: malformed },
  "a skill that is not listed": { options: { skills: [skill("a", 2)], on: { "skills/list": ({ result }) => result({ skills: [] }) } }, look: unlisted },
  "10,000 skills in 200 pages": { options: { on: { "skills/list": paged } }, look: manyPages },
  "no file can be read": { options: { skills: [skill("a", 2)], on: { "resources/read": ({ error }) => error(-32603, "broken") } }, look: failingReads },
  "a remote picture, a relative link": {
    options: { skills: [await withText(`${HEAD}---\n![seen](${remote})\n\nRead [the notes](references/001.md).\n`)] },
    look: markdown,
  },
  "2⁵³ and the number after it": {
    options: { skills: [await withText(`${HEAD}metadata:\n  count: 9007199254740993\n---\nDo a.\n`, { metadata: { count: 9007199254740992 } })] },
    look: bigNumber,
  },
  "results after a look elsewhere": { options: { skills: [skill("a", 2), skill("b", 2)] }, look: kept },
  "room for the instructions": {
    options: { skills: [await withText(`${HEAD}---\n${Array.from({ length: 200 }, (_, index) => `Line ${index + 1}.\n`).join("\n")}`)] },
    look: room,
  },
  "verifying 64 files of 32 KiB": { bench: "64x32768", files: 64, look: verifying },
};

async function withServer({ options, bench }, work) {
  if (!bench) {
    const server = await startWireServer(options);
    return work(server.url).finally(server.close);
  }
  const server = spawn(process.execPath, [join(import.meta.dirname, "skill-server.mjs"), bench], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = await once(createInterface(server.stdout), "line");
  return work(url).finally(() => server.stdin.end());
}

const rows = {};
const wanted = process.argv.slice(2);
for (const [name, scenario] of Object.entries(SCENARIOS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  rows[name] = {};
  for (const who of [theirs, ours]) {
    tracker.count = 0;
    const look = (url) =>
      scenario.alone?.(who, url) ??
      who.open(url, async (page) => {
        const said = await scenario.look(who, page, { tracker, ...scenario });
        await picture(page, who, name.replaceAll(/[^a-z0-9]+/gi, "-"));
        return said;
      });
    rows[name][who.name] = await withServer(scenario, look).catch((error) => `failed: ${error.message.split("\n")[0]}`);
    console.log(`${name}, ${who.name}: ${rows[name][who.name]}`);
  }
}
console.table(rows);
await browser.close();
await site.close();
pictures.close();
rmSync(home, { recursive: true, force: true });
