/** Findings as SARIF 2.1.0, for code hosts and editors. */
import type { LintSummary } from '../catalog/lint-report.ts'

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'
const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

/** @param version of this program */
export function sarifOf({ checks, findings }: LintSummary, version: string): unknown {
  const index = new Map(checks.map(({ name }, i) => [name, i]))
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'daytwo lint',
            version,
            rules: checks.map(({ name, title, description, severity }) => ({
              id: name,
              shortDescription: { text: title },
              fullDescription: { text: description.split('\n\n')[0] },
              help: { text: description, markdown: description },
              defaultConfiguration: { level: LEVELS[severity] },
            })),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map(({ check, severity, file, line, column, endLine, endColumn, message, hint }) => ({
          ruleId: check,
          ruleIndex: index.get(check),
          level: LEVELS[severity],
          message: { text: hint === undefined ? message : `${message} (${hint})` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(file) },
                region: { startLine: line, startColumn: column, endLine, endColumn },
              },
            },
          ],
        })),
      },
    ],
  }
}

/** A relative reference, or an absolute one for a path from the root. */
function uriOf(path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/')
  return path.startsWith('/') ? `file://${encoded}` : encoded
}
