/// <reference lib="esnext.disposable" />

/**
 * Judges a server for skills: every obligation of the extension that its answers can show, with the reason and the repair
 * for each one that it breaks.
 *
 * It is a WebAssembly module of its own. In Node, Deno and Bun importing it is enough. Elsewhere call {@link init} once and
 * await it.
 *
 * What a server gets wrong is in the report. An `Error` is thrown only where there is no report: its `code` is
 * `not-connected` where no conversation could be opened, `invalid-argument`, `not-unicode` or `invalid-report` where the
 * caller is wrong.
 *
 * @packageDocumentation
 */

/** Loads the WebAssembly. See `init` of `skillglass`. */
export default function init(source?: string | URL | Request | Response | BufferSource | WebAssembly.Module): Promise<void>;

/** As {@link init}, for a module that is at hand. */
export function initSync(module: BufferSource | WebAssembly.Module): void;

// ---------------------------------------------------------------------------------------------------------------------
// Judging

/**
 * Judges a server and gives the report. Nothing is changed on the server; some questions are to be refused
 * ({@link CheckOptions.provoke}).
 *
 * @param server The address of an endpoint that speaks Streamable HTTP; or a function that carries a message to the server
 * and gives what it answered, for whatever is reached in another way.
 * @throws `not-connected`; the signal's reason, once it is aborted; `invalid-argument` for an address, header or option that
 * cannot be used.
 *
 * @example
 * ```js
 * const report = await checkServer("https://mcp.example.com/mcp", {
 *   token: process.env.MCP_TOKEN,
 *   confirm: ({ calls, bytes }) => calls < 10_000 && bytes < 2 ** 30,
 * });
 * for (const check of report.checks.filter(({ outcome }) => outcome === "fail")) {
 *   console.error(check.failure, check.results.map(({ subject }) => subject.name), check.repair);
 * }
 * await writeFile("report.sarif", formatReport(report, "sarif"));
 * ```
 */
export function checkServer(server: string | URL | SendMessage, options?: CheckOptions): Promise<Report>;

/**
 * A conformance run as one assertion of a test, for `node:test`, vitest and whatever else takes an error for a failure. Gives
 * the report where no check fails and everything could be looked at ({@link Report.incomplete} is `null`). It throws where files
 * cannot be read, calls fail, a limit ends the run, or the server declares no skills: what is not known does not conform.
 *
 * @throws {@link ConformanceError} with what is wrong, where, and what to change; and as {@link checkServer}.
 *
 * @example
 * ```js
 * import { test } from "node:test";
 * import { assertConforms } from "skillglass/conformance";
 *
 * test("the server conforms", () => assertConforms("http://localhost:3000/mcp"));
 * ```
 */
export function assertConforms(server: string | URL | SendMessage, options?: AssertOptions): Promise<Report>;

export interface AssertOptions extends CheckOptions {
  /** Whether checks that warn are failures too. `false` where it is left out. */
  readonly warnings?: boolean;
}

/** A server does not conform, or the run could not find out. */
export class ConformanceError extends Error {
  private constructor();
  readonly code: "not-conforming";
  readonly report: Report;
}

export interface CheckOptions {
  /** Is sent as `Authorization: Bearer …`. Only over https, or to this machine. */
  readonly token?: string;
  /** Headers to send along. Their values count as secrets: they are in no report. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The era of the base protocol to judge; as a host would find out, where it is left out. */
  readonly era?: "auto" | "modern" | "legacy";
  /** Whether the server is also asked what it declares in its other era. `false` where it is left out. */
  readonly bothEras?: boolean;
  /** Looks at these skills only, by the URIs of their `SKILL.md`, besides the server itself. */
  readonly skills?: readonly string[];
  /** Reports on these checks only: ids, ids of the official suite, or beginnings of ids with `*` at the end. */
  readonly only?: readonly string[];
  /** Does not report on these checks. */
  readonly skip?: readonly string[];
  /** Whether unknown skills, files, cursors and methods are asked for. `true` where it is left out. */
  readonly provoke?: boolean;
  /** Whether everything is read twice, to find content that changes. `false` where it is left out. */
  readonly twice?: boolean;
  /** The most requests under way at a time: 6 where it is left out. */
  readonly parallel?: number;
  /** The most requests in all, 100,000 where it is left out; what is behind them stays untested. */
  readonly maxRequests?: number;
  /** The most bytes of files to ask for, 2^30 where it is left out; what is behind them stays untested. */
  readonly maxBytes?: number;
  /** How long the server may be silent, in milliseconds: 60,000 where it is left out. A whole answer may take 20 times that. */
  readonly silenceMs?: number;
  /** Takes the place of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Ends the run; the session is left. */
  readonly signal?: AbortSignal;
  /** Is asked once the cost is known, before any file is read. Where it says no, the report is of what is known by then. */
  readonly confirm?: (plan: Plan) => boolean | Promise<boolean>;
  /** Is told how far the run is, after every answer. */
  readonly progress?: (progress: Progress) => void | Promise<void>;
}

/** Carries a message to a server. A `Response` of `fetch` is an {@link Answer}. */
export type SendMessage = (message: OutgoingMessage, options: { readonly signal: AbortSignal }) => Promise<Answer>;

/** A message as it would go out over HTTP. */
export interface OutgoingMessage {
  /** The address; `stdio:` where {@link checkServer} was given none. */
  readonly url: string;
  readonly method: "POST" | "DELETE";
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The JSON-RPC message; none in the message that ends a session. */
  readonly body?: string | undefined;
}

/** What a server answered. */
export interface Answer {
  readonly status: number;
  /** `content-type` says whether the body is JSON or an event stream. */
  readonly headers: { get(name: string): string | null };
  /** Text, bytes, a stream, or pieces of them; as much of it is read as is wanted. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<string | Uint8Array> | null;
}

/** What a run costs. */
export interface Plan {
  /** The requests in all, those made included. */
  readonly calls: number;
  /** The bytes of the files that are read, by the sizes that manifests state. */
  readonly bytes: number;
  /** Whether it is the least it can be, since more may be found on the way. */
  readonly isEstimate: boolean;
}

/** How far a run is. */
export interface Progress {
  readonly stage: "survey" | "skills" | "files" | "again" | "done";
  /** The requests that were answered or have failed. */
  readonly answered: number;
  /** The requests under way. */
  readonly open: number;
  /** The bytes of messages that came. */
  readonly received: number;
  readonly plan: Plan;
}

// ---------------------------------------------------------------------------------------------------------------------
// The report

/**
 * What a run came to: the JSON that page and command line write as well, with its
 * [schema](https://github.com/skillglass/skillglass/blob/main/docs/report.schema.json). Texts that quote a server are
 * bounded and have their hidden characters escaped; URIs in subjects are exact.
 */
export interface Report {
  readonly version: 1;
  /** What made it, with its version. */
  readonly tool: string;
  /** The server. Name and version are what it says of itself: labels, no identity. */
  readonly server: { readonly address: string | null; readonly name: string | null; readonly version: string | null };
  /** The revision of the base protocol that was spoken. */
  readonly revision: string;
  /** The skills that were asked for; `null` for the whole server. */
  readonly scope: readonly string[] | null;
  /**
   * Why not everything could be looked at, if so: calls failed, a limit was reached, the run was stopped, the server declares no
   * skills. What a server need not offer is no lack.
   */
  readonly incomplete: string | null;
  /** The gravest outcome over all checks. */
  readonly outcome: Outcome;
  /** The sentence that sums it up. */
  readonly summary: string;
  /** How many checks came to what. */
  readonly counts: Counts;
  readonly traffic: { readonly calls: number; readonly bytes: number; readonly skills: number; readonly files: number };
  /** Every check, in the order of the table. */
  readonly checks: readonly CheckReport[];
  /** The exchanges that evidence rests on, by number. */
  readonly exchanges: readonly Exchange[];
}

/** Not known is never passed: what could not be tested is `untested`, with the reason. */
export type Outcome = "fail" | "warn" | "untested" | "pass" | "not-applicable";

export interface Counts {
  readonly fail: number;
  readonly warn: number;
  readonly untested: number;
  readonly pass: number;
  readonly notApplicable: number;
}

/** A check and what it came to. */
export interface CheckReport {
  readonly id: string;
  /** Its id in the official suite, if that has one. */
  readonly suiteId: string | null;
  /** How the specification words it; `note` for a hint, which never fails. */
  readonly level: "must" | "should" | "note";
  /** What holds where it passes. */
  readonly title: string;
  /** What is wrong where it does not. */
  readonly failure: string;
  /** Why it matters. */
  readonly why: string;
  /** What to change. */
  readonly repair: string;
  /** Where the rule stands. */
  readonly section: { readonly title: string; readonly url: string };
  /** The gravest outcome over its subjects. */
  readonly outcome: Outcome;
  /** Why it is untested or does not apply. */
  readonly reason: string | null;
  /** Over how many subjects it came to what. */
  readonly subjects: Counts;
  /** The subjects that did not simply pass, at most 200. */
  readonly results: readonly CheckResult[];
  /** How many subjects did not pass and are not among the results. */
  readonly omitted: number;
}

/** A check on one subject. */
export interface CheckResult {
  readonly subject: Subject;
  readonly outcome: Outcome;
  /** Why it is untested. */
  readonly reason: string | null;
  readonly evidence: readonly Evidence[];
}

export interface Subject {
  readonly kind: "server" | "method" | "skill" | "file" | "directory";
  /** Its URI, or the method's name, exactly as sent; empty for the server. */
  readonly name: string;
}

/** One thing that is wrong, and where. */
export interface Evidence {
  readonly message: string;
  /** The place in the entry or the message, as a JSON pointer. */
  readonly pointer: string | null;
  /** The line in the file, from 1. */
  readonly line: number | null;
  /** The column in the file, from 1, in UTF-16 code units. */
  readonly column: number | null;
  readonly expected: string | null;
  readonly actual: string | null;
  /** The cause, where it can be proved. */
  readonly cause: string | null;
  /** What to change, where that is more than the check's own repair. */
  readonly repair: string | null;
  /** The number of the exchange it was seen in, the first time. */
  readonly exchange: number | null;
  /** How often it was seen; a place in a skill's entry counts once, whatever answers repeat it. */
  readonly times: number;
}

/** An exchange that evidence rests on. */
export interface Exchange {
  readonly number: number;
  readonly method: string;
  /** The URI or cursor that was asked for. */
  readonly asked: string | null;
  readonly status: number | null;
  /** The length of the message that came, in bytes. */
  readonly bytes: number;
  /** The first characters of what came. */
  readonly excerpt: string | null;
}

/**
 * A report in the form of another tool: Markdown for people, JUnit XML and SARIF 2.1.0 for continuous integration, and the
 * `checks.json` of the official conformance suite.
 *
 * @param report A report, or its JSON.
 * @param timestamp The time that the suite's form states, in its own words.
 * @throws `invalid-report`
 */
export function formatReport(
  report: Report | string,
  form: "markdown" | "junit" | "sarif" | "suite",
  timestamp?: string,
): string;

/**
 * What became of the problems of a former report, by check and subject, and which are new.
 *
 * @throws `invalid-report`
 *
 * @example
 * ```js
 * const news = compareReports(baseline, report).filter(({ kind }) => kind === "new");
 * ```
 */
export function compareReports(before: Report | string, after: Report | string): readonly Change[];

export interface Change {
  /**
   * `new`: only the later report has it. `changed`: both, graver or milder, or with other evidence. `same`: both, with the
   * same evidence. `fixed`: the later report tested for it and does not have it. `unknown`: it could not test for it.
   */
  readonly kind: "new" | "changed" | "same" | "fixed" | "unknown";
  readonly check: string;
  readonly subject: Subject;
  readonly before: Outcome | null;
  readonly after: Outcome | null;
  readonly message: string;
}

/** The table of checks, in the order of a report. */
export function conformanceChecks(): readonly Pick<CheckReport, "id" | "suiteId" | "level" | "title" | "why" | "repair">[];

// ---------------------------------------------------------------------------------------------------------------------
// Without promises

/**
 * The machine behind {@link checkServer}, for whoever does the I/O in another way. Take errands from {@link ServerVisit.next}
 * until there is none, carry them, hand in what comes, in any order, and take errands again; it is over when there is none and
 * nothing is under way.
 */
export class ServerVisit {
  /** @param endpoint The address; `null` for what has none. */
  constructor(endpoint: string | null, options: VisitOptions);
  /** The next message to carry; `null` where answers are awaited first, it waits for {@link ServerVisit.resume}, or is over. */
  next(): Errand | null;
  /** Takes status and headers of an answer: `Content-Type`, `Mcp-Session-Id`, `Retry-After`, `WWW-Authenticate`. */
  begin(
    errand: number,
    status: number,
    contentType: string | null,
    session: string | null,
    retryAfter: string | null,
    challenge: string | null,
  ): void;
  /** Takes the next bytes of an answer's body, and says whether no more of it is wanted. */
  push(errand: number, bytes: Uint8Array): boolean;
  /** An answer has come to its end. `nowMs` is the time in milliseconds since 1970. */
  end(errand: number, nowMs: number): void;
  /** An errand brought no answer, or not all of one. */
  fail(errand: number, lack: "unreachable" | "broken-off" | "timed-out" | "stopped", reason: string | null): void;
  /** How far it is; `null` before the run has begun. */
  readonly progress: Progress | null;
  /** Whether it waits for {@link ServerVisit.resume}. */
  readonly stopped: boolean;
  /** Asks for nothing more. */
  stop(): void;
  /** Goes on. */
  resume(): void;
  /** Asks for nothing more and takes leave of the server: the next errand ends the session, if there is one. */
  close(): void;
  /** Why there is no conversation, and so no report. */
  readonly failure: string | null;
  /** What is known so far; `null` before the run has begun. */
  report(): Report | null;
  /** Gives its memory back at once. It cannot be used any more. */
  free(): void;
  [Symbol.dispose](): void;
}

/** The options that say what is asked and reported. */
export type VisitOptions = Omit<CheckOptions, "silenceMs" | "fetch" | "signal" | "confirm" | "progress"> & {
  /** Whether it waits for {@link ServerVisit.resume} once the cost is known. */
  readonly askFirst?: boolean;
};

/** A message to carry. */
export interface Errand extends OutgoingMessage {
  /** Its number, which everything that comes of it is handed in with. */
  readonly number: number;
  /** How long to wait before it is sent, in milliseconds, as the server is busy. */
  readonly pauseMs: number;
  /** How many times longer than one silence of the server the whole answer may take. */
  readonly maxSilences: number;
}
