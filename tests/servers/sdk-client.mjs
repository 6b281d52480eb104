// The official TypeScript SDK's client of skills, which lists, gets, reads and verifies all that a server has, and
// prints how much that was as JSON. For tests in other languages:
//
//   node sdk-client.mjs ERA URL
//   node sdk-client.mjs ERA COMMAND ARGUMENTS…

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [era, target, ...args] = process.argv.slice(2);
const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
const client = new Client({ name: "tests", version: "1.0.0" }, { versionNegotiation: { mode } });
const transport = target.includes("://")
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args });
await client.connect(transport);
try {
  const skills = new SkillsClient(client);
  const found = { skills: 0, verified: 0, unpinned: 0, children: 0 };
  for (const { uri } of (await skills.list()).skills) {
    const { skill } = await skills.get(uri);
    found.skills += 1;
    const files = skill.resources === "dynamic" ? [{ uri }] : skill.resources;
    for (const file of files) {
      const { verified } = await skills.read(skill, file.uri);
      found[verified ? "verified" : "unpinned"] += 1;
    }
    const root = uri.slice(0, -"/SKILL.md".length);
    found.children += (await skills.readDirectory(root)).resources.length;
  }
  console.log(JSON.stringify(found));
} finally {
  await client.close();
}
