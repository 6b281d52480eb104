// resources/directory/read.

import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from "../methods.mjs";
import { having, insteadOfRefusal, omit, refusing, refusingAs, result, without } from "./tools.mjs";

const READ = "resources/directory/read";
const ROOT = "skill://acme/billing/refunds";
const REFERENCES = `${ROOT}/references`;
const DIRECTORY = "inode/directory";

/** Changes the children of one directory, whatever page they are on. */
function childrenOf(uri, edit) {
  return result(READ, (page, { params }) => (params.uri === uri ? { ...page, resources: edit(page.resources) } : page));
}

/** Changes every child of every directory. */
function everyChild(edit) {
  return result(READ, (page) => ({ ...page, resources: page.resources.map(edit) }));
}

/** One page for each directory, so that a fault is not one of paging. */
const ONE_PAGE = { settings: { directoryPageSize: 1000 } };

export default [
  {
    id: "directory-not-implemented",
    title: "Declares directoryRead and does not know the method",
    breaks: ["directory-read-method-registered"],
    follows: [
      "directory-every-level",
      "directory-read-result-resources-shape",
      "directory-read-subdir-mimetype",
      "directory-read-invalid-params",
      "directory-read-pagination",
      "directory-unknown-32602",
    ],
    ...refusing(READ, METHOD_NOT_FOUND),
  },
  {
    id: "directory-fails",
    title: "Declares directoryRead and answers with internal errors",
    breaks: ["directory-read-method-registered"],
    follows: [
      "directory-every-level",
      "directory-read-result-resources-shape",
      "directory-read-subdir-mimetype",
      "directory-read-invalid-params",
      "directory-read-pagination",
      "directory-unknown-32602",
    ],
    ...refusing(READ, INTERNAL_ERROR),
  },
  {
    id: "directory-sub-refused",
    title: "Reads a skill's root, but not a directory in it",
    breaks: ["directory-every-level"],
    ...refusing(READ, INVALID_PARAMS, ({ uri }) => uri === REFERENCES, "There is no such directory."),
  },
  {
    id: "directory-later-skill-refused",
    title: "Does not read the root of a later skill",
    breaks: ["directory-every-level"],
    ...refusing(READ, INVALID_PARAMS, ({ uri }) => uri === "skill://code-review", "There is no such directory."),
  },
  {
    id: "directory-unlisted-skill-refused",
    title: "Does not read the root of an unlisted skill",
    breaks: ["directory-every-level"],
    ...refusing(READ, INVALID_PARAMS, ({ uri }) => uri?.includes("onboarding"), "There is no such directory."),
  },
  {
    id: "directory-recursive",
    title: "Reads directories with all that is below them",
    breaks: ["directory-children-exact"],
    follows: ["directory-child-shape", "directory-read-pagination", "directory-pagination-complete"],
    ...ONE_PAGE,
    ...result(READ, (page, { params, site }) => {
      const below = [...site.catalog.files.keys()].filter((uri) => uri.startsWith(`${params.uri}/`));
      const known = new Set(page.resources.map((child) => child.uri));
      const deeper = below.filter((uri) => !known.has(uri)).map((uri) => site.catalog.resource(uri));
      return { ...page, resources: [...page.resources, ...deeper] };
    }),
  },
  {
    id: "directory-foreign-child",
    title: "Has a file of another skill in a directory",
    breaks: ["directory-children-exact"],
    ...childrenOf(REFERENCES, (children) => [
      ...children,
      { uri: "skill://code-review/references/checklist.md", name: "checklist.md", mimeType: "text/markdown" },
    ]),
  },
  {
    id: "directory-child-missing",
    title: "Leaves a file out of its directory",
    breaks: ["directory-children-exact"],
    ...childrenOf(REFERENCES, (children) => children.slice(1)),
  },
  {
    id: "directory-contains-itself",
    title: "Has a directory among its own children",
    breaks: ["directory-children-exact"],
    ...childrenOf(REFERENCES, (children) => [
      ...children,
      { uri: REFERENCES, name: "references", mimeType: DIRECTORY },
    ]),
  },
  {
    id: "directory-subdir-missing",
    title: "Leaves the directories out of directories",
    breaks: ["directory-children-exact"],
    follows: ["directory-read-subdir-mimetype", "directory-every-level"],
    ...result(READ, (page) => ({ ...page, resources: page.resources.filter((child) => child.mimeType !== DIRECTORY) })),
  },
  {
    id: "directory-subdir-mimetype-all",
    title: "Gives no directory the media type of directories",
    breaks: ["directory-read-subdir-mimetype"],
    follows: ["manifest-complete-vs-directory", "directory-empty-array"],
    ...everyChild((child) => (child.mimeType === DIRECTORY ? omit(child, "mimeType") : child)),
  },
  {
    id: "directory-subdir-mimetype-one",
    title: "Gives one of several directories another media type",
    breaks: ["directory-read-subdir-mimetype"],
    follows: ["directory-read-subdir-mimetype", "manifest-complete-vs-directory"],
    ...everyChild((child) => (child.uri === REFERENCES ? { ...child, mimeType: "text/directory" } : child)),
  },
  {
    id: "directory-subdir-slash",
    title: "Ends the URIs of directories in a slash",
    breaks: ["directory-uri-no-slash"],
    follows: [
      "directory-children-exact",
      "directory-empty-array",
      "directory-every-level",
      "directory-read-subdir-mimetype",
    ],
    ...everyChild((child) => (child.mimeType === DIRECTORY ? { ...child, uri: `${child.uri}/` } : child)),
  },
  {
    id: "directory-child-without-uri",
    title: "Has a child without uri in a directory",
    breaks: ["directory-read-result-resources-shape"],
    follows: ["directory-children-exact"],
    ...childrenOf(ROOT, (children) => children.map((child) => (child.name === "refunds" ? omit(child, "uri") : child))),
  },
  {
    id: "directory-child-without-name",
    title: "Has children without name in directories",
    breaks: ["directory-child-shape"],
    ...everyChild((child) => omit(child, "name")),
  },
  {
    id: "directory-child-differs",
    title: "Names a file in its directory otherwise than in resources/list",
    warns: ["directory-child-shape"],
    ...childrenOf(REFERENCES, (children) =>
      children.map((child) => ({ ...child, mimeType: "application/octet-stream" })),
    ),
  },
  {
    id: "directory-resources-map",
    title: "Sends the children as a map",
    breaks: ["directory-read-result-resources-shape"],
    follows: [
      "directory-every-level",
      "directory-children-exact",
      "directory-read-subdir-mimetype",
      "directory-read-pagination",
    ],
    ...result(READ, (page) => ({
      ...page,
      resources: Object.fromEntries(page.resources.map((child) => [child.uri, child])),
    })),
  },
  {
    id: "directory-resources-missing",
    title: "Answers without resources",
    breaks: ["directory-read-result-resources-shape"],
    follows: [
      "directory-every-level",
      "directory-children-exact",
      "directory-read-subdir-mimetype",
      "directory-read-pagination",
    ],
    ...without(READ, "resources"),
  },
  {
    id: "directory-without-resulttype",
    title: "Leaves resultType out of directories",
    breaks: ["result-type-complete", "wire-schema-valid"],
    era: "modern",
    ...without(READ, "resultType"),
  },
  {
    id: "directory-resulttype-other",
    title: 'Sends resultType "partial" with directories',
    breaks: ["result-type-complete"],
    ...having(READ, { resultType: "partial" }),
  },
  {
    id: "directory-accepts-file",
    title: "Reads a file as an empty directory",
    breaks: ["directory-read-invalid-params"],
    ...insteadOfRefusal(READ, ({ params, site, complete }, refusal) => {
      if (!site.catalog.files.has(params.uri)) {
        throw refusal;
      }
      return complete({ resources: [] });
    }),
  },
  {
    id: "directory-accepts-unknown",
    title: "Reads a directory that does not exist as an empty one",
    breaks: ["directory-unknown-32602"],
    follows: ["directory-read-invalid-params"],
    ...insteadOfRefusal(READ, ({ params, site, complete }, refusal) => {
      if (site.catalog.files.has(params.uri)) {
        throw refusal;
      }
      return complete({ resources: [] });
    }),
  },
  ...[
    ["32603", INTERNAL_ERROR],
    ["32002", -32002],
    ["32601", METHOD_NOT_FOUND],
  ].map(([name, code]) => ({
    id: `directory-unknown-${name}`,
    title: `Answers what is no directory with the code ${code}`,
    breaks: ["directory-unknown-32602", "directory-read-invalid-params"],
    ...refusingAs(READ, code),
  })),
  {
    id: "directory-cursor-repeats",
    title: "Gives a directory's first page again for its cursor",
    breaks: ["directory-pagination-complete"],
    follows: ["directory-read-pagination", "directory-children-exact"],
    answer: {
      [READ]: (honest, { params, site, complete }) => {
        const page = honest();
        const children = site.catalog.children(params.uri).slice(0, 4);
        return params.cursor ? complete({ resources: children, nextCursor: params.cursor }) : page;
      },
    },
  },
  {
    id: "directory-cursor-refused",
    title: "Refuses the cursors that it gave for directories",
    breaks: ["directory-read-pagination"],
    follows: [
      "directory-pagination-complete",
      "directory-children-exact",
      "directory-read-method-registered",
      "directory-read-result-resources-shape",
      "directory-read-subdir-mimetype",
    ],
    ...refusing(READ, INVALID_PARAMS, ({ cursor }) => cursor !== undefined),
  },
  {
    id: "directory-second-page-lost",
    title: "Sends an empty second page of a directory",
    breaks: ["directory-children-exact"],
    follows: ["directory-pagination-complete"],
    settings: { directoryPageSize: 2 },
    ...result(READ, (page, { params }) => (params.cursor ? { ...omit(page, "nextCursor"), resources: [] } : page)),
  },
  {
    id: "directory-child-twice",
    title: "Has a child on two pages of a directory",
    breaks: ["directory-pagination-complete"],
    follows: ["directory-children-exact"],
    answer: {
      [READ]: (honest, { params, site }) => {
        const page = honest();
        const [first] = site.catalog.children(params.uri);
        return params.cursor ? { ...page, resources: [first, ...page.resources] } : page;
      },
    },
  },
  {
    id: "directory-empty-refused",
    title: "Does not read an empty directory that its parent has",
    breaks: ["directory-empty-array"],
    follows: ["directory-every-level"],
    ...refusing(READ, INVALID_PARAMS, ({ uri }) => uri === `${ROOT}/attachments`, "There is no such directory."),
  },
  {
    id: "directory-file-as-directory",
    title: "Calls a file in a directory a directory",
    breaks: ["directory-child-shape"],
    follows: ["directory-every-level", "directory-read-method-registered"],
    ...childrenOf(REFERENCES, ([first, ...rest]) => [{ ...first, mimeType: DIRECTORY }, ...rest]),
  },
  {
    id: "directory-child-relative",
    title: "Names children by their paths",
    breaks: ["directory-children-exact"],
    ...childrenOf(REFERENCES, (children) => children.map((child) => ({ ...child, uri: child.name }))),
  },
  {
    id: "directory-child-twice-on-a-page",
    title: "Has a child twice on one page of a directory",
    breaks: ["directory-children-exact"],
    ...ONE_PAGE,
    ...childrenOf(REFERENCES, ([first, ...rest]) => [first, first, ...rest]),
  },
  {
    id: "directory-never-ends",
    title: "Gives a new cursor for ever, with empty pages behind them",
    breaks: ["directory-read-pagination"],
    answer: {
      [READ]: (honest, { params, complete }) =>
        params.cursor?.endsWith("more")
          ? complete({ resources: [], nextCursor: `${params.cursor}-and-more` })
          : { ...honest(), nextCursor: "more" },
    },
    ...ONE_PAGE,
  },
  {
    id: "directory-cursor-number",
    title: "Gives cursors of directories that are numbers",
    breaks: ["directory-read-pagination", "wire-schema-valid"],
    follows: ["directory-children-exact"],
    ...result(READ, (page) => (page.nextCursor ? { ...page, nextCursor: 4 } : page)),
  },
  {
    id: "directory-cursor-null",
    title: "Ends directories with a cursor of null",
    breaks: ["wire-schema-valid"],
    warns: ["directory-read-pagination"],
    ...result(READ, (page) => ({ nextCursor: null, ...page })),
  },
  ...[
    ["dynamic", "a dynamic skill", (uri) => uri === "skill://acme/today/briefing"],
    ["nested", "a nested skill", (uri) => uri?.endsWith("/changelog")],
    ["deep", "the last level of a skill", (uri) => uri?.endsWith("/changelog/references")],
  ].map(([name, what, when]) => ({
    id: `directory-${name}-refused`,
    title: `Does not read the directory of ${what}`,
    breaks: ["directory-every-level"],
    ...refusing(READ, INVALID_PARAMS, ({ uri }) => when(uri), "There is no such directory."),
  })),
  {
    id: "directory-missing-uri-accepted",
    title: "Reads directories without being told which",
    breaks: ["directory-read-invalid-params"],
    ...insteadOfRefusal(READ, ({ params, complete }, refusal) => {
      if (params.uri !== undefined) {
        throw refusal;
      }
      return complete({ resources: [] });
    }),
  },
  ...[
    ["32602", INVALID_PARAMS],
    ["accepted", undefined],
  ].map(([name, code]) => ({
    id: `directory-undeclared-${name}`,
    title: code
      ? "Does not declare directoryRead and answers the method as if the directory were unknown"
      : "Does not declare directoryRead and answers the method with an empty result",
    breaks: ["directory-undeclared-method-not-found"],
    settings: { directoryRead: false },
    ...(code ? refusing(READ, code) : { answer: { [READ]: (_honest, { complete }) => complete({}) } }),
  })),
  {
    id: "directory-undeclared-fails",
    title: "Does not declare directoryRead and answers the method with an internal error",
    breaks: ["directory-undeclared-method-not-found"],
    settings: { directoryRead: false },
    ...refusing(READ, INTERNAL_ERROR),
  },
  {
    id: "directory-lists-a-dot",
    title: "Has each directory among its children, as a dot",
    breaks: ["directory-children-exact"],
    ...result(READ, (page, { params: { uri, cursor } }) => {
      const dot = { uri: `${uri}/.`, name: ".", mimeType: DIRECTORY };
      return cursor === undefined ? { ...page, resources: [dot, ...page.resources] } : page;
    }),
  },
  {
    id: "directory-child-name-differs",
    title: "Calls files by other names in directories than in resources/list",
    warns: ["directory-child-shape"],
    ...everyChild((child) => ({ ...child, name: `File ${child.name}` })),
  },
  {
    id: "directory-child-type-null",
    title: "Gives files in directories a media type of null",
    breaks: ["directory-child-shape"],
    ...everyChild((child) => (child.mimeType === DIRECTORY ? child : { ...child, mimeType: null })),
  },
  {
    id: "directory-cursor-snake-case",
    title: "Gives the cursors of directories as next_cursor",
    warns: ["directory-read-pagination"],
    ...result(READ, ({ nextCursor, ...page }) => (nextCursor ? { ...page, next_cursor: nextCursor } : page)),
  },
  {
    id: "directory-as-contents",
    title: "Answers with contents instead of resources",
    breaks: ["directory-read-result-resources-shape"],
    follows: ["directory-read-subdir-mimetype", "directory-read-pagination"],
    ...result(READ, ({ resources, ...page }) => ({ ...page, contents: resources })),
  },
];
