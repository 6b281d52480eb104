// A host in a Worker: the runtime compiles the module and hands it over. Answers GET /?server=ADDRESS&skill=NAME.

import { initSync, SkillHost, httpTransport } from "skillglass/host";
import module from "skillglass/host.wasm";

initSync(module);

export default {
  async fetch(request) {
    const { searchParams } = new URL(request.url);
    // A Worker has nobody to ask: what it may load was decided before it was deployed.
    const host = new SkillHost({ policy: { ask: false, dynamic: false } });
    await host.addServer("acme", httpTransport(searchParams.get("server")));
    const { skills } = await host.list("acme");
    const { content } = await host.load(skills.find(({ name }) => name === searchParams.get("skill")));
    return new Response(content.forModel(), { headers: { "Content-Type": "text/plain; charset=utf-8" } });
  },
};
