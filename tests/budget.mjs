// Compares what people download, gzip-compressed, with the limits in budget.json.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";

const root = join(import.meta.dirname, "..");
const budgets = JSON.parse(readFileSync(join(import.meta.dirname, "budget.json"), "utf8"));

/** Every file of the folder whose path in it matches, with its sizes; none where nothing was built. */
function sizes({ folder, files }) {
  const path = join(root, folder);
  const pattern = new RegExp(files);
  const entries = existsSync(path) ? readdirSync(path, { recursive: true, withFileTypes: true }) : [];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)))
    // Trunk stages a build in a dot folder, and leaves it there when the build fails.
    .filter((name) => pattern.test(name) && !name.startsWith("."))
    .map((name) => {
      const bytes = readFileSync(join(path, name));
      return { name, raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
    });
}

const row = (name, raw, gzip, limit = "", verdict = "") =>
  console.log(
    `${name.padEnd(52)}${String(raw).padStart(10)}${String(gzip).padStart(10)}${String(limit).padStart(10)}  ${verdict}`.trimEnd(),
  );

row("", "bytes", "gzip", "limit");
for (const budget of budgets) {
  const files = sizes(budget);
  const total = (unit) => files.reduce((sum, file) => sum + file[unit], 0);
  const verdict =
    files.length === 0 ? `nothing built in ${budget.folder}` : total("gzip") > budget.gzip ? "too large" : "ok";
  row(budget.name, total("raw"), total("gzip"), budget.gzip, verdict);
  files.forEach((file) => row(`  ${file.name}`, file.raw, file.gzip));
  if (verdict !== "ok") {
    process.exitCode = 1;
  }
}
