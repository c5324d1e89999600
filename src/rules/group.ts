/**
 * One evaluation of a group: its rules in order, at one time. A rule that fails reports its error and changes nothing;
 * the rules after it are evaluated.
 */
import { messageOf } from '../base/errors.ts'
import { ownTurn, Slice } from '../base/thread-slices.ts'
import type { AlertStateStore } from '../model/alert.ts'
import type { AppendDerived, DerivedSample } from '../model/appender.ts'
import { Labels } from '../model/labels.ts'
import type { QueryResult, QueryValue, VectorSample } from '../promql/query-engine.ts'
import { evaluateAlerting, type AlertChange, type TrackedAlert } from './alerting-rule.ts'
import { ALERTS_FOR_STATE_METRIC, ALERTS_METRIC, seriesSetOf, staleMarkers } from './derived-series.ts'
import { evaluateRecording } from './recording-rule.ts'
import { alertSourceOf, recordsOf, ruleAlertOf, type GroupState, type RuleState } from './rule-state.ts'
import type { AlertTransition, GroupReport, RuleError } from './rule-status.ts'
import type { TemplateScope } from './template.ts'

/** An instant query; rejects as `QueryEngine` does. */
export type RuleQuery = (expr: string, timeMs: number) => Promise<QueryResult>

export interface GroupPorts {
  readonly query: RuleQuery
  readonly appendDerived: AppendDerived
  readonly states: AlertStateStore
  /** Without a trailing slash. */
  readonly externalUrl: string
  readonly externalLabels: Readonly<Record<string, string>>
  /** For durations only, never for decisions; by default the query engine's own measurement is used. */
  readonly stopwatchMs: (() => number) | undefined
}

/** Maximum age of the stored copy of firing alerts without transitions; transitions are stored at once. */
const PERSIST_EVERY_MS = 60_000

interface GroupEvaluation {
  readonly report: GroupReport
  readonly transitions: readonly AlertTransition[]
}

/** Evaluates at `nowMs` and updates `state`. `missed` evaluations were skipped before this one. Never rejects. */
export async function evaluateGroup(
  state: GroupState,
  ports: GroupPorts,
  nowMs: number,
  missed: number,
): Promise<GroupEvaluation> {
  const { group } = state
  const startMs = ports.stopwatchMs?.()
  const scope: TemplateScope = {
    nowMs,
    externalUrl: ports.externalUrl,
    externalLabels: ports.externalLabels,
    query: async (expr) => (await ports.query(expr, nowMs)).value,
    answers: new Map(),
  }
  const batch = new WriteBatch(ports.appendDerived)
  const errors: RuleError[] = []
  let transitions: readonly AlertTransition[] = []
  const flush = async (): Promise<void> => {
    for (const { rule, message } of await batch.flush()) errors.push(fail(rule, 'append', message))
    // Queries of templates may have other results after a write.
    scope.answers.clear()
  }
  const slice = new Slice(ownTurn)
  for (const rule of state.rules) {
    if (slice.isOver) await slice.next()
    if (batch.isReadBy(rule)) await flush()
    const outcome = await evaluateRule(rule, state, ports, scope)
    rule.lastEvaluationMs = nowMs
    if ('error' in outcome) {
      errors.push(fail(rule, outcome.during, outcome.error))
      transitions = transitions.concat(transitionsOf(outcome.changes ?? [], rule, state))
      continue
    }
    rule.health = 'ok'
    rule.lastError = undefined
    batch.add(rule, outcome.samples, outcome.names, outcome.seriesBefore)
    transitions = transitions.concat(transitionsOf(outcome.changes, rule, state))
  }
  await flush()
  const persistError = await persist(state, ports.states, nowMs, transitions.length > 0)
  if (persistError !== undefined) errors.push(persistError)

  state.lastEvaluationMs = nowMs
  state.missed += missed
  state.evaluationMs = elapsed(ports, startMs) ?? state.rules.reduce((sum, rule) => sum + rule.evaluationMs, 0)
  return {
    report: {
      name: group.name,
      file: group.file,
      intervalMs: group.intervalMs,
      timeMs: nowMs,
      evaluationMs: state.evaluationMs,
      missed,
      ruleCount: state.rules.length,
      samples: batch.written,
      errors,
    },
    transitions,
  }
}

type RuleOutcome =
  /** `changes`: of the rule's alerts, by the failure. */
  | { readonly error: string; readonly during: 'query' | 'result'; readonly changes?: readonly AlertChange[] }
  | {
      readonly samples: readonly DerivedSample[]
      /** Metric names of the samples. */
      readonly names: readonly string[]
      readonly seriesBefore: RuleState['series']
      readonly changes: readonly AlertChange[]
    }

async function evaluateRule(
  state: RuleState,
  { group }: GroupState,
  ports: GroupPorts,
  scope: TemplateScope,
): Promise<RuleOutcome> {
  const startMs = ports.stopwatchMs?.()
  const timeMs = scope.nowMs - group.queryOffsetMs
  let result: QueryResult
  try {
    result = await ports.query(state.rule.expr, timeMs)
  } catch (thrown) {
    state.evaluationMs = elapsed(ports, startMs) ?? 0
    return { error: messageOf(thrown), during: 'query' }
  }
  const vector = vectorOf(result.value)
  if (vector === undefined) return { error: 'rule result is not a vector or scalar', during: 'result' }
  const outcome =
    state.rule.kind === 'recording'
      ? evaluateRecording(state.rule, vector, timeMs, group.limit)
      : await evaluateAlerting(state.alerting!, state.alerts, {
          samples: vector,
          nowMs: scope.nowMs,
          sampleTimeMs: timeMs,
          limit: group.limit,
          scope,
          isPartial: result.isPartial === true,
        })
  state.evaluationMs = elapsed(ports, startMs) ?? result.stats.evalMs
  if (outcome.kind === 'refused') return { error: outcome.error, during: 'result' }
  if (outcome.kind === 'over_limit') {
    state.alerts = new Map()
    return { error: outcome.error, during: 'result', changes: outcome.changes }
  }
  state.warnings = result.warnings
  const seriesBefore = state.series
  state.series = seriesSetOf(outcome.samples)
  const ended = staleMarkers(seriesBefore, state.series, timeMs)
  const samples = [...outcome.samples, ...ended]
  if (outcome.kind === 'recording') return { samples, names: [state.rule.name], seriesBefore, changes: [] }
  state.alerts = outcome.alerts
  return { samples, names: [ALERTS_METRIC, ALERTS_FOR_STATE_METRIC], seriesBefore, changes: outcome.changes }
}

/** A scalar becomes a vector of one sample without labels; other types are not valid results of a rule. */
export function vectorOf(value: QueryValue): readonly VectorSample[] | undefined {
  if (value.type === 'vector') return value.samples
  if (value.type === 'scalar') return [{ labels: Labels.EMPTY, value: value.value, timeMs: value.timeMs }]
  return undefined
}

function transitionsOf(changes: readonly AlertChange[], rule: RuleState, group: GroupState): AlertTransition[] {
  if (changes.length === 0) return []
  const source = alertSourceOf(group, rule)
  return changes.map(({ before, after }) => ({
    // A deleted pending alert is reported with its last state.
    alert: ruleAlertOf((after ?? before) as TrackedAlert, rule.rule.ruleKey, source),
    from: before?.phase.state ?? 'inactive',
    to: after?.phase.state ?? 'inactive',
  }))
}

function fail(rule: RuleState, during: RuleError['during'], message: string): RuleError {
  rule.health = 'err'
  rule.lastError = message
  return { rule: rule.rule.name, ruleKey: rule.rule.ruleKey, during, message }
}

/**
 * Stores the alerts for a restart: at once after a transition, at each evaluation while an alert is pending, else every
 * `PERSIST_EVERY_MS`.
 */
/** Stores the alerts of a group when they changed, wait, or were stored long ago; and when that failed before. */
export async function persist(
  state: GroupState,
  states: AlertStateStore,
  nowMs: number,
  hasTransitions: boolean,
): Promise<RuleError | undefined> {
  const records = recordsOf(state)
  if (records.length === 0 && state.isPersistedEmpty) return undefined
  const isPending = records.some((record) => record.state === 'pending')
  const isOld = state.persistedAtMs === undefined || nowMs - state.persistedAtMs >= PERSIST_EVERY_MS
  if (!hasTransitions && !isPending && !isOld && !state.isUnstored && records.length > 0) return undefined
  try {
    await states.replaceGroup(state.key, records)
    state.persistedAtMs = nowMs
    state.isPersistedEmpty = records.length === 0
    state.isUnstored = false
    return undefined
  } catch (thrown) {
    state.isUnstored = true
    const message = `alerts of the group could not be stored: ${messageOf(thrown)}`
    return { rule: '', ruleKey: '', during: 'persist', message }
  }
}

function elapsed({ stopwatchMs }: GroupPorts, startMs: number | undefined): number | undefined {
  return stopwatchMs === undefined || startMs === undefined ? undefined : stopwatchMs() - startMs
}

interface WriteFailure {
  readonly rule: RuleState
  readonly message: string
}

/**
 * Collects the samples of one evaluation, so that a group costs one commit. The group flushes earlier when a later rule
 * reads them: rules of a group see the results of the rules before them.
 */
class WriteBatch {
  readonly #append: AppendDerived
  #samples: DerivedSample[] = []
  #rules: { readonly rule: RuleState; readonly seriesBefore: RuleState['series'] }[] = []
  #names = new Set<string>()
  /** Samples written successfully, stale markers included. */
  written = 0

  constructor(append: AppendDerived) {
    this.#append = append
  }

  /** `names` are the metric names of the samples; `seriesBefore`, the series of the rule's previous evaluation. */
  add(
    rule: RuleState,
    samples: readonly DerivedSample[],
    names: readonly string[],
    seriesBefore: RuleState['series'],
  ): void {
    if (samples.length === 0) return
    for (const sample of samples) this.#samples.push(sample)
    for (const name of names) this.#names.add(name)
    this.#rules.push({ rule, seriesBefore })
  }

  /** Whether a rule may read samples that are not written yet. */
  isReadBy({ reads }: RuleState): boolean {
    if (this.#samples.length === 0) return false
    return reads === undefined || [...reads].some((name) => this.#names.has(name))
  }

  /**
   * Resolves when all samples are readable. A failure is reported per rule and stops no other rule: alerts fire even on a
   * full disk. The rule keeps the series whose samples were lost, so that a later evaluation writes their stale markers.
   */
  async flush(): Promise<WriteFailure[]> {
    const [samples, rules] = [this.#samples, this.#rules]
    this.#samples = []
    this.#rules = []
    this.#names = new Set()
    if (samples.length === 0) return []
    try {
      await this.#append(samples)
      this.written += samples.length
      return []
    } catch (thrown) {
      const message = `result could not be stored: ${messageOf(thrown)}`
      return rules.map(({ rule, seriesBefore }) => {
        rule.series = new Map([...seriesBefore, ...rule.series])
        return { rule, message }
      })
    }
  }
}
