// Reads frontmatter with npm's `yaml`, YAML 1.2 core schema: paths on standard input, a line of
// JSON for each on standard output. Integers keep all their digits.

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseDocument } from "yaml";

const fences = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|(?<=\n))---[ \t]*(?:\r?\n|$)/;

function read(bytes) {
  const file = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const match = fences.exec(file);
  if (!match) throw new Error("no frontmatter");
  const document = parseDocument(match[1], { intAsBigInt: true, logLevel: "error" });
  if (document.errors.length > 0) throw document.errors[0];
  return document.toJS();
}

/** JSON with big integers as digits and keys as they are, `__proto__` included. */
function json(value) {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Map) value = Object.fromEntries(value);
  if (Array.isArray(value)) return `[${value.map(json).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${json(member)}`);
    return `{${members.join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

const paths = (await text(process.stdin)).split("\n").filter(Boolean);
for (const path of paths) {
  let line;
  try {
    line = `{"value":${json(read(await readFile(path)))}}`;
  } catch (error) {
    line = JSON.stringify({ error: String(error.message ?? error).split("\n")[0] });
  }
  process.stdout.write(`${line}\n`);
}
