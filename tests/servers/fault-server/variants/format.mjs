// The Agent Skills format of the frontmatter, which file and entry have alike.

/** Sets a field of the first skill, in the file and in the entry. */
function field(name, value) {
  return {
    skills: ({ refunds }) => {
      refunds.frontmatter[name] = value;
    },
  };
}

const FOLLOWS = ["get-entry-full-rules", "entry-frontmatter-required", "skillmd-frontmatter"];

const broken = (id, title, check, name, value) => ({
  id,
  title,
  breaks: [check],
  follows: FOLLOWS,
  ...field(name, value),
});
const odd = (id, title, check, name, value) => ({ id, title, warns: [check], follows: FOLLOWS, ...field(name, value) });

export default [
  broken(
    "description-too-long",
    "Describes a skill in 1,025 characters",
    "skillformat-description-length",
    "description",
    "d".repeat(1025),
  ),
  broken("description-blank", "Describes a skill with blanks", "skillformat-description-length", "description", "   "),
  broken(
    "compatibility-too-long",
    "Has 501 characters of compatibility",
    "skillformat-compatibility-length",
    "compatibility",
    "c".repeat(501),
  ),
  broken("compatibility-empty", "Has an empty compatibility", "skillformat-compatibility-length", "compatibility", ""),
  odd("metadata-number", "Has a number as a value of metadata", "skillformat-metadata-string-map", "metadata", {
    version: 1.2,
  }),
  odd("metadata-list", "Has a list as metadata", "skillformat-metadata-string-map", "metadata", ["accounts"]),
  odd("metadata-nested", "Has a map as a value of metadata", "skillformat-metadata-string-map", "metadata", {
    owner: { team: "accounts" },
  }),
  odd("allowed-tools-list", "Has a list as allowed-tools", "skillformat-allowed-tools-string", "allowed-tools", [
    "Read",
    "Bash",
  ]),
  odd(
    "allowed-tools-commas",
    "Separates allowed-tools by commas",
    "skillformat-allowed-tools-string",
    "allowed-tools",
    "Read, Bash",
  ),
  odd("allowed-tools-map", "Has a map as allowed-tools", "skillformat-allowed-tools-string", "allowed-tools", {
    Read: true,
  }),
  odd("metadata-text", "Has a text as metadata", "skillformat-metadata-string-map", "metadata", "accounts"),
  broken("compatibility-list", "Has a list as compatibility", "skillformat-compatibility-length", "compatibility", [
    "Python",
  ]),
  broken(
    "compatibility-number",
    "Has a number as compatibility",
    "skillformat-compatibility-length",
    "compatibility",
    3.11,
  ),
  odd("license-list", "Has a list as license", "skillformat-license-string", "license", ["MIT", "Apache-2.0"]),
  {
    id: "description-number",
    title: "Has a number as description",
    breaks: ["entry-frontmatter-required", "skillmd-frontmatter"],
    follows: [...FOLLOWS, "wire-schema-valid", "directory-child-shape"],
    ...field("description", 7),
  },
  {
    id: "name-is-no-text",
    title: "Has a number as name",
    breaks: ["entry-frontmatter-required", "skillmd-frontmatter"],
    follows: [
      ...FOLLOWS,
      "final-segment-equals-name",
      "entry-uri-matches-frontmatter-name",
      "wire-schema-valid",
      "directory-child-shape",
    ],
    ...field("name", 7),
  },
  odd("license-number", "Has a number as license", "skillformat-license-string", "license", 2),
  {
    id: "later-description-too-long",
    title: "Describes the last listed skill in 1,025 characters",
    breaks: ["skillformat-description-length"],
    follows: ["get-entry-full-rules"],
    skills: ({ briefing }) => {
      briefing.frontmatter.description = "d".repeat(1025);
    },
  },
  {
    id: "unlisted-description-too-long",
    title: "Describes an unlisted skill in 1,025 characters",
    breaks: ["skillformat-description-length"],
    follows: ["get-entry-full-rules"],
    skills: ({ onboarding }) => {
      onboarding.frontmatter.description = "d".repeat(1025);
    },
  },
  broken(
    "description-invisible",
    "Describes a skill in characters that take no room",
    "skillformat-description-length",
    "description",
    "\u200b\u2060",
  ),
];
