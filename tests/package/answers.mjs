// The shared vectors, asked through the npm package.

import { readFileSync } from "node:fs";

const VECTORS = new URL("../vectors/", import.meta.url);
const SKILL_URI = "skill://a/SKILL.md";

const text = (value) =>
  typeof value === "string"
    ? value
    : value.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join("");

const bytes = ({ base64, text: value }) =>
  base64 === undefined ? new TextEncoder().encode(text(value)) : Uint8Array.from(Buffer.from(base64, "base64"));

const entryWith = (frontmatter) =>
  `{"uri":"${SKILL_URI}","frontmatter":${frontmatter},"resources":"dynamic"}`;

/**
 * For each kind of vector: its type in `index.d.ts`, how to ask, and, where the package answers in another shape than the
 * vectors, how to see the answer (and what of the expectation it can show).
 */
const KINDS = {
  uri: {
    type: "SkillUri | InvalidUri",
    ask: (skillglass, one) => skillglass.parseSkillUri(text(one.text)),
  },
  reference: {
    type: "Reference",
    ask: (skillglass, one) => skillglass.resolveReference(one.skillUri, one.reference, one.fromPath),
  },
  name: {
    type: '{ readonly kind: "ok" } | InvalidName',
    ask: (skillglass, one) => skillglass.checkName(text(one.text)),
  },
  digest: {
    type: '{ readonly kind: "ok"; readonly digest: string } | InvalidDigest',
    ask: (skillglass, one) =>
      one.base64 === undefined
        ? skillglass.checkDigest(text(one.text))
        : { kind: "ok", digest: skillglass.sha256(bytes(one)) },
  },
  // The package has no JSON reader of its own to offer, so a text is read as the field of an entry.
  json: {
    type: "EntryReading",
    ask: (skillglass, one) => skillglass.readEntry(entryWith(`{"field":${text(one.text)}}`)),
    see(skillglass, one, reading) {
      const words = { "entry-duplicate-member": "duplicate-member", "entry-not-unicode": "lone-surrogate" };
      const oddities = reading.findings.map(({ id }) => words[id]).filter(Boolean);
      // An entry with an oddity is read, but not held, and so not compared.
      if (oddities.length > 0) return { kind: "ok", oddities };
      if (!reading.loadable) return { kind: "invalid" };
      const entryJson = entryWith(`{"field":${text(one.text)}}`);
      const { fields } = skillglass.compareFrontmatter("---\nother: 1\n---\n", entryJson);
      return {
        kind: "ok",
        json: fields.find(({ name }) => name === "field").entry.json,
        oddities,
      };
    },
    shown: ({ reason, json, ...expected }) => (expected.oddities?.length > 0 || json === undefined ? expected : { ...expected, json }),
  },
  yaml: {
    type: "Frontmatter | InvalidFrontmatter",
    ask: (skillglass, one) => skillglass.parseFrontmatter(`---\n${text(one.text).replace(/\n?$/, "\n")}---\n`),
    see: (skillglass, one, answer) =>
      answer.kind === "ok"
        ? { ...answer, json: `{${answer.fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`)}}` }
        : { ...answer, reason: answer.reason.detail },
  },
  frontmatter: {
    type: "Frontmatter | InvalidFrontmatter",
    ask: (skillglass, one) => skillglass.parseFrontmatter(bytes(one)),
  },
  compare: {
    type: "FrontmatterComparison | InvalidFrontmatter",
    ask: (skillglass, one) => skillglass.compareFrontmatter(text(one.skillMd), entryWith(one.frontmatter)),
  },
  entry: {
    type: "EntryReading",
    ask: (skillglass, one) => skillglass.readEntry(text(one.text)),
  },
  contents: {
    type: "FileContents | InvalidContents",
    ask: (skillglass, one) => skillglass.readContents(one.result, one.uri),
    see: (skillglass, one, answer) =>
      answer.kind === "ok" ? { ...answer, base64: Buffer.from(answer.bytes).toString("base64") } : answer,
  },
  verify: {
    type: "Verdict",
    ask: (skillglass, one) => skillglass.verifyFile(text(one.entry), one.uri, bytes(one)),
  },
  skill: {
    type: "SkillVerdict",
    ask: (skillglass, one) =>
      skillglass.verifySkill(
        text(one.entry),
        Object.fromEntries(one.files.map((file) => [file.uri, bytes(file)])),
      ),
  },
};

/** Every case of every kind: what was asked, the package's own answer, and that answer as the vectors put it. */
export function* answers(skillglass) {
  for (const [kind, { type, ask, see, shown = (expected) => expected }] of Object.entries(KINDS)) {
    const { cases } = JSON.parse(readFileSync(new URL(`${kind}.json`, VECTORS), "utf8"));
    for (const one of cases) {
      const answer = ask(skillglass, one);
      const seen = see ? see(skillglass, one, answer) : answer;
      yield { kind, type, name: one.name, one, answer, seen, expected: shown(one.expect) };
    }
  }
}

/** The kinds of vectors there are, by their files. */
export const kinds = Object.keys(KINDS);

export { bytes, text };

/** What `answered` holds of what `expected` names, in the form of `expected`. */
export function named(expected, answered) {
  if (Array.isArray(expected) && Array.isArray(answered)) {
    return answered.map((value, index) => (index < expected.length ? named(expected[index], value) : value));
  }
  if (expected !== null && typeof expected === "object" && answered !== null && typeof answered === "object") {
    return Object.fromEntries(Object.keys(expected).map((name) => [name, named(expected[name], answered[name])]));
  }
  return answered;
}
