// The documented schema of the conformance report fits what the core writes, and nothing else.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import Ajv from "ajv/dist/2020.js";

const read = async (name) => JSON.parse(await readFile(new URL(`../../docs/${name}`, import.meta.url), "utf8"));

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(await read("report.schema.json"));
const example = await read("report.example.json");

test("a report of the core fits the schema", () => {
  assert.ok(validate(example), JSON.stringify(validate.errors, null, 2));
});

test("a report that lacks something, or has too much, does not fit", () => {
  const changes = [
    (report) => delete report.outcome,
    (report) => { report.extra = 1; },
    (report) => { report.version = 2; },
    (report) => { report.checks[0].outcome = "green"; },
    (report) => { report.counts.fail = -1; },
    (report) => { report.checks.find((check) => check.results.length).results[0].subject.kind = "tool"; },
    (report) => { report.exchanges[0].number = "1"; },
  ];
  for (const change of changes) {
    const report = structuredClone(example);
    change(report);
    assert.ok(!validate(report), change.toString());
  }
});
