// A quick server for benchmarks, in a process of its own: the skills that are asked for, in both eras.
//
//   node tests/bench/skill-server.mjs WHAT…     prints its address
//
//   COUNTxBYTES      a skill with so many files of so many bytes, its SKILL.md beside them
//   COUNTxBYTES*N    N of them
//   list:N           N skills whose files cannot be read, 500 on a page
//   page:N           the same on one page
//   flood:BYTES      a skill with one file, each answer of which comes behind 100,000 notifications of so many bytes
//   KIND:BYTES       a skill with one file of so many bytes beside its SKILL.md, see `KINDS`

import { createHash } from "node:crypto";
import { createServer } from "node:http";

const EXTENSION = "io.modelcontextprotocol/skills";
const FRESH = { resultType: "complete", ttlMs: 60_000, cacheScope: "public" };
const CORS = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*", "Access-Control-Max-Age": "600" };

/** How many entries a page of the listing has. */
const PAGE = process.argv[2]?.startsWith("page:") ? Infinity : 500;

const repeated = (text, size) => text.repeat(Math.ceil(size / text.length)).slice(0, size);
const lines = (line, size) => Array.from({ length: Math.ceil(size / line(0).length) }, (_, index) => line(index)).join("");

/** Files that take their time to be judged or shown. `turns` is another one after each `skills/get`. */
const KINDS = {
  md: (size) => ["text.md", repeated("## A part\n\nThe *quick* [fox](https://example.com/) jumps over `the` dog.\n\n- one\n- two\n\n", size)],
  json: (size) => ["data.json", `[${lines((index) => `{"id": ${index}, "name": "quick \\"fox\\"", "tags": ["a", "b"]},\n`, size)}{}]`],
  line: (size) => ["line.txt", repeated("All of it on one line, without an end. ", size)],
  blob: (size) => ["bytes.bin", Buffer.alloc(size, "00fe01ff07", "hex")],
  flood: () => ["flood.txt", "Behind a flood.\n"],
  turns: (size, turn) => ["turns.txt", lines((index) => `Line ${index} of turn ${index % 3 ? turn : "none"}.\n`, size)],
};

const files = new Map();
let turn = 0;

function skillsOf(what) {
  const [kind, value] = what.split(":");
  if (kind === "list" || kind === "page") return Array.from({ length: Number(value) }, (_, index) => () => light(index));
  if (value) return [() => skill(`big-${kind}`, [fileOf(...KINDS[kind](Number(value), turn))])];
  const [shape, copies = 1] = what.split("*");
  const [count, size] = shape.split("x").map(Number);
  const texts = Array.from({ length: count - 1 }, (_, index) => fileOf(`files/${index}.txt`, text(index, size)));
  const name = (copy) => (copy === 0 ? `files-${shape}` : `files-${shape}-${copy}`);
  return Array.from({ length: Number(copies) }, (_, copy) => () => skill(name(copy), texts));
}

const text = (index, size) => `${index}\n`.concat(repeated("The quick brown fox jumps over the lazy dog, \"twice\".\n", size)).slice(0, size);

/** A file: what a manifest says of it, and the members of the item that carries it. */
function fileOf(path, content) {
  const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
  const carried = typeof content === "string" ? { text: content } : { blob: content.toString("base64") };
  return { path, digest, size: Buffer.byteLength(content), item: JSON.stringify(carried).slice(1) };
}

/** The entry of a skill, whose files can be read from now on. */
function skill(name, others) {
  const root = `skill://${name}`;
  const all = [fileOf("SKILL.md", `---\nname: ${name}\ndescription: Files to read.\n---\n`), ...others];
  all.forEach((file) => files.set(`${root}/${file.path}`, file));
  const resources = all.map(({ path, digest, size }) => ({ uri: `${root}/${path}`, digest, size }));
  return { uri: `${root}/SKILL.md`, frontmatter: { name, description: "Files to read." }, resources };
}

/** An entry of little weight. */
function light(index) {
  const name = `skill-${String(index).padStart(6, "0")}`;
  const uri = `skill://team-${index % 7}/${name}/SKILL.md`;
  const frontmatter = { name, description: `What number ${index} is for, in a sentence of the usual length or so.` };
  return { uri, frontmatter, resources: [{ uri, digest: `sha256:${"0".repeat(64)}`, size: 1 }] };
}

function read(uri) {
  const file = files.get(uri);
  return file && `${JSON.stringify(FRESH).slice(0, -1)},"contents":[{"uri":${JSON.stringify(uri)},${file.item}]}`;
}

/** A thousand notifications, of the size that was asked for. */
const flood = floodOf(process.argv[2]?.split(":"));

function floodOf([kind, size] = []) {
  const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } });
  return kind === "flood" && `data: ${note.slice(0, -2)},"message":"${"x".repeat(Math.max(0, Number(size) - note.length))}"}}\n\n`.repeat(1_000);
}

const made = process.argv.slice(2).flatMap(skillsOf);
let skills = made.map((make) => make());

const declared = { capabilities: { resources: {}, extensions: { [EXTENSION]: {} } }, supportedVersions: ["2026-07-28"] };

const results = {
  "server/discover": () => JSON.stringify({ ...FRESH, ...declared }),
  initialize: () => JSON.stringify({ ...declared, protocolVersion: "2025-11-25", serverInfo: { name: "bench", version: "1" } }),
  "skills/list": ({ cursor = 0 }) => {
    const [start, end] = [Number(cursor), Number(cursor) + PAGE];
    return JSON.stringify({ ...FRESH, skills: skills.slice(start, end), nextCursor: end < skills.length ? String(end) : undefined });
  },
  "skills/get": ({ uri }) => {
    const at = skills.findIndex((skill) => skill.uri === uri);
    if (uri === "skill://big-turns/SKILL.md") {
      turn += 1;
      skills = skills.with(at, made[at]());
    }
    return at < 0 ? undefined : JSON.stringify({ ...FRESH, skill: skills[at] });
  },
  "resources/read": ({ uri }) => read(uri),
};

const server = createServer(async (request, response) => {
  Object.entries(CORS).forEach(([name, value]) => response.setHeader(name, value));
  const pieces = await request.toArray();
  const { id, method, params } = request.method === "POST" ? JSON.parse(Buffer.concat(pieces)) : {};
  if (id === undefined) {
    response.writeHead({ POST: 202, OPTIONS: 204 }[request.method] ?? 405).end();
    return;
  }
  const result = results[method]?.(params);
  const outcome = result ? `"result":${result}` : '"error":{"code":-32602,"message":"there is no such thing"}';
  const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${outcome}}`;
  if (flood && method === "resources/read") {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (let part = 0; part < 100; part++) response.write(flood);
    response.end(`data: ${answer}\n\n`);
    return;
  }
  response.writeHead(200, { "Content-Type": "application/json" }).end(answer);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
process.stdin.on("end", () => process.exit()).resume();
