// Starts the Chromium that `cargo xtask test` found. Its arguments keep it from talking to anyone but the page under test;
// the WebAssembly tests of the core use the same.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const QUIET = JSON.parse(readFileSync(new URL("chromium-arguments.json", import.meta.url), "utf8"));

/** @returns {Promise<import("playwright-core").Browser>} */
export function launchChromium() {
  const executablePath = process.env.CHROME_PATH;
  if (!executablePath) {
    throw new Error("CHROME_PATH names no Chromium; `cargo xtask test` sets it.");
  }
  // Continuous integration often runs as root in a container, where Chromium's sandbox cannot start.
  return chromium.launch({ executablePath, args: ["--no-sandbox", ...QUIET] });
}
