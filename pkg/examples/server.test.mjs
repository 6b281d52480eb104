// For a server's author: its conformance as one test. server.vitest.test.mjs is the same with vitest.
//
//   SERVER=http://localhost:3000/mcp node --test server.test.mjs

import { test } from "node:test";
import { assertConforms } from "skillglass/conformance";

test("the server conforms to the skills extension", () => assertConforms(process.env.SERVER));
