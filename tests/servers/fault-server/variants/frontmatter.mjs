// The frontmatter of the file: whether it can be read, and whether the entry says the same.

import { entryOf, omit } from "./tools.mjs";

/** Writes the SKILL.md of a skill anew; digest and size follow, the entry's frontmatter does not. */
function written(key, write) {
  return {
    skills: (skills) => {
      const skill = skills[key];
      skill.text = write(lines(skill.frontmatter), skill.body);
    },
  };
}

const lines = (frontmatter) =>
  Object.entries(frontmatter).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
const fenced = (yaml, body) => `---\n${yaml.join("")}---\n\n${body}`;

/** Each way to have no frontmatter that can be read, for the first skill and for others that the suite does not read. */
const UNREADABLE = {
  missing: ["has no frontmatter", (_yaml, body) => body],
  unclosed: ["does not close its frontmatter", (yaml, body) => `---\n${yaml.join("")}\n${body}`],
  "after-text": ["begins with a line of text", (yaml, body) => `# Title\n\n${fenced(yaml, body)}`],
  "not-yaml": [
    "has frontmatter that is no YAML",
    (yaml, body) => fenced([...yaml, "note: a: b: c\n", "\t- x\n"], body),
  ],
  list: ["has a list as frontmatter", (_yaml, body) => fenced(["- name\n", "- description\n"], body)],
  "without-description": ["has no description", (yaml, body) => fenced([yaml[0], ...yaml.slice(2)], body)],
  "four-dashes": ["has fences of four dashes", (yaml, body) => `----\n${yaml.join("")}----\n\n${body}`],
  toml: ["has frontmatter in TOML", (yaml, body) => `+++\n${yaml.join("").replaceAll(": ", " = ")}+++\n\n${body}`],
  empty: ["has empty frontmatter", (_yaml, body) => fenced([], body)],
  "utf-16": ["is in UTF-16", (yaml, body) => Buffer.from(`\ufeff${fenced(yaml, body)}`, "utf16le")],
  "not-utf-8": ["is no UTF-8", (yaml, body) => Buffer.concat([Buffer.from(fenced(yaml, body)), Buffer.from([255])])],
  "without-name": ["has no name", (yaml, body) => fenced(yaml.slice(1), body)],
  "blank-name": ["has an empty name", (yaml, body) => fenced(['name: ""\n', ...yaml.slice(1)], body)],
  "unquoted-colon": ["has a colon in a plain value", (yaml, body) => fenced([yaml[0], "description: Use: it\n"], body)],
  "tab-indented": ["indents with a tab", (yaml, body) => fenced([...yaml, "x-more:\n\ty: 1\n"], body)],
  "name-twice": ["has the name twice", (yaml, body) => fenced([yaml[0], ...yaml], body)],
};

const SKILLS = { first: "refunds", later: "release", unlisted: "onboarding", dynamic: "briefing" };

/** What follows in a skill whose frontmatter cannot be read. */
const UNCOMPARED = [
  "skillmd-frontmatter",
  "entry-frontmatter-identical",
  "final-segment-equals-name",
  "skillmd-metadata-name",
  "skillmd-metadata-description",
  "manifest-nested-complete",
];

const AS_BLOB = { "skillmd-required": "the base protocol lets a server send any file as a blob" };

const LENIENT = {
  list: { "entry-frontmatter-identical": "what is no map has no fields to compare" },
  "utf-16": AS_BLOB,
  "not-utf-8": AS_BLOB,
};

const unreadable = Object.entries(UNREADABLE).flatMap(([name, [says, write]]) => {
  const skills = name === "missing" ? SKILLS : { first: SKILLS.first };
  return Object.entries(skills).map(([which, key]) => ({
    id: `frontmatter-${name}-${which}`,
    title: `The ${which} skill's SKILL.md ${says}`,
    breaks: ["skillmd-frontmatter"],
    follows: UNCOMPARED,
    lenient: LENIENT[name] ?? {},
    ...written(key, write),
  }));
});

/** Each way to send an entry that differs from the file. */
const DRIFT = {
  description: ["another description", (honest) => ({ ...honest, description: "Something else." })],
  "field-missing": ["one field fewer", (honest) => omit(honest, "license", "x-team")],
  "field-added": ["one field more", (honest) => ({ ...honest, homepage: "https://example.com" })],
  "name-and-description-only": ["name and description only", ({ name, description }) => ({ name, description })],
};

const drift = Object.entries(DRIFT).map(([name, [says, edit]]) => ({
  id: `entry-drift-${name}`,
  title: `Sends an entry with ${says} than the file's`.replace("only than", "of more that stand in"),
  breaks: ["entry-frontmatter-identical"],
  follows: ["skillmd-metadata-description"],
  ...entryOf("refunds", (entry) => ({ ...entry, frontmatter: edit(entry.frontmatter) })),
}));

const driftElsewhere = Object.entries({
  later: "release",
  unlisted: "onboarding",
  dynamic: "briefing",
  nested: "changelog",
}).map(([which, key]) => ({
  id: `entry-drift-${which}`,
  title: `Sends another description than the file's for the ${which} skill`,
  breaks: ["entry-frontmatter-identical"],
  follows: ["skillmd-metadata-description"],
  ...entryOf(key, (entry) => ({ ...entry, frontmatter: { ...entry.frontmatter, description: "Something else." } })),
}));

/** What servers make of keys and values that readers of YAML 1.1 understand otherwise. */
const OLDER = {
  yes: ["yes as true", "x-on: yes", { "x-on": true }],
  octal: ["a number that begins with 0 as an octal one", "x-mode: 0755", { "x-mode": 493 }],
  sexagesimal: ["a time as a number", "x-at: 12:30:45", { "x-at": 45045 }],
  digits: ["a long number as a double", "x-id: 9007199254740993", { "x-id": 9007199254740992 }],
  merge: [
    "a merge key merged",
    "x-base: &base {team: accounts}\nx-own: {<<: *base, lead: ada}",
    { "x-base": { team: "accounts" }, "x-own": { team: "accounts", lead: "ada" } },
  ],
  "null-key": ["a key of null as text", "~: nobody", { null: "nobody" }],
};

const older = Object.entries(OLDER).map(([name, [says, yaml, sent]]) => ({
  id: `entry-older-${name}`,
  title: `Sends ${says} in an entry`,
  breaks: ["entry-frontmatter-identical"],
  follows: ["get-entry-full-rules"],
  skills: ({ release }) => {
    release.text = fenced([lines(release.frontmatter).join(""), `${yaml}\n`], release.body);
    release.declared = { ...release.frontmatter, ...sent };
  },
}));

/** What servers make of values on the way from YAML to JSON, all in `x-team` of `code-review`. */
const RENDERINGS = {
  "date-as-time": ["a date as a point in time", (team) => ({ ...team, since: "2026-01-15T00:00:00.000Z" })],
  "number-as-text": ["a number as text", (team) => ({ ...team, reviewers: "2" })],
  "boolean-as-text": ["a boolean as text", (team) => ({ ...team, strict: "true" })],
  "list-as-text": ["a list as text", (team) => ({ ...team, areas: "core, web" })],
  "list-in-another-order": ["a list in another order", (team) => ({ ...team, areas: ["web", "core"] })],
  "null-as-text": ["null as an empty string", (team) => ({ ...team, lead: "" })],
  "nested-null-left-out": ["a map without its null", (team) => omit(team, "lead")],
  "map-as-text": ["a map as JSON text", (team) => JSON.stringify(team)],
};

const renderings = Object.entries(RENDERINGS).map(([name, [says, edit]]) => ({
  id: `entry-renders-${name}`,
  title: `Sends ${says} in an entry`,
  breaks: [name === "nested-null-left-out" ? "frontmatter-null-vs-absent" : "entry-frontmatter-identical"],
  ...entryOf("code-review", ({ frontmatter, ...entry }) => ({
    ...entry,
    frontmatter: { ...frontmatter, "x-team": edit(frontmatter["x-team"]) },
  })),
}));

export default [
  ...unreadable,
  ...drift,
  ...driftElsewhere,
  ...renderings,
  ...older,
  {
    id: "entry-null-left-out",
    title: "Leaves a field out of the entry that is null in the file",
    breaks: ["frontmatter-null-vs-absent"],
    follows: ["entry-frontmatter-identical"],
    skills: ({ refunds }) => {
      refunds.declared = { ...refunds.frontmatter };
      refunds.frontmatter["x-owner"] = null;
    },
  },
  {
    id: "entry-description-trimmed",
    title: "Sends a description without the line end that it has in the file",
    breaks: ["entry-frontmatter-identical"],
    ...entryOf("code-review", ({ frontmatter, ...entry }) => ({
      ...entry,
      frontmatter: { ...frontmatter, description: frontmatter.description.trim() },
    })),
  },
];
