// The lines of a manifest: which files, their digests and sizes as written, the limits.

import { counting, skillMd } from "../catalog.mjs";
import { entryOf, extraLines, lineOf, omit } from "./tools.mjs";

const SKILL = "refunds";
const POLICY = "references/POLICY.md";
const DIGEST = `sha256:${"0".repeat(64)}`;

const policyLine = (edit) => lineOf(SKILL, POLICY, edit);
const lines = (edit) => entryOf(SKILL, (entry) => ({ ...entry, resources: edit(entry.resources) }));

/** What may be said of a file whose line cannot be used, or is missing. */
const UNUSABLE = [
  "get-entry-full-rules",
  "manifest-complete-vs-directory",
  "manifest-complete-vs-resources-list",
  "manifest-links-listed",
];

export default [
  {
    id: "manifest-empty",
    title: "Sends a manifest without a line",
    breaks: ["resources-complete"],
    follows: [...UNUSABLE, "skillmd-required"],
    ...lines(() => []),
  },
  {
    id: "manifest-without-skill-md",
    title: "Leaves SKILL.md out of a manifest",
    breaks: ["resources-complete"],
    follows: UNUSABLE,
    ...lineOf(SKILL, "SKILL.md", () => undefined),
  },
  {
    id: "manifest-line-twice",
    title: "Has a file in a manifest twice",
    breaks: ["resources-complete"],
    follows: UNUSABLE,
    ...lines((all) => [...all, all[1]]),
  },
  {
    id: "manifest-two-spellings",
    title: "Has a file in a manifest twice, once with a percent-encoded letter",
    breaks: ["manifest-uri-canonical"],
    follows: ["resources-complete", "content-readable", "directory-children-exact", ...UNUSABLE],
    ...lines((all) => [...all, { ...all[1], uri: all[1].uri.replace("POLICY", "%50OLICY") }]),
  },
  {
    id: "manifest-foreign-file",
    title: "Has a file of another skill in a manifest",
    breaks: ["resources-uri-within-skill"],
    follows: UNUSABLE,
    ...extraLines(SKILL, () => [{ uri: "skill://code-review/references/checklist.md", digest: DIGEST, size: 5 }]),
  },
  {
    id: "manifest-sibling-prefix",
    title: "Has a file in a manifest whose path only begins like the skill's",
    breaks: ["resources-uri-within-skill"],
    follows: UNUSABLE,
    ...extraLines(SKILL, ({ root }) => [{ uri: `${root}-2/notes.md`, digest: DIGEST, size: 5 }]),
  },
  ...[
    ["dot-segments", (root) => `${root}/../refunds/${POLICY}`],
    ["escaping", (root) => `${root}/../invoices/list.md`],
    ["encoded-dot-segments", (root) => `${root}/%2e%2e/invoices/list.md`],
    ["empty-segment", (root) => `${root}//${POLICY}`],
    ["query", (root) => `${root}/${POLICY}?v=2`],
    ["fragment", (root) => `${root}/${POLICY}#top`],
    ["trailing-slash", (root) => `${root}/references/`],
  ].map(([name, uri]) => ({
    id: `manifest-uri-${name}`,
    title: `Has a line in a manifest whose URI is ${uri("skill://…/refunds")}`,
    breaks: ["manifest-uri-canonical"],
    follows: ["resources-uri-within-skill", "content-readable", "resources-complete", ...UNUSABLE],
    ...extraLines(SKILL, ({ root }) => [{ uri: uri(root), digest: DIGEST, size: 5 }]),
  })),
  ...[
    ["relative", () => POLICY],
    ["of-another-host", (root) => `${root.replace("acme", "ACME")}/${POLICY}`],
    ["of-another-scheme", (root) => `${root.replace("skill:", "file:")}/${POLICY}`],
    ["of-the-root", (root) => root],
  ].map(([name, uri]) => ({
    id: `manifest-uri-${name}`,
    title: `Has a line in a manifest whose URI is ${uri("skill://acme/refunds")}`,
    breaks: ["resources-uri-within-skill"],
    follows: ["manifest-uri-canonical", ...UNUSABLE],
    ...extraLines(SKILL, ({ root }) => [{ uri: uri(root), digest: DIGEST, size: 5 }]),
  })),
  ...[
    ["null", null],
    ["number", 7],
    ["list", ["references/POLICY.md", DIGEST, 5]],
  ].map(([name, line]) => ({
    id: `manifest-line-${name}`,
    title: `Has a line in a manifest that is ${name === "list" ? "a list" : JSON.stringify(line)}`,
    breaks: ["resources-uri-within-skill", "resources-digest-format", "resources-size-required"],
    follows: UNUSABLE,
    ...lines((all) => [...all, line]),
  })),
  {
    id: "manifest-says-dynamic-in-a-list",
    title: "Sends the word dynamic in a list",
    breaks: ["resources-complete", "resources-uri-within-skill"],
    follows: ["resources-digest-format", "resources-size-required", ...UNUSABLE],
    ...lines(() => ["dynamic"]),
  },
  {
    id: "manifest-twice-and-differs",
    title: "Has a file in a manifest twice, with two digests",
    breaks: ["resources-complete"],
    follows: ["content-digest-match", ...UNUSABLE],
    ...lines((all) => [...all, { ...all[1], digest: DIGEST }]),
  },
  {
    id: "manifest-backslash",
    title: "Has a file in a manifest whose path has backslashes",
    breaks: ["content-readable"],
    warns: ["manifest-uri-canonical"],
    follows: ["directory-children-exact", "resources-complete", ...UNUSABLE],
    ...lines((all) => [
      ...all.slice(0, 1),
      { ...all[1], uri: all[1].uri.replace("/POLICY", "\\POLICY") },
      ...all.slice(2),
    ]),
  },
  {
    id: "manifest-encoded-slash",
    title: "Has a file in a manifest whose path has an encoded slash",
    breaks: ["content-readable"],
    warns: ["manifest-uri-canonical"],
    follows: ["directory-children-exact", "resources-complete", "manifest-uri-canonical", ...UNUSABLE],
    ...lines((all) => [
      ...all.slice(0, 1),
      { ...all[1], uri: all[1].uri.replace("/POLICY", "%2FPOLICY") },
      ...all.slice(2),
    ]),
  },
  {
    id: "manifest-uri-raw-characters",
    title: "Serves a file under a URI with a raw blank, and links to it",
    breaks: ["wire-schema-valid"],
    skills: ({ logo }) => {
      logo.files["assets/my notes.md"] = "Do not stretch it.\n";
      logo.body += "\nRead [the notes](<assets/my notes.md>).\n";
    },
  },
  {
    id: "manifest-directory",
    title: "Has a directory in a manifest",
    breaks: ["manifest-uri-canonical"],
    follows: [
      "content-readable",
      "manifest-complete-vs-directory",
      "manifest-complete-vs-resources-list",
      "directory-children-exact",
    ],
    ...extraLines(SKILL, ({ root }) => [{ uri: `${root}/references`, digest: DIGEST, size: 5 }]),
  },
  {
    id: "manifest-line-without-uri",
    title: "Has a line without uri in a manifest",
    breaks: ["resources-uri-within-skill"],
    follows: ["resources-complete", ...UNUSABLE],
    ...policyLine((line) => omit(line, "uri")),
  },
  {
    id: "manifest-of-strings",
    title: "Sends a manifest of URIs without digests and sizes",
    breaks: ["resources-digest-format", "resources-size-required"],
    follows: ["resources-complete", "resources-uri-within-skill", ...UNUSABLE],
    ...lines((all) => all.map((line) => line.uri)),
  },
  ...[
    ["upper-case", (digest) => `sha256:${digest.slice(7).toUpperCase()}`],
    ["upper-case-prefix", (digest) => digest.replace("sha256", "SHA256")],
    ["without-prefix", (digest) => digest.slice(7)],
    ["base64", (digest) => `sha256:${Buffer.from(digest.slice(7), "hex").toString("base64")}`],
    ["sri", (digest) => `sha256-${Buffer.from(digest.slice(7), "hex").toString("base64")}`],
    ["short", (digest) => digest.slice(0, -1)],
    ["sha512", () => `sha512:${"0".repeat(128)}`],
    ["null", () => null],
    ["missing", () => undefined],
    ["empty", () => ""],
    ["with-blank", (digest) => digest.replace(":", ": ")],
    ["map", (digest) => ({ sha256: digest.slice(7) })],
    ["list", (digest) => [digest]],
    ["md5", () => "md5:d41d8cd98f00b204e9800998ecf8427e"],
  ].map(([name, edit]) => ({
    id: `digest-${name}`,
    title: `Writes a digest in a wrong form: ${name.replaceAll("-", " ")}`,
    breaks: ["resources-digest-format"],
    follows: ["get-entry-full-rules"],
    ...policyLine((line) => ({ ...line, digest: edit(line.digest) })),
  })),
  ...[
    ["missing", undefined],
    ["string", "28"],
    ["fraction", 28.5],
    ["negative", -1],
    ["null", null],
    ["words", "28 bytes"],
  ].map(([name, size]) => ({
    id: `size-${name}`,
    title: size === undefined ? "Leaves a size out" : `Writes the size ${JSON.stringify(size)}`,
    breaks: ["resources-size-required"],
    follows: ["get-entry-full-rules"],
    ...policyLine((line) => ({ ...line, size })),
  })),
  {
    id: "limit-513-files",
    title: "Serves a skill of 513 files",
    warns: ["limit-resources-per-skill"],
    follows: ["limits-actual-bytes", "get-entry-full-rules"],
    skills: ({ refunds }) => {
      refunds.files = manyFiles(512);
      refunds.body = "# Refunds\n";
    },
  },
  {
    id: "limit-16-mib-and-a-byte",
    title: "Serves a skill of one byte more than 16 MiB",
    warns: ["limit-total-size"],
    follows: ["limits-actual-bytes", "get-entry-full-rules"],
    skills: ({ refunds }) => {
      refunds.body = "# Refunds\n";
      refunds.files = { "filler.txt": filler(refunds, 16 * 1024 * 1024 + 1) };
    },
  },
  {
    id: "limit-declared-only",
    title: "Declares a size beyond 16 MiB for a small file",
    breaks: ["content-size-match"],
    warns: ["limit-total-size"],
    follows: ["get-entry-full-rules"],
    ...policyLine((line) => ({ ...line, size: 17 * 1024 * 1024 })),
  },
  {
    id: "limit-dynamic",
    title: "Serves a dynamic skill with more than 16 MiB in its directories",
    warns: ["limits-actual-bytes"],
    skills: ({ briefing }) => {
      const megabytes = (count) => Buffer.alloc(count * 1024 * 1024, "x");
      briefing.files = { "half-1.txt": megabytes(9), "half-2.txt": megabytes(9) };
      briefing.body = "# Today\n";
    },
  },
  {
    id: "limit-unlisted-513-files",
    title: "Serves an unlisted skill of 513 files",
    warns: ["limit-resources-per-skill"],
    follows: ["limits-actual-bytes", "get-entry-full-rules"],
    skills: ({ onboarding }) => {
      onboarding.files = manyFiles(512);
      onboarding.body = "# Welcome\n";
    },
  },
  {
    id: "manifest-lacks-a-file",
    title: "Leaves a file out of a manifest that its directory and resources/list have",
    breaks: ["manifest-complete-vs-directory", "manifest-complete-vs-resources-list"],
    follows: ["get-entry-full-rules"],
    ...lineOf(SKILL, "references/limits.csv", () => undefined),
  },
  {
    id: "manifest-lacks-a-file-of-directories",
    title: "Leaves a file out of a manifest that its directory has and resources/list has not",
    breaks: ["manifest-complete-vs-directory"],
    ...lineOf(SKILL, "references/limits.csv", () => undefined),
    answer: { "resources/list": (_honest, { complete }) => complete({ resources: [] }) },
  },
  {
    id: "manifest-lacks-a-file-without-directories",
    title: "Leaves a file out of a manifest that resources/list has, and reads no directories",
    breaks: ["manifest-complete-vs-resources-list"],
    settings: { directoryRead: false },
    ...lineOf(SKILL, "references/limits.csv", () => undefined),
  },
  {
    id: "manifest-lacks-a-linked-file",
    title: "Leaves a file out of a manifest that SKILL.md links to",
    breaks: ["manifest-complete-vs-directory", "manifest-complete-vs-resources-list", "resources-complete"],
    warns: ["manifest-links-listed"],
    ...policyLine(() => undefined),
  },
  {
    id: "manifest-lacks-nested-files",
    title: "Leaves a nested skill's files out of the manifest around it",
    breaks: ["manifest-nested-complete"],
    follows: [
      "resources-complete",
      "manifest-nested-complete",
      "manifest-complete-vs-directory",
      "manifest-complete-vs-resources-list",
      "manifest-links-listed",
    ],
    ...entryOf("release", (entry) => ({
      ...entry,
      resources: entry.resources.filter((line) => !line.uri.includes("/changelog/")),
    })),
  },
  {
    id: "manifest-nested-digest",
    title: "Has another digest for a nested skill's file in the manifest around it",
    breaks: ["manifest-nested-complete", "content-digest-match"],
    follows: ["manifest-nested-complete"],
    ...lineOf("release", "steps/changelog/references/voice.md", (line) => ({ ...line, digest: DIGEST })),
  },
  {
    id: "manifest-nested-size",
    title: "Has another size for a nested skill's file in the manifest around it",
    breaks: ["manifest-nested-complete", "content-size-match"],
    ...lineOf("release", "steps/changelog/references/voice.md", (line) => ({ ...line, size: line.size + 1 })),
  },
  {
    id: "manifest-lacks-the-nested-skill-md",
    title: "Leaves a nested skill's SKILL.md out of the manifest around it",
    breaks: ["manifest-nested-complete"],
    follows: ["resources-complete", ...UNUSABLE],
    ...lineOf("release", "steps/changelog/SKILL.md", () => undefined),
  },
  {
    id: "manifest-names-what-is-gone",
    title: "Has a file in a manifest that was deleted",
    breaks: ["content-readable"],
    follows: ["directory-children-exact"],
    ...extraLines(SKILL, ({ root }) => [{ uri: `${root}/references/old.md`, digest: DIGEST, size: 5 }]),
  },
  {
    id: "manifest-not-dynamic",
    title: "Sends a manifest for a skill whose content is generated",
    breaks: ["dynamic-honest"],
    follows: ["content-digest-match", "content-size-match", "dynamic-honest", "get-equals-list"],
    skills: ({ briefing }) => {
      briefing.dynamic = false;
      briefing.files = { "numbers.csv": counting((count) => `reads\n${count % 10}\n`) };
    },
  },
  ...[
    ["file", "references/bell%07.md"],
    ["folder", "bell%07s/notes.md"],
  ].map(([what, path]) => ({
    id: `manifest-control-character-${what}`,
    title: `Has a control character in the name of a ${what}`,
    breaks: ["manifest-uri-canonical"],
    skills: ({ refunds }) => {
      refunds.files[path] = "Ding.\n";
    },
  })),
  {
    id: "manifest-line-of-the-root",
    title: "Has a line in a manifest for the skill's own directory",
    breaks: ["resources-uri-within-skill"],
    ...extraLines(SKILL, ({ root }) => [{ uri: root, digest: DIGEST, size: 0 }]),
  },
  {
    id: "manifest-raw-letters",
    title: "Writes a file's name in a manifest as it is, and percent-encoded everywhere else",
    breaks: ["content-readable"],
    follows: ["directory-children-exact", ...UNUSABLE],
    ...entryOf("logo", (entry) => ({
      ...entry,
      resources: entry.resources.map((line) => ({ ...line, uri: decodeURI(line.uri) })),
    })),
  },
  {
    id: "manifest-sha256-member",
    title: "Sends sha256 instead of digest in the lines of a manifest",
    breaks: ["resources-digest-format"],
    follows: UNUSABLE,
    ...lines((all) => all.map(({ digest, ...line }) => ({ ...line, sha256: digest }))),
  },
];

function manyFiles(count) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`notes/${index}.md`, `Note ${index}.\n`]));
}

/** What brings a skill of SKILL.md and one more file to `total` bytes. */
function filler({ frontmatter, body }, total) {
  return Buffer.alloc(total - Buffer.byteLength(skillMd(frontmatter, body)), "x");
}
