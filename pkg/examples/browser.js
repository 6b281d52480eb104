// See browser.html. What a server sent is only ever shown as text.

import init, { SkillHost, httpTransport } from "./node_modules/skillglass/dist/host/web.js";

const ready = init().then(() => new SkillHost({ approve }));

/** Asks whoever sits in front of the page. */
function approve({ name, requests }) {
  return confirm([`Load ${name}?`, ...requests.map(({ message }) => message)].join("\n"));
}

document.forms[0].addEventListener("submit", async (event) => {
  event.preventDefault();
  const host = await ready;
  await host.addServer("The server", httpTransport(new FormData(event.target).get("url")));
  const { skills } = await host.list("The server");
  document.querySelector("ul").replaceChildren(...skills.map((skill) => row(host, skill)));
});

/** A skill, to be loaded at a click; one that was loaded before is looked up again. */
function row(host, skill) {
  const button = Object.assign(document.createElement("button"), { textContent: skill.displayName });
  button.addEventListener("click", async () => {
    const { content } = await host.refresh(skill);
    document.querySelector("pre").textContent = content.forModel();
  });
  const item = document.createElement("li");
  item.append(button);
  return item;
}
