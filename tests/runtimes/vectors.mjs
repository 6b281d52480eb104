// Asks the package every shared vector, in whichever runtime this is, and prints how many answers were the expected ones.
// The folder of the answers is the first argument.

import { isDeepStrictEqual } from "node:util";
import * as skillglass from "skillglass";

const { answers, named } = await import(new URL("answers.mjs", process.argv[2]));
const all = [...answers(skillglass)];
const wrong = all.filter(({ seen, expected }) => !isDeepStrictEqual(named(expected, seen), expected));
console.log(JSON.stringify({ asked: all.length, wrong: wrong.map(({ kind, name }) => `${kind}: ${name}`) }));
