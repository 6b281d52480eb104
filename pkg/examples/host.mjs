// A minimal host, for Node, Deno and Bun: it shows a model the skills of a server, loads the one that the model picks, and
// reads the files that the model wants.
//
//   node host.mjs https://mcp.example.com/mcp refunds
//   deno run --allow-net --allow-read host.mjs …
//   bun host.mjs …

import { SkillHost, httpTransport } from "skillglass/host";

const [url, wanted] = process.argv.slice(2);

/** Stands for a model. Yours picks by descriptions, and wants files because a text it was given speaks of them. */
const model = {
  picks: (skills) => skills.find(({ name }) => name === wanted) ?? skills[0],
  wants: (text) => [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, reference]) => reference),
  give: (text) => console.log(text),
};

/** Stands for your user. Yours is shown who wants what, and may say no, or grant some of it. */
function approve({ skill, name, description, requests, approval }) {
  console.log(`${skill.origin} offers ${name}: ${description}`);
  requests.forEach(({ message }) => console.log(`It wants to ${message}; this is not granted.`));
  console.log(approval.state === "revoked" ? `It has changed: ${approval.message}.` : "It was not approved before.");
  return true;
}

const host = new SkillHost({ approve });
await host.addServer("acme", httpTransport(url));
const { skills } = await host.list("acme");

const skill = model.picks(skills);
const { content } = await host.load(skill);
model.give(content.forModel());

// Nothing is read before the model wants it, and then all of it at once.
await Promise.all(
  model.wants(content.text).map(async (reference) => {
    try {
      model.give((await host.read(skill, reference)).forModel());
    } catch (error) {
      model.give(`${reference} could not be used: ${error.message}`);
    }
  }),
);

host.end(skill);
await host.close();
