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
];
