// The types are true of real answers, and a strict compiler accepts every use that the documentation shows.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { answers } from "./answers.mjs";
import { project, tool } from "./tarball.mjs";

const installed = project();
const { root, write } = installed;
const skillglass = await installed.load();
const declarations = readFileSync(join(root, "node_modules/skillglass/index.d.ts"), "utf8");

const compile = (lib, ...files) =>
  tool(root, "tsc", ...files, ...["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"],
    ...["--target", "es2022", "--module", "nodenext", "--lib", lib, "--types", ""]);

/** A value as TypeScript source. */
function source(value) {
  if (value instanceof Uint8Array) return `new Uint8Array([${value}])`;
  if (Array.isArray(value)) return `[${value.map(source).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${source(member)}`).join(", ")} }`;
}

test("every answer to a shared vector has the type that is declared", () => {
  const names = [...declarations.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  const samples = [...answers(skillglass)].map(
    ({ kind, name, type, answer }) => `// ${kind}: ${name}\n(${source(answer)}) satisfies ${type};`,
  );
  const file = write("samples.ts", `import type { ${names.join(", ")} } from "skillglass";\n${samples.join("\n")}\n`);
  compile("es2022", file);
});

test("a wrong answer does not have the type", () => {
  const wrong = '({ kind: "invalid", reason: "no-such-reason", message: "" }) satisfies InvalidUri;';
  const file = write("wrong.ts", `import type { InvalidUri } from "skillglass";\n${wrong}\n`);
  assert.throws(() => compile("es2022", file), /no-such-reason/);
});

/** The enums of the core whose variants reach JavaScript as codes. */
const CODES = {
  "contents.rs": ["ContentMember", "ContentNote", "ContentError"],
  "digest.rs": ["DigestError"],
  "finding.rs": ["Level"],
  "frontmatter/compare.rs": ["FieldOutcome"],
  "frontmatter/explain.rs": ["Explanation"],
  "frontmatter/fence.rs": ["UnclosedHint"],
  "frontmatter/mod.rs": ["NoteKind", "FrontmatterErrorKind"],
  "name.rs": ["NameError"],
  "uri.rs": ["UriError", "UriNote", "Reference"],
  "verify.rs": ["Verdict", "Reason", "Cause"],
  "verify/skill.rs": ["Summary"],
  "yaml/mod.rs": ["NoteKind", "YamlErrorKind", "Limit"],
};

/** The names of an enum's variants as they are serialized. */
function variants(file, name) {
  const rust = readFileSync(join(import.meta.dirname, "../../core/src", file), "utf8");
  const [, body] = new RegExp(`pub enum ${name} \\{\n(.*?)\n\\}`, "s").exec(rust);
  return [...body.matchAll(/^    ([A-Z]\w*)/gm)].map(([, variant]) =>
    variant.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase(),
  );
}

test("the types name every code that the core has, and no other", () => {
  const code = declarations.replace(/\/\*\*.*?\*\//gs, "");
  const declared = new Set([...code.matchAll(/"([a-z0-9-]+)"/g)].map(([, literal]) => literal));
  const known = Object.entries(CODES).flatMap(([file, names]) => names.flatMap((name) => variants(file, name)));
  assert.ok(known.length > 100);
  assert.deepEqual(known.filter((variant) => !declared.has(variant)), []);
  // Not in an enum of the core: tags of shapes, the word of the extension, what is thrown, and the library of the types.
  const others = [
    ...["ok", "invalid", "match", "mismatch", "not-json", "dynamic"],
    ...["invalid-argument", "invalid-digest", "invalid-skill-uri", "entry-not-loadable", "finished"],
  ];
  assert.deepEqual([...declared].filter((literal) => ![...known, ...others].includes(literal)), []);
});

/** Calls everything, the way a host does, and narrows every union. */
const HOST = `
import init, {
  checkDigest, checkName, compareFrontmatter, Entry, FileVerifier, initSync, parseFrontmatter, parseSkillUri, readContents,
  readEntry, resolveReference, sha256, verifyFile, verifySkill,
} from "skillglass";
import type { SkillglassErrorCode, Verdict } from "skillglass";
import * as inline from "skillglass/inline";

export async function host(entryJson: string, resultJson: string, uri: string, bytes: Uint8Array): Promise<string> {
  await init();
  await init("core.wasm");
  initSync(bytes);

  const parsed = parseSkillUri(uri);
  const name: string = parsed.kind === "ok" ? parsed.name : parsed.reason;
  const checked = checkName(name);
  if (checked.kind === "invalid") { const character: string | null = checked.character; void character; }
  const digest = checkDigest(sha256(bytes));
  if (digest.kind === "ok") { const text: string = digest.digest; void text; }

  const reference = resolveReference(uri, "a.md", "references/b.md");
  switch (reference.kind) {
    case "here": case "file": { const fragment: string | null = reference.fragment; void fragment; break; }
    case "outside": case "external": { const target: string | null = reference.uri; void target; break; }
    case "malformed": { const text: string = reference.reference; void text; break; }
    default: reference satisfies never;
  }

  const reading = readEntry(entryJson);
  const lines = reading.resources === "dynamic" ? [] : reading.resources ?? [];
  const total: number = lines.reduce((sum, line) => sum + (line.size ?? 0), 0);

  const frontmatter = parseFrontmatter(bytes);
  if (frontmatter.kind === "invalid" && frontmatter.reason.kind === "yaml" && frontmatter.reason.detail.kind === "duplicate-key") {
    const first: number = frontmatter.reason.detail.detail.first.start; void first;
  }
  const comparison = compareFrontmatter("---\\n---\\n", entryJson);
  if (comparison.kind === "ok" && !comparison.equal) {
    const why: (string | null)[] = comparison.fields.flatMap((field) => field.differences.map((difference) => difference.message));
    void why;
  }

  const contents = readContents(resultJson, uri);
  const file = contents.kind === "ok" ? contents.bytes : new Uint8Array();
  const verdict: Verdict = verifyFile(entryJson, uri, file, sha256(file));
  switch (verdict.verdict) {
    case "verified": case "unpinned": { const size: number = verdict.size; void size; break; }
    case "refused": {
      if (verdict.reason.kind === "frontmatter-differs") void verdict.reason.detail.fields.length;
      if (verdict.cause?.kind === "other-file") { const other: string = verdict.cause.uri; void other; }
      break;
    }
    case "untested": { const message: string = verdict.problem.message; void message; break; }
    default: verdict satisfies never;
  }
  const { summary, files } = verifySkill(entryJson, { [uri]: file });
  const missing = files.filter((row) => row.verdict === null);

  using entry = new Entry(entryJson);
  entry.verifyFile(uri, file, new Uint8Array(32));
  entry.verifySkill({});
  entry.compareFrontmatter(file);
  const verifier = new FileVerifier(5, sha256(file));
  const more: boolean = verifier.update(file);
  const end = verifier.finish();
  if (end.kind === "mismatch") { const reason: "size" | "digest" = end.reason.kind; void reason; }
  verifier.free();

  // @ts-expect-error: bytes are not text
  sha256("text");
  // @ts-expect-error: an entry is its text
  readEntry({});
  // @ts-expect-error: answers are read-only
  reading.loadable = true;

  const code: SkillglassErrorCode = "finished";
  return [summary, missing.length, total, more, code, inline.sha256(file), entry.findings.length].join();
}
`;

for (const lib of ["es2022", "es2022,dom", "esnext,webworker"]) {
  test(`a host compiles with the library ${lib}`, () => {
    compile(lib, write("host.ts", HOST));
  });
}
