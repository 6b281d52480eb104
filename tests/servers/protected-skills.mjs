// Skills behind an authorization server: the official SDK's server, which wants a bearer token, and more scopes for
// reading files than for listing skills.

import {
  createMcpExpressApp,
  getOAuthProtectedResourceMetadataUrl,
  requireBearerAuth,
} from "@modelcontextprotocol/express";
import { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server";
import cors from "cors";

import { startSdkServer } from "./sdk-skills.mjs";

/** What every request needs. */
export const LIST = "skills:list";
/** What reading a file needs. */
export const READ = "skills:read";

/**
 * Starts a server that takes the tokens of `authority`, one of `issuers`, which are all that it names.
 *
 * - `exposed: false` hides `WWW-Authenticate` from pages, as many servers do.
 * - `hosts` are the hosts whose pages it lets in; this machine's otherwise.
 * - `token` is one more token that it takes, which nobody issued.
 * - `ttlMs` is as in `startSdkServer`.
 *
 * `authorizations` has the header of every request that carried one.
 *
 * @param {{
 *   authority: Awaited<ReturnType<typeof import("./authorization-server.mjs").startAuthorizationServer>>,
 *   issuers?: string[], exposed?: boolean, hosts?: string[], token?: string, ttlMs?: number,
 * }} options
 */
export async function startProtectedServer({ authority, issuers = [authority.issuer], exposed = true, hosts, token, ttlMs }) {
  const app = createMcpExpressApp({ allowedOrigins: hosts });
  const authorizations = [];
  app.use(cors({ exposedHeaders: exposed ? ["WWW-Authenticate"] : [] }));
  app.get("/.well-known/oauth-protected-resource/mcp", (request, response) => {
    response.json({ resource: resourceAt(request), authorization_servers: issuers, scopes_supported: [LIST] });
  });
  app.use("/mcp", (request, response, next) => {
    const { authorization } = request.headers;
    if (authorization) {
      authorizations.push(authorization);
    }
    const resource = resourceAt(request);
    const needed = request.body?.method === "resources/read" ? [LIST, READ] : [LIST];
    requireBearerAuth({
      verifier: { verifyAccessToken: (given) => verify(given, authority, token, resource) },
      requiredScopes: needed,
      resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(resource)),
    })(request, response, next);
  });
  return { ...(await startSdkServer({ app, ttlMs })), authorizations };
}

const resourceAt = (request) => `http://${request.headers.host}/mcp`;

async function verify(given, authority, extra, resource) {
  if (extra !== undefined && given === extra) {
    return { token: given, clientId: "by-hand", scopes: [LIST, READ], expiresAt: Date.now() / 1000 + 3600 };
  }
  const known = await authority.inspect(given);
  if (!known || known.audience !== resource) {
    throw new OAuthError(OAuthErrorCode.InvalidToken, "This token is not known here.");
  }
  const { clientId, scopes, expiresAt } = known;
  return { token: given, clientId, scopes, expiresAt };
}
