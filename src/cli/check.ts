/** `daytwo check`: checks rules, configuration, expressions and servers like promtool, with its exit codes. */
import { readFileSync } from 'node:fs'
import { FleetError, messageOf } from '../base/errors.ts'
import { loadCatalog } from '../catalog/catalog.ts'
import { configFileFromEnvironment } from '../config/config-sources.ts'
import { renderDiagnostic, type Diagnostic } from '../model/diagnostic.ts'
import { formatExpr } from '../promql/format.ts'
import { lint } from '../promql/lint.ts'
import { diagnose, parseExpr } from '../promql/parse.ts'
import type { ParseOptions } from '../promql/parse-options.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import { parseArguments, readGiven, unexpected, verbOf } from './arguments.ts'
import type { Command } from './command.ts'
import { isNotifyConfig, reportNotifyConfig } from './notify-config.ts'
import { DEFAULT_SERVER, NoAnswer, requestText, serverOf } from './prometheus-client.ts'
import { readServeArguments } from './serve-options.ts'

/** Promtool's. */
const OK = 0
const FAILED = 1
const LINT = 3

const CHECKS: Readonly<Record<string, (args: readonly string[]) => Promise<number> | number>> = {
  rules: checkRules,
  config: checkConfig,
  query: checkQueries,
  healthy: (args) => checkServer('/-/healthy', args),
  ready: (args) => checkServer('/-/ready', args),
}

export const checkCommand: Command = {
  help: () =>
    [
      'Usage: daytwo check rules [--lint none] [--lint-fatal] [--promql.experimental] [FILE...]',
      '       daytwo check config [--lint-fatal] [FILE] [options of daytwo serve]',
      '       daytwo check query [--lint-fatal] [--promql.experimental] [EXPR...]',
      '       daytwo check healthy [SERVER]',
      '       daytwo check ready [SERVER]',
      '',
      '  rules    Prometheus rule files: YAML, expressions, templates. Without a file standard input is read. What is allowed and',
      '           rarely intended is reported too, unless --lint is none (all and duplicate-rules, as promtool has it, report it).',
      '  config   Configuration as `daytwo serve` would read it, and the rules, runbooks and dashboards it names; or a',
      "           notification configuration (Alertmanager's format), detected by its route and receivers.",
      '  query    PromQL expressions, with warnings for expressions that are rarely intended. Without one standard input is read.',
      `  healthy, ready   A running server (default ${DEFAULT_SERVER}); --token and --token-file are sent with the request.`,
      '',
      'Ends with 0 when all is well, with 1 when something cannot be used, and with 3 when there are warnings',
      'and --lint-fatal was given.',
    ].join('\n'),
  run: async (args) => {
    const [verb = '', ...rest] = args
    return verbOf('check', CHECKS, verb)(rest)
  },
}

const EXPERIMENTAL = 'promql.experimental'
const FLAGS = new Set(['lint-fatal', EXPERIMENTAL])
/** Promtool's. The only rule lint that both have is duplicate rules. */
const LINTS = ['all', 'duplicate-rules', 'none']
const STANDARD_INPUT = 'standard input'

function languageOf(options: ReadonlyMap<string, string>): ParseOptions {
  return { experimental: options.get(EXPERIMENTAL) === 'true' }
}

function checkRules(args: readonly string[]): number {
  const { words, options } = parseArguments(args, new Set(['lint']), FLAGS)
  const lints = options.get('lint') ?? 'all'
  if (!LINTS.includes(lints)) {
    throw unexpected('option lint', lints, `one of ${LINTS.join(', ')}`)
  }
  const paths = words.length === 0 ? [STANDARD_INPUT] : words
  const findings = paths.flatMap((path) => {
    const text = textToCheck(path)
    if ('fault' in text) return report(`Checking ${path}`, '', [text.fault], () => '')
    const { groups, diagnostics } = loadRuleFiles([{ path, text: text.text }], { language: languageOf(options) })
    const count = groups.reduce((sum, { rules }) => sum + rules.length, 0)
    const shown = lints === 'none' ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics
    return report(`Checking ${path}`, `${count} rules found`, shown, () => text.text)
  })
  return codeOf(findings, options.get('lint-fatal') === 'true')
}

/** A file that cannot be read is an invalid one; the other files are still checked. */
function textToCheck(path: string): { readonly text: string } | { readonly fault: Diagnostic } {
  if (path === STANDARD_INPUT) return { text: readFileSync(0, 'utf8') }
  try {
    return { text: readFileSync(path, 'utf8') }
  } catch (thrown) {
    return { fault: { severity: 'error', message: `cannot be read: ${messageOf(thrown)}`, file: path, from: 0, to: 1 } }
  }
}

function checkConfig(args: readonly string[]): number {
  const isLintFatal = args.includes('--lint-fatal')
  const others = args.filter((arg) => arg !== '--lint-fatal')
  const [first] = others
  const file = first === undefined || first.startsWith('-') ? undefined : first
  if (file !== undefined && isNotifyConfig(readGiven(file)))
    return codeOf(reportNotifyConfig(file).diagnostics, isLintFatal)
  const asked = file === undefined ? others : ['--config', file, ...others.slice(1)]
  const shown = file ?? configFileFromEnvironment() ?? 'the defaults'
  console.log(`Checking ${shown}`)
  try {
    const { config } = readServeArguments(asked)
    console.log(`  SUCCESS: ${shown} can be used\n`)
    const folders = { rulesDir: config.rules, runbooksDir: config.runbooks, dashboardsDir: config.dashboards }
    const catalog = loadCatalog(folders, { experimental: config[EXPERIMENTAL] })
    const of = (dir: string): Diagnostic[] =>
      catalog.diagnostics.filter(({ file: path }) => path?.startsWith(`${dir}/`) === true)
    // A server starts despite faults in runbooks and dashboards, and logs them.
    const faults = [
      ...report(`Checking ${config.rules}`, `${catalog.ruleFiles.length} rule files`, of(config.rules), readGiven),
      ...reportWarnings(config.runbooks, `${catalog.pages.size} runbooks`, of(config.runbooks)),
      ...reportWarnings(config.dashboards, `${catalog.dashboards.length} dashboards`, of(config.dashboards)),
    ]
    const notify = config['notify.config'] === '' ? [] : reportNotifyConfig(config['notify.config']).diagnostics
    return codeOf([...faults, ...notify], isLintFatal)
  } catch (thrown) {
    if (!(thrown instanceof FleetError)) throw thrown
    console.error(`  FAILED: ${thrown.message}${thrown.hint === undefined ? '' : ` (${thrown.hint})`}`)
    return FAILED
  }
}

function reportWarnings(folder: string, success: string, findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const warnings = findings.map((finding): Diagnostic => ({ ...finding, severity: 'warning' }))
  return report(`Checking ${folder}`, success, warnings, readGiven)
}

function checkQueries(args: readonly string[]): number {
  const { words, options } = parseArguments(args, new Set(), FLAGS)
  const language = languageOf(options)
  const exprs = words.length === 0 ? [readFileSync(0, 'utf8').trimEnd()] : words
  const findings = exprs.flatMap((expr) => {
    const errors = diagnose(expr, language)
    const parsed = errors.length === 0 ? parseExpr(expr, language) : undefined
    const found = parsed === undefined ? errors : lint(parsed)
    return report('Checking the query', parsed === undefined ? '' : formatExpr(parsed), found, () => expr)
  })
  return codeOf(findings, options.get('lint-fatal') === 'true')
}

async function checkServer(path: string, args: readonly string[]): Promise<number> {
  const { words, options } = parseArguments(args, new Set(['token', 'token-file']), new Set())
  const server = serverOf(words[0] ?? DEFAULT_SERVER, options)
  try {
    const { isOk, text } = await requestText(server, path)
    if (isOk) console.log(`  SUCCESS: ${text.trim()}`)
    else console.error(`  FAILED: ${text.trim()}`)
    return isOk ? OK : FAILED
  } catch (thrown) {
    if (!(thrown instanceof NoAnswer)) throw thrown
    console.error(`  FAILED: ${thrown.message}`)
    return FAILED
  }
}

/** Prints the findings of one input, and returns them. */
function report(
  title: string,
  success: string,
  findings: readonly Diagnostic[],
  textOf: (path: string) => string,
): readonly Diagnostic[] {
  console.log(title)
  const isUsable = findings.every(({ severity }) => severity !== 'error')
  if (isUsable) console.log(`  SUCCESS: ${success}`)
  else console.error('  FAILED:')
  for (const finding of findings) console.error(renderDiagnostic(textOf(finding.file ?? ''), finding))
  console.log('')
  return findings
}

function codeOf(findings: readonly Diagnostic[], isLintFatal: boolean): number {
  if (findings.some(({ severity }) => severity === 'error')) return FAILED
  return findings.length > 0 && isLintFatal ? LINT : OK
}
