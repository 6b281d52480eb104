// `assertConforms`: a conformance run as one assertion of a test.

import { checkServer } from "./check.js";

/** How many subjects of a check the message names. */
const NAMED = 5;

/** A server does not conform. See `conformance.d.ts`. */
export class ConformanceError extends Error {
  name = "ConformanceError";
  code = "not-conforming";

  constructor(message, report) {
    super(message);
    this.report = report;
  }
}

export async function assertConforms(server, { warnings = false, ...options } = {}) {
  const report = await checkServer(server, options);
  const broken = report.checks.filter(({ outcome }) => outcome === "fail" || (warnings && outcome === "warn"));
  if (broken.length > 0 || report.incomplete !== null) {
    throw new ConformanceError([report.summary, ...broken.map(told)].join("\n"), report);
  }
  return report;
}

/** A check that failed, for whoever reads the test's output. */
function told({ id, failure, repair, results, omitted }) {
  const wrong = results.filter(({ outcome }) => outcome === "fail" || outcome === "warn");
  const lines = wrong.slice(0, NAMED).map(({ subject, evidence }) => {
    const [message = ""] = evidence.map(({ message }) => message);
    return `  ${[subject.name, message].filter(Boolean).join(": ")}`;
  });
  const left = wrong.length - lines.length + omitted;
  return [`\n${id}: ${failure}`, ...lines, ...(left > 0 ? [`  and ${left} more`] : []), `  ${repair}`].join("\n");
}
