// skills/get.

import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from "../methods.mjs";
import {
  caching,
  entryOf,
  having,
  insteadOfRefusal,
  lineOf,
  omit,
  refusing,
  refusingAs,
  result,
  without,
} from "./tools.mjs";

const GET = "skills/get";
const FIRST = "skill://acme/billing/refunds/SKILL.md";
const LATER = "skill://acme/media/logo/SKILL.md";
const UNLISTED = "skill://acme/internal/onboarding/SKILL.md";

/** Answers skills/get with a skill's entry where `when` says so of a URI that is none of a SKILL.md. */
function accepting(when) {
  return insteadOfRefusal(GET, ({ params: { uri }, site, complete }, refusal) => {
    if (!when(uri, site)) {
      throw refusal;
    }
    return complete({ skill: site.catalog.entry(site.catalog.skills[0]) });
  });
}

const isIn = (skill, uri) => uri?.startsWith?.(`${skill.root}/`);

export default [
  {
    id: "get-differs",
    title: "Sends another manifest by skills/get than by skills/list",
    breaks: ["get-equals-list"],
    follows: ["manifest-complete-vs-directory", "manifest-complete-vs-resources-list", "get-entry-full-rules"],
    ...lineOf("logo", "assets/placeholder.txt", () => undefined, GET),
  },
  {
    id: "get-frontmatter-differs",
    title: "Sends another description by skills/get than by skills/list",
    breaks: ["get-equals-list"],
    follows: ["entry-frontmatter-identical", "get-entry-full-rules"],
    ...entryOf(
      "release",
      (entry) => ({ ...entry, frontmatter: { ...entry.frontmatter, description: "Publish." } }),
      GET,
    ),
  },
  {
    id: "get-another-skill",
    title: "Sends another skill than the one that was asked for",
    breaks: ["skills-get-entry-shape"],
    follows: ["get-equals-list"],
    ...result(GET, (honest, { params, site }) =>
      params.uri === FIRST ? { ...honest, skill: site.catalog.entry(site.catalog.skills[1]) } : honest,
    ),
  },
  {
    id: "get-without-skill",
    title: "Answers skills/get without skill",
    breaks: ["skills-get-entry-shape"],
    ...without(GET, "skill"),
  },
  {
    id: "get-skill-in-array",
    title: "Answers skills/get with an array of one entry",
    breaks: ["skills-get-entry-shape"],
    ...result(GET, ({ skill, ...rest }) => ({ ...rest, skill: [skill] })),
  },
  {
    id: "get-skill-unwrapped",
    title: "Answers skills/get with the entry's members in the result itself",
    breaks: ["skills-get-entry-shape"],
    ...result(GET, ({ skill, ...rest }) => ({ ...rest, ...skill })),
  },
  {
    id: "get-without-resources",
    title: "Leaves resources out of the entries of skills/get",
    breaks: ["skills-get-entry-shape"],
    follows: ["get-entry-full-rules", "get-equals-list", "entry-resources-required"],
    entry: (entry, _skill, method) => (method === GET ? omit(entry, "resources") : entry),
  },
  {
    id: "get-later-without-resources",
    title: "Leaves resources out of a later skill's entry in skills/get",
    breaks: ["get-entry-full-rules"],
    follows: ["skills-get-entry-shape", "get-equals-list", "entry-resources-required"],
    ...entryOf("logo", (entry) => omit(entry, "resources"), GET),
  },
  {
    id: "get-digest-upper-case",
    title: "Writes a digest in upper case in skills/get only",
    breaks: ["get-entry-full-rules"],
    follows: ["get-equals-list", "resources-digest-format"],
    ...lineOf("refunds", "references/POLICY.md", (line) => ({ ...line, digest: line.digest.toUpperCase() }), GET),
  },
  {
    id: "get-unlisted-digest-upper-case",
    title: "Writes a digest of an unlisted skill in upper case",
    breaks: ["get-entry-full-rules"],
    follows: ["resources-digest-format"],
    ...lineOf("onboarding", "references/people.md", (line) => ({ ...line, digest: line.digest.toUpperCase() })),
  },
  {
    id: "get-unlisted-name-upper-case",
    title: "Serves an unlisted skill whose name has upper case",
    breaks: ["skillformat-name-rules"],
    follows: ["name-naming-rules", "get-entry-full-rules"],
    skills: (skills) => {
      skills.Escalation = {
        root: "skill://acme/internal/Escalation",
        frontmatter: { name: "Escalation", description: "Whom to call at night." },
        body: "# Escalation\n",
        listed: false,
      };
      skills["code-review"].text += "\nAt night see skill://acme/internal/Escalation/SKILL.md.\n";
    },
    answer: {
      "resources/list": (honest, { site, params }) => {
        const page = honest();
        const escalation = site.catalog.skills.find((skill) => skill.key === "Escalation");
        return params.cursor
          ? page
          : { ...page, resources: [...page.resources, site.catalog.resource(escalation.uri)] };
      },
    },
  },
  {
    id: "get-refuses-a-listed-skill",
    title: "Does not know a skill that it lists",
    breaks: ["get-answers-every-listed"],
    ...refusing(GET, INVALID_PARAMS, ({ uri }) => uri === LATER, "There is no such skill."),
  },
  {
    id: "get-refuses-the-first-skill",
    title: "Does not know the first skill that it lists",
    breaks: ["get-answers-every-listed", "skills-get-implemented", "capability-commits-to-methods"],
    ...refusing(GET, INVALID_PARAMS, ({ uri }) => uri === FIRST, "There is no such skill."),
  },
  {
    id: "get-fails-for-a-nested-skill",
    title: "Answers skills/get for a nested skill that it does not list with an internal error",
    breaks: ["nested-flat-listing"],
    ...refusing(GET, INTERNAL_ERROR, ({ uri }) => uri?.includes("changelog")),
    skills: ({ changelog }) => {
      changelog.listed = false;
    },
  },
  {
    id: "get-refuses-the-nested-skill",
    title: "Does not know a nested skill that it lists",
    breaks: ["get-answers-every-listed"],
    follows: ["nested-flat-listing"],
    ...refusing(GET, INVALID_PARAMS, ({ uri }) => uri?.includes("changelog"), "There is no such skill."),
  },
  {
    id: "get-refuses-an-unlisted-skill",
    title: "Does not know an unlisted skill that its instructions name and whose files it serves",
    breaks: ["get-answers-unlisted"],
    follows: ["instructions-uris-resolve"],
    ...refusing(GET, INVALID_PARAMS, ({ uri }) => uri === UNLISTED, "There is no such skill."),
  },
  {
    id: "get-knows-listed-only",
    title: "Lists half of its skills, and knows only those",
    breaks: ["get-answers-unlisted"],
    follows: ["instructions-uris-resolve", "nested-flat-listing"],
    skills: (skills) => {
      skills["code-review"].listed = false;
      skills.logo.listed = false;
    },
    answer: {
      ...refusing(GET, INVALID_PARAMS, ({ uri }, { catalog }) => !catalog.skill(uri)?.listed, "There is no such skill.")
        .answer,
      "resources/list": (_honest, { site, complete }) =>
        complete({ resources: site.catalog.skills.map((skill) => site.catalog.resource(skill.uri)) }),
    },
  },
  {
    id: "get-with-cursor",
    title: "Sends a nextCursor with skills/get",
    breaks: ["skills-get-no-cursor"],
    ...having(GET, { nextCursor: "after-1" }),
  },
  ...[["ttlMs"], ["cacheScope"], ["ttlMs", "cacheScope"]].map((members) => ({
    id: `get-without-${members.join("-").toLowerCase()}`,
    title: `Leaves ${members.join(" and ")} out of skills/get`,
    breaks: ["skills-get-cache-attributes"],
    ...caching(GET, (honest) => omit(honest, ...members)),
  })),
  {
    id: "get-ttlms-string",
    title: "Sends ttlMs as text with skills/get",
    breaks: ["cache-values-valid"],
    ...caching(GET, (honest) => ({ ...honest, ttlMs: "60000" })),
  },
  {
    id: "get-cachescope-unknown",
    title: 'Sends cacheScope "shared" with skills/get',
    breaks: ["cache-values-valid"],
    ...caching(GET, (honest) => ({ ...honest, cacheScope: "shared" })),
  },
  {
    id: "get-without-resulttype",
    title: "Leaves resultType out of skills/get",
    breaks: ["result-type-complete", "wire-schema-valid"],
    era: "modern",
    ...without(GET, "resultType"),
  },
  {
    id: "get-resulttype-other",
    title: 'Sends resultType "done" with skills/get',
    breaks: ["result-type-complete"],
    ...having(GET, { resultType: "done" }),
  },
  ...[
    ["32002", -32002],
    ["32603", INTERNAL_ERROR],
    ["32601", METHOD_NOT_FOUND],
    ["32600", -32600],
    ["404", 404],
  ].map(([name, code]) => ({
    id: `get-unknown-${name}`,
    title: `Answers skills/get for an unknown skill with the code ${code}`,
    breaks: ["skills-get-unknown-uri-invalid-params", "get-nonskill-uri-32602"],
    ...refusingAs(GET, code),
  })),
  {
    id: "get-unknown-null",
    title: "Answers skills/get for an unknown skill with skill: null",
    breaks: ["skills-get-unknown-uri-invalid-params", "get-nonskill-uri-32602"],
    ...insteadOfRefusal(GET, ({ complete }) => complete({ skill: null })),
  },
  {
    id: "get-unknown-first",
    title: "Answers skills/get for every unknown URI with the first skill",
    breaks: ["skills-get-unknown-uri-invalid-params", "get-nonskill-uri-32602"],
    ...accepting(() => true),
  },
  {
    id: "get-accepts-supporting-file",
    title: "Answers skills/get for a supporting file",
    breaks: ["get-nonskill-uri-32602"],
    ...accepting((uri, { catalog }) => catalog.files.has(uri)),
  },
  {
    id: "get-accepts-root",
    title: "Answers skills/get for a skill's root",
    breaks: ["get-nonskill-uri-32602"],
    ...accepting((uri, { catalog }) => catalog.skills.some((skill) => skill.root === uri)),
  },
  {
    id: "get-accepts-anything-inside",
    title: "Answers skills/get for whatever begins like a skill",
    breaks: ["get-nonskill-uri-32602"],
    ...accepting((uri, { catalog }) => catalog.skills.some((skill) => isIn(skill, uri))),
  },
  {
    id: "get-ignores-case",
    title: "Answers skills/get for skill.md as for SKILL.md",
    breaks: ["get-nonskill-uri-32602"],
    ...insteadOfRefusal(GET, ({ params: { uri }, site, complete }, refusal) => {
      const skill = site.catalog.skills.find((it) => it.uri.toLowerCase() === String(uri).toLowerCase());
      if (skill === undefined) {
        throw refusal;
      }
      return complete({ skill: site.catalog.entry(skill) });
    }),
  },
  {
    id: "get-knows-names-only",
    title: "Finds skills by their names, whatever stands before them",
    breaks: ["skills-get-unknown-uri-invalid-params"],
    ...accepting((uri, { catalog }) =>
      catalog.skills.some((skill) => uri?.endsWith(`/${skill.frontmatter.name}/SKILL.md`)),
    ),
  },
  {
    id: "get-as-text",
    title: "Answers skills/get with an entry as JSON text",
    breaks: ["skills-get-entry-shape"],
    ...result(GET, (honest) => ({ ...honest, skill: JSON.stringify(honest.skill) })),
  },
  {
    id: "get-encodes-the-uri",
    title: "Spells the URI in another percent-encoding than it was asked for",
    breaks: ["skills-get-entry-shape"],
    ...entryOf("refunds", (entry) => ({ ...entry, uri: entry.uri.replace("refunds", "%72efunds") }), GET),
  },
  {
    id: "get-says-dynamic",
    title: "Calls a skill dynamic in skills/get that has a manifest in skills/list",
    breaks: ["get-equals-list"],
    ...entryOf("release", (entry) => ({ ...entry, resources: "dynamic" }), GET),
    follows: ["manifest-nested-complete"],
  },
  {
    id: "get-leaves-a-field-out",
    title: "Leaves a field of the frontmatter out in skills/get",
    breaks: ["get-equals-list"],
    follows: ["entry-frontmatter-identical"],
    ...entryOf("refunds", (entry) => ({ ...entry, frontmatter: omit(entry.frontmatter, "license") }), GET),
  },
  {
    id: "get-size-differs",
    title: "Sends another size by skills/get than by skills/list",
    breaks: ["get-equals-list", "content-size-match"],
    ...lineOf("refunds", "references/POLICY.md", (line) => ({ ...line, size: line.size + 1 }), GET),
  },
  {
    id: "get-missing-uri-accepted",
    title: "Answers skills/get without uri with the first skill",
    breaks: ["get-nonskill-uri-32602"],
    ...accepting((uri) => uri === undefined),
  },
  {
    id: "get-cursor-null",
    title: "Sends a nextCursor of null with skills/get",
    breaks: ["skills-get-no-cursor"],
    follows: ["wire-schema-valid"],
    ...having(GET, { nextCursor: null }),
  },
  {
    id: "get-missing-uri-fails",
    title: "Answers skills/get without uri with an internal error",
    warns: ["get-nonskill-uri-32602"],
    ...refusing(GET, INTERNAL_ERROR, ({ uri }) => uri === undefined),
  },
  {
    id: "get-next-skill",
    title: "Answers skills/get with the entry of the skill behind the one asked for",
    breaks: ["skills-get-entry-shape"],
    ...result(GET, (_honest, { params: { uri }, site: { catalog }, complete }) => {
      const at = catalog.skills.findIndex((skill) => skill.uri === uri);
      return complete({ skill: catalog.entry(catalog.skills[(at + 1) % catalog.skills.length]) });
    }),
  },
  {
    id: "get-as-a-list",
    title: "Answers skills/get with a list of one skill",
    breaks: ["skills-get-entry-shape"],
    ...result(GET, ({ skill, ...rest }) => ({ ...rest, skills: [skill] })),
  },
];
