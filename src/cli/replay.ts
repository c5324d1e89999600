/**
 * `daytwo test rules --replay FILE`: requests from a running server how the alerting rules of a file would have behaved
 * over its stored samples, compared with its loaded rules.
 */
import { stringify } from 'yaml'
import { systemClock } from '../base/clock.ts'
import type { Replay, ReplayDifference, ReplayOutcome, ReplayRequest } from '../contract/replay.ts'
import { renderDiagnostic } from '../model/diagnostic.ts'
import { formatDuration, parseDuration } from '../model/duration.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import type { AlertingRule } from '../rules/rule.ts'
import { inputError, parseArguments, readGiven, timeGiven, unexpected } from './arguments.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf } from './prometheus-client.ts'

export const REPLAY_HELP = [
  'With --replay, a running server evaluates the alerting rules of FILE, a rule file, over its stored data. The result is',
  'shown beside the result of the loaded rule with the same name.',
  '',
  '  --alert NAME     Only this alert; may be repeated.',
  '  --from, --to     A duration before now (30d, the default), RFC 3339, or seconds since the epoch.',
  '  --step DUR       Evaluation interval; default: the interval of the rule group, longer for a long range.',
  '  --format json    The response of the server, one line per rule.',
  '  --url SERVER     Such as http://127.0.0.1:4318, the default; --token and --token-file are sent with the request.',
]

const VALUED = new Set(['replay', 'alert', 'from', 'to', 'step', 'url', 'format', 'token', 'token-file'])
const FLAGS = new Set(['promql.experimental'])
/** The maximum of occurrences below a table. */
const RUNS_SHOWN = 5

export function isReplayRequested(args: readonly string[]): boolean {
  return args.some((arg) => arg === '--replay' || arg.startsWith('--replay='))
}

/** Exits with 0 when the server answered, otherwise with 1. */
export async function replayRules(args: readonly string[]): Promise<number> {
  const { words, options, lists } = parseArguments(args, VALUED, FLAGS)
  if (words[0] !== undefined) {
    throw unexpected('daytwo test rules --replay', words[0], 'options only')
  }
  const format = options.get('format') ?? 'text'
  if (format !== 'text' && format !== 'json') {
    throw unexpected('option --format', format, 'text or json')
  }
  const rules = rulesIn(
    options.get('replay') ?? '',
    lists.get('alert') ?? [],
    options.get('promql.experimental') === 'true',
  )
  const nowMs = systemClock.nowMs()
  const step = options.get('step')
  const common = {
    fromMs: timeGiven(options.get('from') ?? '30d', 'from', nowMs),
    toMs: timeGiven(options.get('to') ?? '0s', 'to', nowMs),
    ...(step === undefined ? {} : { stepMs: durationOf(step, 'step') }),
  }
  const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
  let isGood = true
  for (const rule of rules) {
    const request: ReplayRequest = { alertname: rule.name, rule: textOf(rule), ...common }
    try {
      const replay = await requestOwn<Replay>(server, 'POST', '/api/fleet/v1/rules/replay', request)
      console.log(format === 'json' ? JSON.stringify({ alertname: rule.name, ...replay }) : renderReplay(rule, replay))
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      isGood = false
      console.error(`${rule.name}: ${thrown.message}`)
    }
  }
  return isGood ? 0 : 1
}

function rulesIn(path: string, names: readonly string[], experimental: boolean): AlertingRule[] {
  const text = readGiven(path)
  const { groups, diagnostics } = loadRuleFiles([{ path, text }], { language: { experimental } })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) {
    const shown = errors.map((error) => renderDiagnostic(text, error)).join('\n')
    throw inputError(`${path} cannot be used\n${shown}`)
  }
  const alerting = groups.flatMap((group) => group.rules).filter((rule) => rule.kind === 'alerting')
  const known = new Set(alerting.map(({ name }) => name))
  const missing = names.find((name) => !known.has(name))
  if (missing !== undefined || alerting.length === 0) {
    throw inputError(
      `${path} has no alerting rule${missing === undefined ? '' : ` ${missing}`}`,
      known.size === 0
        ? 'give the file with the rules, not the one with their unit tests'
        : `it has ${[...known].join(', ')}`,
    )
  }
  return names.length === 0 ? alerting : alerting.filter(({ name }) => names.includes(name))
}

/** In the notation of a rule file, with group labels. */
function textOf({ name, expr, forMs, keepFiringForMs, labels, annotations }: AlertingRule): string {
  return stringify({
    alert: name,
    expr,
    ...(forMs === 0 ? {} : { for: formatDuration(forMs) }),
    ...(keepFiringForMs === 0 ? {} : { keep_firing_for: formatDuration(keepFiringForMs) }),
    labels,
    annotations,
  })
}

function durationOf(text: string, option: string): number {
  const durationMs = parseDuration(text)
  if (durationMs !== undefined && durationMs > 0) return durationMs
  throw unexpected(`option --${option}`, text, 'a duration like 1m')
}

interface Row {
  readonly name: string
  readonly of: (outcome: ReplayOutcome) => string
}

const ROWS: readonly Row[] = [
  { name: 'for', of: ({ forMs }) => formatDuration(forMs) },
  { name: 'keep_firing_for', of: ({ keepFiringForMs }) => formatDuration(keepFiringForMs) },
  { name: 'fires', of: ({ fires }) => String(fires) },
  { name: 'pages per week', of: ({ pagesPerWeek }) => pagesPerWeek.toFixed(1) },
  { name: 'flaps', of: ({ flaps }) => String(flaps) },
  { name: 'resolved while pending', of: ({ neverFired }) => String(neverFired) },
  { name: 'clusters', of: ({ clusters }) => String(clusters) },
  { name: 'maximum firing at one time', of: ({ mostAtOnce }) => String(mostAtOnce) },
  { name: 'firing time', of: ({ firingSeconds }) => formatDuration(Math.round(firingSeconds) * 1000) },
]

function renderReplay(rule: AlertingRule, replay: Replay): string {
  const { fromMs, toMs, stepMs, present, edited, difference } = replay
  const severity = rule.labels['severity'] ?? ''
  const title = `${rule.name}${severity === '' ? '' : ` (${severity})`}`
  const window = `${iso(fromMs)} to ${iso(toMs)}, every ${formatDuration(stepMs)}`
  const columns = [
    ...(present === undefined ? [] : [['present', present] as const]),
    ...(edited === undefined ? [] : [['edited', edited] as const]),
  ]
  const table = [
    ['', ...columns.map(([name]) => name)],
    ...ROWS.map(({ name, of }) => [name, ...columns.map(([, outcome]) => of(outcome))]),
  ]
  const isSame = present !== undefined && present.expr.trim() === edited?.expr.trim()
  const notes = [
    ...(present === undefined ? ['The server has no rule of this name.'] : []),
    ...(isSame ? ['Both have the same expression.'] : []),
    ...(difference === undefined ? [] : differenceLines(difference)),
    ...lastRuns(edited ?? present),
  ]
  return [title, window, '', ...aligned(table), ...(notes.length === 0 ? [] : ['', ...notes]), ''].join('\n')
}

/** Alerts that fire under one of the two rules alone. */
function differenceLines({ onlyPresent, onlyEdited, bothSeconds, cut }: ReplayDifference): string[] {
  const side = (name: string, { periods, clusters, seconds, items }: ReplayDifference['onlyEdited']): string[] => [
    `Only ${name}: ${periods} periods on ${clusters} clusters, ${formatDuration(Math.round(seconds) * 1000)}`,
    ...items.slice(0, RUNS_SHOWN).map(({ labels, fromMs, untilMs }) => {
      const words = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`)
      return `  ${iso(fromMs)} for ${formatDuration(untilMs - fromMs)}: ${words.join(' ')}`
    }),
  ]
  return [
    `Firing under both: ${formatDuration(Math.round(bothSeconds) * 1000)}`,
    ...side('present', onlyPresent),
    ...side('edited', onlyEdited),
    ...(cut ? ['Not all periods were compared: a rule has more than 50,000.'] : []),
  ]
}

/** Labels that are equal on all alerts of a rule. */
const OF_RULE = /^(alertname|severity|operator_health_impact|kubernetes_operator_.*)$/

function lastRuns(outcome: ReplayOutcome | undefined): string[] {
  if (outcome === undefined || outcome.runs.length === 0) return []
  const shown = outcome.runs.slice(0, RUNS_SHOWN).map(({ labels, firedAtMs, resolvedAtMs, value }) => {
    const words = Object.entries(labels)
      .filter(([name]) => !OF_RULE.test(name))
      .map(([name, text]) => `${name}=${JSON.stringify(text)}`)
    const end = resolvedAtMs === undefined ? 'still firing' : `for ${formatDuration(resolvedAtMs - firedAtMs)}`
    return `  ${iso(firedAtMs)} ${end}, value ${value}: ${words.join(' ')}`
  })
  return [`Last of ${outcome.fires}:`, ...shown]
}

/** The first column left-aligned, the others right-aligned. */
function aligned(table: readonly (readonly string[])[]): string[] {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)))
  return table.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('   ')
      .trimEnd(),
  )
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z')
}
