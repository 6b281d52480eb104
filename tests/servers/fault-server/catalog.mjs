// The skills that the fault server serves, and what follows from them: files, entries, directories, resources.

import { createHash } from "node:crypto";

/** The file that makes a directory a skill. */
export const SKILL_MD = "SKILL.md";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/**
 * One skill, as its author wrote it. Whatever a server says of it follows from this.
 *
 * @typedef {object} Skill
 * @property {string} root The directory's URI, without a slash at the end.
 * @property {Record<string, unknown>} frontmatter What stands in the file, and in the entry.
 * @property {string} body What follows the frontmatter.
 * @property {Record<string, string | Buffer | (() => Buffer)>} [files] The other files by path; a function makes its
 *   content anew for each read.
 * @property {string[]} [emptyDirectories] Directories without a file, by path.
 * @property {string | Buffer | (() => Buffer)} [text] The whole SKILL.md, where it is not frontmatter and body as
 *   `skillMd` writes them.
 * @property {Record<string, unknown>} [declared] The entry's frontmatter, where it is not the file's.
 * @property {boolean} [listed] Whether `skills/list` names it; `skills/get` knows it in any case.
 * @property {boolean} [dynamic] Whether its content is generated, so that no manifest can hold.
 */

/** The honest skills by name, in the order of the listing. @returns {Record<string, Skill>} */
export function honestSkills() {
  return {
    refunds: {
      root: "skill://acme/billing/refunds",
      frontmatter: {
        name: "refunds",
        description: "Pay money back. Use it when a customer asks for a refund.",
        license: "MIT",
        compatibility: "Needs Python 3.11 or later.",
        metadata: { author: "Accounts", version: "1.2" },
        "allowed-tools": "Read Bash(python3:*)",
      },
      body: "# Refunds\n\nRead [the policy](references/POLICY.md), then run `scripts/check_order.py`.\n",
      files: {
        "references/POLICY.md": "# Policy\n\nUp to 250 € without asking.\n",
        "references/limits.csv": "country,limit\nAT,250\nDE,250\nFR,200\n",
        "scripts/check_order.py": "import sys\n\nprint(f'order {sys.argv[1]} is fine')\n",
        "templates/approve.md": "Dear customer,\n\nyour money is on its way.\n",
        "templates/decline.md": "Dear customer,\n\nwe are sorry.\n",
      },
      emptyDirectories: ["attachments"],
    },
    release: {
      root: "skill://acme/release",
      frontmatter: { name: "release", description: "Publish a new version, step by step." },
      body: "# Release\n\nFirst [write the changelog](steps/changelog/SKILL.md), then tag.\n",
      files: { "steps/tag.md": "Tag the commit.\n" },
    },
    // Nested in the one before, whose manifest has these files as well.
    changelog: {
      root: "skill://acme/release/steps/changelog",
      frontmatter: { name: "changelog", description: "Write what has changed, for those who use it." },
      body: "# Changelog\n\nKeep to [the voice](references/voice.md).\n",
      files: { "references/voice.md": "Short. Past tense.\n" },
    },
    "code-review": {
      root: "skill://code-review",
      frontmatter: {
        name: "code-review",
        description: "Review a change: correctness first,\nthen tests, then names.\n",
        "x-team": { reviewers: 2, ratio: 0.5, strict: true, since: "2026-01-15", areas: ["core", "web"], lead: null },
      },
      text: [
        "---",
        "name: code-review",
        "description: |",
        "  Review a change: correctness first,",
        "  then tests, then names.",
        "x-team: # no field of the format, and none that breaks it",
        "  reviewers: 2",
        "  ratio: 0.5",
        "  strict: true",
        "  since: 2026-01-15",
        "  areas: [core, web]",
        "  lead: ~",
        "---",
        "",
        "# Code review",
        "",
        "Work through `references/checklist.md`.",
        "",
      ].join("\n"),
      body: "",
      files: { "references/checklist.md": "- Is it correct?\n- Is it tested?\n" },
    },
    logo: {
      root: "skill://acme/media/logo",
      frontmatter: { name: "logo", description: "Place the logo where it belongs." },
      body: "# Logo\n\nUse `assets/logo.png`; `assets/placeholder.txt` is empty on purpose.\n",
      files: {
        "assets/logo.png": PNG,
        "assets/latin-1.txt": Buffer.from("caf\u00e9\n", "latin1"),
        "assets/placeholder.txt": "",
        "assets/caf%C3%A9%20notes.md": "Grüße aus dem Café ☕\n",
      },
    },
    "shift-notes": {
      root: "skill://acme/windows/shift-notes",
      frontmatter: { name: "shift-notes", description: "Write notes for the next shift — short ones." },
      text: "\ufeff---\r\nname: shift-notes\r\ndescription: Write notes for the next shift — short ones.\r\n---\r\n\r\n# Notes\r\n",
      body: "",
      files: { "templates/shift.txt": "From:\r\nTo:\r\n" },
    },
    briefing: {
      root: "skill://acme/today/briefing",
      frontmatter: { name: "briefing", description: "What matters today." },
      body: "# Today\n\nSee `numbers.csv`.\n",
      files: { "numbers.csv": counting((count) => `reads\n${count}\n`) },
      dynamic: true,
    },
    onboarding: {
      root: "skill://acme/internal/onboarding",
      frontmatter: { name: "onboarding", description: "The first week of a new colleague." },
      body: "# Welcome\n\nMeet [the people](references/people.md).\n",
      files: { "references/people.md": "- Ada\n- Grace\n" },
      listed: false,
    },
  };
}

/** Content that is made anew for each read, from how often it has been read. */
export function counting(make) {
  let count = 0;
  return () => Buffer.from(make((count += 1)));
}

/** What the server says to whoever connects; it names the skill that no listing names. */
export const INSTRUCTIONS =
  "Skills of a workshop. Newcomers begin with skill://acme/internal/onboarding/SKILL.md, which is not listed.";

/** A SKILL.md with this frontmatter. JSON is YAML, so each value is written as JSON. */
export function skillMd(frontmatter, body) {
  const lines = Object.entries(frontmatter).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", "", body].join("\n");
}

/** @param {Buffer} bytes */
export function digestOf(bytes) {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** What is served, with everything that follows from the skills. */
export class Catalog {
  /** @param {Record<string, Skill>} skills */
  constructor(skills) {
    this.skills = Object.entries(skills).map(([key, skill]) => {
      return { key, listed: true, uri: `${skill.root}/${SKILL_MD}`, ...skill };
    });
    /** Every file's content by its URI. @type {Map<string, () => Buffer>} */
    this.files = new Map();
    /** @type {Set<string>} */
    this.directories = new Set();
    for (const skill of this.skills) {
      this.#add(skill.uri, skill.text ?? skillMd(skill.frontmatter, skill.body));
      for (const [path, content] of Object.entries(skill.files ?? {})) {
        this.#add(`${skill.root}/${path}`, content);
      }
      for (const path of skill.emptyDirectories ?? []) {
        this.#addDirectories(`${skill.root}/${path}`);
      }
    }
  }

  #add(uri, content) {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    this.files.set(uri, typeof bytes === "function" ? bytes : () => bytes);
    this.#addDirectories(parentOf(uri));
  }

  #addDirectories(uri) {
    for (let directory = uri; directory !== undefined; directory = parentOf(directory)) {
      this.directories.add(directory);
    }
  }

  /** The skill with this SKILL.md. */
  skill(uri) {
    return this.skills.find((skill) => skill.uri === uri);
  }

  /** The entry of `skills/list` and `skills/get`. */
  entry(skill) {
    const { uri, frontmatter, declared = frontmatter } = skill;
    return { uri, frontmatter: declared, resources: skill.dynamic ? "dynamic" : this.#manifest(skill) };
  }

  #manifest(skill) {
    const below = [...this.files].filter(([uri]) => uri.startsWith(`${skill.root}/`));
    return below.map(([uri, content]) => {
      const bytes = content();
      return { uri, digest: digestOf(bytes), size: bytes.length };
    });
  }

  /** Every file of the listed skills, as `resources/list` has it. */
  resources() {
    const hidden = this.skills.filter((skill) => !skill.listed).map((skill) => `${skill.root}/`);
    const uris = [...this.files.keys()].filter((uri) => !hidden.some((root) => uri.startsWith(root)));
    return uris.map((uri) => this.resource(uri));
  }

  /** One file or directory, as `resources/list` and directory results have it. */
  resource(uri) {
    if (!this.files.has(uri)) {
      return { uri, name: lastSegment(uri), mimeType: "inode/directory" };
    }
    const skill = this.skill(uri);
    const mimeType = mimeTypeOf(uri);
    if (skill === undefined) {
      return { uri, name: decodeURIComponent(lastSegment(uri)), mimeType };
    }
    const { name, description } = skill.frontmatter;
    return { uri, name, description, mimeType, _meta: metaOf(skill) };
  }

  /** The direct children of a directory; none where there is no such directory. */
  children(directory) {
    if (!this.directories.has(directory)) {
      return undefined;
    }
    const all = [...this.files.keys(), ...this.directories];
    return all.filter((uri) => parentOf(uri) === directory).map((uri) => this.resource(uri));
  }
}

/** What a server of ours notes beside a SKILL.md, under the prefix that the extension gives such notes. */
export function metaOf(skill) {
  return { "io.modelcontextprotocol.skills/revision": String(skill.frontmatter.name).length };
}

export function mimeTypeOf(uri) {
  const types = { md: "text/markdown", csv: "text/csv", png: "image/png", py: "text/x-python", txt: "text/plain" };
  return types[uri.slice(uri.lastIndexOf(".") + 1)] ?? "application/octet-stream";
}

/** The directory that a file or directory is in; none above the first segment. */
function parentOf(uri) {
  const end = uri.lastIndexOf("/");
  return uri[end - 1] === "/" ? undefined : uri.slice(0, end);
}

function lastSegment(uri) {
  return uri.slice(uri.lastIndexOf("/") + 1);
}
