/** `daytwo lint`: checks alerts against their runbooks, metrics, tests and dashboards. */
import { relative } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { createOwnMetrics } from '../base/metrics.ts'
import { loadCatalog } from '../catalog/catalog.ts'
import { CATALOG_CHECKS } from '../catalog/checks/catalog-checks.ts'
import { lintCatalog, type LintOutcome } from '../catalog/lint-catalog.ts'
import { reportOf, type LintSummary } from '../catalog/lint-catalog.ts'
import { renderDiagnostic } from '../model/diagnostic.ts'
import { metricsOfRegistry } from '../rules/metrics/metric-catalog.ts'
import { VERSION } from '../config/version.ts'
import { parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { readServeArguments } from './serve-options.ts'

const CLEAN = 0
const FOUND = 1
const FORMATS = ['text', 'json', 'sarif']

/** Options of the server for the location and language of the content. */
const OF_SERVER = ['rules', 'runbooks', 'dashboards', 'promql.experimental'] as const

export const lintCommand: Command = {
  help: () =>
    [
      'Usage: daytwo lint [--rules DIR] [--runbooks DIR] [--dashboards DIR] [--format text|json|sarif] [--infos]',
      '',
      'Checks alerts against their runbooks, the metrics that exist, their unit tests (in the folder tests beside the',
      'rules) and the dashboards. Without folders, the content that ships or that the configuration names.',
      'Exit code 0 without errors and warnings, 1 with errors or warnings, 2 for wrong usage.',
      '',
      '  --format  text draws each finding with a caret; json is what GET /api/lint answers; sarif is SARIF 2.1.0.',
      '  --infos   Draws remarks too. Without it they are counted; json and sarif always have them.',
      '',
      'A comment switches a check off for what follows it, with a reason:',
      '  # daytwo-lint: ignore CHECK: reason                in YAML',
      '  <!-- daytwo-lint: ignore CHECK: reason -->         in Markdown',
      '',
      'Checks:',
      ...CATALOG_CHECKS.map(({ name, title, severity }) => `  ${name.padEnd(24)}${severity.padEnd(9)}${title}.`),
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(
      args,
      new Set(['rules', 'runbooks', 'dashboards', 'config', 'format']),
      new Set(['promql.experimental', 'infos']),
    )
    const format = options.get('format') ?? 'text'
    if (!FORMATS.includes(format)) {
      throw unexpected('option --format', format, 'text, json or sarif')
    }
    if (words[0] !== undefined) {
      throw unexpected(
        'daytwo lint',
        words[0],
        'options only',
        'name the folders with --rules, --runbooks and --dashboards',
      )
    }
    const outcome = await lint(options)
    if (format === 'text') printText(outcome, options.get('infos') === 'true')
    else {
      const report = reportOf(outcome, shownPath)
      const asJson = { asOfMs: systemClock.nowMs(), ...report }
      console.log(JSON.stringify(format === 'json' ? asJson : sarifOf(report, VERSION), undefined, 2))
    }
    return outcome.findings.some(({ severity }) => severity !== 'info') ? FOUND : CLEAN
  },
}

async function lint(options: ReadonlyMap<string, string>): Promise<LintOutcome> {
  const asked = [...options]
    .filter(([name]) => name === 'config' || (OF_SERVER as readonly string[]).includes(name))
    .map(([name, value]) => `--${name}=${value}`)
  const { config } = readServeArguments(asked)
  const language = { experimental: config['promql.experimental'] }
  const folders = { rulesDir: config.rules, runbooksDir: config.runbooks, dashboardsDir: config.dashboards }
  const ownMetrics = await metricsOfRegistry(createOwnMetrics(VERSION).registry)
  return lintCatalog(loadCatalog(folders, language), { ownMetrics, language })
}

function printText({ findings, counted, textOf }: LintOutcome, areInfosShown: boolean): void {
  for (const { check, severity, file, message, help, from, to } of findings) {
    if (severity === 'info' && !areInfosShown) continue
    const finding = { severity, message: `${message} [${check}]`, file: shownPath(file), from, to }
    console.log(`${renderDiagnostic(textOf(file), help === undefined ? finding : { ...finding, help })}\n`)
  }
  const count = (wanted: string, one: string): string =>
    many(findings.filter(({ severity }) => severity === wanted).length, one)
  const { alerts, runbooks, dashboards } = counted
  const looked = [many(alerts, 'alert'), many(runbooks, 'runbook'), many(dashboards, 'dashboard')].join(', ')
  console.log(`${count('error', 'error')}, ${count('warning', 'warning')}, ${count('info', 'remark')} in ${looked}`)
}

function many(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

/** Relative to the working directory where that is shorter. */
function shownPath(path: string): string {
  const short = relative(process.cwd(), path)
  return short === '' || short.startsWith('..') ? path : short
}

/** Findings as SARIF 2.1.0, for code hosts and editors. */

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'
const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const

/** @param version of this program */
function sarifOf({ checks, findings }: LintSummary, version: string): unknown {
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
