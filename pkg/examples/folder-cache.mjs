// Keeps the verified files of a `SkillHost` in a folder, for Node, Deno and Bun:
//
//   new SkillHost({ cache: folderCache(join(homedir(), ".cache/my-host/skills")) })

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export function folderCache(folder) {
  return {
    async get(path) {
      const [record, bytes] = await Promise.all([readFile(join(folder, `${path}.json`), "utf8"), readFile(join(folder, path))]);
      return { record, bytes };
    },

    async set(path, { record, bytes }) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await write(file, bytes);
      await write(`${file}.json`, record);
    },

    remove: (directory) => rm(join(folder, directory), { recursive: true, force: true }),
  };
}

/** Writes a file in one step, so that nobody meets half of it. */
async function write(file, content) {
  const part = `${file}.${crypto.randomUUID()}`;
  await writeFile(part, content, { mode: 0o600 });
  await rename(part, file);
}
