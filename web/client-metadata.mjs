// Runs after Trunk's build. Where SKILLGLASS_URL says at which address the page is going to be hosted, writes the client
// metadata document by which authorization servers can know it there, and tells the page of it. The document has to
// name its own address, so a page that may lie anywhere cannot have one.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.TRUNK_STAGING_DIR;
const home = process.env.SKILLGLASS_URL;

if (home) {
  const { protocol, href } = new URL(home);
  if (protocol !== "https:" || href !== home || !home.endsWith("/")) {
    throw new Error(`SKILLGLASS_URL has to be an https address that ends with a slash, but is ${home}`);
  }
  const document = new URL("client-metadata.json", home).href;
  const metadata = {
    client_id: document,
    client_name: "Skillglass",
    client_uri: home,
    redirect_uris: [new URL("callback.html", home).href],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "web",
  };
  writeFileSync(join(folder, "client-metadata.json"), `${JSON.stringify(metadata, null, 2)}\n`);
  const page = join(folder, "index.html");
  const html = readFileSync(page, "utf8");
  writeFileSync(page, html.replace("</head>", `  <link rel="client-metadata" href="${document}">\n  </head>`));
}
