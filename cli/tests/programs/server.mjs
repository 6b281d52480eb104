// A program that serves a listing over its standard input and output, well or badly.
//
//   node server.mjs modern|legacy|silent|exits|mute|floods|torrent|endless|stays|hangs|slow|dies|asks

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const behaviour = process.argv[2];
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const capabilities = { resources: {}, extensions: { "io.modelcontextprotocol/skills": {} } };
const modern = !["legacy", "silent", "exits", "asks", "dies"].includes(behaviour);

const MIB = 1024 * 1024;
const write = (stream, text, times) => {
  for (let time = 0; time < times; time += 1) {
    stream.write(text);
  }
};

let asked = 0;
let listed;
const answers = {
  "server/discover": ({ id }) => {
    if (modern) {
      say({ id, result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities } });
    } else if (behaviour === "exits") {
      console.error("initialize comes first");
      process.exit(3);
    } else if (behaviour !== "silent") {
      say({ id, error: { code: -32601, message: "Method not found" } });
    }
  },
  "resources/read": () => process.exit(1),
  "notifications/cancelled": ({ params }) => {
    console.error(`cancelled ${params.requestId === listed ? "skills/list" : "something else"}`);
  },
  initialize: ({ id }) => say({ id, result: { protocolVersion: "2025-06-18", capabilities, serverInfo: { name: "old", version: "1" } } }),
  "skills/list": ({ id }) => {
    if (behaviour === "asks" && asked === 0) {
      asked = id;
      say({ id: "question", method: "ping" });
      return;
    }
    if (behaviour === "dies") {
      const files = ["SKILL.md", "1", "2", "3", "4", "5", "6", "7"];
      const resources = files.map((file) => ({ uri: `skill://a/${file}`, digest: `sha256:${"0".repeat(64)}`, size: 1 }));
      say({ id, result: { skills: [{ uri: resources[0].uri, frontmatter: { name: "a", description: "b" }, resources }] } });
      return;
    }
    if (behaviour === "slow") {
      listed = id;
      return;
    }
    if (behaviour === "hangs") {
      console.error("skills/list came");
      return;
    }
    if (behaviour === "endless") {
      // An answer that is too long to be one.
      process.stdout.write('{"jsonrpc":"2.0","result":"');
      write(process.stdout, "x".repeat(MIB), 140);
      process.stdout.write(`","id":${id}}\n`);
      return;
    }
    say({ id, result: { resultType: "complete", ttlMs: 0, cacheScope: "public", skills: [] } });
  },
};

const stays = ["stays", "hangs"].includes(behaviour);
process.stdin.on("end", () => {
  if (!stays) {
    process.exit(0);
  }
});
if (behaviour === "dies") {
  console.error("started");
}
if (behaviour === "mute") {
  console.error("no database\u001b[31m");
  process.exit(1);
}
if (behaviour === "floods") {
  // More than any pipe holds, and one line without an end.
  process.stderr.write("x".repeat(4 * 1024 * 1024));
}
if (behaviour === "torrent") {
  const notification = `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"${"x".repeat(16_000)}"}}\n`;
  write(process.stdout, notification, 2_000);
  write(process.stderr, `${"x".repeat(120)}\n`.repeat(8_000), 32);
  write(process.stdout, "x".repeat(MIB), 32);
  process.stdout.write("\n");
}
if (stays) {
  process.on("SIGTERM", () => {});
  // A process that it leaves behind, and one that keeps it alive.
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  console.error(`pids ${process.pid} ${child.pid}`);
  setInterval(() => {}, 1000);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) {
    say({ id: asked, result: { resultType: "complete", skills: [] } });
  } else {
    answers[message.method]?.(message);
  }
});
