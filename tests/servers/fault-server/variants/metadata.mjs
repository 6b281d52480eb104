// What resources/list and resources/read say of a file besides its bytes.

import { contentsOf, omit, result } from "./tools.mjs";

const FIRST = "skill://acme/billing/refunds/SKILL.md";
const LATER = "skill://code-review/SKILL.md";

/** Changes a file's line in resources/list. */
function listed(uri, edit) {
  return result("resources/list", (page) => ({
    ...page,
    resources: page.resources.map((resource) => (resource.uri === uri ? edit(resource) : resource)),
  }));
}

/** Both of two changes to the answers. */
function both(one, other) {
  return { answer: { ...one.answer, ...other.answer } };
}

const read = (uri, edit) => contentsOf(uri, (item) => [edit(item)]);
const plain = (item) => ({ ...item, mimeType: "text/plain" });
const bare = (item) => ({ ...item, _meta: { revision: 7 } });

export default [
  {
    id: "mimetype-wrong",
    title: "Calls the first SKILL.md plain text, listed and read",
    warns: ["skillmd-mimetype"],
    follows: ["directory-child-shape", "resource-metadata-all"],
    ...both(listed(FIRST, plain), read(FIRST, plain)),
  },
  {
    id: "mimetype-wrong-read",
    title: "Calls the first SKILL.md plain text when it is read",
    warns: ["skillmd-mimetype"],
    follows: ["resource-metadata-all"],
    ...read(FIRST, plain),
  },
  {
    id: "mimetype-missing",
    title: "Gives the first SKILL.md no media type",
    warns: ["skillmd-mimetype"],
    follows: ["resource-metadata-all"],
    ...both(
      listed(FIRST, (item) => omit(item, "mimeType")),
      read(FIRST, (item) => omit(item, "mimeType")),
    ),
  },
  {
    id: "mimetype-wrong-listed",
    title: "Calls the first SKILL.md plain text in resources/list only",
    warns: ["resource-metadata-all"],
    follows: ["directory-child-shape", "skillmd-mimetype"],
    ...listed(FIRST, plain),
  },
  {
    id: "mimetype-wrong-later",
    title: "Calls a later SKILL.md plain text",
    warns: ["skillmd-mimetype"],
    follows: ["directory-child-shape"],
    ...both(listed(LATER, plain), read(LATER, plain)),
  },
  {
    id: "resource-name-differs",
    title: "Lists the first SKILL.md under its file name",
    warns: ["skillmd-metadata-name"],
    follows: ["resource-metadata-all", "directory-child-shape"],
    ...listed(FIRST, (item) => ({ ...item, name: "SKILL.md" })),
  },
  {
    id: "resource-description-missing",
    title: "Lists the first SKILL.md without its description",
    warns: ["skillmd-metadata-description"],
    follows: ["resource-metadata-all", "directory-child-shape"],
    ...listed(FIRST, (item) => omit(item, "description")),
  },
  {
    id: "resource-description-later",
    title: "Lists a later SKILL.md with another description",
    warns: ["skillmd-metadata-description"],
    follows: ["directory-child-shape"],
    ...listed(LATER, (item) => ({ ...item, description: "Something else." })),
  },
  {
    id: "meta-bare-key-read",
    title: "Sends _meta keys without a prefix with the first SKILL.md",
    warns: ["meta-prefix"],
    follows: ["meta-prefix"],
    ...read(FIRST, bare),
  },
  {
    id: "meta-bare-key-listed",
    title: "Lists the first SKILL.md with _meta keys without a prefix",
    warns: ["meta-prefix"],
    follows: ["meta-prefix"],
    ...listed(FIRST, bare),
  },
  {
    id: "meta-bare-key-later",
    title: "Sends _meta keys without a prefix with a supporting file",
    warns: ["meta-prefix"],
    follows: ["meta-prefix"],
    ...read("skill://code-review/references/checklist.md", bare),
  },
  {
    id: "meta-bare-key-entry",
    title: "Sends an entry with _meta keys without a prefix",
    warns: ["meta-prefix"],
    follows: ["meta-prefix"],
    entry: (entry, { key }) => (key === "refunds" ? bare(entry) : entry),
  },
  {
    id: "mimetype-x-markdown",
    title: "Calls the first SKILL.md text/x-markdown",
    warns: ["skillmd-mimetype"],
    follows: ["directory-child-shape", "resource-metadata-all"],
    ...read(FIRST, (item) => ({ ...item, mimeType: "text/x-markdown" })),
  },
  {
    id: "resource-size-differs",
    title: "Lists a file with another size than it has",
    warns: ["resource-metadata-all"],
    ...listed("skill://code-review/references/checklist.md", (item) => ({ ...item, size: 3 })),
  },
  {
    id: "meta-no-object",
    title: "Sends a _meta that is no object with the first SKILL.md",
    breaks: ["wire-schema-valid"],
    warns: ["meta-prefix"],
    ...read(FIRST, (item) => ({ ...item, _meta: "revision 7" })),
  },
];
