// The packed package judges every case of tests/cases as `cargo xtask cases` does (tests/judge), by its public functions.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { project } from "./tarball.mjs";

const skillglass = await project().load("skillglass/protocol");
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
function byLevel(findings, { must = "invalid", note = "valid", none = "valid" } = {}) {
  const levels = new Set(findings.map((finding) => finding.level));
  if (levels.has("must")) return must;
  if (levels.has("should")) return "warn";
  return levels.has("note") ? note : none;
}

const wellFormed = (parsed) => {
  if (parsed.kind === "invalid") return "invalid";
  return parsed.notes.some((note) => note.kind !== "other-scheme") ? "warn" : "valid";
};

const judges = {
  frontmatter({ bytes, one }) {
    const read = skillglass.parseFrontmatter(bytes);
    if (read.kind === "invalid") return read.readerLimit ? "limit" : "invalid";
    const fields = Object.fromEntries(read.fields.map(({ name, json }) => [name, JSON.parse(json)]));
    if (one.expect_frontmatter && !isDeepStrictEqual(fields, one.expect_frontmatter)) return "other content";
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
    return byLevel(skillglass.readEntry(entry).findings, { note: "warn" });
  },
  uri({ body }) {
    if (body.directory !== undefined) return wellFormed(skillglass.parseUri(body.directory));
    if (body.skill === undefined) return wellFormed(skillglass.parseSkillUri(body.uri));
    const { kind } = skillglass.resolveReference(body.skill, body.uri);
    return kind === "file" ? wellFormed(skillglass.parseUri(body.uri)) : kind;
  },
  relative({ body, one }) {
    const { kind, uri } = skillglass.resolveReference(body.skill, body.reference);
    // The prose of these cases begins with the URI where there is one.
    const [expected] = one.expected.split(/\s/);
    if (kind === "file" && expected.includes("://") && expected !== uri) return "another file";
    return { file: "valid", here: "valid", malformed: "invalid" }[kind] ?? kind;
  },
  manifest({ text, body }) {
    if (!Array.isArray(body)) return byLevel(skillglass.readEntry(text).findings);
    const entries = body.map((entry) => JSON.stringify(entry));
    if (body[0].uri === body[1].uri) {
      const { state } = skillglass.checkApproval(skillglass.approve("server", entries[0]), "server", entries[1]);
      return state === "covers" ? "same-approval" : "approval-revoked";
    }
    const readings = entries.map((entry) => skillglass.readEntry(entry));
    return byLevel([...readings.flatMap(({ findings }) => findings), ...skillglass.checkNested(entries)]);
  },
  read({ text, body }) {
    const { resource } = body;
    const request = { method: "resources/read", params: { uri: resource.uri } };
    const answer = skillglass.readReply(message(source(text, "response")), request);
    if (answer.kind === "error") return byLevel(answer.findings, { must: "failed", none: "failed" });
    const contents = skillglass.readContents(answer.resultJson, resource.uri);
    if (contents.kind !== "ok") return "failed";
    const root = resource.uri.endsWith("/SKILL.md")
      ? resource.uri.slice(0, -"/SKILL.md".length)
      : `skill://${resource.uri.slice("skill://".length).split("/").slice(0, 2).join("/")}`;
    const frontmatter = { name: root.split("/").at(-1), description: "A skill." };
    if (resource.uri === `${root}/SKILL.md`) {
      const read = skillglass.parseFrontmatter(contents.bytes);
      for (const field of read.fields ?? []) frontmatter[field.name] = JSON.parse(field.json);
    }
    const resources = resource.digest ? [resource] : [];
    const entry = JSON.stringify({ uri: `${root}/SKILL.md`, frontmatter, resources });
    const { verdict } = skillglass.verifyFile(entry, resource.uri, contents.bytes);
    if (verdict !== "verified") return "failed";
    return contents.notes.length > 0 ? "warn" : "verified";
  },
  exchange: conversation,
  directory: conversation,
};

/** The answer that a message is when it comes as JSON. */
const message = (body) => ({ status: 200, contentType: "application/json", body });

/** A recorded conversation: what the server declares, then questions and answers. */
function conversation({ text, body }) {
  const discovery = skillglass.readDiscovery(text);
  const listing = new skillglass.SkillListing();
  const findings = [...discovery.findings];
  const children = [];
  let directory;
  for (const [index, { request, http }] of body.exchanges.entries()) {
    const { method, params } = request;
    if (!(method === "resources/directory/read" ? discovery.directoryRead : discovery.skills)) return "error";
    if (http?.error) return "error";
    // What came over HTTP was recorded with this id; messages alone have ids of their own.
    const answer = http
      ? skillglass.readReply(recorded(http), { id: 1, method, params })
      : skillglass.readReply(message(responses(text)[index]), { method, params });
    if (answer.kind === "invalid") return "error";
    findings.push(...answer.findings);
    if (answer.kind === "error") {
      if (method === "skills/list") return "error";
    } else if (method === "skills/list") {
      listing.receive(answer.resultJson);
    } else if (method === "skills/get") {
      const got = skillglass.readGotSkill(answer.resultJson, params.uri);
      findings.push(...got.findings, ...(got.skill?.reading.findings ?? []));
    } else {
      const page = skillglass.readDirectoryPage(answer.resultJson, params.uri);
      findings.push(...page.findings);
      children.push(...page.children);
      directory = params.uri;
    }
  }
  if (directory !== undefined && !directory.endsWith("/")) {
    findings.push(...skillglass.checkDirectory(source(text, "entry"), directory, children));
  }
  findings.push(...listing.findings, ...listing.skills.flatMap(({ reading }) => reading.findings));
  return byLevel(findings, { must: "error", note: "ok", none: "ok" });
}

function recorded({ status, headers, body }) {
  const [, contentType = null] = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type") ?? [];
  return { status, contentType, body };
}

/** The exact texts of the responses of a conversation, in order. */
function responses(text) {
  const found = [];
  for (let at = text.indexOf('"response"'); at >= 0; at = text.indexOf('"response"', at + 1)) {
    found.push(source(text.slice(at), "response"));
  }
  return found;
}

/** As in tests/judge: a sound file may be worth a note, and where readers may differ both answers are right. */
function satisfies(kind, expected, got) {
  switch (expected) {
    case "valid": return got === "valid" || (kind === "frontmatter" && got === "warn");
    case "valid-warn": return got === "warn";
    case "ambiguous": return got === "warn" || got === "invalid";
    default: return expected === got;
  }
}

test("every case is judged", () => {
  assert.equal(cases.length, 170);
  assert.deepEqual(cases.filter(({ kind }) => !judges[kind]), []);
});

for (const [kind, judge] of Object.entries(judges)) {
  describe(kind, () => {
    for (const one of cases.filter((one) => one.kind === kind)) {
      test(one.id, () => {
        const bytes = bytesOf(one.file);
        const text = kind === "frontmatter" ? "" : new TextDecoder().decode(bytes);
        const body = kind === "frontmatter" ? null : JSON.parse(text);
        const got = judge({ bytes, text, body, one });
        assert.ok(satisfies(kind, one.verdict, got), `expected ${one.verdict}, got ${got}`);
      });
    }
  });
}
