// Starts the program under a policy without inline scripts. Its two files are run only if their bytes are the ones this
// page was built with; a failure is said in words.

import { keepOffline } from "./offline.js";

const boot = document.getElementById("boot");
const status = document.getElementById("boot-status");
const glue = document.querySelector('link[rel="modulepreload"]');
const wasm = document.querySelector('link[rel="wasm"]');

/** A failure whose message is a sentence for people. */
class BootError extends Error {}

/** To a browser changed bytes and no connection are one error; asking for the file once more tells them apart. */
async function explainLoading(link) {
  const file = decodeURIComponent(link.href.split("/").pop());
  const answer = await fetch(link.href, { method: "HEAD", cache: "no-store" }).catch(() => undefined);
  if (answer?.ok) {
    return new BootError(
      `${file} is not the file this page was built with, so it was not run. The copy on this host is damaged, or was changed on its way.`,
    );
  }
  return new BootError(
    answer
      ? `${file} could not be loaded: the host answered ${answer.status}.`
      : `${file} could not be loaded: the host cannot be reached.`,
  );
}

async function load(link, loading) {
  try {
    return await loading;
  } catch {
    throw await explainLoading(link);
  }
}

async function start() {
  document.getElementById("boot-hint").remove();
  status.hidden = false;
  if (typeof WebAssembly !== "object") {
    throw new BootError("This browser does not run WebAssembly, or has it turned off.");
  }
  // The preload link has put the checked module where the import finds it.
  const [program, module] = await Promise.all([
    load(wasm, fetch(wasm.href, { integrity: wasm.integrity })),
    load(glue, import(glue.href)),
  ]);
  status.textContent = "Starting Skillglass…";
  await module.default({ module_or_path: program });
  boot.remove();
  keepOffline();
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function showFailure(error) {
  const reload = element("button", "Reload");
  reload.type = "button";
  reload.addEventListener("click", () => location.reload());

  const reason =
    error instanceof BootError
      ? [element("p", error.message)]
      : [
          element("p", "An error stopped it. These lines belong in a bug report:"),
          element("pre", String(error?.stack ?? error)),
        ];
  boot.setAttribute("role", "alert");
  boot.replaceChildren(element("h1", "Skillglass could not start"), ...reason, reload);
}

start().catch(showFailure);
