// Packs the built package and installs it as a host would. What is tested is the tarball, never the folder it came from.

import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const PACKAGE = join(import.meta.dirname, "../../pkg");
const TOOLS = join(import.meta.dirname, "../node_modules/.bin");

/** A folder that is gone when the tests of this file are done. */
function folder() {
  const path = mkdtempSync(join(tmpdir(), "skillglass-package-"));
  after(() => rmSync(path, { recursive: true }));
  return path;
}

/** Runs a program and returns what it prints. What it prints on failure is part of the error. */
export function run(cwd, program, ...args) {
  try {
    return execFileSync(program, args, { cwd, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    throw new Error(`${program} ${args.join(" ")}\n${error.stdout}${error.stderr}`);
  }
}

/** As `run`, while this process goes on, as where it serves what the program asks for. The place may be given with more. */
export async function runAsync(place, program, ...args) {
  try {
    const options = typeof place === "string" ? { cwd: place } : place;
    return (await promisify(execFile)(program, args, { ...options, encoding: "utf8" })).stdout;
  } catch (error) {
    throw new Error(`${program} ${args.join(" ")}\n${error.stdout}${error.stderr}`);
  }
}

/** Runs one of the tools of `tests/package.json`. */
export const tool = (cwd, name, ...args) => run(cwd, join(TOOLS, name), ...args);

/** @returns {{ file: string, files: string[] }} the tarball, and the paths inside of it */
export function pack() {
  const target = folder();
  const [packed] = JSON.parse(run(PACKAGE, "npm", "pack", "--json", "--ignore-scripts", "--pack-destination", target));
  return { file: join(target, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** A project that has the package, and nothing else, installed. */
export function project({ file } = pack()) {
  const root = folder();
  writeFileSync(join(root, "package.json"), JSON.stringify({ private: true, type: "module" }));
  run(root, "npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", file);
  return {
    root,
    /** Writes a file into the project and returns its path. */
    write(name, text) {
      const path = join(root, name);
      writeFileSync(path, text);
      return path;
    },
    /** Lends the project a package, or a scope of them: of `tests/package.json`, or out of another folder of them. */
    link(name, folder = join(TOOLS, "..")) {
      symlinkSync(join(folder, name), join(root, "node_modules", name));
    },
    /** The package, or a sub-path of it, as a file of the project imports it. */
    load(specifier = "skillglass") {
      const name = `load-${specifier.replaceAll("/", "-")}.js`;
      return import(pathToFileURL(this.write(name, `export * from "${specifier}";`)));
    },
  };
}
