// Ours beside npm's `yaml` and the TypeScript SDK's `SkillsClient`, on the same bytes in one run.
// Prints tables; asserts nothing. The package must be built: `cargo xtask package`.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { parse } from "yaml";
import { SkillsClient as StandIn } from "../../pkg/dist/host/node.js";
import * as ours from "../../pkg/dist/node.js";

/**
 * The time of each contender in µs for one of `count` units of work. They take turns, so that what else the machine does
 * befalls all alike, and what counts is the time of the processor: waiting for one is nobody's work.
 */
async function race(count, contenders, rounds = 21) {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const start = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(start);
      if (round >= 0) times[name].push((user + system) / count);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, all.sort((a, b) => a - b)[rounds >> 1]]));
}

function table(title, rows) {
  console.log(`\n${title}`);
  console.table(rows);
}

const round = (value) => Number(value.toPrecision(3));

const fences = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;

/** The sample skills. */
function samples() {
  const skills = new URL("../skills/good/", import.meta.url);
  return readdirSync(skills, { recursive: true })
    .filter((path) => path.endsWith("SKILL.md"))
    .map((path) => readFileSync(new URL(path, skills), "utf8"));
}

/** Frontmatters of many shapes, the same in every run: short and long, quoted, folded, with lists and nested fields. */
function generated(count) {
  let state = 1;
  const random = (below) => (state = (state * 48271) % 2147483647) % below;
  const words = "read the invoice and check every line against what was ordered ask before you pay then file it".split(" ");
  const prose = (length) => Array.from({ length }, () => words[random(words.length)]).join(" ");
  return Array.from({ length: count }, (_, index) => {
    const description = [
      () => prose(8 + random(30)),
      () => JSON.stringify(`${prose(20)}: ${prose(10)} "now"`),
      () => `>-\n  ${prose(12)}\n  ${prose(12)}`,
      () => `'${prose(25)} – it''s done'`,
    ][random(4)]();
    const optional = [
      () => "license: Apache-2.0",
      () => `compatibility: ${prose(10)}`,
      () => `metadata:\n  author: acme\n  version: "1.${random(20)}"\n  reviewed: true`,
      () => `allowed-tools: Bash(git:*) Read`,
      () => `tags: [${prose(1)}, ${prose(1)}]`,
      () => `keywords:\n${Array.from({ length: 2 + random(6) }, () => `  - ${prose(2)}`).join("\n")}`,
    ].filter(() => random(2) === 0);
    const lines = [`name: skill-${index}`, `description: ${description}`, ...optional.map((line) => line())];
    return `---\n${lines.join("\n")}\n---\n# Skill ${index}\n`;
  });
}

/** The core as native code on the same files: µs for one to a verdict, and with every field's places. */
function natively(work) {
  const folder = mkdtempSync(join(tmpdir(), "skillglass-bench-"));
  work.forEach(({ source, entryText }, index) => {
    writeFileSync(join(folder, `${index}.md`), source);
    writeFileSync(join(folder, `${index}.json`), entryText);
  });
  const run = ["bench", "--quiet", "--package", "skillglass", "--bench", "frontmatter", "--", folder];
  const { verdict, places } = JSON.parse(execFileSync("cargo", run, { encoding: "utf8" }));
  rmSync(folder, { recursive: true });
  return { "ours natively, parse and compare to a verdict": verdict, "ours natively, every field with both places": places };
}

async function frontmatter(title, sources) {
  const work = sources.map((source) => {
    const fields = parse(fences.exec(source)[1]);
    const uri = `skill://x/${fields.name}/SKILL.md`;
    const bytes = new TextEncoder().encode(source);
    const entryText = JSON.stringify({ uri, frontmatter: fields, resources: "dynamic" });
    return { source, fields, uri, bytes, entryText, entry: new ours.Entry(entryText), digest: ours.sha256(bytes) };
  });
  const times = Math.ceil(2000 / work.length);
  const repeat = (check) => () => {
    for (let index = 0; index < times; index++) for (const item of work) check(item);
  };
  const took = await race(work.length * times, {
    "npm yaml, parse and deep equal": repeat(({ source, fields }) => {
      if (!isDeepStrictEqual(parse(fences.exec(source)[1]), fields)) throw new Error("differs");
    }),
    "ours, parse and compare to a verdict": repeat(({ entry, uri, bytes, digest }) => {
      if (entry.verifyFile(uri, bytes, digest).verdict !== "unpinned") throw new Error("refused");
    }),
    "ours, the same and the SHA-256": repeat(({ entry, uri, bytes }) => {
      if (entry.verifyFile(uri, bytes).verdict !== "unpinned") throw new Error("refused");
    }),
    "ours, every field with both places": repeat(({ entry, bytes }) => {
      if (!entry.compareFrontmatter(bytes).equal) throw new Error("differs");
    }),
  });
  Object.assign(took, natively(work));
  const theirs = Object.values(took)[0];
  table(
    `Frontmatter of ${work.length} ${title}`,
    Object.fromEntries(
      Object.entries(took).map(([name, µs]) => [name, { "µs a file": round(µs), "× faster": round(theirs / µs) }]),
    ),
  );
}

/** The SDK's client with one answer, so that what is timed is what it does with the answer. */
class AnsweringClient extends Client {
  reply = "";
  getServerCapabilities() {
    return { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } };
  }
  async request() {
    return JSON.parse(this.reply).result;
  }
}

async function files() {
  const rows = {};
  for (const size of [64, 256, 1024, 2048, 8191, 65536, 1 << 18, 1 << 20, 1 << 24]) {
    const bytes = Buffer.alloc(size, "The quick brown fox jumps over the lazy dog.\n");
    const uri = "skill://bench/file.md";
    const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
    const line = (uri) => ({ uri, digest, size });
    const skill = {
      uri: "skill://bench/SKILL.md",
      frontmatter: { name: "bench", description: "A file to read." },
      resources: [line("skill://bench/SKILL.md"), line(uri)],
    };
    const contents = [{ uri, mimeType: "text/markdown", text: bytes.toString() }];
    const reply = JSON.stringify({ result: { resultType: "complete", contents, ttlMs: 0, cacheScope: "public" } });
    const count = Math.max(1, Math.min(1000, Math.floor((1 << 23) / size)));
    const repeat = (check) => async () => {
      for (let index = 0; index < count; index++) await check();
    };

    const client = new AnsweringClient({ name: "bench", version: "0" });
    client.reply = reply;
    const [sdk, standIn] = [new SkillsClient(client), new StandIn(client)];
    const entry = new ours.Entry(JSON.stringify(skill));
    const encoder = new TextEncoder();
    const read = () => encoder.encode(JSON.parse(reply).result.contents[0].text);
    const verify = (bytes) => {
      if (entry.verifyFile(uri, bytes).verdict !== "verified") throw new Error("not verified");
    };
    const reading = (client) => async () => {
      if (!(await client.read(skill, "file.md")).verified) throw new Error("not verified");
    };
    const took = await race(count, {
      "parse only": repeat(read),
      SkillsClient: repeat(reading(sdk)),
      "our SkillsClient": repeat(reading(standIn)),
      ours: repeat(() => verify(read())),
      "ours, no parsing": repeat(() => verify(bytes)),
    });
    rows[size] = {
      ...Object.fromEntries(Object.entries(took).map(([name, µs]) => [name, round(µs)])),
      "× faster": round(took.SkillsClient / took.ours),
      "× faster, our SkillsClient": round(took.SkillsClient / took["our SkillsClient"]),
    };
  }
  table("One file from its reply to a verdict, µs, by size in bytes", rows);
}

await frontmatter("sample skills", samples());
await frontmatter("generated skills", generated(500));
await files();
