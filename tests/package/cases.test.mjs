// The packed package judges the cases of tests/cases as `cargo xtask cases` does, for every kind that its functions
// cover. Conversations (`exchange`, `directory`) need the protocol, which the package does not carry.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import { project } from "./tarball.mjs";

const skillglass = await project().load();
const folder = join(import.meta.dirname, "../cases");
const cases = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));

const bytesOf = (file) => new Uint8Array(readFileSync(join(folder, file)));

/** The exact text of a member of a case file: a parsed value would have lost digits. */
function source(text, member) {
  const start = text.indexOf(`"${member}"`);
  const from = text.indexOf("{", start);
  let depth = 0;
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return text.slice(from, at + 1);
  }
  throw new Error(`no ${member}`);
}

/** The verdict that findings amount to: the strongest level decides. */
function byLevel(findings, { note = "warn" } = {}) {
  const levels = new Set(findings.map((finding) => finding.level));
  if (levels.has("must")) return "invalid";
  if (levels.has("should")) return "warn";
  return levels.has("note") ? note : "valid";
}

const judges = {
  frontmatter({ bytes }) {
    const read = skillglass.parseFrontmatter(bytes);
    if (read.kind === "invalid") return read.readerLimit ? "limit" : "invalid";
    if (byLevel(read.findings) === "invalid") return "invalid";
    if (read.notes.some((note) => note.kind === "non-finite")) return "unverifiable";
    return read.notes.length > 0 || read.findings.length > 0 ? "warn" : "valid";
  },
  compare({ text, body }) {
    const entry = `{"uri":${JSON.stringify(body.uri)},"frontmatter":${source(text, "entry_frontmatter")},"resources":"dynamic"}`;
    const compared = skillglass.compareFrontmatter(body.skill_md, entry);
    return compared.kind === "ok" && compared.equal ? "match" : "mismatch";
  },
  name({ text, body }) {
    const entry = `{"uri":${JSON.stringify(body.uri)},"frontmatter":${source(text, "frontmatter")},"resources":"dynamic"}`;
    return byLevel(skillglass.readEntry(entry).findings);
  },
  uri({ body }) {
    if (body.uri === undefined || body.skill !== undefined) return undefined;
    const parsed = skillglass.parseSkillUri(body.uri);
    if (parsed.kind === "invalid") return "invalid";
    return parsed.notes.some((note) => note.kind !== "other-scheme") ? "warn" : "valid";
  },
  relative({ body }) {
    const { kind } = skillglass.resolveReference(body.skill, body.reference);
    return { file: "valid", here: "valid", malformed: "invalid" }[kind] ?? kind;
  },
  manifest({ text, body }) {
    if (Array.isArray(body)) return undefined;
    return byLevel(skillglass.readEntry(text).findings, { note: "valid" });
  },
  read({ text, body }) {
    const { resource, response } = body;
    if (!response.result || !resource.digest) return undefined;
    const root = resource.uri.endsWith("/SKILL.md")
      ? resource.uri.slice(0, -"/SKILL.md".length)
      : `skill://${resource.uri.slice("skill://".length).split("/").slice(0, 2).join("/")}`;
    const contents = skillglass.readContents(source(text, "result"), resource.uri);
    if (contents.kind !== "ok") return "failed";
    const frontmatter = { name: root.split("/").at(-1), description: "A skill." };
    if (resource.uri === `${root}/SKILL.md`) {
      const read = skillglass.parseFrontmatter(contents.bytes);
      for (const field of read.fields ?? []) frontmatter[field.name] = JSON.parse(field.json);
    }
    const entry = JSON.stringify({ uri: `${root}/SKILL.md`, frontmatter, resources: [resource] });
    const { verdict } = skillglass.verifyFile(entry, resource.uri, contents.bytes);
    if (verdict !== "verified") return "failed";
    return contents.notes.length > 0 ? "warn" : "verified";
  },
};

/** As in tests/judge: a sound file may be worth a note, and where readers may differ both answers are right. */
function satisfies(kind, expected, got) {
  switch (expected) {
    case "valid": return got === "valid" || (kind === "frontmatter" && got === "warn");
    case "valid-warn": return got === "warn";
    case "ambiguous": return got === "warn" || got === "invalid";
    default: return expected === got;
  }
}

for (const [kind, judge] of Object.entries(judges)) {
  describe(kind, () => {
    for (const { id, file, verdict } of cases.filter((one) => one.kind === kind)) {
      const bytes = bytesOf(file);
      const text = kind === "frontmatter" ? "" : new TextDecoder().decode(bytes);
      const body = kind === "frontmatter" ? null : JSON.parse(text);
      const got = judge({ bytes, text, body });
      // A file's URI alone, two entries, an error or an unlisted file are judged by what the package does not carry.
      if (got === undefined) continue;
      test(id, () => assert.ok(satisfies(kind, verdict, got), `expected ${verdict}, got ${got}`));
    }
  });
}
