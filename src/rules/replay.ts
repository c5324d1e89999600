/**
 * Evaluates a rule over stored samples: the expression is queried in slices of steps, and each step goes through the state
 * machine of the engine (`replay-alerts.ts`). A replay starts without alerts. Recorded series and `ALERTS` are read as they
 * were stored.
 */
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import { sharedTurn } from '../base/thread-slices.ts'
import type { Histogram } from '../model/histogram.ts'
import { Labels } from '../model/labels.ts'
import { childrenOf, type Expr } from '../promql/ast.ts'
import { parseExpr } from '../promql/parse.ts'
import type { ParseOptions } from '../promql/parse-options.ts'
import type {
  InstantQuery,
  MatrixSeries,
  QueryResult,
  QueryValue,
  RangeQuery,
  VectorSample,
} from '../promql/query-engine.ts'
import { alertLabelsOf, compileAlerting, type CompiledAlerting } from './alerting-rule.ts'
import type { FiringPeriod } from './replay-difference.ts'
import { ReplayAlerts, type HeldSample } from './replay-alerts.ts'
import { ReplayTally, type ReplayCounts, type ReplayWindow } from './replay-tally.ts'
import type { AlertingRule } from './rule.ts'
import type { TemplateScope } from './template.ts'

/** A rule with the settings of its group. */
export interface ReplayedRule {
  readonly rule: AlertingRule
  /** 0 is no limit. */
  readonly limit: number
  readonly queryOffsetMs: number
}

export interface ReplayPorts {
  range(query: RangeQuery, signal?: Cancellation): Promise<QueryResult>
  instant(query: InstantQuery, signal?: Cancellation): Promise<QueryResult>
  /** Without a trailing slash. */
  readonly externalUrl: string
  readonly language: ParseOptions
}

/** Steps of the first slice; later slices are halved or doubled by the number of points. */
const SLICE_STEPS = 256
const SLICE_STEPS_MAX = 4096
/** Points of one slice: 16 bytes each, plus the memory of their evaluation. */
const SLICE_POINTS_MAX = 2_000_000
const SLICE_POINTS_FEW = 200_000
/** Steps between two pauses, in which the thread serves other calls. */
const STEPS_PER_TURN = 64

/** Rejects as `QueryEngine` does; with `query_canceled` soon after the signal was aborted. */
export async function replayRule(
  replayed: ReplayedRule,
  window: ReplayWindow,
  ports: ReplayPorts,
  signal?: Cancellation,
): Promise<ReplayCounts> {
  return (await replayPeriods(replayed, window, ports, signal)).counts
}

/** As `replayRule`, with all times at which an alert fired. */
export async function replayPeriods(
  { rule, limit, queryOffsetMs }: ReplayedRule,
  window: ReplayWindow,
  ports: ReplayPorts,
  signal?: Cancellation,
): Promise<{ readonly counts: ReplayCounts; readonly periods: readonly FiringPeriod[] }> {
  const tally = new ReplayTally(window)
  const compiled = compileAlerting(rule)
  const alerts = new ReplayAlerts(compiled.hold, limit, tally)
  const labelled = new Labeller(compiled, ports)
  const slices = slicer(rule, queryOffsetMs, ports)
  const { fromMs, toMs, stepMs } = window
  for (let atMs = fromMs; atMs <= toMs;) {
    refuseCanceled(signal)
    const slice = await slices(atMs, toMs, stepMs, signal)
    labelled.begin(slice.series)
    for (let i = 0; i < slice.steps; i++) {
      const nowMs = atMs + i * stepMs
      const held = labelled.at(nowMs - queryOffsetMs, nowMs)
      alerts.step(held instanceof Promise ? await held : held, nowMs)
      if (i % STEPS_PER_TURN !== STEPS_PER_TURN - 1) continue
      await sharedTurn()
      refuseCanceled(signal)
    }
    atMs += slice.steps * stepMs
    alerts.forget(atMs)
    await sharedTurn()
  }
  return { counts: tally.counts(alerts), periods: tally.periods(alerts) }
}

function refuseCanceled(signal: Cancellation | undefined): void {
  if (signal?.aborted === true) throw new FleetError('query_canceled', 'the client left before the replay was done')
}

interface Slice {
  readonly steps: number
  readonly series: readonly MatrixSeries[]
}

type ReadSlice = (atMs: number, toMs: number, stepMs: number, signal: Cancellation | undefined) => Promise<Slice>

/** Queries the steps from a time on, as many per slice as the limits allow. */
function slicer({ expr }: AlertingRule, queryOffsetMs: number, ports: ReplayPorts): ReadSlice {
  if (dependsOnRange(parseExpr(expr, ports.language))) {
    return async (atMs, _toMs, _stepMs, signal) => {
      const { value } = await ports.instant({ expr, timeMs: atMs - queryOffsetMs }, signal)
      return { steps: 1, series: seriesOf(value) }
    }
  }
  let most = SLICE_STEPS
  return async (atMs, toMs, stepMs, signal) => {
    for (;;) {
      const steps = Math.min(most, Math.floor((toMs - atMs) / stepMs) + 1)
      const startMs = atMs - queryOffsetMs
      try {
        const { value } = await ports.range({ expr, startMs, endMs: startMs + (steps - 1) * stepMs, stepMs }, signal)
        const series = seriesOf(value)
        const points = series.reduce((sum, { timesMs }) => sum + timesMs.length, 0)
        if (points > SLICE_POINTS_MAX) most = Math.max(1, most >> 1)
        else if (points < SLICE_POINTS_FEW) most = Math.min(SLICE_STEPS_MAX, most * 2)
        return { steps, series }
      } catch (thrown) {
        // A smaller slice may stay within the limit.
        if (!(thrown instanceof FleetError) || thrown.code !== 'query_limit' || steps === 1) throw thrown
        most = Math.max(1, steps >> 2)
      }
    }
  }
}

/** `@ start()`, `@ end()`, `step()` and `range()` have other values in a range query than in instant queries of its steps. */
function dependsOnRange(expr: Expr): boolean {
  const isComputed =
    (expr.kind === 'vector' && expr.offsetExpr !== undefined) ||
    (expr.kind === 'matrix' && expr.rangeExpr !== undefined) ||
    (expr.kind === 'subquery' && [expr.rangeExpr, expr.stepExpr, expr.offsetExpr].some((one) => one !== undefined))
  const at = expr.kind === 'vector' || expr.kind === 'subquery' ? expr.at : undefined
  return isComputed || at?.kind === 'start' || at?.kind === 'end' || childrenOf(expr).some(dependsOnRange)
}

function seriesOf(value: QueryValue): readonly MatrixSeries[] {
  switch (value.type) {
    case 'matrix':
      return value.series
    case 'scalar':
      return [pointOf(Labels.EMPTY, value.timeMs, value.value)]
    case 'vector':
      return value.samples.map(({ labels, timeMs, value: number, histogram }) =>
        histogram === undefined
          ? pointOf(labels, timeMs, number)
          : {
              ...pointOf(labels, timeMs, 0),
              timesMs: new Float64Array(),
              values: new Float64Array(),
              histogramTimesMs: Float64Array.of(timeMs),
              histograms: [histogram],
            },
      )
    case 'string':
      throw new FleetError('bad_request', 'rule result is not a vector or scalar')
  }
}

function pointOf(labels: Labels, timeMs: number, value: number): MatrixSeries {
  return { labels, timesMs: Float64Array.of(timeMs), values: Float64Array.of(value) }
}

/** A series of the current slice, and the positions of its next points. */
interface Cursor {
  readonly series: MatrixSeries
  point: number
  histogram: number
  /** Its sample with the alert's labels, where these have no templates: one object, reused at each step. */
  held: { readonly labels: Labels; value: number } | undefined
}

/** Gives the samples of a step the labels of their alerts. */
class Labeller {
  readonly #compiled: CompiledAlerting
  readonly #ports: ReplayPorts
  #cursors: readonly Cursor[] = []
  /** By the sample's labels; only where the rule's labels have no templates. */
  #plain = new Map<string, Labels>()

  constructor(compiled: CompiledAlerting, ports: ReplayPorts) {
    this.#compiled = compiled
    this.#ports = ports
  }

  /** Starts the next slice. */
  begin(series: readonly MatrixSeries[]): void {
    if (this.#plain.size > PLAIN_MAX) this.#plain = new Map()
    this.#cursors = series.map((one) => {
      const labels = this.#plain.get(one.labels.key)
      return { series: one, point: 0, histogram: 0, held: labels === undefined ? undefined : { labels, value: 0 } }
    })
  }

  /**
   * HOT: once per series and step. Steps come in order: points before `timeMs` are skipped. The result is valid until the
   * next step; it is a promise only where label templates have to be expanded.
   */
  at(timeMs: number, nowMs: number): readonly HeldSample[] | Promise<readonly HeldSample[]> {
    const held: HeldSample[] = []
    const unlabelled: (readonly [Cursor, VectorSample])[] = []
    for (const cursor of this.#cursors) {
      const { timesMs, values } = cursor.series
      while (cursor.point < timesMs.length && timesMs[cursor.point]! < timeMs) cursor.point++
      const isFloat = timesMs[cursor.point] === timeMs
      const histogram = isFloat ? undefined : histogramAt(cursor, timeMs)
      if (!isFloat && histogram === undefined) continue
      // As in the engine: an alert on a native histogram has the value 0.
      const value = isFloat ? values[cursor.point]! : 0
      if (cursor.held !== undefined) {
        cursor.held.value = value
        held.push(cursor.held)
        continue
      }
      const sample = { labels: cursor.series.labels, timeMs, value }
      unlabelled.push([cursor, histogram === undefined ? sample : { ...sample, histogram }])
    }
    return unlabelled.length === 0 ? held : this.#label(unlabelled, held, nowMs)
  }

  async #label(
    unlabelled: readonly (readonly [Cursor, VectorSample])[],
    held: HeldSample[],
    nowMs: number,
  ): Promise<readonly HeldSample[]> {
    const ports = this.#ports
    const { externalUrl } = ports
    const query: TemplateScope['query'] = async (expr) => (await ports.instant({ expr, timeMs: nowMs })).value
    const scope: TemplateScope = { nowMs, externalUrl, externalLabels: {}, query, answers: new Map() }
    for (const [cursor, sample] of unlabelled) {
      const labels = await alertLabelsOf(this.#compiled, sample, scope)
      const one = { labels, value: sample.value }
      held.push(one)
      if (!this.#compiled.areLabelsPlain) continue
      cursor.held = one
      this.#plain.set(sample.labels.key, labels)
    }
    return held
  }
}

/** Label sets cached between slices. */
const PLAIN_MAX = 200_000

function histogramAt(cursor: Cursor, timeMs: number): Histogram | undefined {
  const { histogramTimesMs, histograms } = cursor.series
  if (histogramTimesMs === undefined) return undefined
  while (cursor.histogram < histogramTimesMs.length && histogramTimesMs[cursor.histogram]! < timeMs) cursor.histogram++
  return histogramTimesMs[cursor.histogram] === timeMs ? histograms?.[cursor.histogram] : undefined
}
