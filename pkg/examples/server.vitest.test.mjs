// As server.test.mjs, with vitest, which wants to know how long a test may take.
//
//   SERVER=http://localhost:3000/mcp npx vitest run server.vitest.test.mjs

import { test } from "vitest";
import { assertConforms } from "skillglass/conformance";

test("the server conforms to the skills extension", () => assertConforms(process.env.SERVER), 60_000);
