/** `daytwo test rules FILE...`: unit tests of rules in promtool's format, with its exit codes. */
import { writeFileSync } from 'node:fs'
import { FleetError, messageOf } from '../base/errors.ts'
import { loadRuleTests, runRuleTests, type LoadedRuleTests, type RuleTestOptions } from '../catalog/rule-tests.ts'
import { positionOf, renderDiagnostic } from '../model/diagnostic.ts'
import type { UnitTestFailure, UnitTestOutcome } from '../rules/unit-test/run-unit-test.ts'
import type { UnitTest } from '../rules/unit-test/unit-test-file.ts'
import { inputError, parseArguments, verbOf } from './arguments.ts'
import { REPLAY_HELP, isReplayRequested, replayRules } from './replay.ts'
import type { Command } from './command.ts'

const HELP = [
  'Usage: daytwo test rules [--run REGEX] [--diff] [--junit FILE] [--ignore-unknown-fields] [--promql.experimental] FILE...',
  '       daytwo test rules --replay FILE [--alert NAME] [--from 30d] [--url SERVER]',
  '',
  "Runs unit tests of rules, in the format of promtool's `test rules`, with the evaluation code of the server. Supported:",
  'rule_files, evaluation_interval, group_eval_order, tests with interval, input_series, alert_rule_test,',
  'promql_expr_test, external_labels, external_url, fuzzy_compare, start_timestamp and native histograms.',
  '',
  '  --run REGEX              Only tests whose name matches; may be repeated.',
  '  --diff                   Show only the lines that differ in failed tests.',
  '  --junit FILE             Also write the outcomes as JUnit XML.',
  '  --ignore-unknown-fields  Ignore unknown keys.',
  '  --promql.experimental    Allow experimental functions and syntax of Prometheus.',
  '',
  'The results are those of promtool. Where versions differ, Prometheus 3 applies: a range excludes its start, a test without',
  'interval uses evaluation_interval, and native histograms can be written. Two differences from promtool: a text that',
  'continues after an empty line is read completely (promtool ignores the series below it), and a second YAML document is',
  'refused (promtool ignores it).',
  '',
  ...REPLAY_HELP,
  '',
  'Exit code 0 when all tests passed; 1 when a test failed or a file cannot be used. With --replay, 1 when the server does',
  'not respond.',
].join('\n')

const VALUED = new Set(['run', 'junit'])
const FLAGS = new Set(['diff', 'ignore-unknown-fields', 'promql.experimental'])

const VERBS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = { rules: testRules }

export const testCommand: Command = {
  help: () => HELP,
  run: async ([verb = '', ...rest]) => verbOf('test', VERBS, verb)(rest),
}

async function testRules(args: readonly string[]): Promise<number> {
  if (isReplayRequested(args)) return replayRules(args)
  const { words, options, lists } = parseArguments(args, VALUED, FLAGS)
  if (words.length === 0) throw inputError('daytwo test rules: want at least one file of unit tests')
  const isWanted = filterOf(lists.get('run') ?? [])
  const areOnlyDifferencesShown = options.get('diff') === 'true'
  const how: RuleTestOptions = {
    language: { experimental: options.get('promql.experimental') === 'true' },
    areUnknownKeysIgnored: options.get('ignore-unknown-fields') === 'true',
  }
  const suites: JunitSuite[] = []
  let isGood = true
  for (const path of words) {
    console.log(`Testing ${path}`)
    const loaded = loadRuleTests(path, how)
    for (const finding of loaded.diagnostics) {
      console.error(renderDiagnostic(loaded.texts.get(finding.file ?? '') ?? '', finding))
    }
    const outcomes = await runRuleTests(loaded, how, isWanted)
    const failed = outcomes.filter(({ failures }) => failures.length > 0)
    if (loaded.file === undefined || failed.length > 0) {
      isGood = false
      console.error(
        loaded.file === undefined ? '  FAILED' : `  FAILED: ${failed.length} of ${plural(outcomes.length, 'test')}`,
      )
      for (const outcome of failed) console.error(renderOutcome(outcome, loaded, areOnlyDifferencesShown))
    } else console.log(`  SUCCESS: ${plural(outcomes.length, 'test')}`)
    console.log('')
    suites.push(suiteOf(loaded, outcomes, areOnlyDifferencesShown))
  }
  const junit = options.get('junit')
  if (junit !== undefined) writeJunit(junit, suites)
  return isGood ? 0 : 1
}

function filterOf(patterns: readonly string[]): (test: UnitTest) => boolean {
  if (patterns.length === 0) return () => true
  try {
    const regexes = patterns.map((pattern) => new RegExp(pattern))
    return ({ name }) => regexes.some((regex) => regex.test(name))
  } catch (thrown) {
    throw inputError(`option run: ${messageOf(thrown)}`)
  }
}

function nameOf({ name, at }: UnitTest, text: string): string {
  return name === '' ? `test at line ${positionOf(text, at.from).line}` : name
}

function renderOutcome(outcome: UnitTestOutcome, loaded: LoadedRuleTests, areOnlyDifferencesShown: boolean): string {
  const text = loaded.texts.get(loaded.path) ?? ''
  const failures = outcome.failures.map((failure) => renderFailure(failure, loaded, areOnlyDifferencesShown))
  return [`  ${nameOf(outcome.test, text)}`, ...failures].join('\n')
}

function renderFailure(failure: UnitTestFailure, loaded: LoadedRuleTests, areOnlyDifferencesShown: boolean): string {
  const { at, message, difference } = failure
  const text = loaded.texts.get(loaded.path) ?? ''
  const head = renderDiagnostic(text, { severity: 'error', message, file: loaded.path, from: at.from, to: at.to })
  if (difference === undefined) return head
  const { wanted, got } = areOnlyDifferencesShown ? onlyDifferent(difference.wanted, difference.got) : difference
  return [head, ...listed('expected', '-', wanted), ...listed('got', '+', got)].join('\n')
}

function listed(title: string, sign: string, items: readonly string[]): string[] {
  if (items.length === 0) return [`    ${title}: nothing`]
  return [
    `    ${title}:`,
    ...items.flatMap((item) => item.split('\n').map((line, i) => `    ${i === 0 ? sign : ' '} ${line}`)),
  ]
}

/** The differences between both sides; duplicates count separately. */
function onlyDifferent(wanted: readonly string[], got: readonly string[]): { wanted: string[]; got: string[] } {
  const left = [...got]
  const missing = wanted.filter((item) => {
    const at = left.indexOf(item)
    if (at === -1) return true
    left.splice(at, 1)
    return false
  })
  return { wanted: missing, got: left }
}

function suiteOf(
  loaded: LoadedRuleTests,
  outcomes: readonly UnitTestOutcome[],
  areOnlyDifferencesShown: boolean,
): JunitSuite {
  const text = loaded.texts.get(loaded.path) ?? ''
  const cases = outcomes.map(({ test, failures }) => ({
    name: nameOf(test, text),
    failures: failures.map((failure) => renderFailure(failure, loaded, areOnlyDifferencesShown)),
  }))
  if (loaded.file !== undefined) return { name: loaded.path, cases }
  const error = loaded.diagnostics
    .map((finding) => renderDiagnostic(loaded.texts.get(finding.file ?? '') ?? '', finding))
    .join('\n\n')
  return { name: loaded.path, cases, error }
}

function writeJunit(path: string, suites: readonly JunitSuite[]): void {
  try {
    writeFileSync(path, renderJunit(suites))
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot write ${path}: ${messageOf(thrown)}`, { cause: thrown })
  }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Test results as JUnit XML, for build servers. */

interface JunitSuite {
  readonly name: string
  readonly cases: readonly { readonly name: string; readonly failures: readonly string[] }[]
  /** Why its tests could not be run. */
  readonly error?: string
}

function renderJunit(suites: readonly JunitSuite[]): string {
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

const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }),
)

/** Replaces characters that XML 1.0 cannot contain by a question mark. */
function escape(text: string): string {
  return text
    .replace(/[\p{Cc}\ufffe\uffff]/gu, (char) => ('\t\n\r'.includes(char) ? char : '?'))
    .replace(/[&<>"]/g, (char) => ENTITIES.get(char)!)
}
