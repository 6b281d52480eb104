// Streamable HTTP of both eras, from a request's method, headers and body to status, headers and body of the reply.

import {
  call,
  complete,
  initialize,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  MODERN,
  PARSE_ERROR,
  Refusal,
} from "./methods.mjs";

const HEADER_MISMATCH = -32020;
const UNSUPPORTED_VERSION = -32022;
const SERVER_ERROR = -32000;
const SESSION_NOT_FOUND = -32001;

const META = "io.modelcontextprotocol/";

/** @typedef {{ status: number, headers: Record<string, string>, body: string }} Reply */

/**
 * Answers one HTTP request to a site.
 *
 * @returns {Reply}
 */
export function answer(site, { method, headers, body }) {
  if (method === "DELETE") {
    return endSession(site, headers["mcp-session-id"]);
  }
  if (method !== "POST") {
    return { ...plain(405), headers: { Allow: "POST, DELETE" } };
  }
  let message;
  try {
    message = JSON.parse(body);
  } catch {
    return refused(400, null, new Refusal(PARSE_ERROR, "The body is not JSON."));
  }
  if (typeof message?.method !== "string" && !("id" in Object(message))) {
    return refused(400, null, new Refusal(INVALID_REQUEST, "The body is no JSON-RPC request."));
  }
  const isModern = headers["mcp-protocol-version"] >= MODERN || metadata(message).protocolVersion !== undefined;
  return isModern ? modern(site, headers, message) : legacy(site, headers, message);
}

function modern(site, headers, { id = null, method, params = {} }) {
  if (!site.settings.eras.includes("modern")) {
    return refused(400, null, new Refusal(SERVER_ERROR, "Bad Request: Server not initialized"));
  }
  const objection = objectionTo(headers, method, params);
  if (objection) {
    return refused(400, id, objection);
  }
  return respond(site, "modern", id, method, params, {});
}

/** What is wrong with the metadata of a modern request. */
function objectionTo(headers, method, params) {
  const { protocolVersion, clientCapabilities } = metadata({ params });
  if (protocolVersion === undefined || clientCapabilities === undefined) {
    return new Refusal(INVALID_PARAMS, `params._meta lacks ${META}protocolVersion or ${META}clientCapabilities.`);
  }
  if (protocolVersion !== MODERN) {
    const data = { supported: [MODERN], requested: protocolVersion };
    return new Refusal(UNSUPPORTED_VERSION, `The revision ${protocolVersion} is not spoken here.`, data);
  }
  const mirrored = { "mcp-protocol-version": protocolVersion, "mcp-method": method };
  if (method === "resources/read") {
    mirrored["mcp-name"] = params.uri;
  }
  const differing = Object.keys(mirrored).find((name) => decoded(headers[name]) !== mirrored[name]);
  return differing && new Refusal(HEADER_MISMATCH, `The header ${differing} differs from the body.`);
}

function metadata({ params }) {
  const meta = params?._meta ?? {};
  return {
    protocolVersion: meta[`${META}protocolVersion`],
    clientCapabilities: meta[`${META}clientCapabilities`],
  };
}

/** A mirrored header's value, which is in base64 where a header could not carry it. */
function decoded(value) {
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString();
}

function legacy(site, headers, { id, method, params = {} }) {
  if (!site.settings.eras.includes("legacy")) {
    const data = { supported: [MODERN], requested: params.protocolVersion ?? "" };
    return refused(400, id ?? null, new Refusal(UNSUPPORTED_VERSION, `Only ${MODERN} is spoken here.`, data));
  }
  if (method === "initialize") {
    return begin(site, id, params);
  }
  const session = headers["mcp-session-id"];
  if (site.settings.sessions && !site.sessions.has(session)) {
    const status = session === undefined ? 400 : 404;
    return refused(status, null, new Refusal(SESSION_NOT_FOUND, "Send initialize first: this session is not known."));
  }
  if (id === undefined || method === undefined) {
    return plain(202);
  }
  return respond(site, "legacy", id, method, params, {});
}

function begin(site, id, params) {
  if (!site.settings.sessions) {
    return respond(site, "legacy", id, "initialize", params, {});
  }
  const session = site.settings.newSession();
  site.sessions.add(session);
  return respond(site, "legacy", id, "initialize", params, { "Mcp-Session-Id": session });
}

function endSession(site, session) {
  if (!site.settings.sessions) {
    return { ...plain(405), headers: { Allow: "POST" } };
  }
  return plain(site.sessions.delete(session) ? 200 : 404);
}

/** Answers a request that has passed the gate, and lets the site's variant spoil the answer. */
function respond(site, era, id, method, params, headers) {
  const context = { site, era, method, params, complete: (members) => complete(site, era, method, members) };
  const honest = () =>
    method === "initialize" ? initialize(site, params.protocolVersion) : call(site, era, method, params);
  let reply;
  try {
    const result = site.spoil(honest, context);
    reply = framed(site.settings[`${era}Replies`], { jsonrpc: "2.0", id, result });
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) {
      throw refusal;
    }
    const status = era === "modern" && refusal.code === METHOD_NOT_FOUND ? 404 : 200;
    reply = refused(status, id, refusal);
  }
  return site.spoilReply({ ...reply, headers: { ...reply.headers, ...headers } }, context);
}

function framed(form, message) {
  const text = JSON.stringify(message);
  if (form === "json") {
    return json(200, text);
  }
  const body = `: the answer follows\n\nevent: message\ndata: ${text}\n\n`;
  return { status: 200, headers: { "Content-Type": "text/event-stream" }, body };
}

function refused(status, id, { code, message, data }) {
  return json(status, JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, data } }));
}

function json(status, body) {
  return { status, headers: { "Content-Type": "application/json" }, body };
}

function plain(status) {
  return { status, headers: {}, body: "" };
}
