// A whole skill over loopback: a bare loop that only fetches and parses, the SDK's `SkillsClient`, and ours; the same server,
// the same bytes, in one run. Prints tables; asserts nothing. The package must be built: `cargo xtask package`.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient as Theirs } from "@modelcontextprotocol/client/ext/skills";
import { httpTransport, SkillHost, SkillsClient } from "../../pkg/dist/host/node.js";

const SHAPES = { "512 files, 16 MiB": "512x32768", "1,000 files of 2 KiB": "1000x2048" };
const PARALLEL = 6;
const ROUNDS = 3;

const server = spawn(process.execPath, [new URL("skill-server.mjs", import.meta.url).pathname, ...Object.values(SHAPES)], {
  stdio: ["pipe", "pipe", "inherit"],
});
const [url] = await once(createInterface(server.stdout), "line");

/** Runs the work for every URI, so many at a time. */
async function each(uris, lanes, work) {
  const queue = uris.values();
  await Promise.all(Array.from({ length: lanes }, async () => {
    for (const uri of queue) await work(uri);
  }));
}

async function bareRead(uri) {
  const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri, _meta } }),
  });
  return (await response.json()).result.contents[0].text.length;
}

async function connected() {
  const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

/** Each contender, from nothing known to every file of the skill verified. */
function contenders(skillUri, uris) {
  const bare = (lanes) => () => each(uris, lanes, bareRead);
  const ours = (lanes) => async () => {
    const host = new SkillHost({ policy: { ask: false, maxFiles: 1_000 }, parallel: lanes });
    await host.addServer("bench", httpTransport(url));
    const skill = { origin: "bench", uri: skillUri };
    await host.load(skill);
    await each(uris.slice(1), lanes, (uri) => host.read(skill, uri));
  };
  const client = (SkillsClient, lanes) => async () => {
    const client = await connected();
    const skills = new SkillsClient(client);
    const { skill } = await skills.get(skillUri);
    await each(uris, lanes, (uri) => skills.read(skill, uri, { cacheMode: "bypass" }));
    await client.close();
  };
  return {
    "bare loop": bare(1),
    [`bare loop, ${PARALLEL} at a time`]: bare(PARALLEL),
    "SDK SkillsClient": client(Theirs, 1),
    [`SDK SkillsClient, ${PARALLEL} at a time`]: client(Theirs, PARALLEL),
    "our SkillsClient": client(SkillsClient, 1),
    "SkillHost": ours(1),
    [`SkillHost, ${PARALLEL} at a time`]: ours(PARALLEL),
  };
}

for (const [title, shape] of Object.entries(SHAPES)) {
  const root = `skill://files-${shape}`;
  const count = Number(shape.split("x")[0]);
  const uris = [`${root}/SKILL.md`, ...Array.from({ length: count - 1 }, (_, index) => `${root}/files/${index}.txt`)];
  const took = {};
  // They take turns, so that what else the machine does befalls all alike.
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(contenders(uris[0], uris))) {
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      await run();
      const { user, system } = process.cpuUsage(cpu);
      if (round >= 0) (took[name] ??= []).push({ ms: performance.now() - start, cpu: (user + system) / 1000 });
    }
  }
  const median = (all, unit) => Math.round(all.map((one) => one[unit]).sort((a, b) => a - b)[ROUNDS >> 1]);
  console.log(`\n${title}`);
  console.table(
    Object.fromEntries(Object.entries(took).map(([name, all]) => [name, { ms: median(all, "ms"), "ms of processor": median(all, "cpu") }])),
  );
}
server.stdin.end();
