/** Test results as JUnit XML, for build servers. */

export interface JunitSuite {
  readonly name: string
  readonly cases: readonly { readonly name: string; readonly failures: readonly string[] }[]
  /** Why its tests could not be run. */
  readonly error?: string
}

export function renderJunit(suites: readonly JunitSuite[]): string {
  const lines = suites.flatMap((suite) => {
    const failures = suite.cases.filter((one) => one.failures.length > 0).length
    const counts = `tests="${suite.cases.length}" failures="${failures}" errors="${suite.error === undefined ? 0 : 1}"`
    return [
      `  <testsuite name="${escape(suite.name)}" ${counts}>`,
      ...suite.cases.flatMap((one) => caseLines(one.name, one.failures)),
      ...(suite.error === undefined ? [] : [`    <system-err>${escape(suite.error)}</system-err>`]),
      '  </testsuite>',
    ]
  })
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...lines, '</testsuites>', ''].join('\n')
}

function caseLines(name: string, failures: readonly string[]): string[] {
  if (failures.length === 0) return [`    <testcase name="${escape(name)}"/>`]
  return [
    `    <testcase name="${escape(name)}">`,
    ...failures.map((text) => `      <failure>${escape(text)}</failure>`),
    '    </testcase>',
  ]
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Replaces characters that XML 1.0 cannot contain by a question mark. */
function escape(text: string): string {
  return text
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (char) => ('\t\n\r'.includes(char) ? char : '?'))
    .replace(/[&<>"]/g, (char) => ENTITIES[char]!)
}
