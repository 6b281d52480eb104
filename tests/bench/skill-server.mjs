// A quick server for benchmarks, in a process of its own: one skill for each size that is asked for, in both eras.
//
//   node tests/bench/skill-server.mjs COUNTxBYTES…     prints its address

import { createHash } from "node:crypto";
import { createServer } from "node:http";

const EXTENSION = "io.modelcontextprotocol/skills";
const FRESH = { resultType: "complete", ttlMs: 60_000, cacheScope: "public" };

const files = new Map();
const skills = process.argv.slice(2).map(skillOf);

/** A skill with so many files of so many bytes, its SKILL.md beside them. */
function skillOf(shape) {
  const [count, size] = shape.split("x").map(Number);
  const name = `files-${shape}`;
  const root = `skill://${name}`;
  const frontmatter = { name, description: "Files to read." };
  const add = (path, text) => {
    const uri = `${root}/${path}`;
    files.set(uri, JSON.stringify({ ...FRESH, contents: [{ uri, mimeType: "text/plain", text }] }));
    return { uri, digest: `sha256:${createHash("sha256").update(text).digest("hex")}`, size: Buffer.byteLength(text) };
  };
  const skillMd = add("SKILL.md", `---\nname: ${name}\ndescription: Files to read.\n---\n`);
  const line = "The quick brown fox jumps over the lazy dog, \"twice\".\n";
  const text = (index) => `${index}\n`.concat(line.repeat(Math.ceil(size / line.length))).slice(0, size);
  const resources = Array.from({ length: count - 1 }, (_, index) => add(`files/${index}.txt`, text(index)));
  return { uri: `${root}/SKILL.md`, frontmatter, resources: [skillMd, ...resources] };
}

const declared = { capabilities: { resources: {}, extensions: { [EXTENSION]: {} } }, supportedVersions: ["2026-07-28"] };

const results = {
  "server/discover": () => JSON.stringify({ ...FRESH, ...declared }),
  initialize: () => JSON.stringify({ ...declared, protocolVersion: "2025-11-25", serverInfo: { name: "bench", version: "1" } }),
  "skills/list": () => JSON.stringify({ ...FRESH, skills }),
  "skills/get": ({ uri }) => JSON.stringify({ ...FRESH, skill: skills.find((skill) => skill.uri === uri) }),
  "resources/read": ({ uri }) => files.get(uri),
};

const server = createServer(async (request, response) => {
  const pieces = await request.toArray();
  const { id, method, params } = request.method === "POST" ? JSON.parse(Buffer.concat(pieces)) : {};
  const result = results[method]?.(params);
  if (result === undefined) {
    response.writeHead(request.method === "POST" ? 202 : 405).end();
    return;
  }
  response.writeHead(200, { "Content-Type": "application/json" }).end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.stdin.on("end", () => process.exit()).resume();
