// The bytes of the files: whether they can be read, and whether they are those that the manifest promises.

import { counting, digestOf } from "../catalog.mjs";
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from "../methods.mjs";
import {
  caching,
  contentsOf,
  insteadOfRefusal,
  lineOf,
  refusing,
  refusingAs,
  result,
  textOf,
  without,
} from "./tools.mjs";

const READ = "resources/read";
const FIRST = "skill://acme/billing/refunds/SKILL.md";
const POLICY = "skill://acme/billing/refunds/references/POLICY.md";
const LATER = "skill://acme/release/SKILL.md";
const PNG = "skill://acme/media/logo/assets/logo.png";
const LATIN_1 = "skill://acme/media/logo/assets/latin-1.txt";
const LATIN_1_AND_MORE = "skill://acme/media/logo/assets/latin-1.bin";
const OTHER = digestOf(Buffer.from("the file of last week\n"));

const policyLine = (edit) => lineOf("refunds", "references/POLICY.md", edit);
const MISMATCH = ["content-digest-match", "content-size-match"];

/** What follows where the first SKILL.md cannot be had. */
const NO_SKILL_MD = [
  "skillmd-required",
  "skillmd-frontmatter",
  "entry-frontmatter-identical",
  "final-segment-equals-name",
  "skillmd-mimetype",
  "skillmd-metadata-name",
  "skillmd-metadata-description",
  "meta-prefix",
  "resource-metadata-all",
];

export default [
  {
    id: "digest-wrong-first",
    title: "Promises another digest for the first SKILL.md",
    breaks: ["content-digest-match"],
    ...lineOf("refunds", "SKILL.md", (line) => ({ ...line, digest: OTHER })),
  },
  {
    id: "digest-wrong-supporting",
    title: "Promises another digest for a supporting file",
    breaks: ["content-digest-match"],
    ...policyLine((line) => ({ ...line, digest: OTHER })),
  },
  {
    id: "digest-wrong-unlisted",
    title: "Promises another digest for a file of an unlisted skill",
    breaks: ["content-digest-match"],
    ...lineOf("onboarding", "references/people.md", (line) => ({ ...line, digest: OTHER })),
  },
  {
    id: "digest-wrong-everywhere",
    title: "Promises digests of the paths instead of the bytes",
    breaks: ["content-digest-match"],
    entry: (entry) =>
      Array.isArray(entry.resources)
        ? { ...entry, resources: entry.resources.map((line) => ({ ...line, digest: digestOf(Buffer.from(line.uri)) })) }
        : entry,
  },
  {
    id: "digest-of-base64",
    title: "Promises the digest of the base64 text of a binary file",
    breaks: ["content-digest-match"],
    entry: (entry, { root, files }) =>
      root.endsWith("/logo")
        ? { ...entry, resources: entry.resources.map((line) => base64Digest(line, files, root)) }
        : entry,
  },
  {
    id: "size-one-more",
    title: "Promises one byte more than the first SKILL.md has",
    breaks: ["content-size-match"],
    ...lineOf("refunds", "SKILL.md", (line) => ({ ...line, size: line.size + 1 })),
  },
  {
    id: "size-in-characters",
    title: "Promises the number of characters instead of bytes",
    breaks: ["content-size-match"],
    ...policyLine((line) => ({ ...line, size: line.size - 2 })),
  },
  {
    id: "size-zero",
    title: "Promises the size 0 for a supporting file",
    breaks: ["content-size-match"],
    ...policyLine((line) => ({ ...line, size: 0 })),
  },
  {
    id: "served-with-crlf",
    title: "Serves a file with CRLF whose digest is of LF",
    breaks: MISMATCH,
    ...textOf(POLICY, (text) => text.replaceAll("\n", "\r\n")),
  },
  {
    id: "served-with-lf",
    title: "Serves a file with LF whose digest is of CRLF",
    breaks: MISMATCH,
    ...textOf("skill://acme/windows/shift-notes/templates/shift.txt", (text) => text.replaceAll("\r\n", "\n")),
  },
  {
    id: "served-without-bom",
    title: "Serves a SKILL.md without the byte order mark that its digest covers",
    breaks: MISMATCH,
    ...textOf("skill://acme/windows/shift-notes/SKILL.md", (text) => text.replace("\ufeff", "")),
  },
  {
    id: "served-without-last-line-end",
    title: "Serves a file without its last line end",
    breaks: MISMATCH,
    ...textOf(POLICY, (text) => text.trimEnd()),
  },
  {
    id: "served-decomposed",
    title: "Serves a file with decomposed letters",
    breaks: MISMATCH,
    ...textOf("skill://acme/media/logo/assets/caf%C3%A9%20notes.md", (text) => text.normalize("NFD")),
  },
  {
    id: "served-changed-same-length",
    title: "Serves the first SKILL.md with other words of the same length",
    breaks: ["content-digest-match"],
    ...textOf(FIRST, (text) => text.replace("then run", "then RUN")),
  },
  {
    id: "served-html-escaped",
    title: "Serves a file with escaped characters",
    breaks: MISMATCH,
    ...textOf("skill://acme/billing/refunds/scripts/check_order.py", (text) => text.replaceAll("'", "&#39;")),
  },
  {
    id: "binary-as-text",
    title: "Serves a binary file as text, with replacement characters",
    breaks: MISMATCH,
    ...contentsOf(PNG, ({ blob, ...item }) => [{ ...item, text: Buffer.from(blob, "base64").toString() }]),
  },
  {
    id: "latin-1-as-utf-8",
    title: "Serves a Latin-1 file as UTF-8 text",
    breaks: MISMATCH,
    ...contentsOf(LATIN_1, ({ blob, ...item }) => [{ ...item, text: Buffer.from(blob, "base64").toString("latin1") }]),
  },
  {
    id: "blob-base64url",
    title: "Serves a blob in the URL alphabet of base64",
    breaks: ["content-readable"],
    follows: MISMATCH,
    ...contentsOf(PNG, (item) => [
      { ...item, blob: "__-_" + item.blob.replaceAll("+", "-").replaceAll("/", "_").slice(4) },
    ]),
  },
  {
    id: "blob-not-base64",
    title: "Serves a blob in hexadecimal with colons",
    breaks: ["content-readable"],
    follows: MISMATCH,
    ...contentsOf(PNG, (item) => [{ ...item, blob: "89:50:4e:47" }]),
  },
  {
    id: "text-and-blob",
    title: "Serves a file as text and as blob",
    breaks: ["content-readable"],
    ...contentsOf(POLICY, (item) => [{ ...item, blob: "AAAA" }]),
  },
  {
    id: "neither-text-nor-blob",
    title: "Serves a file as neither text nor blob",
    breaks: ["content-readable"],
    ...contentsOf(POLICY, ({ uri, mimeType }) => [{ uri, mimeType }]),
  },
  {
    id: "file-unreadable",
    title: "Does not serve a file of a manifest",
    breaks: ["content-readable"],
    follows: ["manifest-links-listed"],
    ...refusing(READ, INVALID_PARAMS, ({ uri }) => uri === POLICY, "There is no such file."),
  },
  {
    id: "file-fails",
    title: "Answers the read of a file with an internal error",
    breaks: ["content-readable"],
    ...refusing(READ, INTERNAL_ERROR, ({ uri }) => uri === POLICY),
  },
  {
    id: "file-empty-contents",
    title: "Answers the read of a file with empty contents",
    breaks: ["content-readable"],
    ...contentsOf(POLICY, () => []),
  },
  {
    id: "contents-missing",
    title: "Answers the read of a file without contents",
    breaks: ["content-readable", "wire-schema-valid"],
    ...result(READ, ({ contents, ...rest }, { params }) => (params.uri === POLICY ? rest : { contents, ...rest })),
  },
  {
    id: "skill-md-unreadable-first",
    title: "Does not serve the first SKILL.md",
    breaks: ["skillmd-required", "content-readable"],
    follows: NO_SKILL_MD,
    ...refusing(READ, INVALID_PARAMS, ({ uri }) => uri === FIRST, "There is no such file."),
  },
  {
    id: "skill-md-unreadable-later",
    title: "Does not serve the second SKILL.md",
    breaks: ["content-readable"],
    follows: NO_SKILL_MD,
    ...refusing(READ, INVALID_PARAMS, ({ uri }) => uri === LATER, "There is no such file."),
  },
  {
    id: "read-not-implemented",
    title: "Does not know resources/read",
    breaks: ["skillmd-required", "content-readable"],
    follows: [...NO_SKILL_MD, "read-unknown-32602"],
    ...refusing(READ, METHOD_NOT_FOUND),
  },
  {
    id: "contents-of-another-file",
    title: "Names another file in the contents",
    breaks: ["content-uri-echo"],
    follows: ["content-readable"],
    ...contentsOf(POLICY, (item) => [{ ...item, uri: FIRST }]),
  },
  {
    id: "contents-without-uri",
    title: "Names no file in the contents",
    breaks: ["content-uri-echo", "wire-schema-valid"],
    follows: ["content-readable"],
    ...contentsOf(POLICY, ({ mimeType, text }) => [{ mimeType, text }]),
  },
  {
    id: "contents-twice",
    title: "Gives a file twice, with other text",
    breaks: ["content-uri-echo"],
    follows: ["content-readable"],
    ...contentsOf(POLICY, (item) => [item, { ...item, text: "Pay everything.\n" }]),
  },
  {
    id: "read-unknown-empty",
    title: "Answers the read of an unknown file with empty contents",
    breaks: ["read-unknown-32602"],
    ...insteadOfRefusal(READ, ({ complete }) => complete({ contents: [] })),
  },
  {
    id: "read-unknown-page",
    title: "Answers the read of an unknown file with a text that says so",
    breaks: ["read-unknown-32602"],
    follows: ["read-traversal-refused"],
    ...insteadOfRefusal(READ, ({ complete, params: { uri } }) => complete({ contents: [{ uri, text: "Not found" }] })),
  },
  {
    id: "read-unknown-internal",
    title: "Answers the read of an unknown file with an internal error",
    breaks: ["read-unknown-32602"],
    ...refusingAs(READ, INTERNAL_ERROR),
  },
  {
    id: "read-unknown-32002",
    title: "Answers the read of an unknown file with the code of older revisions",
    breaks: ["read-unknown-32602"],
    follows: ["read-unknown-32602"],
    era: "modern",
    ...refusingAs(READ, -32002),
  },
  {
    id: "read-outside",
    title: "Follows dot segments out of a skill to files of the machine",
    breaks: ["read-traversal-refused"],
    ...insteadOfRefusal(READ, ({ complete, params: { uri } }, refusal) => {
      if (!decodeURIComponent(uri).endsWith("../etc/passwd")) {
        throw refusal;
      }
      return complete({ contents: [{ uri, text: "root:x:0:0:root:/root:/bin/sh\n" }] });
    }),
  },
  {
    id: "read-without-resulttype",
    title: "Leaves resultType out of resources/read",
    breaks: ["wire-schema-valid"],
    era: "modern",
    ...without(READ, "resultType"),
  },
  {
    id: "read-without-cache-fields",
    title: "Leaves ttlMs and cacheScope out of resources/read",
    breaks: ["wire-schema-valid"],
    era: "modern",
    ...without(READ, "ttlMs", "cacheScope"),
  },
  {
    id: "read-ttlms-negative",
    title: "Sends a negative ttlMs with resources/read",
    breaks: ["wire-schema-valid"],
    era: "modern",
    ...caching(READ, (honest) => ({ ...honest, ttlMs: -1 })),
  },
  ...[
    ["without-padding", (blob) => blob.replace(/=*$/, "")],
    ["with-line-breaks", (blob) => blob.replace(/.{40}/g, "$&\r\n")],
    ["with-last-line-break", (blob) => `${blob}\n`],
  ].map(([name, spell]) => ({
    id: `blob-${name}`,
    title: `Serves a blob ${name.replaceAll("-", " ")}`,
    warns: ["content-readable"],
    ...contentsOf(LATIN_1_AND_MORE, (item) => [{ ...item, blob: spell(item.blob) }]),
    skills: ({ logo }) => {
      logo.files["assets/latin-1.bin"] = Buffer.from(
        "caf\u00e9, caf\u00e9, caf\u00e9, caf\u00e9, caf\u00e9, caf\u00e9",
        "latin1",
      );
    },
  })),
  {
    id: "blob-with-spare-bits",
    title: "Serves a blob whose last digit says more than its bytes",
    warns: ["content-readable"],
    ...contentsOf(LATIN_1, (item) => [{ ...item, blob: item.blob.replace("Q==", "R==") }]),
    skills: ({ logo }) => {
      logo.files["assets/latin-1.txt"] = Buffer.from("caf\u00e9", "latin1");
    },
  },
  {
    id: "contents-object",
    title: "Gives a file as an object instead of an array",
    breaks: ["content-readable", "wire-schema-valid"],
    ...result(READ, (honest, { params }) =>
      params.uri === POLICY ? { ...honest, contents: honest.contents[0] } : honest,
    ),
  },
  ...[
    ["number", 7],
    ["null", null],
    ["bytes", [35, 32]],
    ["half-a-surrogate", "# Policy \ud800"],
  ].map(([name, text]) => ({
    id: `text-${name}`,
    title: `Gives the text of a file as ${JSON.stringify(text)}`,
    breaks: ["content-readable"],
    ...contentsOf(POLICY, (item) => [{ ...item, text }]),
  })),
  {
    id: "contents-uri-of-the-skill",
    title: "Names the skill instead of the file in the contents",
    breaks: ["content-uri-echo"],
    ...contentsOf(POLICY, (item) => [{ ...item, uri: "skill://acme/billing/refunds" }]),
  },
  {
    id: "contents-uri-relative",
    title: "Names a file by its path in the contents",
    breaks: ["content-uri-echo", "wire-schema-valid"],
    ...contentsOf(POLICY, (item) => [{ ...item, uri: "references/POLICY.md" }]),
  },
  {
    id: "file-cut-off",
    title: "Serves only the beginning of a file",
    breaks: MISMATCH,
    ...textOf(POLICY, (text) => text.slice(0, 10)),
  },
  {
    id: "file-with-more",
    title: "Serves a file with a line that is not of it",
    breaks: MISMATCH,
    ...textOf(POLICY, (text) => `${text}Served by the fault server.\n`),
  },
  {
    id: "file-without-tabs",
    title: "Serves every file with its line ends and blanks made alike",
    breaks: MISMATCH,
    ...textOf("skill://acme/billing/refunds/scripts/check_order.py", (text) => text.replace(/\s+/g, " ")),
  },
  ...["resources/read", "resources/list", "server/discover"].map((method) => ({
    id: `${method.replace("/", "-")}-resulttype-done`,
    title: `Sends resultType "done" with ${method}`,
    breaks: ["wire-schema-valid"],
    era: "modern",
    ...result(method, (honest) => (honest.resultType ? { ...honest, resultType: "done" } : honest)),
  })),
  {
    id: "read-knows-names-only",
    title: "Finds files by the last segment of their path",
    breaks: ["read-unknown-32602"],
    follows: ["content-uri-echo", "read-traversal-refused"],
    ...insteadOfRefusal(READ, ({ params, site, complete }, refusal) => {
      const name = params.uri.slice(params.uri.lastIndexOf("/") + 1);
      const known = [...site.catalog.files.keys()].find((uri) => uri.endsWith(`/${name}`)) ?? FIRST;
      if (params.uri.includes("passwd")) {
        throw refusal;
      }
      return complete({ contents: [{ uri: known, text: "# Found by its name\n" }] });
    }),
  },
  {
    id: "content-unstable",
    title: "Serves a file of a manifest with other bytes each time",
    breaks: ["dynamic-honest", "content-digest-match"],
    follows: ["dynamic-honest", "content-size-match"],
    ...readsCounted(POLICY),
  },
  {
    id: "blob-as-data-url",
    title: "Serves a blob as a data URL",
    breaks: ["content-readable"],
    ...contentsOf(PNG, (item) => [{ ...item, blob: `data:image/png;base64,${item.blob}` }]),
  },
  {
    id: "blob-encoded-twice",
    title: "Serves a blob whose bytes are base64 again",
    breaks: MISMATCH,
    ...contentsOf(PNG, (item) => [{ ...item, blob: Buffer.from(item.blob).toString("base64") }]),
  },
  {
    id: "contents-in-two-items",
    title: "Serves a file in two items",
    breaks: ["content-uri-echo"],
    ...contentsOf(POLICY, (item) => [
      { ...item, text: item.text.slice(0, 9) },
      { ...item, text: item.text.slice(9) },
    ]),
  },
  {
    id: "read-unknown-as-tool-result",
    title: "Answers the read of an unknown file with the result of a tool that failed",
    breaks: ["read-unknown-32602"],
    follows: ["read-traversal-refused", "wire-schema-valid"],
    ...insteadOfRefusal(READ, ({ complete }) =>
      complete({ isError: true, content: [{ type: "text", text: "There is no such file." }] }),
    ),
  },
];

/** A file that says how often it has been read, while the manifest keeps the first bytes. */
function readsCounted(uri) {
  const content = counting((count) => `# Policy\n\nRead ${count % 10} times.\n`);
  return contentsOf(uri, (item) => [{ ...item, text: content().toString() }]);
}

function base64Digest(line, files, root) {
  const content = files[line.uri.slice(root.length + 1)];
  return Buffer.isBuffer(content) ? { ...line, digest: digestOf(Buffer.from(content.toString("base64"))) } : line;
}
