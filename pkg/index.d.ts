/// <reference lib="esnext.disposable" />

/**
 * Every check a host must make on Agent Skills served over MCP (extension `io.modelcontextprotocol/skills`).
 *
 * All functions are synchronous and do no I/O: they take what a server sent, as the exact text or bytes, and say what is
 * true of it. What a server gets wrong is *returned*, as a finding, a reason or a verdict. An `Error` is *thrown* only for
 * a caller's mistake, and has a string `code` ({@link SkillglassErrorCode}).
 *
 * Every answer is plain data that `JSON.stringify` prints without loss: `null` for none, no `undefined`, no `Map`, no
 * `bigint`. The one exception is {@link FileContents.bytes}. Texts in answers that quote a server are bounded and have
 * their hidden characters escaped; fields that *are* a server's text (a URI, a name, a description) are exact.
 *
 * In Node, Deno and Bun importing the package is enough. Elsewhere call {@link init} once and await it.
 *
 * @packageDocumentation
 */

// ---------------------------------------------------------------------------------------------------------------------
// Start

/**
 * Loads the WebAssembly. Call it once, before anything else, where the package runs outside of Node, Deno and Bun; calls
 * after the first return the same promise. It does nothing in Node, Deno, Bun and in `skillglass/inline`, where the
 * import has already done it.
 *
 * @param source Where the module comes from: a URL, a `Response` or its promise, bytes, or a `WebAssembly.Module`. Left
 * out, it is fetched from beside the package's JavaScript.
 * @throws What fetching or compiling throws. A later call tries again.
 *
 * @example
 * ```js
 * import init, { readEntry } from "skillglass";
 * await init();
 * ```
 */
export default function init(source?: ModuleSource | Promise<ModuleSource>): Promise<void>;

/**
 * As {@link init}, without waiting: for workers that are handed a compiled module.
 *
 * @param module A compiled module, or the bytes of one.
 */
export function initSync(module: CompiledModule | ArrayBufferView | ArrayBuffer): void;

/** What {@link init} can load from. */
export type ModuleSource =
  | string
  | Platform<"URL">
  | Platform<"Request">
  | Platform<"Response">
  | CompiledModule
  | ArrayBufferView
  | ArrayBuffer;

/** `WebAssembly.Module`, where the platform's types declare it. */
export type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : never;

/** A class of the platform, where its types declare it: neither the DOM's nor Node's are required. */
type Platform<Name extends string> = typeof globalThis extends Record<Name, { prototype: infer Instance }>
  ? Instance
  : never;

/**
 * The `code` of each `Error` that is thrown.
 *
 * - `invalid-argument`: an argument has the wrong type.
 * - `not-unicode`: a string argument holds half a surrogate pair, so it has no UTF-8 form.
 * - `too-large`: a string or byte array argument is longer than 256 MiB, which could end the
 *   memory of the module. A {@link FileVerifier} takes longer files piece by piece.
 * - `invalid-digest`: a digest argument is not `sha256:` and 64 lowercase hexadecimal digits, or not 32 bytes.
 * - `invalid-skill-uri`: `skillUri` is not the URI of a `SKILL.md`.
 * - `entry-not-loadable`: the entry must not be loaded ({@link EntryReading.loadable}), so nothing can be checked against it.
 * - `finished`: a {@link FileVerifier} was used after its `finish()`, or a listing's walk had ended.
 * - `invalid-origin`: `origin` is no label for a server (`skillglass/protocol` only).
 */
export type SkillglassErrorCode =
  | "invalid-argument"
  | "not-unicode"
  | "too-large"
  | "invalid-digest"
  | "invalid-skill-uri"
  | "entry-not-loadable"
  | "finished"
  | "invalid-origin";

// ---------------------------------------------------------------------------------------------------------------------
// Places and findings

/** A half-open range of bytes, counted from 0 in the UTF-8 of the text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place as editors count it: line and column from 1, columns in UTF-16 code units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One statement about what a server sent, with its evidence. */
export interface Finding {
  /** The rule's stable id; the official conformance suite's where it has one. */
  readonly id: string;
  /** How the specification words the rule: a broken MUST, a broken SHOULD, or nothing broken but worth knowing. */
  readonly level: "must" | "should" | "note";
  /** What is wrong, as a sentence. */
  readonly message: string;
  /** The section of the specification that holds the rule. */
  readonly section: { readonly title: string; readonly url: string };
  /** The place in the entry, as a JSON pointer (RFC 6901) for showing: bounded, hidden characters escaped. */
  readonly pointer: string | null;
  /** The place in the file. */
  readonly position: Position | null;
  /** The place in the file, as bytes. */
  readonly span: Span | null;
  /** What was promised or demanded. */
  readonly expected: string | null;
  /** What came. */
  readonly actual: string | null;
  /** Why, where it can be proved. */
  readonly cause: string | null;
  /** What to change. */
  readonly repair: string | null;
}

// ---------------------------------------------------------------------------------------------------------------------
// URIs, names, digests

/**
 * Splits the URI of a `SKILL.md` into its parts. The text is taken as it is: nothing is decoded or normalised, since the
 * extension compares URIs as text.
 *
 * Specification: *Resource Mapping*.
 *
 * @example
 * ```js
 * parseSkillUri("skill://acme/billing/refunds/SKILL.md"); // { kind: "ok", name: "refunds", prefix: "acme/billing", … }
 * parseSkillUri("skill://acme/../refunds/SKILL.md");      // { kind: "invalid", reason: "dot-segment", … }
 * ```
 */
export function parseSkillUri(text: string): SkillUri | InvalidUri;

/** The parts of a skill's URI, each exactly as written. */
export interface SkillUri {
  readonly kind: "ok";
  readonly uri: string;
  readonly scheme: string;
  /** The skill's root directory: the URI without `/SKILL.md`. */
  readonly root: string;
  /** All segments between `scheme://` and `SKILL.md`. */
  readonly skillPath: string;
  /** The free segments in front of the name; empty where there are none. */
  readonly prefix: string;
  /** The last segment of the skill path, which must be the frontmatter's `name`. */
  readonly name: string;
  /** What is unusual about it, though allowed. */
  readonly notes: readonly { readonly kind: UriNoteKind; readonly message: string }[];
}

export interface InvalidUri {
  readonly kind: "invalid";
  readonly reason: UriProblem;
  readonly message: string;
}

/** Why a text is not the URI of a skill or of a skill's file. */
export type UriProblem =
  | "no-scheme"
  | "query-or-fragment"
  | "bad-percent"
  | "empty-segment"
  | "dot-segment"
  | "control-character"
  | "not-skill-md"
  | "no-skill-path";

export type UriNoteKind = "other-scheme" | "scheme-case" | "raw-character" | "encoded-separator" | "not-reg-name";

/**
 * Resolves a reference found in a skill's Markdown against the skill's root. Only `file` may be read under the skill's
 * approval, and only if the manifest lists that very URI.
 *
 * Specification: *Relative References*.
 *
 * @param skillUri The URI of the `SKILL.md`.
 * @param reference The reference as written.
 * @param fromPath The path of the file it stands in, below the root (`"references/a.md"`); left out for `SKILL.md`.
 * @throws `invalid-skill-uri`
 *
 * @example
 * ```js
 * resolveReference("skill://acme/refunds/SKILL.md", "references/limits.md");
 * // { kind: "file", uri: "skill://acme/refunds/references/limits.md", fragment: null }
 * resolveReference("skill://acme/refunds/SKILL.md", "../../secret"); // { kind: "outside", uri: null }
 * ```
 */
export function resolveReference(skillUri: string, reference: string, fromPath?: string): Reference;

/** What a reference leads to. */
export type Reference =
  /** Another place in the same file. */
  | { readonly kind: "here"; readonly fragment: string | null }
  /** A place inside the skill's directory; whether a file is there is the manifest's business. */
  | { readonly kind: "file"; readonly uri: string; readonly fragment: string | null }
  /** A place outside of the skill, never to be read under its approval; no URI where it climbs above everything. */
  | { readonly kind: "outside"; readonly uri: string | null }
  /** Another scheme: a link for a person, never to be fetched on its own. */
  | { readonly kind: "external"; readonly uri: string }
  /** Nothing that can be resolved. */
  | { readonly kind: "malformed"; readonly reference: string };

/**
 * Checks a skill name: 1 to 64 of `a`–`z`, `0`–`9` and `-`, no hyphen at either end, none doubled.
 *
 * Specification: the Agent Skills format.
 */
export function checkName(name: string): { readonly kind: "ok" } | InvalidName;

export interface InvalidName {
  readonly kind: "invalid";
  readonly reason: "empty" | "too-long" | "character" | "outer-hyphen" | "double-hyphen";
  /** The first character that is not allowed, where that is the reason. */
  readonly character: string | null;
  readonly message: string;
}

/**
 * Checks the spelling of a digest: `sha256:` and 64 lowercase hexadecimal digits.
 *
 * Specification: *Resources*.
 */
export function checkDigest(text: string): { readonly kind: "ok"; readonly digest: string } | InvalidDigest;

export interface InvalidDigest {
  readonly kind: "invalid";
  readonly reason: "prefix" | "prefix-case" | "sri" | "upper-hex" | "digits";
  readonly message: string;
}

/**
 * The digest of bytes in the extension's spelling.
 *
 * @example
 * ```js
 * sha256(new Uint8Array()); // "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
 * ```
 */
export function sha256(bytes: Uint8Array): string;

/**
 * Lends the package a function of the platform that hashes bytes at once. Files of 1 KiB and more are then hashed by it, and
 * copied into the WebAssembly only where their content is needed: for the frontmatter of `SKILL.md`, and for the cause of a
 * mismatch. In Node, Deno and Bun the import has lent that of `node:crypto` already. Browsers have none that answers at
 * once; there, pass what WebCrypto computed to {@link verifyFile}.
 *
 * @param sha256 Gives the 32 bytes of the SHA-256 of its argument. The caller vouches for it.
 *
 * @example
 * ```js
 * hashWith((bytes) => createHash("sha256").update(bytes).digest());
 * ```
 */
export function hashWith(sha256: (bytes: Uint8Array) => Uint8Array): void;

// ---------------------------------------------------------------------------------------------------------------------
// Entries

/**
 * Reads one entry of `skills/list`, or the `skill` of `skills/get`. A malformed entry is not an error: what could be read
 * of it is returned beside the findings that say what is wrong. A host must load it only if `loadable` is true.
 *
 * Specification: *Skill Entries*, *Resources*, *Limits*.
 *
 * @param entryJson The entry's exact JSON text. `JSON.stringify` of a parsed entry will do as well, but members that
 * occurred twice and the digits of large numbers are lost by then and are not reported.
 *
 * @example
 * ```js
 * const entry = readEntry(text);
 * if (!entry.loadable) console.warn(entry.findings.map((finding) => finding.message));
 * ```
 */
export function readEntry(entryJson: string): EntryReading;

/** What an entry turned out to be. Names, descriptions and URIs are the server's exact text. */
export interface EntryReading {
  /** Its `uri`, if that is a string. */
  readonly uri: string | null;
  /** Its `frontmatter.name`, if that is a string. */
  readonly name: string | null;
  /** Its `frontmatter.description`, if that is a string. */
  readonly description: string | null;
  /** Whether a host may load it: it has a skill URI, a frontmatter object and well-formed `resources`. */
  readonly loadable: boolean;
  /** The lines of its manifest, or `"dynamic"` where nothing pins the content; none if it is not loadable. */
  readonly resources: readonly ManifestFile[] | "dynamic" | null;
  /** Everything that is wrong or odd, in the order of the entry's members. */
  readonly findings: readonly Finding[];
}

/** One line of a manifest. */
export interface ManifestFile {
  readonly uri: string;
  /** Its digest; none where the line's is malformed. */
  readonly digest: string | null;
  /** Its size in bytes; none where the line's is malformed. */
  readonly size: number | null;
  /** Whether the line may be used: inside the skill's directory, and not contradicted by another line. */
  readonly usable: boolean;
}

/**
 * An entry that is read once and held while its skill is in use. Use it instead of the functions of the same names
 * whenever more than one file is checked, so that the entry is not read again for each.
 *
 * @example
 * ```js
 * const entry = new Entry(text);
 * for (const [uri, bytes] of files) console.log(entry.verifyFile(uri, bytes).verdict);
 * entry.free(); // or `using entry = new Entry(text)`
 * ```
 */
export class Entry implements EntryReading {
  constructor(entryJson: string);
  readonly uri: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly loadable: boolean;
  readonly resources: readonly ManifestFile[] | "dynamic" | null;
  readonly findings: readonly Finding[];
  /** See {@link compareFrontmatter}. */
  compareFrontmatter(skillMd: string | Uint8Array): FrontmatterComparison | InvalidFrontmatter;
  /** See {@link verifyFile}. */
  verifyFile(uri: string, bytes: Uint8Array, platformDigest?: string | Uint8Array): Verdict;
  /** See {@link verifySkill}. */
  verifySkill(files: Readonly<Record<string, Uint8Array>>): SkillVerdict;
  /** Gives its memory back at once instead of some time after it is no longer reachable. It cannot be used any more. */
  free(): void;
  [Symbol.dispose](): void;
}

// ---------------------------------------------------------------------------------------------------------------------
// Frontmatter

/**
 * Reads the frontmatter of a `SKILL.md`: YAML 1.2 with the core schema, between two lines `---`.
 *
 * Specification: the Agent Skills format; *Frontmatter Verification*.
 *
 * @param skillMd The whole file, as its bytes or as text. Pass bytes where you have them: decoding may change them.
 */
export function parseFrontmatter(skillMd: string | Uint8Array): Frontmatter | InvalidFrontmatter;

/** A frontmatter that could be read. All spans and positions count from the start of the file. */
export interface Frontmatter {
  readonly kind: "ok";
  /** The top-level fields in file order. */
  readonly fields: readonly FrontmatterField[];
  /** The YAML text, without the fences. */
  readonly yaml: Span;
  /** Everything behind the closing fence. */
  readonly body: Span;
  /** What other readers see otherwise. */
  readonly notes: readonly FrontmatterNote[];
  /** Broken rules of the Agent Skills format. */
  readonly findings: readonly Finding[];
}

export interface FrontmatterField {
  readonly name: string;
  readonly nameSpan: Span;
  /** The value as JSON text, numbers with all their digits. Infinities and not-a-number appear as strings. */
  readonly json: string;
  readonly span: Span;
  readonly position: Position;
}

export interface FrontmatterNote {
  readonly kind: FrontmatterNoteKind;
  readonly message: string;
  readonly span: Span;
  readonly position: Position;
}

export type FrontmatterNoteKind =
  | "byte-order-mark"
  | "space-after-opening"
  | "space-after-closing"
  | "lone-carriage-return"
  | "non-string-key"
  | "merge-key"
  | "old-reading"
  | "non-finite"
  | "reader-allowance";

/** A frontmatter that could not be read. */
export interface InvalidFrontmatter {
  readonly kind: "invalid";
  readonly reason: FrontmatterReason;
  readonly message: string;
  readonly span: Span;
  /** Where; none if the bytes are not text. */
  readonly position: Position | null;
  /** What to change. */
  readonly repair: string | null;
  /** Whether only a limit of this reader stopped it, so that nothing is proved against the file. */
  readonly readerLimit: boolean;
}

export type FrontmatterReason =
  | { readonly kind: "not-utf8" | "missing" | "late-opening" | "empty" }
  | { readonly kind: "unclosed"; readonly detail: "none" | "dots" | "long-dashes" | "formatted" }
  /** The text between the fences is this, in words, instead of fields. */
  | { readonly kind: "not-mapping"; readonly detail: string }
  | { readonly kind: "yaml"; readonly detail: YamlReason };

export type YamlReason =
  | { readonly kind: "colon-in-plain" | "tab-indent" | "complex-key" | "self-alias" | "several-documents" }
  /** The parser's own words. */
  | { readonly kind: "syntax"; readonly detail: string }
  /** The character. */
  | { readonly kind: "reserved-start" | "forbidden-character"; readonly detail: string }
  | { readonly kind: "duplicate-key"; readonly detail: { readonly name: string; readonly first: Span } }
  /** The tag. */
  | { readonly kind: "unknown-tag" | "tag-mismatch"; readonly detail: string }
  | { readonly kind: "limit"; readonly detail: "bytes" | "nodes" | "depth" | "respellings" | "parser" };

/**
 * Compares the frontmatter of a `SKILL.md` with the entry's, field by field and in both directions. The order of fields
 * does not count and `1` equals `1.0`; everything else does.
 *
 * Specification: *Frontmatter Verification*.
 *
 * @throws `entry-not-loadable`
 */
export function compareFrontmatter(
  skillMd: string | Uint8Array,
  entryJson: string,
): FrontmatterComparison | InvalidFrontmatter;

export interface FrontmatterComparison {
  readonly kind: "ok";
  /** Whether both sides are identical in content. */
  readonly equal: boolean;
  /** The file's fields in file order, then those only in the entry. */
  readonly fields: readonly FieldComparison[];
}

export interface FieldComparison {
  readonly name: string;
  /** `unverifiable`: JSON cannot carry the file's value, so no entry can hold it. It counts as a difference. */
  readonly outcome: "equal" | "different" | "only-in-entry" | "only-in-file" | "unverifiable";
  readonly file: FieldSide | null;
  readonly entry: FieldSide | null;
  /** Where inside of the field the two differ; at most fifty places. */
  readonly differences: readonly FieldDifference[];
}

/** A value on one side. */
export interface FieldSide {
  /** The value as JSON, bounded and with hidden characters escaped: to be shown, not to be parsed. */
  readonly json: string;
  /** Its place in the file, or in the entry's text. */
  readonly span: Span;
  readonly position: Position;
}

export interface FieldDifference {
  /** The place as a JSON pointer below the frontmatter. */
  readonly pointer: string;
  readonly file: FieldSide | null;
  readonly entry: FieldSide | null;
  /** The proved cause. It says why; it never excuses. */
  readonly explanation: Explanation | null;
  /** The explanation as a sentence. */
  readonly message: string | null;
}

/** What a server did to a value, proved by doing the same. */
export type Explanation =
  | "yaml11-boolean"
  | "yaml11-integer"
  | "yaml11-sexagesimal"
  | "yaml11-timestamp"
  | "quotes-kept"
  | "block-marker"
  | "final-newline"
  | "trimmed"
  | "normalization"
  | "first-line-only"
  | "comment-kept"
  | "stringified"
  | "precision"
  | "null-left-out"
  | "left-out"
  | "added"
  | "yaml11-merge"
  | "repeated"
  | "not-unicode";

// ---------------------------------------------------------------------------------------------------------------------
// Contents

/**
 * Finds the bytes of a file in the result of `resources/read`: the very bytes that digest and size speak of.
 *
 * Specification: the base protocol's *Reading Resources*; *Integrity and Verification*.
 *
 * @param resultJson The exact JSON text of the `result` member.
 * @param uri The URI that was asked for.
 */
export function readContents(resultJson: string, uri: string): FileContents | InvalidContents;

export interface FileContents {
  readonly kind: "ok";
  /** The raw bytes; a copy that belongs to the caller. */
  readonly bytes: Uint8Array;
  /** The media type the server names: a label, not a fact. */
  readonly mimeType: string | null;
  /** The member they came in. */
  readonly member: "text" | "blob";
  /** What was tolerated, though other hosts may not. */
  readonly notes: readonly ContentNote[];
}

export type ContentNote =
  /** The reply names the URI in another percent-encoding. */
  | { readonly kind: "other-spelling"; readonly uri: string }
  /** So many items for other URIs came along and were passed over. */
  | { readonly kind: "other-items"; readonly count: number }
  | { readonly kind: "base64-space" | "base64-padding" | "base64-spare-bits" };

export interface InvalidContents {
  readonly kind: "invalid";
  readonly reason: { readonly kind: "not-json" } | ContentProblem;
  readonly message: string;
}

/** Why a result holds no bytes for a file. */
export type ContentProblem =
  | {
      readonly kind:
        | "no-contents"
        | "empty"
        | "no-uri"
        | "ambiguous"
        | "not-one-member"
        | "not-string"
        | "not-unicode"
        | "base64-url"
        | "not-base64";
    }
  /** The first URI that came instead. */
  | { readonly kind: "other-uri"; readonly uri: string };

// ---------------------------------------------------------------------------------------------------------------------
// Verification

/**
 * Checks the bytes of one file against the entry that the host holds: the manifest lists the file, length and SHA-256 are
 * those of its line, and, for `SKILL.md`, the frontmatter equals the entry's. A host may use the content only if the
 * verdict is `verified`, or `unpinned` for a dynamic skill.
 *
 * A verified file is what the server promised. That says nothing about whether the server deserves trust.
 *
 * Specification: *Integrity and Verification*, *Frontmatter Verification*.
 *
 * @param bytes The raw bytes, as {@link readContents} gives them.
 * @param platformDigest A SHA-256 of `bytes` that the platform computed, as its 32 bytes or in the extension's spelling.
 * The caller vouches for it. In Node, Deno and Bun it is not needed, see {@link hashWith}. In browsers it pays from some
 * 64 KiB on: WebCrypto hashes several times as fast as the WebAssembly, but answers later.
 * @throws `entry-not-loadable`, `invalid-digest`
 *
 * @example
 * ```js
 * const verdict = verifyFile(entryJson, uri, bytes);
 * if (verdict.verdict === "refused") console.error(verdict.message, verdict.explanation, verdict.repair);
 * ```
 */
export function verifyFile(
  entryJson: string,
  uri: string,
  bytes: Uint8Array,
  platformDigest?: string | Uint8Array,
): Verdict;

/** What the check of a file came to. */
export type Verdict = VerifiedFile | RefusedFile | UntestedFile;

/** Content that a host may use. */
export interface VerifiedFile {
  /**
   * `verified`: the bytes are the ones the entry promises. `unpinned`: the skill is dynamic and nothing pins its bytes;
   * digest and size are of what came this time, and the frontmatter of a `SKILL.md` was compared and is equal.
   */
  readonly verdict: "verified" | "unpinned";
  readonly uri: string;
  readonly digest: string;
  /** In bytes. */
  readonly size: number;
}

/** Content that must not be used. */
export interface RefusedFile {
  readonly verdict: "refused";
  readonly uri: string;
  readonly reason: RefusalReason;
  /** The reason as a sentence. */
  readonly message: string;
  /** The manifest's line. */
  readonly expected: ManifestFile | null;
  /** The digest of what came. */
  readonly digest: string | null;
  /** The size of what came, in bytes. */
  readonly size: number | null;
  /** What went wrong on the server, where recomputing proves it. */
  readonly cause: RefusalCause | null;
  /** The cause as a sentence. */
  readonly explanation: string | null;
  /** What to change on the server. */
  readonly repair: string | null;
}

export type RefusalReason =
  | { readonly kind: "not-listed" | "unusable-line" | "size" | "digest" }
  | { readonly kind: "frontmatter"; readonly detail: FrontmatterTrouble }
  | { readonly kind: "frontmatter-differs"; readonly detail: { readonly fields: readonly FieldComparison[] } }
  | { readonly kind: "contents"; readonly detail: ContentProblem };

export interface FrontmatterTrouble {
  readonly message: string;
  readonly position: Position | null;
  readonly repair: string | null;
}

export type RefusalCause =
  | {
      readonly kind:
        | "crlf-to-lf"
        | "lf-to-crlf"
        | "mark-lost"
        | "mark-added"
        | "final-newline-lost"
        | "final-newline-added"
        | "json-quoted"
        | "base64-as-text"
        | "digest-of-base64"
        | "size-in-characters"
        | "size-in-utf16"
        | "digest-of-nothing"
        | "empty-body"
        | "composed"
        | "decomposed"
        | "replacement-characters"
        | "base64-url";
    }
  /** What came is this other file of the manifest. */
  | { readonly kind: "other-file"; readonly uri: string };

/** A file that could not be judged because of a limit of this reader. It must not be used. */
export interface UntestedFile {
  readonly verdict: "untested";
  readonly uri: string;
  readonly problem: FrontmatterTrouble;
}

/**
 * What a person should see in the text of a file before a model reads it: hidden characters, comments, links that lead out,
 * remote images, and what looks like a secret, which is not repeated. Notes with their places; nothing is refused for them. At
 * most 20 of each kind, the last of which says where there are more.
 *
 * Specification: *Security Considerations*.
 *
 * @example
 * ```js
 * reviewText("Read this.<!-- and obey -->"); // [{ id: "content-comment", level: "note", position: { line: 1, … }, … }]
 * reviewText("Plain instructions.");         // []
 * ```
 */
export function reviewText(text: string): readonly Finding[];

/**
 * Checks all files of a skill at once and sums up.
 *
 * @param files The files that were read, by URI. Files that are left out are reported as such.
 * @throws `entry-not-loadable`
 */
export function verifySkill(entryJson: string, files: Readonly<Record<string, Uint8Array>>): SkillVerdict;

export interface SkillVerdict {
  /**
   * Never better than the worst file. `verified`: every file of the manifest is, and nothing else came along.
   * `unpinned`: the skill is dynamic and nothing speaks against what came. `untested`: some file could not be judged.
   * `incomplete`: some file was not given. `refused`: some file, or the manifest itself, is.
   */
  readonly summary: "verified" | "unpinned" | "untested" | "incomplete" | "refused";
  /** The manifest's files in its order, `SKILL.md` in any case, then whatever else was given. */
  readonly files: readonly {
    readonly uri: string;
    /** None where the file was not given. */
    readonly verdict: Verdict | null;
  }[];
  /** Broken MUSTs of the manifest itself; one of them alone makes the summary `refused`. */
  readonly manifestFindings: readonly Finding[];
}

/**
 * Checks a file piece by piece, without holding it. It knows size and digest only: the frontmatter of a `SKILL.md` is
 * for {@link verifyFile}.
 *
 * @example
 * ```js
 * const verifier = new FileVerifier(line.size, line.digest);
 * for await (const piece of stream) if (!verifier.update(piece)) break;
 * const ok = verifier.finish().kind === "match";
 * ```
 */
export class FileVerifier {
  /**
   * @param size The promised length in bytes.
   * @param digest The promised digest.
   * @throws `invalid-argument`, `invalid-digest`
   */
  constructor(size: number, digest: string);
  /** Takes the next piece. `false` once more came than was promised: nothing that follows can mend it. */
  update(bytes: Uint8Array): boolean;
  /** Whether the pieces were the promised file. Ends the check. */
  finish(): { readonly kind: "match" } | FileMismatch;
  /** Gives its memory back at once. It cannot be used any more. */
  free(): void;
  [Symbol.dispose](): void;
}

export interface FileMismatch {
  readonly kind: "mismatch";
  readonly reason: { readonly kind: "size" | "digest" };
  readonly message: string;
}
