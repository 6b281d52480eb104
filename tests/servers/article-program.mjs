// The skill of an article on the extension from a program without any SDK: revision 2026-07-28 over standard input and
// output, a message on each line. It says on its standard error what it is asked.
//
//   node tests/servers/article-program.mjs

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { parse } from "yaml";

const FOLDER = join(import.meta.dirname, "../fixtures/article");
const FILES = ["code-review/SKILL.md", "code-review/references/checklist.md"];

const bytes = new Map(FILES.map((path) => [`skill://${path}`, readFileSync(join(FOLDER, path))]));
const [uri] = bytes.keys();
const skill = {
  uri,
  frontmatter: parse(bytes.get(uri).toString().split("---\n")[1]),
  resources: [...bytes].map(([uri, content]) => ({
    uri,
    digest: `sha256:${createHash("sha256").update(content).digest("hex")}`,
    size: content.length,
  })),
};

class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** The result of each method, but for what all results have. */
const METHODS = {
  "server/discover": () => ({
    supportedVersions: ["2026-07-28"],
    capabilities: { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } },
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "article", version: "1.0.0" } },
  }),
  "skills/list": () => ({ skills: [skill] }),
  "skills/get": (params) => ({ skill: known(params, new Map([[uri, skill]])) }),
  "resources/read": (params) => {
    const text = known(params, bytes).toString();
    return { contents: [{ uri: params.uri, mimeType: "text/markdown", text }] };
  },
};

function known(params, all) {
  if (!all.has(params?.uri)) {
    throw new Refusal(-32602, `There is no ${params?.uri} here`);
  }
  return all.get(params.uri);
}

function answer({ id, method, params }) {
  try {
    if (!Object.hasOwn(METHODS, method)) {
      throw new Refusal(-32601, `There is no method ${method} here`);
    }
    const result = { resultType: "complete", ttlMs: 0, cacheScope: "public", ...METHODS[method](params) };
    return { jsonrpc: "2.0", id, result };
  } catch ({ code = -32603, message }) {
    return { jsonrpc: "2.0", id, error: { code, message } };
  }
}

for await (const line of createInterface(process.stdin)) {
  const message = JSON.parse(line);
  if (message.id !== undefined) {
    console.error(`asked ${message.method}`);
    console.log(JSON.stringify(answer(message)));
  }
}
