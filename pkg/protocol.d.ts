/// <reference lib="esnext.disposable" />

/**
 * All of `skillglass`, and the rules for what comes before a file is read: answers of the base protocol, results of the
 * extension's methods, the walk over a listing, directories, approvals. For hosts that speak the protocol themselves, and
 * for whoever checks a server.
 *
 * It is a WebAssembly module of its own, which has everything of `skillglass` too: import one of the two, not both.
 *
 * The same rules hold as there: exact text in, plain data out; what a server gets wrong is returned, only a caller's mistake
 * is thrown.
 *
 * @packageDocumentation
 */

import type { EntryReading, Finding, InvalidUri, UriNoteKind } from "./index.js";

export * from "./index.js";
export { default } from "./index.js";

// ---------------------------------------------------------------------------------------------------------------------
// Answers

/**
 * Reads the HTTP answer to a JSON-RPC request: JSON or an event stream, whichever the `Content-Type` names. The body is
 * read whatever the status is, since servers put errors behind 200 and behind 4xx alike.
 *
 * Specification: the base protocol's *Streamable HTTP*; the extension's *Error Handling*.
 *
 * @param reply The answer. Where a transport has read it already, its message will do, with the status 200 and
 * `application/json`.
 * @param request The request that it answers.
 *
 * @example
 * ```js
 * const request = { jsonrpc: "2.0", id: 7, method: "skills/get", params: { uri } };
 * readReply({ status: 200, contentType: "application/json", body }, request);
 * // { kind: "result", resultJson: '{"resultType":"complete","skill":…}', findings: [] }
 * readReply({ status: 404, contentType: "text/html", body: "<h1>Not found</h1>" }, request);
 * // { kind: "invalid", reason: "media-type", message: "the server answered 404 with text/html instead of JSON…", … }
 * ```
 */
export function readReply(reply: HttpReply, request: JsonRpcRequest): ResultReply | ErrorReply | InvalidReply;

/** An answer as it came in. */
export interface HttpReply {
  readonly status: number;
  /** The value of `Content-Type`; `null` where the answer has none. */
  readonly contentType: string | null;
  /** The body's bytes, or its text. At most 128 MiB of it are read. */
  readonly body: Uint8Array | string;
}

/** A request, as it was sent; other members do not matter. */
export interface JsonRpcRequest {
  /** What the answer in an event stream is found by. */
  readonly id?: number;
  readonly method: string;
  /** Its `uri` is read where the method has one. */
  readonly params?: object;
}

/** The server answered the question. */
export interface ResultReply {
  readonly kind: "result";
  /** The exact text of the `result` member, for {@link readSkillPage} and the other readers of results. */
  readonly resultJson: string;
  /** What is odd about the message itself. */
  readonly findings: readonly Finding[];
}

/** The server answered with a JSON-RPC error. */
export interface ErrorReply {
  readonly kind: "error";
  /** The error's code; none where it has none that is a whole number. */
  readonly code: number | null;
  /** The server's own words, bounded. */
  readonly message: string;
  /** The error's `data` as JSON, bounded: to be shown, not to be parsed. */
  readonly data: string | null;
  /**
   * What is odd about the message, and whether the code is the right one: an unknown skill, file or directory must be
   * answered with -32602.
   */
  readonly findings: readonly Finding[];
}

/** What came is no answer. */
export interface InvalidReply {
  readonly kind: "invalid";
  /**
   * `media-type`: neither JSON nor an event stream. `not-json`: called JSON, but it is not. `not-message`: JSON, but no
   * JSON-RPC response. `other-id`: the answer to another request. `ended-early`: the stream ended before the answer.
   * `too-long`: beyond 128 MiB.
   */
  readonly reason: "media-type" | "not-json" | "not-message" | "other-id" | "ended-early" | "too-long";
  /** The reason as a sentence. */
  readonly message: string;
  readonly status: number;
  /** The body's first characters, hidden ones escaped. */
  readonly excerpt: string | null;
}

// ---------------------------------------------------------------------------------------------------------------------
// What a server declares

/**
 * Reads the result of `server/discover`, which every server since 2026-07-28 answers.
 *
 * Specification: the base protocol's *Discovery*; the extension's *Capabilities*.
 *
 * @example
 * ```js
 * readDiscovery('{"supportedVersions":["2026-07-28"],"capabilities":{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}}}');
 * // { kind: "ok", protocolVersions: ["2026-07-28"], skills: true, directoryRead: false, findings: [], … }
 * readDiscovery('{"capabilities":{"extensions":{"io.modelcontextprotocol/skills":true}}}');
 * // { kind: "ok", skills: true, findings: [{ id: "capability-empty-object", … }, …], … }
 * ```
 */
export function readDiscovery(resultJson: string): Discovery | InvalidResult;

/** As {@link readDiscovery}, for the result of `initialize`, which servers before 2026-07-28 answer. */
export function readInitialize(resultJson: string): Discovery | InvalidResult;

/** What a server says of itself. */
export interface Discovery {
  readonly kind: "ok";
  /** The name it gives itself, bounded: a label, never an identity. */
  readonly name: string | null;
  readonly version: string | null;
  readonly instructions: string | null;
  /** The revisions of the base protocol that it names. */
  readonly protocolVersions: readonly string[];
  /** Whether it declares the extension, so that `skills/list` and `skills/get` may be called. */
  readonly skills: boolean;
  /** Whether `resources/directory/read` may be called. */
  readonly directoryRead: boolean;
  /** What is wrong with the declaration. */
  readonly findings: readonly Finding[];
}

/** A text that is no JSON, so that nothing can be read of it. */
export interface InvalidResult {
  readonly kind: "invalid";
  readonly reason: { readonly kind: "not-json" };
  readonly message: string;
}

// ---------------------------------------------------------------------------------------------------------------------
// Listings

/**
 * Reads the result of `skills/list`. A malformed entry is among the skills too, to show what is wrong with it.
 *
 * Specification: *Listing Skills*.
 *
 * @param resultJson The exact JSON text of the `result` member.
 * @param protocolVersion The revision that was negotiated; the newest where it is left out. Before 2026-07-28 results
 * need neither `resultType` nor `ttlMs` and `cacheScope`.
 *
 * @example
 * ```js
 * const page = readSkillPage(answer.resultJson);
 * if (page.kind === "invalid") throw new Error(page.message);
 * const usable = page.skills.filter(({ reading }) => reading.loadable).map(({ entryJson }) => new Entry(entryJson));
 * ```
 */
export function readSkillPage(resultJson: string, protocolVersion?: string): SkillPage | InvalidResult;

export interface SkillPage {
  readonly kind: "ok";
  /** Its entries, of which the first 100,000 are read. */
  readonly skills: readonly ListedSkill[];
  /** How many entries are left out behind these. */
  readonly leftOut: number;
  /** The cursor of the next page, if there is one; an empty text is one. {@link SkillListing} walks over them. */
  readonly nextCursor: string | null;
  /** For how many milliseconds the page is fresh; 0 where the server names no valid number. */
  readonly ttlMs: number;
  /** Who may share it; `private` where the server does not say. */
  readonly cacheScope: "public" | "private";
  /** What is wrong with the page itself. What is wrong with an entry is in its reading. */
  readonly findings: readonly Finding[];
}

/** An entry as a server sent it. */
export interface ListedSkill {
  /** Its exact text, to be kept: `new Entry(entryJson)`. */
  readonly entryJson: string;
  /** What it turned out to be. */
  readonly reading: EntryReading;
}

/**
 * Reads the result of `skills/get`. An entry for another skill than the one asked for is not given back.
 *
 * Specification: *Getting a Skill*.
 *
 * @param uri The URI that was asked for.
 * @param protocolVersion See {@link readSkillPage}.
 */
export function readGotSkill(resultJson: string, uri: string, protocolVersion?: string): GotSkill | InvalidResult;

export interface GotSkill {
  readonly kind: "ok";
  /** The entry; none where the result has none for the skill that was asked for. */
  readonly skill: ListedSkill | null;
  /** See {@link SkillPage.ttlMs}. */
  readonly ttlMs: number;
  /** See {@link SkillPage.cacheScope}. */
  readonly cacheScope: "public" | "private";
  /** What is wrong with the result itself. */
  readonly findings: readonly Finding[];
}

/**
 * The walk over the pages of `skills/list`: it ends even where a server's pages do not, and keeps each skill once.
 *
 * Specification: *Listing Skills*; the base protocol's *Pagination*.
 *
 * @example
 * ```js
 * const listing = new SkillListing();
 * for (let params = listing.next(); params; params = listing.next()) {
 *   const request = { jsonrpc: "2.0", id: nextId(), method: "skills/list", params };
 *   const answer = readReply(await post(request), request);
 *   if (answer.kind !== "result") throw new Error(answer.message);
 *   listing.receive(answer.resultJson);
 * }
 * if (listing.state.kind === "stopped") console.warn(listing.state.message);
 * ```
 */
export class SkillListing {
  /** @param protocolVersion See {@link readSkillPage}. */
  constructor(protocolVersion?: string);
  /** The `params` of the next request; `null` once the walk has ended. */
  next(): { readonly cursor?: string } | null;
  /**
   * Takes the result of the request that {@link SkillListing.next} gave.
   *
   * @throws `finished`
   */
  receive(resultJson: string): void;
  readonly state: ListingState;
  /** The skills so far, in the order sent. One that is listed again is left out. */
  readonly skills: readonly ListedSkill[];
  /** What is wrong with the pages and between them. */
  readonly findings: readonly Finding[];
  /** Gives its memory back at once. It cannot be used any more. */
  free(): void;
  [Symbol.dispose](): void;
}

export type ListingState =
  | { readonly kind: "more" | "complete"; readonly reason: null; readonly message: null }
  | {
      readonly kind: "stopped";
      /**
       * A cursor came twice, so the pages go round; fifty pages in a row brought no new skill; 2,000 pages or 200,000
       * skills were read; a result was no JSON.
       */
      readonly reason: "repeated-cursor" | "idle" | "pages" | "skills" | "not-json";
      readonly message: string;
    };

/**
 * Checks what has to hold between the skills of one server whose directories enclose each other: the outer manifest lists
 * the inner skill's files, with the same sizes and digests.
 *
 * Specification: *Resource Mapping*, *Resources*.
 *
 * @param entries The texts of the entries. Malformed ones are passed over.
 */
export function checkNested(entries: readonly string[]): readonly Finding[];

// ---------------------------------------------------------------------------------------------------------------------
// Directories

/**
 * Reads the result of `resources/directory/read`.
 *
 * Specification: *Reading Directories*.
 *
 * @param uri The URI of the directory that was asked for.
 * @param protocolVersion See {@link readSkillPage}.
 */
export function readDirectoryPage(resultJson: string, uri: string, protocolVersion?: string): DirectoryPage | InvalidResult;

export interface DirectoryPage {
  readonly kind: "ok";
  /** The children that have a URI. */
  readonly children: readonly DirectoryChild[];
  /** The cursor of the next page, if there is one. */
  readonly nextCursor: string | null;
  readonly findings: readonly Finding[];
}

export interface DirectoryChild {
  readonly uri: string;
  readonly name: string | null;
  /** `inode/directory` for a directory. */
  readonly mimeType: string | null;
}

/**
 * Compares a complete directory with the manifest of the entry that is held. A directory never extends a manifest: a child
 * that the manifest lacks means that the skill has changed and needs approval again.
 *
 * Specification: *Reading Directories*.
 *
 * @param uri The URI of the directory.
 * @param children Its children from all pages.
 * @throws `entry-not-loadable`
 */
export function checkDirectory(
  entryJson: string,
  uri: string,
  children: readonly DirectoryChild[],
): readonly Finding[];

// ---------------------------------------------------------------------------------------------------------------------
// URIs of files

/**
 * Splits the URI of a file or a directory, as `parseSkillUri` does that of a `SKILL.md`.
 *
 * Specification: *Resource Mapping*.
 *
 * @example
 * ```js
 * parseUri("skill://acme/refunds/references"); // { kind: "ok", scheme: "skill", path: "acme/refunds/references", … }
 * parseUri("skill://acme/refunds/");           // { kind: "invalid", reason: "empty-segment", … }
 * ```
 */
export function parseUri(text: string): PlainUri | InvalidUri;

export interface PlainUri {
  readonly kind: "ok";
  readonly uri: string;
  readonly scheme: string;
  /** Everything behind `scheme://`. */
  readonly path: string;
  /** What is unusual about it, though allowed. */
  readonly notes: readonly { readonly kind: UriNoteKind; readonly message: string }[];
}

/**
 * What a person should see in an entry before any file of the skill was read: requested tools and hooks, scripts, names that
 * look like others or that have no place on every disk. `reviewText` does the same for a file's text. Notes; nothing is refused
 * for them.
 *
 * Specification: *Security Considerations*.
 *
 * @throws `entry-not-loadable`
 *
 * @example
 * ```js
 * reviewEntry(entryJson); // [{ id: "content-requested-tools", level: "note", pointer: "/frontmatter/allowed-tools", … }]
 * ```
 */
export function reviewEntry(entryJson: string): readonly Finding[];

// ---------------------------------------------------------------------------------------------------------------------
// Approvals

/**
 * A person's approval of a skill, bound to the complete set of its files and their digests, as text to be kept. `null`
 * where nothing could bind it: the skill is dynamic, or its manifest does not say what the complete set is.
 *
 * Specification: *Security Considerations*.
 *
 * @param origin What the host calls the server: letters, digits, single blanks, `-`, `_` and `.`, at most 64 of them.
 * Never the name that a server gives itself.
 * @throws `invalid-origin`, `entry-not-loadable`
 */
export function approve(origin: string, entryJson: string): string | null;

/**
 * What a kept approval is worth for an entry that came from `origin`. Only `covers` lets a host go on without asking.
 *
 * Specification: *Security Considerations*.
 *
 * @param approval What {@link approve} gave. A text that cannot be read approves nothing, as does `null`.
 * @throws `invalid-origin`, `entry-not-loadable`
 *
 * @example
 * ```js
 * const approval = approve("acme", before);
 * checkApproval(approval, "acme", before); // { state: "covers", … }
 * checkApproval(approval, "acme", after);  // { state: "revoked", message: "1 changed", changed: ["skill://…"], … }
 * checkApproval(approval, "other", before); // { state: "none", … }
 * ```
 */
export function checkApproval(approval: string | null, origin: string, entryJson: string): ApprovalState;

export interface ApprovalState {
  /**
   * `covers`: it is of exactly these files. `revoked`: files have changed, see the other members. `none`: there is no
   * approval of this skill of this server. `not-bindable`: no approval can cover the entry.
   */
  readonly state: "covers" | "revoked" | "none" | "not-bindable";
  /** The change in one line. */
  readonly message: string | null;
  /** URIs of files that were not approved. */
  readonly added: readonly string[];
  /** URIs of files that are gone. */
  readonly removed: readonly string[];
  /** URIs of files with another digest. */
  readonly changed: readonly string[];
}
