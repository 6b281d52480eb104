// An authorization server that this project did not write: npm's `oidc-provider`, on loopback, with faults to choose from.

import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";

import Provider from "oidc-provider";

const HOST = "127.0.0.1";

/** Whoever signs in here. */
const ACCOUNT = "rider";

/** The client that somebody registered by hand. A native client's loopback address counts whatever its port (RFC 8252). */
export const BY_HAND = "registered-by-hand";

/**
 * Starts an authorization server whose access tokens are for the resources that ask for them.
 *
 * - `registration: false` leaves out dynamic registration. `redirects` are the paths that the client {@link BY_HAND},
 *   which is known always, is sent back to on this machine.
 * - `documents` fetches client metadata documents, and lets clients be known by them.
 * - `cors: false` lets no page read an answer.
 * - `secrets: true` serves only clients that have a secret.
 * - `iss` is what it calls itself in its answers, whoever it is.
 * - `isolated: true` cuts the link between its window and the page that opened it.
 * - `accessTokenTTL` is how many seconds an access token lasts.
 *
 * What it was asked is in `requests`; `secrets` holds every code, verifier and token that went through it.
 * `expireAccessTokens` has the tokens of this moment end before their time, `forget` refresh tokens as well.
 *
 * @param {{
 *   scopes: string[], registration?: boolean, redirects?: string[], documents?: (url: string) => Promise<Response>, cors?: boolean,
 *   secrets?: boolean, iss?: string, isolated?: boolean, accessTokenTTL?: number,
 * }} options
 */
export async function startAuthorizationServer({
  scopes,
  registration = true,
  redirects = ["/callback.html"],
  documents,
  cors = true,
  secrets: confidential = false,
  iss,
  isolated = false,
  accessTokenTTL = 3600,
}) {
  const server = createServer();
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, HOST, resolve);
  });
  const issuer = `http://${HOST}:${server.address().port}`;
  const seen = { requests: [], secrets: new Set() };
  const provider = new Provider(issuer, {
    clients: confidential ? [] : [publicClient(redirects)],
    clientAuthMethods: confidential ? ["client_secret_basic"] : ["none"],
    clientBasedCORS: () => true,
    cookies: { keys: ["the cookies of one test"] },
    fetch: documents ?? refuseToFetch,
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_ctx, { uid }) => `/consent/${uid}` },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    jwks: { keys: [signingKey()] },
    routes: { authorization: "/authorize", registration: "/register", token: "/token" },
    features: {
      clientIdMetadataDocument: { enabled: documents !== undefined, ack: "draft-02" },
      devInteractions: { enabled: false },
      registration: { enabled: registration },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx, resource) => ({
          scope: scopes.join(" "),
          audience: resource,
          accessTokenFormat: "opaque",
          accessTokenTTL,
        }),
        useGrantedResource: () => true,
      },
    },
  });
  const tokens = new Set();
  provider.on("access_token.saved", (token) => tokens.add(token));
  provider.on("refresh_token.saved", (token) => tokens.add(token));
  provider.use(watching(seen));
  provider.use(permitting(cors));
  if (iss !== undefined) {
    provider.use(calledOtherwise(iss));
  }
  provider.use(async (ctx, next) => {
    ctx.set("Cross-Origin-Opener-Policy", isolated ? "same-origin" : "unsafe-none");
    await next();
  });
  provider.use(consenting(provider));
  server.on("request", provider.callback());

  const end = async (kinds) => {
    for (const token of tokens) {
      if (kinds.includes(token.kind)) {
        await token.destroy();
        tokens.delete(token);
      }
    }
  };
  return {
    url: issuer,
    issuer,
    ...seen,
    expireAccessTokens: () => end(["AccessToken"]),
    forget: () => end(["AccessToken", "RefreshToken"]),
    /** What a token is good for; nothing where it is none. @param {string} text */
    async inspect(text) {
      const token = await provider.AccessToken.find(text);
      return token && { clientId: token.clientId, scopes: [...token.scopes], expiresAt: token.exp, audience: token.aud };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

const publicClient = (redirects) => ({
  client_id: BY_HAND,
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
  redirect_uris: redirects.map((path) => `http://${HOST}${path}`),
  response_types: ["code"],
  token_endpoint_auth_method: "none",
});

function refuseToFetch(url) {
  throw new Error(`nothing should be fetched, but ${url} is`);
}

/** A key of this run. The provider wants one for what no test asks for. */
function signingKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" };
}

/** Keeps what was asked, and everything that nobody else may get to see. */
function watching({ requests, secrets }) {
  const keep = (...values) => values.filter(Boolean).forEach((value) => secrets.add(value));
  return async (ctx, next) => {
    await next();
    const body = ctx.oidc?.body ?? {};
    if (ctx.method !== "OPTIONS") {
      requests.push({ method: ctx.method, path: ctx.path, query: { ...ctx.query }, body: { ...body } });
    }
    const { access_token: access, refresh_token: refresh, registration_access_token: management } = ctx.body ?? {};
    keep(body.code_verifier, body.code, body.refresh_token, access, refresh, management);
  };
}

/** The provider has no CORS of its own at the registration; and some servers have none at all. */
function permitting(cors) {
  const open = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "content-type" };
  return async (ctx, next) => {
    if (cors && ctx.path === "/register") {
      ctx.set(open);
      if (ctx.method === "OPTIONS") {
        ctx.status = 204;
        return;
      }
    }
    await next();
    if (!cors) {
      const permits = Object.keys(ctx.response.headers).filter((name) => name.startsWith("access-control-"));
      permits.forEach((name) => ctx.remove(name));
    }
  };
}

function calledOtherwise(iss) {
  return async (ctx, next) => {
    await next();
    const location = ctx.response.get("Location");
    if (location?.includes("iss=")) {
      const altered = new URL(location);
      altered.searchParams.set("iss", iss);
      ctx.set("Location", altered.href);
    }
  };
}

/** The screen on which a person agrees or refuses. */
function consenting(provider) {
  return async (ctx, next) => {
    if (!ctx.path.startsWith("/consent/")) {
      return next();
    }
    const details = await provider.interactionDetails(ctx.req, ctx.res);
    if (ctx.method === "GET") {
      ctx.type = "html";
      ctx.body = consentScreen(details.params);
      return;
    }
    const agrees = ctx.querystring === "agree";
    const result = agrees
      ? { login: { accountId: ACCOUNT }, consent: { grantId: await grant(provider, details) } }
      : { error: "access_denied", error_description: "The rider refused." };
    const location = await provider.interactionResult(ctx.req, ctx.res, result);
    ctx.status = 303;
    ctx.set("Location", location);
  };
}

async function grant(provider, { grantId, params }) {
  const { client_id: clientId, resource, scope = "" } = params;
  const known = grantId && (await provider.Grant.find(grantId));
  const granted = known || new provider.Grant({ accountId: ACCOUNT, clientId });
  granted.addOIDCScope(scope);
  granted.addResourceScope(resource, scope);
  return granted.save();
}

const consentScreen = ({ client_id: client, resource, scope = "" }) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<link rel="icon" href="data:,">
<title>Consent</title>
<h1>May it?</h1>
<p>${escape(client)} asks for ${escape(scope)} at ${escape(resource)}.</p>
<form method="post" action="?agree"><button>Agree</button></form>
<form method="post" action="?refuse"><button>Refuse</button></form>
</html>
`;

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
