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

const NOT_A_MAP = { "entry-frontmatter-identical": "what is no map has no fields to compare" };

const unreadable = Object.entries(UNREADABLE).flatMap(([name, [says, write]]) => {
  const skills = name === "missing" ? SKILLS : { first: SKILLS.first };
  return Object.entries(skills).map(([which, key]) => ({
    id: `frontmatter-${name}-${which}`,
    title: `The ${which} skill's SKILL.md ${says}`,
    breaks: ["skillmd-frontmatter"],
    follows: UNCOMPARED,
    lenient: name === "list" ? NOT_A_MAP : {},
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
