// What `typescript-2.mjs both` serves, behind nginx.
//
// `PASTED_LINES` are what the page under test tells people to put into nginx's settings; they name the port of a server
// that nobody knows yet. `NGINX_PATH` is where nginx is.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const { PASTED_LINES, NGINX_PATH = "nginx", ...others } = process.env;
const USUAL = "location /mcp { proxy_pass http://127.0.0.1:3000; proxy_buffering off; }";

const behind = spawn(process.execPath, [join(import.meta.dirname, "typescript-2.mjs"), "both"], {
  env: others,
  stdio: ["pipe", "pipe", "inherit"],
});
const [address] = await once(createInterface({ input: behind.stdout }), "line");

const port = await freePort();
const folder = mkdtempSync(join(tmpdir(), "skillglass-nginx-"));
const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
const locations = (PASTED_LINES ?? USUAL).replace("http://127.0.0.1:3000", new URL(address).origin);
writeFileSync(
  join(folder, "nginx.conf"),
  `daemon off;
master_process off;
pid nginx.pid;
error_log stderr notice;
events {}
http {
  access_log off;
  ${temporary.map((kind) => `${kind}_temp_path ${kind};`).join("\n  ")}
  server {
    listen 127.0.0.1:${port};
    ${locations}
  }
}
`,
);

const nginx = spawn(NGINX_PATH, ["-p", folder, "-c", "nginx.conf", "-e", "stderr"], { stdio: ["ignore", "ignore", "pipe"] });
nginx.on("error", (error) => end(`nginx cannot be started: ${error.message}`));
nginx.on("exit", () => end("nginx has ended"));
for await (const line of createInterface({ input: nginx.stderr })) {
  if (line.includes("[emerg]")) {
    console.error(line);
  }
  // It says so once it listens.
  if (line.includes("event method")) {
    console.log(`http://127.0.0.1:${port}/mcp`);
    process.stdin.on("end", () => end()).resume();
  }
}

function end(why) {
  if (why) {
    console.error(why);
  }
  nginx.kill();
  behind.kill();
  rmSync(folder, { recursive: true, force: true });
  process.exit(why ? 1 : 0);
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}
