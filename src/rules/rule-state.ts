/** The state of a group and its rules between evaluations, its status for the API, and its stored form. */
import { FleetError } from '../base/errors.ts'
import type { Alert, AlertRecord, AlertSource, RuleAlert } from '../model/alert.ts'
import { METRIC_NAME } from '../model/labels.ts'
import { childrenOf, selectorsOf, type Expr } from '../promql/ast.ts'
import { formatExpr } from '../promql/format.ts'
import { parseExpr } from '../promql/parse.ts'
import type { AlertPhase } from './alert-state.ts'
import { compileAlerting, type CompiledAlerting, type TrackedAlert, type TrackedAlerts } from './alerting-rule.ts'
import type { SeriesSet } from './derived-series.ts'
import type { RuleGroupStatus, RuleHealth, RuleStatus } from './rule-status.ts'
import { groupKeyOf, type Rule, type RuleGroup } from './rule.ts'
import { nextSlotMs, spreadOffset, type GroupSchedule, type OffsetOf } from './schedule.ts'
import { isVolatile } from './template.ts'

export interface GroupState {
  readonly group: RuleGroup
  readonly key: string
  readonly schedule: GroupSchedule
  readonly rules: readonly RuleState[]
  lastEvaluationMs: number | undefined
  evaluationMs: number
  missed: number
  /** When the alerts were last stored, and whether there were none. */
  persistedAtMs: number | undefined
  isPersistedEmpty: boolean
  /** The last attempt to store them failed. */
  isUnstored: boolean
}

export interface RuleState {
  readonly rule: Rule
  /** The formatted expression. */
  readonly query: string
  /** Metric names that the rule reads; `undefined` when its text does not determine them. */
  readonly reads: ReadonlySet<string> | undefined
  /** Only for an alerting rule. */
  readonly alerting: CompiledAlerting | undefined
  alerts: TrackedAlerts
  /** The series that the last successful evaluation wrote. */
  series: SeriesSet
  health: RuleHealth
  lastError: string | undefined
  warnings: readonly string[]
  evaluationMs: number
  lastEvaluationMs: number | undefined
}

/** An alert of a removed rule. */
export interface OrphanAlert {
  readonly tracked: TrackedAlert
  readonly ruleKey: string
  readonly source: AlertSource
}

export function createGroupState(group: RuleGroup, offsetOf: OffsetOf = spreadOffset): GroupState {
  const key = groupKeyOf(group)
  return {
    group,
    key,
    schedule: { intervalMs: group.intervalMs, offsetMs: offsetOf(key, group.intervalMs) },
    rules: group.rules.map(createRuleState),
    lastEvaluationMs: undefined,
    evaluationMs: 0,
    missed: 0,
    persistedAtMs: undefined,
    isPersistedEmpty: true,
    isUnstored: false,
  }
}

function createRuleState(rule: Rule): RuleState {
  const alerting = rule.kind === 'alerting' ? compileAlerting(rule) : undefined
  const { query, reads } = readExpr(rule)
  const hasVolatileTemplates =
    alerting !== undefined && [...alerting.labels, ...alerting.annotations].some(([, t]) => isVolatile(t))
  return {
    rule,
    query,
    reads: hasVolatileTemplates ? undefined : reads,
    alerting,
    alerts: new Map(),
    series: new Map(),
    health: 'unknown',
    lastError: undefined,
    warnings: [],
    evaluationMs: 0,
    lastEvaluationMs: undefined,
  }
}

/** An expression that does not parse is shown unformatted; each evaluation then reports the error. */
function readExpr(rule: Rule): Pick<RuleState, 'query' | 'reads'> {
  try {
    const expr = parseExpr(rule.expr, { experimental: true })
    const names = selectorsOf(expr).map(
      ({ matchers }) => matchers.find(({ name, op }) => name === METRIC_NAME && op === '=')?.value,
    )
    const known = names.filter((name) => name !== undefined)
    const isKnown = known.length === names.length && !readsInfo(expr)
    return { query: formatExpr(expr), reads: isKnown ? new Set(known) : undefined }
  } catch (thrown) {
    if (thrown instanceof FleetError) return { query: rule.expr.trim(), reads: undefined }
    throw thrown
  }
}

/** `info` also reads series that its arguments do not name. */
function readsInfo(expr: Expr): boolean {
  return (expr.kind === 'call' && expr.func === 'info') || childrenOf(expr).some(readsInfo)
}

// Status

export function groupStatusOf(state: GroupState): RuleGroupStatus {
  const { group, lastEvaluationMs } = state
  return {
    name: group.name,
    file: group.file,
    intervalMs: group.intervalMs,
    limit: group.limit,
    queryOffsetMs: group.queryOffsetMs,
    evaluationMs: state.evaluationMs,
    ...(lastEvaluationMs === undefined
      ? {}
      : { lastEvaluationMs, nextEvaluationMs: nextSlotMs(state.schedule, lastEvaluationMs) }),
    missed: state.missed,
    rules: state.rules.map(ruleStatusOf),
  }
}

function ruleStatusOf(state: RuleState): RuleStatus {
  const { rule, lastError, lastEvaluationMs } = state
  const common = {
    name: rule.name,
    ruleKey: rule.ruleKey,
    query: state.query,
    labels: rule.labels,
    health: state.health,
    ...(lastError === undefined ? {} : { lastError }),
    warnings: state.warnings,
    evaluationMs: state.evaluationMs,
    ...(lastEvaluationMs === undefined ? {} : { lastEvaluationMs }),
    lastSamples: state.series.size,
  }
  if (rule.kind === 'recording') return { ...common, kind: 'recording' }
  const alertCounts = { pending: 0, firing: 0, resolved: 0 }
  for (const { phase } of state.alerts.values()) alertCounts[phase.state]++
  const { pending, firing } = alertCounts
  const worst = firing > 0 ? 'firing' : pending > 0 ? 'pending' : 'inactive'
  const { forMs, keepFiringForMs, annotations } = rule
  return { ...common, kind: 'alerting', state: worst, forMs, keepFiringForMs, annotations, alertCounts }
}

/** All alerts of the rule, resolved ones included. */
export function ruleAlertsOf(group: GroupState, state: RuleState): RuleAlert[] {
  if (state.alerts.size === 0) return []
  const source = alertSourceOf(group, state)
  return [...state.alerts.values()].map((tracked) => ruleAlertOf(tracked, state.rule.ruleKey, source))
}

export function ruleAlertOf(tracked: TrackedAlert, ruleKey: string, rule: AlertSource): RuleAlert {
  return { ...alertOf(tracked), ruleKey, rule }
}

export function alertSourceOf({ group }: GroupState, { rule, query }: RuleState): AlertSource {
  const { forMs, keepFiringForMs } = rule.kind === 'alerting' ? rule : { forMs: 0, keepFiringForMs: 0 }
  const { name, file, intervalMs } = group
  return { group: name, file, name: rule.name, expr: query, forMs, keepFiringForMs, intervalMs }
}

function alertOf({ fingerprint, labels, annotations, phase, lastHeldAtMs, value }: TrackedAlert): Alert {
  return { fingerprint, labels, annotations, ...phase, lastHeldAtMs, value }
}

// Stored form

export function recordsOf(state: GroupState): AlertRecord[] {
  return state.rules.flatMap((rule) =>
    [...rule.alerts.values()].map((tracked) => ({ ...alertOf(tracked), ruleKey: rule.rule.ruleKey })),
  )
}

/** The alert of a stored record; the inverse of `recordsOf`. */
export function trackedOf(record: AlertRecord): TrackedAlert {
  const { fingerprint, labels, annotations, lastHeldAtMs, value } = record
  return { fingerprint, labels, annotations, phase: phaseOf(record), lastHeldAtMs, value }
}

function phaseOf(record: AlertRecord): AlertPhase {
  const { activeAtMs, keepFiringSinceMs } = record
  const firedAtMs = record.firedAtMs ?? activeAtMs
  switch (record.state) {
    case 'pending':
      return { state: 'pending', activeAtMs }
    case 'firing':
      return {
        state: 'firing',
        activeAtMs,
        firedAtMs,
        ...(keepFiringSinceMs === undefined ? {} : { keepFiringSinceMs }),
      }
    case 'resolved':
      return { state: 'resolved', activeAtMs, firedAtMs, resolvedAtMs: record.resolvedAtMs ?? record.lastHeldAtMs }
  }
}
