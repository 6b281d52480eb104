// skills/list: its pages, and what stands beside the entries.

import { INTERNAL_ERROR, INVALID_PARAMS } from "../methods.mjs";
import { caching, having, insteadOfRefusal, omit, refusing, refusingAs, result, without } from "./tools.mjs";

const LIST = "skills/list";

/** Answers skills/list by itself; `page` gives the honest page behind a cursor. */
function pages(answer) {
  return { answer: { [LIST]: (honest, context) => answer(honest, context) } };
}

/** Changes the second page only. */
function secondPage(edit) {
  return result(LIST, (page, { params }) => (params.cursor === "after-3" ? edit(page) : page));
}

const isSecond = (page) => page.nextCursor === "after-6";

/** The honest page, which is the last one's or nothing behind the last. */
function orNothing(honest, context) {
  try {
    return honest();
  } catch {
    return context.complete({ skills: [] });
  }
}

const SAME_SKILL = { "names-should-be-unique": "a skill that is listed twice clashes with no other" };

export default [
  {
    id: "list-cursor-repeats",
    title: "Ends with an empty page whose next page is itself",
    breaks: ["skills-list-pagination"],
    follows: ["list-invalid-cursor-32602"],
    ...pages((honest, context) => ({ nextCursor: "after-last", ...orNothing(honest, context) })),
  },
  {
    id: "list-never-ends",
    title: "Gives a new cursor for ever, with empty pages behind them",
    breaks: ["skills-list-pagination"],
    follows: ["list-invalid-cursor-32602"],
    ...pages((honest, context) => {
      const page = orNothing(honest, context);
      return { nextCursor: `${context.params.cursor}-and-more`, ...page };
    }),
  },
  {
    id: "list-cursor-ignored",
    title: "Gives the first page again for every cursor",
    breaks: ["skills-list-pagination", "skills-list-entry-atomic"],
    lenient: SAME_SKILL,
    follows: ["list-invalid-cursor-32602", "list-uri-unique-per-page"],
    ...pages((_honest, context) => {
      const skills = context.site.catalog.skills.slice(0, 3);
      return context.complete({
        skills: skills.map((skill) => context.site.catalog.entry(skill)),
        nextCursor: "after-3",
      });
    }),
  },
  {
    id: "list-cursor-refused",
    title: "Refuses the cursors that it gave",
    breaks: ["skills-list-pagination"],
    follows: ["skills-list-implemented", "capability-commits-to-methods"],
    ...refusing(LIST, INVALID_PARAMS, ({ cursor }) => cursor !== undefined),
  },
  {
    id: "list-second-page-fails",
    title: "Answers the second page with an internal error",
    breaks: ["skills-list-pagination"],
    follows: ["skills-list-implemented", "capability-commits-to-methods"],
    ...refusing(LIST, INTERNAL_ERROR, ({ cursor }) => cursor === "after-3"),
  },
  {
    id: "list-cursor-number",
    title: "Gives cursors that are numbers",
    breaks: ["skills-list-pagination"],
    follows: ["wire-schema-valid"],
    ...result(LIST, (page) => (page.nextCursor ? { ...page, nextCursor: 3 } : page)),
  },
  {
    id: "list-twice-on-a-page",
    title: "Lists a skill twice on one page",
    warns: ["list-uri-unique-per-page"],
    lenient: SAME_SKILL,
    follows: ["names-should-be-unique"],
    ...secondPage((page) => ({ ...page, skills: [page.skills[0], ...page.skills] })),
  },
  {
    id: "list-twice-and-differs",
    title: "Lists a skill twice on one page, with two manifests",
    breaks: ["list-uri-unique-per-page"],
    lenient: SAME_SKILL,
    follows: ["names-should-be-unique", "get-equals-list"],
    ...secondPage((page) => ({ ...page, skills: [...page.skills, { ...page.skills[0], resources: "dynamic" }] })),
  },
  {
    id: "list-twice-on-two-pages",
    title: "Lists the first page's first skill on the second page again",
    breaks: ["skills-list-entry-atomic"],
    lenient: SAME_SKILL,
    follows: ["names-should-be-unique", "list-uri-unique-per-page"],
    ...pages((honest, { site, params }) => {
      const page = honest();
      const first = site.catalog.entry(site.catalog.skills[0]);
      return params.cursor === "after-3" ? { ...page, skills: [...page.skills, first] } : page;
    }),
  },
  {
    id: "list-on-two-pages-differs",
    title: "Lists a skill on two pages, with two manifests",
    breaks: ["skills-list-entry-atomic"],
    lenient: SAME_SKILL,
    follows: ["names-should-be-unique", "get-equals-list"],
    ...pages((honest, { site, params }) => {
      const page = honest();
      const first = { ...site.catalog.entry(site.catalog.skills[0]), resources: "dynamic" };
      return params.cursor === "after-3" ? { ...page, skills: [...page.skills, first] } : page;
    }),
  },
  {
    id: "list-cursor-null",
    title: "Ends the listing with a cursor of null",
    breaks: ["wire-schema-valid"],
    warns: ["skills-list-pagination"],
    ...result(LIST, (page) => ({ nextCursor: null, ...page })),
  },
  {
    id: "list-second-page-without-skills",
    title: "Sends the second page without skills",
    breaks: ["list-skills-array"],
    follows: ["get-answers-unlisted"],
    ...secondPage((page) => omit(page, "skills")),
  },
  {
    id: "list-ttlms-beyond-doubles",
    title: "Sends a ttlMs that no double holds exactly",
    warns: ["cache-values-valid"],
    era: "modern",
    reply: (reply, { method }) =>
      method === LIST ? { ...reply, body: reply.body.replace('"ttlMs":60000', '"ttlMs":18446744073709551615') } : reply,
  },
  {
    id: "list-entry-split",
    title: "Splits the files of a skill over two pages",
    breaks: ["skills-list-entry-atomic"],
    lenient: SAME_SKILL,
    follows: [
      "resources-complete",
      "get-equals-list",
      "names-should-be-unique",
      "list-uri-unique-per-page",
      "manifest-complete-vs-directory",
      "manifest-complete-vs-resources-list",
      "manifest-links-listed",
    ],
    ...pages((honest, { site, params }) => {
      const page = honest();
      const whole = site.catalog.entry(site.catalog.skills[0]);
      const half = (from, to) => ({ ...whole, resources: whole.resources.slice(from, to) });
      if (params.cursor === undefined) {
        return { ...page, skills: [half(0, 3), ...page.skills.slice(1)] };
      }
      return params.cursor === "after-3" ? { ...page, skills: [half(3), ...page.skills] } : page;
    }),
  },
  ...[["ttlMs"], ["cacheScope"], ["ttlMs", "cacheScope"]].map((members) => ({
    id: `list-without-${members.join("-").toLowerCase()}`,
    title: `Leaves ${members.join(" and ")} out of skills/list`,
    breaks: ["skills-list-cache-attributes"],
    ...caching(LIST, (page) => omit(page, ...members)),
  })),
  {
    id: "list-second-page-without-ttlms",
    title: "Leaves ttlMs out of the second page of skills/list",
    breaks: ["skills-list-cache-attributes"],
    ...caching(LIST, (page) => (isSecond(page) ? omit(page, "ttlMs") : page)),
  },
  ...[
    ["ttlms-negative", { ttlMs: -1 }],
    ["ttlms-fraction", { ttlMs: 0.5 }],
    ["ttlms-string", { ttlMs: "60000" }],
    ["ttlms-null", { ttlMs: null }],
    ["cachescope-unknown", { cacheScope: "shared" }],
    ["cachescope-null", { cacheScope: null }],
  ].map(([name, members]) => ({
    id: `list-${name}`,
    title: `Sends ${JSON.stringify(members)} with skills/list`,
    breaks: ["cache-values-valid"],
    ...caching(LIST, (page) => ({ ...page, ...members })),
  })),
  {
    id: "list-second-page-ttlms-negative",
    title: "Sends a negative ttlMs with the second page of skills/list",
    breaks: ["cache-values-valid"],
    ...caching(LIST, (page) => (isSecond(page) ? { ...page, ttlMs: -1 } : page)),
  },
  {
    id: "list-without-resulttype",
    title: "Leaves resultType out of skills/list",
    breaks: ["result-type-complete", "wire-schema-valid"],
    era: "modern",
    ...without(LIST, "resultType"),
  },
  ...["done", "input_required", "Complete"].map((resultType) => ({
    id: `list-resulttype-${resultType.replace("_", "-").replace("C", "upper-c")}`,
    title: `Sends resultType "${resultType}" with skills/list`,
    breaks: ["result-type-complete"],
    ...having(LIST, { resultType }),
  })),
  {
    id: "list-skills-missing",
    title: "Answers skills/list without skills",
    breaks: ["list-skills-array"],
    ...without(LIST, "skills", "nextCursor"),
  },
  ...[
    ["null", () => null],
    ["object", (skills) => Object.fromEntries(skills.map((skill) => [skill.uri, skill]))],
  ].map(([name, make]) => ({
    id: `list-skills-${name}`,
    title: `Sends ${name === "null" ? "null" : "a map by URI"} as skills`,
    breaks: ["list-skills-array"],
    ...result(LIST, (page) => ({ ...page, skills: make(page.skills) })),
  })),
  {
    id: "list-skills-strings",
    title: "Sends the URIs of skills instead of entries",
    breaks: ["entry-shape", "entry-uri-required", "entry-frontmatter-required", "entry-resources-required"],
    ...result(LIST, (page) => ({ ...page, skills: page.skills.map((skill) => skill.uri) })),
  },
  {
    id: "list-entry-null",
    title: "Has null among the entries",
    breaks: ["entry-shape"],
    follows: ["entry-uri-required", "entry-frontmatter-required", "entry-resources-required"],
    ...secondPage((page) => ({ ...page, skills: [null, ...page.skills] })),
  },
  {
    id: "list-names-collide",
    title: "Lists two skills of one name",
    warns: ["names-should-be-unique"],
    skills: (skills) => {
      skills.second = {
        root: "skill://acme/freight/refunds",
        frontmatter: { name: "refunds", description: "Pay freight back." },
        body: "# Freight\n",
      };
    },
  },
  {
    id: "list-unknown-cursor-accepted",
    title: "Gives the first page for a cursor that it never gave",
    warns: ["list-invalid-cursor-32602"],
    ...insteadOfRefusal(LIST, ({ site, complete }) => {
      const skills = site.catalog.skills.slice(0, 3);
      return complete({ skills: skills.map((skill) => site.catalog.entry(skill)), nextCursor: "after-3" });
    }),
  },
  {
    id: "list-unknown-cursor-fails",
    title: "Answers a cursor that it never gave with an internal error",
    warns: ["list-invalid-cursor-32602"],
    ...refusingAs(LIST, INTERNAL_ERROR),
  },
  {
    id: "list-empty-cursor-refused",
    title: 'Ends every listing with the cursor "", which it refuses',
    breaks: ["list-empty-cursor"],
    follows: ["skills-list-pagination", "skills-list-implemented", "capability-commits-to-methods"],
    ...result(LIST, (page) => ({ nextCursor: "", ...page })),
  },
  {
    id: "list-cursor-snake-case",
    title: "Gives its cursors as next_cursor",
    warns: ["skills-list-pagination"],
    ...result(LIST, ({ nextCursor, ...page }) => (nextCursor ? { ...page, next_cursor: nextCursor } : page)),
  },
];
