// Ours beside npm's `yaml` and the TypeScript SDK's `SkillsClient`, on the same bytes in one run.
// Prints tables; asserts nothing. The package must be built: `cargo xtask package`.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { parse } from "yaml";
import * as ours from "../../pkg/dist/node.js";

const skills = new URL("../skills/good/", import.meta.url);
const sources = readdirSync(skills, { recursive: true })
  .filter((path) => path.endsWith("SKILL.md"))
  .map((path) => readFileSync(new URL(path, skills), "utf8"));

/** The median time of `run`, in microseconds for one of `count` units of work. */
async function time(count, run, rounds = 15) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint();
    await run();
    times.push(Number(process.hrtime.bigint() - start) / 1000 / count);
  }
  return times.sort((a, b) => a - b)[rounds >> 1];
}

function table(title, rows) {
  console.log(`\n${title}`);
  console.table(rows);
}

const round = (value) => Number(value.toPrecision(3));

const fences = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/;

async function frontmatter() {
  const work = sources.map((source) => {
    const fields = parse(fences.exec(source)[1]);
    const uri = `skill://x/${fields.name}/SKILL.md`;
    const json = JSON.stringify({ uri, frontmatter: fields, resources: "dynamic" });
    return { source, fields, bytes: Buffer.from(source), entry: new ours.Entry(json) };
  });
  const times = 200;
  const count = work.length * times;
  const repeat = (check) => () => {
    for (let index = 0; index < times; index++) for (const item of work) check(item);
  };
  const npm = await time(count, repeat((item) => {
    if (!isDeepStrictEqual(parse(fences.exec(item.source)[1]), item.fields)) throw new Error("differs");
  }));
  const compare = await time(count, repeat((item) => {
    if (!item.entry.compareFrontmatter(item.source).equal) throw new Error("differs");
  }));
  const verify = await time(count, repeat((item) => {
    if (item.entry.verifyFile(item.entry.uri, item.bytes).verdict !== "unpinned") throw new Error("refused");
  }));
  table(`Frontmatter of ${work.length} real files: parse and compare, µs a file`, {
    "npm yaml, parse and deep equal": { µs: round(npm), "× ours": round(npm / verify) },
    "ours, every field with both places": { µs: round(compare), "× ours": round(compare / verify) },
    "ours, the verdict": { µs: round(verify), "× ours": 1 },
  });
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
  for (const size of [256, 2048, 8191, 65536, 1 << 20, 1 << 24]) {
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
    const count = Math.max(1, Math.min(400, Math.floor((1 << 22) / size)));
    const repeat = (check) => async () => {
      for (let index = 0; index < count; index++) await check();
    };

    const client = new AnsweringClient({ name: "bench", version: "0" });
    client.reply = reply;
    const sdk = new SkillsClient(client);
    const theirs = await time(count, repeat(async () => {
      if (!(await sdk.read(skill, "file.md")).verified) throw new Error("not verified");
    }));

    const entry = new ours.Entry(JSON.stringify(skill));
    const encoder = new TextEncoder();
    const check = (platform) => repeat(() => {
      const bytes = encoder.encode(JSON.parse(reply).result.contents[0].text);
      const digest = platform ? `sha256:${createHash("sha256").update(bytes).digest("hex")}` : undefined;
      if (entry.verifyFile(uri, bytes, digest).verdict !== "verified") throw new Error("not verified");
    });
    const wasm = await time(count, check(false));
    const platform = await time(count, check(true));
    const bare = await time(count, repeat(() => encoder.encode(JSON.parse(reply).result.contents[0].text)));
    rows[size] = {
      "parse only": round(bare),
      SkillsClient: round(theirs),
      "ours, wasm hash": round(wasm),
      "ours, platform hash": round(platform),
      "× faster": round(theirs / Math.min(wasm, platform)),
    };
  }
  table("One file from its reply to a verdict, µs, by size in bytes", rows);
}

await frontmatter();
await files();
