// The client metadata document by which authorization servers can know a page at the address it is hosted at. It has to
// name its own address, so a page that may lie anywhere cannot have one.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Makes the built page of a folder one that is hosted at `home`. */
export function hostAt(folder, home) {
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
