/** A replay on request: a loaded rule found by its name, an edited rule read from its text, and the steps. */
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import { positionOf, renderDiagnostic } from '../model/diagnostic.ts'
import { formatDuration } from '../model/duration.ts'
import type { ParseOptions } from '../promql/parse-options.ts'
import { replayDifference, type ReplayDifference } from './replay-difference.ts'
import { replayPeriods, type ReplayPorts, type ReplayedRule } from './replay.ts'
import { blockMsOf, type ReplayCounts, type ReplayWindow } from './replay-tally.ts'
import { loadRuleFiles } from './rule-file.ts'
import { DEFAULT_INTERVAL_MS, type AlertingRule, type RuleGroup } from './rule.ts'

export interface ReplayInput {
  readonly alertname?: string | undefined
  readonly group?: string | undefined
  readonly severity?: string | undefined
  /** YAML of one alerting rule. */
  readonly rule?: string | undefined
  readonly fromMs: number
  readonly toMs: number
  readonly stepMs?: number | undefined
}

export interface ReplayedCounts extends ReplayCounts {
  readonly expr: string
  readonly forMs: number
  readonly keepFiringForMs: number
}

/** Plain data: it crosses threads. */
export interface ReplayAnswer extends ReplayWindow {
  readonly present?: ReplayedCounts
  readonly edited?: ReplayedCounts
  /** Of two rules. */
  readonly difference?: ReplayDifference
}

/**
 * Replays the loaded rule and the edited rule over the same steps, one after the other. `groups` are the loaded groups.
 * Rejects as `planReplay` and `replayRule` do.
 */
export async function replayRules(
  input: ReplayInput,
  groups: readonly RuleGroup[],
  ports: ReplayPorts,
  signal?: Cancellation,
): Promise<ReplayAnswer> {
  const { window, present, edited } = planReplay(input, groups, ports.language)
  const replay = async (replayed: ReplayedRule | undefined) => {
    if (replayed === undefined) return undefined
    const { expr, forMs, keepFiringForMs, labels } = replayed.rule
    const { counts, periods } = await replayPeriods(replayed, window, ports, signal)
    const shown: ReplayedCounts = { expr, forMs, keepFiringForMs, ...counts }
    return { shown, compared: { periods, ownLabels: Object.keys(labels) } }
  }
  const [before, after] = [await replay(present), await replay(edited)]
  return {
    ...window,
    ...(before === undefined ? {} : { present: before.shown }),
    ...(after === undefined ? {} : { edited: after.shown }),
    ...(before === undefined || after === undefined
      ? {}
      : { difference: replayDifference(before.compared, after.compared, window.toMs) }),
  }
}

interface ReplayPlan {
  readonly window: ReplayWindow
  readonly present?: ReplayedRule
  readonly edited?: ReplayedRule
}

/** Most steps of a request without `stepMs`: as many as a range query may have. */
const STEPS_DEFAULT_MAX = 11_000
const STEPS_MAX = 100_000
const STEP_MS_MIN = 1000
const RULE_CHARS_MAX = 100_000

/** Throws `bad_request` for an invalid request, `not_found` for a rule that is not loaded. */
export function planReplay(input: ReplayInput, groups: readonly RuleGroup[], language: ParseOptions): ReplayPlan {
  const { alertname, rule: text } = input
  if (alertname === undefined && text === undefined) {
    throw new FleetError('bad_request', 'nothing to replay: want alertname, rule or both')
  }
  const parsed = text === undefined ? undefined : readEditedRule(text, language)
  const found = alertname === undefined ? undefined : findRule(input, groups, parsed)
  if (alertname !== undefined && found === undefined && parsed === undefined) {
    throw new FleetError('not_found', `no loaded alerting rule is called ${JSON.stringify(alertname)}`)
  }
  const ofGroup = { limit: found?.group.limit ?? 0, queryOffsetMs: found?.group.queryOffsetMs ?? 0 }
  const edited = parsed === undefined ? undefined : { ...parsed, labels: { ...found?.group.labels, ...parsed.labels } }
  return {
    window: windowOf(input, found?.group.intervalMs ?? DEFAULT_INTERVAL_MS),
    ...(found === undefined ? {} : { present: { rule: found.rule, ...ofGroup } }),
    ...(edited === undefined ? {} : { edited: { rule: edited, ...ofGroup } }),
  }
}

interface FoundRule {
  readonly group: RuleGroup
  readonly rule: AlertingRule
}

/** Of several rules with the name: that of the requested or the edited severity; else the first. */
function findRule(
  { alertname, group: groupName, severity }: ReplayInput,
  groups: readonly RuleGroup[],
  edited: AlertingRule | undefined,
): FoundRule | undefined {
  const named = groups
    .filter(({ name }) => groupName === undefined || name === groupName)
    .flatMap((group) => group.rules.map((rule) => ({ group, rule })))
    .filter((found): found is FoundRule => found.rule.kind === 'alerting' && found.rule.name === alertname)
  const wanted = severity ?? edited?.labels['severity']
  const exact = wanted === undefined ? undefined : named.find(({ rule }) => rule.labels['severity'] === wanted)
  return exact ?? (severity === undefined ? named[0] : undefined)
}

function windowOf({ fromMs, toMs, stepMs: given }: ReplayInput, intervalMs: number): ReplayWindow {
  if (!Number.isSafeInteger(fromMs) || !Number.isSafeInteger(toMs) || fromMs < 0) {
    throw new FleetError('bad_request', 'fromMs and toMs: want whole milliseconds since the epoch')
  }
  if (toMs < fromMs) throw new FleetError('bad_request', `toMs is before fromMs, by ${formatDuration(fromMs - toMs)}`)
  if (given !== undefined && (!Number.isSafeInteger(given) || given < STEP_MS_MIN)) {
    throw new FleetError('bad_request', `stepMs: got ${given}, want whole milliseconds, at least ${STEP_MS_MIN}`)
  }
  // Whole intervals, so that coarser steps are a subset of the engine's evaluations.
  const intervals = Math.ceil((toMs - fromMs) / (STEPS_DEFAULT_MAX - 1) / intervalMs)
  const stepMs = given ?? intervalMs * Math.max(1, intervals)
  const steps = Math.floor((toMs - fromMs) / stepMs) + 1
  if (steps > STEPS_MAX) {
    throw new FleetError('bad_request', `a replay of ${steps} steps: want at most ${STEPS_MAX}`, {
      hint: 'use a shorter window or a larger stepMs',
    })
  }
  return { fromMs, toMs, stepMs, blockMs: blockMsOf(fromMs, toMs, stepMs) }
}

const HEAD = 'groups:\n  - name: edited\n    rules:\n'
const INDENT = '      '

/** Reads one YAML mapping of an entry of `rules:`, with or without its dash. Throws `bad_request` with carets. */
export function readEditedRule(text: string, language: ParseOptions): AlertingRule {
  if (text.length > RULE_CHARS_MAX) {
    throw new FleetError('bad_request', `rule: got ${text.length} characters, want at most ${RULE_CHARS_MAX}`)
  }
  const lines = text.replace(/\s+$/, '').split('\n')
  const isItem = lines.some((line) => /^- /.test(line))
  // A dash on its own line takes a mapping with deeper indentation and does not move the columns of the text.
  const head = isItem ? HEAD : `${HEAD}    -\n`
  const file = `${head}${lines.map((line) => (line === '' ? '' : INDENT + line)).join('\n')}\n`
  const { groups, diagnostics } = loadRuleFiles([{ path: 'rule', text: file }], { language })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0) {
    const headLines = head.split('\n').length - 1
    const shown = errors.map((error) => {
      const from = offsetIn(lines, positionOf(file, error.from), headLines)
      return renderDiagnostic(lines.join('\n'), { ...error, file: 'rule', from, to: from + error.to - error.from })
    })
    throw new FleetError('bad_request', `the rule cannot be used\n${shown.join('\n')}`)
  }
  const rules = groups.flatMap((group) => group.rules)
  const [rule] = rules
  if (rules.length !== 1 || rule?.kind !== 'alerting') {
    throw new FleetError('bad_request', 'rule: want one alerting rule, as written below `rules:`')
  }
  return rule
}

/** The offset in the text of the request. */
function offsetIn(
  lines: readonly string[],
  at: { readonly line: number; readonly column: number },
  headLines: number,
): number {
  const line = Math.min(Math.max(0, at.line - 1 - headLines), lines.length - 1)
  const before = lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, 0)
  return before + Math.max(0, at.column - 1 - INDENT.length)
}
