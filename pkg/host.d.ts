/// <reference lib="esnext.disposable" />

/**
 * All of `skillglass`, and {@link SkillHost}: everything the extension asks of a host, over transports that you bring or that
 * come along. It lists, gets, asks a person, loads, verifies, reads, notices changes, and hands a model text that says where
 * it comes from.
 *
 * It is a WebAssembly module of its own, which has everything of `skillglass` too: import one of the two, not both. In Node,
 * Deno and Bun importing it is enough; elsewhere call its default export, `init`, once and await it.
 *
 * What a server gets wrong, or a person declines, is a {@link SkillError}. A caller's mistake is an `Error` with a `code`
 * ({@link HostMisuseCode}).
 *
 * @packageDocumentation
 */

import type { ApprovalState, DirectoryChild, Discovery } from "./protocol.js";
import type { Finding, ManifestFile, RefusedFile, UntestedFile } from "./index.js";

export * from "./index.js";
export { default } from "./index.js";
export type { ApprovalState, DirectoryChild, Discovery } from "./protocol.js";

// ---------------------------------------------------------------------------------------------------------------------
// The host

/**
 * A host of skills. It knows servers by labels that you give them, and skills by server and URI; names identify nothing.
 *
 * No file is read on adding a server, on listing or on approving: a `SKILL.md` when its skill is loaded, any other file when
 * it is asked for. From {@link SkillHost.load} until {@link SkillHost.end} the entry a skill was loaded from is retained, and
 * files are read within it and verified against it, whatever the server says meanwhile.
 *
 * Specification: *Integrity and Verification*, *Security Considerations*.
 *
 * @example
 * ```js
 * import { SkillHost, httpTransport } from "skillglass/host";
 *
 * const host = new SkillHost({ approve: (request) => askThePerson(request) });
 * await host.addServer("acme", httpTransport("https://mcp.example.com/mcp"));
 * const { skills } = await host.list("acme");
 * const { content } = await host.load(skills[0]);
 * model.send(content.forModel());
 * model.onWantsFile(async (reference) => (await host.read(skills[0], reference)).forModel());
 * ```
 */
export class SkillHost {
  /**
   * @throws `invalid-state` where `state` is not what a host has kept; `invalid-argument`.
   */
  constructor(options?: SkillHostOptions);

  /**
   * Everything to keep over a restart, as text: the approvals, and the entries of the skills that a model acts on. Hand it to the
   * next host as {@link SkillHostOptions.state}, and keep it where no server can write.
   */
  readonly state: string;

  /**
   * Adds a server under a label: what your user calls it, never the name it gives itself. Letters, digits, single blanks,
   * `-`, `_` and `.`, at most 64 of them. A server that was added under the label before is replaced.
   *
   * @throws What the transport throws, and `invalid-origin`.
   */
  addServer(origin: string, transport: SkillTransport, options?: Abortable): Promise<ServerInfo>;

  /** Forgets a server with all its skills, loads, approvals and cached files, and closes its transport. */
  removeServer(origin: string): Promise<void>;

  /** Closes every transport: what is still asked comes to `no-answer`. */
  close(): Promise<void>;

  /**
   * Lists a server's skills, all pages of them. An empty or partial listing proves nothing: servers may serve skills that
   * they do not list, and what was known before stays known.
   *
   * @throws {@link SkillError} `not-declared`, or what a failing call is refused with, if not a single page came.
   */
  list(origin: string, options?: Abortable): Promise<Listing>;

  /**
   * Asks the server for one skill, listed or not, without loading it.
   *
   * @throws {@link SkillError} `not-declared`, `invalid-entry`, or why the call failed.
   */
  get(skill: SkillId, options?: Abortable): Promise<KnownSkill>;

  /** The known skills of a server, or of all, in the order of their names. Nothing is asked. */
  skills(origin?: string): KnownSkill[];

  /** The exact text of a known skill's entry, for the functions of `skillglass`; `null` where the skill is not known. */
  entryJson(skill: SkillId): string | null;

  /**
   * Loads a skill, listed or not: looks it up unless it is known and fresh, asks a person unless an approval covers exactly
   * its files, reads its `SKILL.md`, verifies it. Skills inside of another skill's directory, and skills that have changed,
   * need a person in any case.
   *
   * @throws {@link SkillError}; `out-of-order` where the skill is being loaded or is loaded.
   */
  load(skill: SkillId, options?: Abortable): Promise<LoadedSkill>;

  /**
   * Looks a skill up again and loads it anew, whatever was going on with it: the way on after an error with
   * {@link SkillError.wantsRefresh}. What a model was given of it before must leave its context.
   *
   * @throws As {@link SkillHost.load}.
   */
  refresh(skill: SkillId, options?: Abortable): Promise<LoadedSkill>;

  /**
   * A person approved the request of an `approval-needed` error; the load goes on. The approval is bound to exactly the
   * files of the request.
   *
   * @param granted What of {@link ApprovalRequest.requests} was granted, and `run` with the URI of any file of the skill.
   * @throws As {@link SkillHost.load}; `old-request` where the request is not the latest one for its skill; `not-requested`.
   */
  approve(request: ApprovalRequest, granted?: readonly Permission[], options?: Abortable): Promise<LoadedSkill>;

  /** A person denied the request of an `approval-needed` error. @throws `old-request` */
  deny(request: ApprovalRequest): void;

  /**
   * The skills that a model acts on: loaded, and not ended. A host that was made with {@link SkillHostOptions.resume} has those of
   * the earlier host; {@link SkillHost.end} the ones whose `SKILL.md` is in no model's context any more. Files of the others are
   * read and verified as before, once their servers were added.
   */
  acting(): SkillId[];

  /**
   * A skill's `SKILL.md` has left the model's context: its files are not read any more, and it may be loaded again. Never
   * call it sooner. A load that still goes on ends with `overtaken`.
   */
  end(skill: SkillId): void;

  /** Withdraws an approval, and ends whatever goes on with the skill. */
  revoke(skill: SkillId): void;

  /**
   * Reads a file of a loaded skill and verifies it. Many may be read at once; {@link SkillHostOptions.parallel} go out at a
   * time.
   *
   * @param reference A reference as it stands in the skill's text, or a URI. A fragment is ignored.
   * @throws {@link SkillError}
   */
  read(skill: SkillId, reference: string, options?: ReadOptions): Promise<SkillContent>;

  /**
   * Reads a URI of a named server for a loaded skill. On another server than the skill's own only where
   * {@link SkillHostOptions.allowRead} says yes to that very call.
   *
   * @throws {@link SkillError} `cross-origin` where nobody does.
   */
  readAt(skill: SkillId, origin: string, uri: string, options?: Abortable): Promise<SkillContent>;

  /**
   * The direct children of a directory of a loaded skill: by its manifest, without asking; at its server where the skill is
   * dynamic, or where `fromServer` says so. A directory never extends a manifest.
   *
   * @param directory Its URI, without a slash at the end; the skill's own where it is left out.
   * @throws {@link SkillError}
   */
  directory(skill: SkillId, directory?: string, options?: DirectoryOptions): Promise<Directory>;

  /** A person granted this to a loaded skill. @throws `not-requested`, `out-of-order` */
  grant(skill: SkillId, request: Permission): void;

  /**
   * Whether a person granted this to a loaded skill: the gate in front of whatever widens permissions or executes a file.
   */
  isGranted(skill: SkillId, request: Permission): boolean;

  /** What the approval of a known skill is worth now; `null` where the skill is not known. */
  approvalState(skill: SkillId): ApprovalState | null;

  /**
   * Calls `listener` whenever it happens, until the function that it returns is called.
   *
   * - `collision`: a skill came with a name that another one has. {@link KnownSkill.displayName} tells them apart.
   * - `changed`: a skill is not what was known or approved of it, or its server's answers are not what the entry promises.
   * - `revoked`: the same, where an approval has come to nothing by it.
   */
  on<Event extends keyof SkillHostEvents>(event: Event, listener: (notice: SkillHostEvents[Event]) => void): () => void;
}

export interface SkillHostOptions {
  /**
   * Asks a person about a skill. Left out, {@link SkillHost.load} ends with `approval-needed`, and goes on with
   * {@link SkillHost.approve}.
   */
  readonly approve?: (request: ApprovalRequest) => Decision | Promise<Decision>;
  /** Asks a person about one read of a skill on another server than its own. Left out, there are none. */
  readonly allowRead?: (call: CrossOriginRead) => boolean | Promise<boolean>;
  readonly policy?: SkillPolicy;
  /** Keeps verified files, so that they need not be read again. Left out, nothing is kept. */
  readonly cache?: FileCache;
  /** How many requests to one server go out at a time; 6 where it is left out. */
  readonly parallel?: number;
  /** What {@link SkillHost.state} of an earlier host was. */
  readonly state?: string;
  /**
   * Whether models go on with the skills that the earlier host had loaded ({@link SkillHost.acting}). Left out, none is, and a
   * skill has to be loaded again.
   */
  readonly resume?: boolean;
  /** The time in milliseconds since 1970; `Date.now` where it is left out. */
  readonly now?: () => number;
}

/**
 * Where verified files are kept, on a disk or elsewhere. A kept file is used only where it still is what the retained entry
 * promises, and only for the skill of the server that it came from; so what happens to it in the cache does no harm. What `get`
 * or `set` throws is taken for a file that is not there.
 *
 * A path is two names of 64 hexadecimal digits with a slash between: the server, and everything else. Nothing from a server
 * is in it, and none is called `SKILL.md`, but keep the cache out of folders in which a program looks for skills.
 *
 * Specification: *Security Considerations*, caches.
 *
 * @example
 * ```js
 * const kept = new Map(); // for one run; the repository's pkg/examples/folder-cache.mjs keeps files in a folder
 * const cache = {
 *   get: (path) => kept.get(path),
 *   set: (path, file) => kept.set(path, file),
 *   remove: (directory) => kept.forEach((_, path) => path.startsWith(`${directory}/`) && kept.delete(path)),
 * };
 * ```
 */
export interface FileCache {
  /** The file at a path; nothing where there is none. */
  get(path: string): CachedFile | null | undefined | Promise<CachedFile | null | undefined>;
  /** Keeps a file, in place of any other at that path. The bytes must not be changed. */
  set(path: string, file: CachedFile): unknown;
  /** Removes everything below a server's directory. */
  remove(directory: string): unknown;
}

export interface CachedFile {
  /** What the file is, as JSON text, to be kept with it: server, skill, URI, size and digest. */
  readonly record: string;
  readonly bytes: Uint8Array;
}

/** What the extension leaves to a host. */
export interface SkillPolicy {
  /**
   * Whether a person approves each skill before it is loaded for the first time; `true` where it is left out. Changed and
   * nested skills need a person in any case.
   */
  readonly ask?: boolean;
  /** Whether dynamic skills are loaded at all, of which nothing can be verified but the frontmatter; `true` by default. */
  readonly dynamic?: boolean;
  /** The most files of a skill; 512 by default, and never less. */
  readonly maxFiles?: number;
  /** The most bytes of a skill; 16 MiB by default, and never less. */
  readonly maxBytes?: number;
  /**
   * For how many milliseconds an entry is used at least, where its server calls it stale at once or says nothing; a minute
   * by default.
   */
  readonly keepMs?: number;
}

/** The identity of a skill. Everything that has these two members will do. */
export interface SkillId {
  /** What the host calls the server. */
  readonly origin: string;
  /** The URI of its `SKILL.md`, exact. */
  readonly uri: string;
}

export interface Abortable {
  readonly signal?: Platform<"AbortSignal"> | undefined;
}

export interface ReadOptions extends Abortable {
  /** The URI of the file that the reference stands in; the `SKILL.md` where it is left out. */
  readonly from?: string | undefined;
}

export interface DirectoryOptions extends Abortable {
  /** Whether the server is asked. It must have declared `directoryRead`. */
  readonly fromServer?: boolean | undefined;
}

/** What a server says of itself. */
export interface ServerInfo extends Omit<Discovery, "kind"> {
  /** What the host calls it. */
  readonly origin: string;
}

export interface Listing {
  /** Whether the last page came. Servers may list some of their skills only. */
  readonly complete: boolean;
  /** Why the walk over the pages ended early; `null` where it did not. */
  readonly message: string | null;
  /** The skills that may be loaded, in the order sent. */
  readonly skills: readonly KnownSkill[];
  /** Entries that must not be loaded, and why. */
  readonly invalid: readonly {
    readonly uri: string | null;
    readonly name: string | null;
    /** The exact text of the entry. */
    readonly entryJson: string;
    readonly loadable: boolean;
    readonly findings: readonly Finding[];
  }[];
}

/** A skill the host knows. */
export interface KnownSkill extends SkillId {
  /** The name in its frontmatter, exact: a label that others may have too. */
  readonly name: string | null;
  /** A name to show: told apart from all others, bounded, hidden characters escaped. */
  readonly displayName: string;
  /** The description in its frontmatter, exact: what is hidden in it is told in {@link KnownSkill.review}. */
  readonly description: string | null;
  /** Whether nothing pins its content. */
  readonly dynamic: boolean;
  /** How many files it has; `null` for a dynamic skill. */
  readonly files: number | null;
  /** How many bytes they have together; `null` for a dynamic skill. */
  readonly bytes: number | null;
  /** What is wrong with its manifest, so that it will not be loaded. */
  readonly defects: readonly Finding[];
  /**
   * What a person should see in it, and a program before it gives the description to a model. First the rules that it breaks
   * (level `must` or `should`: a name that is not the folder's, no description); then notes: hidden characters in the
   * frontmatter, requested tools and hooks, scripts, names that mislead. Nothing is refused for them.
   */
  readonly review: readonly Finding[];
  /** See {@link ApprovalState.state}. */
  readonly approval: ApprovalState["state"];
}

/** Everything a person needs to decide whether a skill may be loaded. No file of it was read. */
export interface ApprovalRequest {
  /** Tells this request from earlier ones for the same skill. */
  readonly number: number;
  readonly skill: SkillId;
  /** See {@link KnownSkill.displayName}. */
  readonly name: string;
  /** What its entry says of it; any text. */
  readonly description: string | null;
  /** One digest over all its files and their URIs, which the approval will be bound to; `null` where it is for this load only. */
  readonly key: string | null;
  /** How the skill stands to an earlier approval, with what has changed since. */
  readonly approval: ApprovalState;
  /** The skill inside of whose directory it lies. Approving that one did not approve this one. */
  readonly inside: SkillId | null;
  /** What it asks for. Nothing of it is granted unless a person says so. */
  readonly requests: readonly ToldPermission[];
  /** See {@link KnownSkill.review}. */
  readonly review: readonly Finding[];
  /** Its files; `null` where it is dynamic and may send anything. */
  readonly files: readonly ManifestFile[] | null;
}

/** What a person says: no, yes, or yes with what was granted of {@link ApprovalRequest.requests}. */
export type Decision = boolean | { readonly granted: readonly Permission[] };

/** One thing a skill asks for. */
export interface Permission {
  /**
   * `tool`: a tool of `allowed-tools`, to be used without asking. `hooks`, `mcp-servers`, `permissions`, `env`: the value of
   * that frontmatter field. `run`: the execution of a file.
   */
  readonly kind: "tool" | "hooks" | "mcp-servers" | "permissions" | "env" | "run";
  /** The tool, the field's value as JSON, or the file's URI: exact. */
  readonly text: string;
}

export interface ToldPermission extends Permission {
  /** The request in words: bounded, hidden characters escaped. */
  readonly message: string;
}

/** A read that a skill of one server would make on another. */
export interface CrossOriginRead {
  readonly skill: SkillId;
  /** The server it would go to. */
  readonly origin: string;
  readonly uri: string;
  /** The question for the person. */
  readonly message: string;
}

export interface LoadedSkill {
  readonly skill: SkillId;
  /** Its `SKILL.md`. */
  readonly content: SkillContent;
  /** What it asks for. */
  readonly requests: readonly ToldPermission[];
  /** What of that a person granted it. */
  readonly granted: readonly ToldPermission[];
  /** See {@link KnownSkill.review}: that of the entry it was loaded from. */
  readonly review: readonly Finding[];
}

/** A file of a skill, tagged with where it comes from. It is untrusted input, however well it was verified. */
export class SkillContent {
  private constructor();
  /** The server it came from. */
  readonly origin: string;
  /** The skill it was read for. */
  readonly skill: SkillId;
  /** The file's URI. */
  readonly uri: string;
  /**
   * `verified`: size, digest and, for `SKILL.md`, the frontmatter are the ones the entry promises; that is consistency, not
   * trust. `unpinned`: the skill is dynamic. `foreign`: another server's, by a person's approval.
   */
  readonly standing: "verified" | "unpinned" | "foreign";
  /** The verified digest. */
  readonly digest: string | null;
  /** What its server calls it: a label, which changes nothing about the bytes. `null` where a cache had the file. */
  readonly mimeType: string | null;
  readonly bytes: Uint8Array;
  /** The bytes as text; `null` where they are not UTF-8. */
  readonly text: string | null;
  /**
   * The file for a model: its text, with server, skill and URI, between marks that it cannot forge. What is left out is said,
   * and so is how many hidden characters stand in the rest.
   *
   * @param limit At most so many bytes of the file; 100,000 where it is left out.
   */
  forModel(limit?: number): string;
}

export interface Directory {
  /** The directory. */
  readonly uri: string;
  /** The children that belong to the skill as it was approved. */
  readonly children: readonly DirectoryChild[];
  /** Files that the retained manifest lacks: the skill has changed, see {@link SkillHost.refresh}. Never part of it. */
  readonly unlisted: readonly string[];
  /** Whether the last page came: a server's pages may go round, or be more than 1,000. */
  readonly complete: boolean;
}

/** What listeners are called with. */
export interface SkillHostEvents {
  readonly collision: { readonly name: string; readonly skill: SkillId; readonly other: SkillId };
  readonly changed: SkillChange;
  readonly revoked: SkillChange;
}

export interface SkillChange {
  readonly skill: SkillId;
  /** What the approval is worth now; `null` where there is none, or it still holds. */
  readonly revoked: ApprovalState | null;
}

// ---------------------------------------------------------------------------------------------------------------------
// Errors

/** Why a skill is not loaded, or a file not read. Its content must not be used. */
export class SkillError extends Error {
  private constructor();
  readonly name: "SkillError";
  readonly code: SkillErrorCode;
  /** The file, where it is about one. */
  readonly uri?: string | null;
  /** Whether {@link SkillHost.refresh} may help: what came is not what the entry promises, so one of them is out of date. */
  readonly wantsRefresh?: boolean;
  /** What is wrong with an entry. */
  readonly findings?: readonly Finding[];
  /** What is wrong with a file, and what to change on the server. */
  readonly verdict?: RefusedFile | UntestedFile | null;
  /** What the server answered. */
  readonly serverError?: { readonly code: number | null; readonly message: string; readonly data: string | null } | null;
  /** The request that waits for an answer, for `approval-needed`. */
  readonly request?: ApprovalRequest;
}

/**
 * - `not-declared`: the server does not declare the extension, so it is not asked. `directory-read-not-declared`: nor for
 *   directories.
 * - `no-answer`, `server-error`, `unknown`: no answer came, or not a final one; the server answered with an error; it has no
 *   such skill or file.
 * - `invalid-entry`, `dynamic-declined`, `too-large`: the skill must not be loaded, or this host does not take it.
 * - `approval-needed`, `denied`: a person has to decide; a person said no.
 * - `not-loaded`, `overtaken`: the skill is not loaded; another call ended or refreshed it meanwhile.
 * - `not-listed`, `outside`, `external`, `malformed`, `not-asked`: the reference is not one to a file of the skill.
 * - `cross-origin`, `unknown-origin`: the file is on another server, or on one that was not added.
 * - `refused`, `untested`: the content is not the one that was promised, or could not be judged.
 */
export type SkillErrorCode =
  | "not-declared"
  | "directory-read-not-declared"
  | "no-answer"
  | "server-error"
  | "unknown"
  | "invalid-entry"
  | "dynamic-declined"
  | "too-large"
  | "approval-needed"
  | "denied"
  | "not-loaded"
  | "overtaken"
  | "not-listed"
  | "outside"
  | "external"
  | "malformed"
  | "not-asked"
  | "cross-origin"
  | "unknown-origin"
  | "refused"
  | "untested";

/**
 * The `code` of an `Error` that says what the caller did wrong, beside those of `SkillglassErrorCode`: a server was not added;
 * the step does not fit what goes on with the skill; the approval request is not the latest; the skill does not ask for what
 * was to be granted; `state` is not what a host has kept.
 */
export type HostMisuseCode = "unknown-origin" | "out-of-order" | "old-request" | "not-requested" | "invalid-state";

// ---------------------------------------------------------------------------------------------------------------------
// Transports

/**
 * How a server is reached. Whatever has these members will do.
 *
 * @example
 * ```js
 * const transport = {
 *   discover: async () => ({ capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } } }),
 *   send: async ({ method, params }) => myConnection.request(method, params), // { result } or { error }
 * };
 * ```
 */
export interface SkillTransport {
  /** What the server declares: the result of `server/discover` or of `initialize`, as an object or as its text. */
  discover(options: Abortable): Promise<object | string>;
  /**
   * Sends one request, with an id and the metadata of the transport's own, and gives the answer: the exact text or bytes of
   * the JSON-RPC response where they can be had, else an object with its `result` or its `error`.
   *
   * @throws Whatever, where no answer came; the message is what a {@link SkillError} `no-answer` says.
   */
  send(request: SkillRequest, options: Abortable): Promise<object | string | Uint8Array>;
  /** Ends the conversation. Requests that are under way are ended as well, and reject. */
  close?(): Promise<void>;
}

export interface SkillRequest {
  readonly method: "skills/list" | "skills/get" | "resources/read" | "resources/directory/read";
  readonly params: { readonly uri?: string; readonly cursor?: string };
}

/**
 * A server that speaks Streamable HTTP, in whichever era of the base protocol it speaks: 2026-07-28, or an older revision
 * with its handshake. Answers come as JSON or as event streams, at most 128 MiB of each; busy servers are asked again when
 * they say so; a session that a server has forgotten is begun anew, and so is a conversation with a server that was gone, when
 * it is asked the next time. Redirects are not followed, since what answers elsewhere is not the server that your user named;
 * the error says where it is.
 *
 * `discover` throws an `Error` with one of these codes: `unauthorized`, `forbidden`, `unreachable`, `timed-out`, `closed`,
 * `no-conversation`. After `close`, `send` throws one with `closed`.
 *
 * @param url The address of the MCP endpoint.
 * @throws `invalid-argument`, also where a header or token would travel unencrypted to another machine.
 */
export function httpTransport(url: string | Platform<"URL">, options?: HttpOptions): SkillTransport;

export interface HttpOptions {
  /** Sent with every request, to this server only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer …`. */
  readonly token?: string;
  /** `auto` asks the server; the others leave out one way. */
  readonly era?: "auto" | "modern" | "legacy";
  /** In place of the platform's `fetch`: to sign in, to log, to test. */
  readonly fetch?: typeof globalThis extends { fetch: infer Fetch } ? Fetch : never;
  /** How many milliseconds a server may be silent; a minute where it is left out. A whole answer may take 20 times as long. */
  readonly silenceMs?: number;
}

/**
 * A connected client of the official TypeScript SDK: `Client` of `@modelcontextprotocol/client` 2.x, or of
 * `@modelcontextprotocol/sdk` 1.x. Such a client parses what comes, so digits beyond 2^53 and repeated members are lost
 * before they can be seen. It also follows redirects, so another server than the one your user named may answer: give its
 * transport `requestInit: { redirect: "manual" }`.
 *
 * @example
 * ```js
 * await client.connect(transport);
 * await host.addServer("acme", clientTransport(client));
 * ```
 */
export function clientTransport(client: SdkClient): SkillTransport;

/** What is used of the SDK's clients. */
export interface SdkClient {
  getServerCapabilities(): object | undefined;
  getServerVersion(): object | undefined;
  getInstructions(): string | undefined;
  // The schema's type differs between the SDK's versions.
  request(request: SkillRequest, schema: any, options?: any): Promise<unknown>;
}

// ---------------------------------------------------------------------------------------------------------------------
// In place of the SDK's SkillsClient

/**
 * In place of `SkillsClient` of `@modelcontextprotocol/client/ext/skills`: the same methods, shapes and errors over the core's
 * rules, so that switching is one import. It reads all of YAML, says why a file is refused, and takes what the specification
 * allows (a `SKILL.md` as blob, results without `ttlMs`). URIs are compared as text, as the specification wants it. Approvals,
 * origins and the retained entry stay with you; {@link SkillHost} keeps them.
 *
 * @example
 * ```js
 * import { SkillsClient } from "skillglass/host"; // in place of "@modelcontextprotocol/client/ext/skills"
 *
 * const skills = new SkillsClient(client);
 * const { skills: entries } = await skills.list();
 * const { body } = await skills.read(entries[0]);
 * const file = await skills.read(entries[0], "references/FORMS.md");
 * ```
 */
export class SkillsClient {
  /** @param client A connected `Client` of `@modelcontextprotocol/client` 2.x or of `@modelcontextprotocol/sdk` 1.x. */
  constructor(client: SdkClient & SdkReader, options?: SkillsClientOptions);
  /** Whether the server declares the extension; `false` before the client is connected. */
  readonly supported: boolean;
  /** Whether the server lists directories. */
  readonly directoryRead: boolean;
  /**
   * Every page of the listing, or the one behind a cursor. On a server without the extension: an empty one.
   *
   * @throws `INVALID_RESULT` where an entry must not be loaded, unless {@link SkillsClientOptions.skipInvalid} says so.
   */
  list(params?: { cursor?: string }, options?: any): Promise<SkillListing>;
  /** One skill, listed or not. @throws `INVALID_RESULT`, `CAPABILITY_NOT_SUPPORTED` */
  get(uri: string, options?: any): Promise<{ skill: Skill; ttlMs?: number; cacheScope?: "public" | "private" }>;
  /**
   * Reads one file of a skill and verifies it; one that fails is read once more, past the client's cache.
   *
   * @param skill An entry of {@link SkillsClient.list} or {@link SkillsClient.get}.
   * @param ref A reference as it stands in the `SKILL.md`, or a URI; the `SKILL.md` itself where it is left out.
   * @throws {@link SkillVerificationError}; `TypeError` where the entry must not be loaded.
   */
  read(skill: Skill, ref?: string, options?: any): Promise<SkillFile>;
  /** The direct children of a directory, all pages of them. @throws `CAPABILITY_NOT_SUPPORTED` */
  readDirectory(
    uri: string,
    options?: any,
  ): Promise<{ resources: DirectoryResource[]; ttlMs?: number; cacheScope?: "public" | "private" }>;
}

export interface SkillsClientOptions {
  /** Whether invalid entries are returned in {@link SkillListing.invalid} instead of thrown. */
  skipInvalid?: boolean;
}

/** What {@link SkillsClient} uses of a client besides. */
export interface SdkReader {
  readResource(params: { uri: string }, options?: any): Promise<object>;
}

/** An entry, parsed. */
export interface Skill {
  uri: string;
  frontmatter: { name: string; description: string; [field: string]: unknown };
  resources: { uri: string; digest: string; size: number }[] | "dynamic";
  [member: string]: unknown;
}

export interface SkillListing {
  skills: Skill[];
  /** Entries that must not be loaded. `index` counts the listed entries, repeated ones left out. */
  invalid: { index: number; uri?: string; reason: string }[];
  /** Only where a cursor was given. */
  nextCursor?: string;
  ttlMs?: number;
  cacheScope?: "public" | "private";
}

/** A file as it was read and verified. */
export interface SkillFile {
  uri: string;
  mimeType?: string;
  /** Exactly the bytes the entry's digest covers. */
  bytes: Uint8Array;
  /** Where the server sent text, and for `SKILL.md`. */
  text?: string;
  /** `false` for dynamic skills, which nothing pins. */
  verified: boolean;
  /** Of `SKILL.md` only: its frontmatter, which is equal to the entry's. */
  frontmatter?: Record<string, unknown>;
  /** Of `SKILL.md` only: what follows the frontmatter, with `\n` for every line's end. */
  body?: string;
}

export interface DirectoryResource {
  uri: string;
  name: string;
  mimeType?: string;
  [member: string]: unknown;
}

/** A file is not the one that its entry promises. It must not be used; a skill with such a `SKILL.md` must not be loaded. */
export class SkillVerificationError extends Error {
  private constructor();
  readonly code: "INVALID_RESULT";
  readonly reason: "unlisted" | "size" | "digest" | "frontmatter";
  readonly uri: string;
  /** For `frontmatter`: one line for each field that differs. */
  readonly differences: readonly string[];
}

/** A class of the platform, where its types declare it: neither the DOM's nor Node's are required. */
type Platform<Name extends string> = typeof globalThis extends Record<Name, { prototype: infer Instance }>
  ? Instance
  : never;
