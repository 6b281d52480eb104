// The members of an entry besides its manifest, and the URIs and names of skills.

import { entryOf, moved, omit } from "./tools.mjs";

/** Changes the first entry of the listing, wherever it is sent. */
const first = (edit) => entryOf("refunds", edit);

const COMPARED = ["entry-frontmatter-identical", "skills-get-entry-shape", "get-entry-full-rules"];

/** What the official suite asks for under a malformed URI, and what it finds there. */
const reading = (...checks) =>
  Object.fromEntries(checks.map((check) => [check, "where no URI is right, nothing is read or measured"]));

const DIRECTORIES = [
  "directory-read-method-registered",
  "directory-read-pagination",
  "directory-read-result-resources-shape",
];

const MALFORMED = {
  "without-scheme": reading("resources-uri-within-skill", "skill-uri-scheme", "skillmd-required"),
  "dot-segment": reading(...DIRECTORIES, "name-naming-rules", "resources-uri-within-skill", "skillmd-required"),
  "empty-segment": reading(...DIRECTORIES, "resources-uri-within-skill", "skillmd-required"),
  "slash-behind": reading(...DIRECTORIES),
  "blanks-around": reading("skill-uri-scheme"),
};

export default [
  {
    id: "entry-without-uri",
    title: "Sends an entry without uri",
    breaks: ["entry-uri-required"],
    follows: [
      "skills-get-entry-shape",
      "get-entry-full-rules",
      "resources-complete",
      "resources-uri-within-skill",
      "get-answers-unlisted",
    ],
    ...first((entry) => omit(entry, "uri")),
  },
  ...[
    ["number", 7],
    ["empty", ""],
    ["null", null],
  ].map(([name, uri]) => ({
    id: `entry-uri-${name}`,
    title: `Sends an entry whose uri is ${JSON.stringify(uri)}`,
    lenient: uri === "" ? { "skill-uri-scheme": "there is no scheme" } : {},
    breaks: ["entry-uri-required"],
    follows: [
      "capability-commits-to-methods",
      "skills-get-implemented",
      "entry-uri-form",
      "entry-uri-matches-frontmatter-name",
      "skill-uri-scheme",
      "skills-get-entry-shape",
      "get-entry-full-rules",
      "resources-complete",
      "resources-uri-within-skill",
      "get-answers-every-listed",
      "get-answers-unlisted",
    ],
    ...first((entry) => ({ ...entry, uri })),
  })),
  ...[
    ["root", (uri) => uri.replace("/SKILL.md", "")],
    ["lower-case", (uri) => uri.replace("SKILL.md", "skill.md")],
    ["without-scheme", (uri) => uri.replace("skill://", "")],
    ["query", (uri) => `${uri}?v=2`],
    ["fragment", (uri) => `${uri}#top`],
    ["dot-segment", (uri) => uri.replace("/SKILL.md", "/./SKILL.md")],
    ["empty-segment", (uri) => uri.replace("/SKILL.md", "//SKILL.md")],
    ["slash-behind", (uri) => `${uri}/`],
    ["encoded", (uri) => uri.replace("SKILL.md", "SKILL%2Emd")],
    ["blanks-around", (uri) => ` ${uri} `],
  ].map(([name, spell]) => ({
    id: `entry-uri-${name}`,
    title: `Names a skill ${spell("skill://a/SKILL.md")} instead of skill://a/SKILL.md`,
    lenient: MALFORMED[name] ?? {},
    breaks: ["entry-uri-form", "entry-uri-matches-frontmatter-name"],
    follows: [
      "skill-uri-scheme",
      "resources-complete",
      "resources-uri-within-skill",
      "skills-get-entry-shape",
      "get-answers-every-listed",
      "get-entry-full-rules",
      "capability-commits-to-methods",
      "skills-get-implemented",
      "get-answers-unlisted",
      "get-nonskill-uri-32602",
    ],
    ...first((entry) => ({ ...entry, uri: spell(entry.uri) })),
  })),
  {
    id: "entry-without-frontmatter",
    title: "Sends an entry without frontmatter",
    breaks: ["entry-frontmatter-required"],
    follows: COMPARED,
    ...first((entry) => omit(entry, "frontmatter")),
  },
  {
    id: "entry-of-the-draft",
    title: "Sends name and description in the entry instead of frontmatter, as in an early draft",
    breaks: ["entry-frontmatter-required"],
    follows: COMPARED,
    ...first(({ frontmatter, ...entry }) => ({
      ...entry,
      name: frontmatter.name,
      description: frontmatter.description,
    })),
  },
  {
    id: "entry-frontmatter-text",
    title: "Sends the frontmatter as YAML text",
    breaks: ["entry-frontmatter-required"],
    follows: COMPARED,
    ...first((entry) => ({ ...entry, frontmatter: `name: ${entry.frontmatter.name}\n` })),
  },
  ...[
    ["without-name", (frontmatter) => omit(frontmatter, "name")],
    ["without-description", (frontmatter) => omit(frontmatter, "description")],
    ["empty-description", (frontmatter) => ({ ...frontmatter, description: "" })],
    ["name-number", (frontmatter) => ({ ...frontmatter, name: 7 })],
  ].map(([name, edit]) => ({
    id: `entry-frontmatter-${name}`,
    title: `Sends an entry's frontmatter with a fault: ${name.replaceAll("-", " ")}`,
    breaks: ["entry-frontmatter-required", "entry-frontmatter-identical"],
    follows: ["entry-uri-matches-frontmatter-name", "skillformat-description-length", "get-entry-full-rules"],
    ...first((entry) => ({ ...entry, frontmatter: edit(entry.frontmatter) })),
  })),
  {
    id: "entry-without-resources",
    title: "Sends an entry without resources",
    breaks: ["entry-resources-required"],
    follows: ["skills-get-entry-shape", "get-entry-full-rules"],
    ...first((entry) => omit(entry, "resources")),
  },
  {
    id: "entry-frontmatter-list",
    title: "Sends the frontmatter as a list of pairs",
    breaks: ["entry-frontmatter-required"],
    follows: COMPARED,
    ...first((entry) => ({ ...entry, frontmatter: Object.entries(entry.frontmatter) })),
  },
  ...[
    ["null", () => null],
    ["static", () => "static"],
    ["map", (lines) => Object.fromEntries(lines.map(({ uri, ...line }) => [uri, line]))],
    ["upper-case-dynamic", () => "Dynamic"],
    ["true", () => true],
  ].map(([name, make]) => ({
    id: `entry-resources-${name}`,
    title: `Sends an entry whose resources are ${name === "map" ? "a map by URI" : JSON.stringify(make())}`,
    breaks: ["entry-resources-required"],
    follows: ["skills-get-entry-shape", "get-entry-full-rules"],
    ...first((entry) => ({ ...entry, resources: make(entry.resources) })),
  })),
  {
    id: "entry-second-without-resources",
    title: "Sends the second listed entry without resources",
    breaks: ["entry-resources-required"],
    follows: ["get-entry-full-rules", "skills-get-entry-shape", "manifest-nested-complete"],
    ...entryOf("release", (entry) => omit(entry, "resources")),
  },
  {
    id: "entry-name-differs",
    title: "Serves a skill at a path that does not end in its name",
    breaks: ["entry-uri-matches-frontmatter-name", "final-segment-equals-name"],
    follows: ["get-entry-full-rules", "skillformat-name-rules"],
    skills: ({ refunds }) => {
      refunds.root = "skill://acme/billing/refund";
    },
  },
  {
    id: "file-name-differs",
    title: "Serves a file whose frontmatter has another name than its path and its entry",
    breaks: ["final-segment-equals-name", "entry-frontmatter-identical"],
    follows: ["skillformat-name-rules", "skillmd-metadata-name"],
    skills: ({ refunds }) => {
      refunds.declared = { ...refunds.frontmatter };
      refunds.frontmatter.name = "refund";
    },
  },
  ...[
    ["upper-case", "Refunds"],
    ["underscore", "pay_back"],
    ["double-hyphen", "pay--back"],
    ["trailing-hyphen", "refunds-"],
    ["leading-hyphen", "-refunds"],
    ["dot", "refunds.v2"],
    ["blank", "pay%20back"],
    ["too-long", "r".repeat(65)],
    ["not-ascii", "r%C3%BCckzahlung"],
  ].map(([name, segment]) => ({
    id: `name-${name}`,
    title: `Names a skill ${segment.length > 40 ? "with 65 characters" : segment}`,
    breaks: ["name-naming-rules"],
    follows: ["get-entry-full-rules", "skillformat-name-rules"],
    ...moved("refunds", `skill://acme/billing/${segment}`),
  })),
  {
    id: "name-second-upper-case",
    title: "Names the last listed skill in upper case",
    breaks: ["name-naming-rules"],
    follows: ["get-entry-full-rules", "skillformat-name-rules"],
    ...moved("briefing", "skill://acme/today/Briefing"),
  },
  {
    id: "authority-not-a-reg-name",
    title: "Serves a skill below a first segment that is no host name",
    warns: ["authority-reg-name"],
    follows: ["uri-prefix-segments", "wire-schema-valid"],
    ...moved("refunds", "skill://acme^corp/billing/refunds"),
  },
  {
    id: "prefix-not-a-segment",
    title: "Serves a skill below a segment with a raw blank",
    warns: ["uri-prefix-segments"],
    follows: ["wire-schema-valid"],
    ...moved("refunds", "skill://acme/money back/refunds"),
  },
  {
    id: "scheme-in-upper-case",
    title: "Serves a skill under the scheme SKILL",
    lenient: { "skill-uri-scheme": "schemes are the same in upper and lower case" },
    warns: ["uri-scheme-case"],
    follows: ["skill-uri-scheme"],
    skills: ({ refunds }) => {
      refunds.root = "SKILL://acme/billing/refunds";
    },
  },
  {
    id: "entry-member-twice",
    title: "Sends an entry with two members of one name",
    breaks: ["entry-duplicate-member"],
    follows: ["get-entry-full-rules", "get-equals-list", "wire-schema-valid"],
    reply: (reply) => ({
      ...reply,
      body: reply.body.replace('"description":"Pay money back.', '"description":"Pay nothing back.",$&'),
    }),
  },
  ...[
    ["digest", /"digest":"sha256:/, `"digest":"sha256:${"0".repeat(64)}",$&`],
    ["frontmatter", /"frontmatter":/, '"frontmatter":{"name":"evil","description":"Evil."},$&'],
    ["uri", /"uri":"skill:\/\/acme\/billing\/refunds\/SKILL.md","front/, '"uri":"skill://evil/SKILL.md",$&'],
  ].map(([member, at, twice]) => ({
    id: `entry-${member}-twice`,
    title: `Sends an entry that has ${member} twice`,
    breaks: ["entry-duplicate-member"],
    follows: ["get-entry-full-rules", "get-equals-list"],
    reply: (reply, { method }) =>
      method.startsWith("skills/") ? { ...reply, body: reply.body.replace(at, twice) } : reply,
  })),
  {
    id: "entry-half-a-surrogate",
    title: "Sends an entry with half a surrogate pair",
    lenient: {
      "entry-frontmatter-identical": "an entry that readers take two ways is not held, so nothing is compared",
    },
    breaks: ["entry-not-unicode"],
    follows: ["get-entry-full-rules", ...COMPARED],
    ...first((entry) => ({ ...entry, frontmatter: { ...entry.frontmatter, license: "\ud800" } })),
  },
  {
    id: "metadata-reserved",
    title: "Uses a reserved prefix in the frontmatter's metadata",
    warns: ["metadata-reserved-prefix"],
    skills: ({ refunds }) => {
      refunds.frontmatter.metadata["io.modelcontextprotocol/owner"] = "accounts";
    },
  },
  {
    id: "entry-members-capitalised",
    title: "Sends an entry whose members begin with capitals",
    breaks: ["entry-uri-required", "entry-frontmatter-required", "entry-resources-required"],
    follows: ["skills-get-entry-shape", "get-entry-full-rules"],
    ...first((entry) =>
      Object.fromEntries(Object.entries(entry).map(([name, value]) => [name[0].toUpperCase() + name.slice(1), value])),
    ),
  },
];
