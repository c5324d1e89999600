/**
 * PromQL answered by the metrics store: each query is sent as a whole where the store gives the same answer, in another form
 * where that is exact, and is evaluated here over fetched series otherwise (`plan.ts`). What only this server has (series of
 * facts, samples that are not forwarded yet) is in lists and in what is evaluated here; an answer without the newest samples has
 * a warning.
 */
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import { compareLabels, compareText, METRIC_NAME } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import { familiesNamed, type MetricFamily } from '../model/metadata.ts'
import type { Queryable } from '../model/queryable.ts'
import type { TimeRange } from '../model/time-range.ts'
import { selectorsOf, type VectorSelector } from '../promql/ast.ts'
import { Budget, type BudgetShares } from '../promql/budget.ts'
import { typeOf } from '../promql/check.ts'
import { createLocalEngine, type LocalEngine } from '../promql/engine.ts'
import type { EngineOptions } from '../promql/engine-options.ts'
import { Explainer } from '../promql/explainer.ts'
import type { ExplainedRemote, Explanation } from '../promql/explanation.ts'
import { ParsedQueries } from '../promql/parsed-queries.ts'
import type { InstantQuery, QueryResult, RangeQuery, Selectors } from '../promql/query-engine.ts'
import type { RemoteLane } from './client.ts'
import { DIFFERENCES } from './difference-table.ts'
import { lagWarnings } from './lag.ts'
import { listExemplars, listLabelNames, listLabelValues, listMetadata, listSeries } from './lists.ts'
import { evaluateLocally, isOfServer, sourcesOf, type LocalRun } from './local-query.ts'
import { planOf, type LocalReason, type Plan, type PlannedQuery, type PushedPlan } from './plan.ts'
import { push, STEPS_MAX } from './push.ts'
import type { RemoteStore } from './remote-store.ts'
import { isUnavailable } from './store-failure.ts'
import { nameOf, type StoreTraits } from './traits.ts'

export interface RemoteEngineParts extends BudgetShares {
  readonly store: RemoteStore
  /** The series that are computed from facts, and nothing else. */
  readonly facts: Queryable
  /** Their names: the store is never asked for these. */
  readonly ownNames: readonly string[]
  /** What this process received. */
  readonly buffer: Queryable
  /** Whether series of native histograms are selected, as far as this process received them. */
  readonly hasHistograms: (matchers: readonly Matcher[]) => boolean
  readonly options: EngineOptions
  /** Monotonic. */
  readonly nowMs: () => number
  readonly lane: RemoteLane
  /** Names of series that rules record here; absent: the queries are not of rules. */
  readonly recordedNames?: () => readonly string[]
  /**
   * Metrics about this server, which it measures itself: while the store does not answer, queries of these alone are answered
   * from the buffer.
   */
  readonly serverMetrics: ReadonlySet<string>
  /** The clusters of the user, as of the call; absent: all. No answer has a series of another one. */
  readonly scope?: () => Matcher
}

type Query = InstantQuery | RangeQuery

interface Prepared {
  readonly planned: PlannedQuery
  readonly plan: Plan
  readonly traits: StoreTraits | undefined
  readonly run: RunHere
  /** It reads only metrics about this server. */
  readonly areOfServer: boolean
}

interface RunHere extends LocalRun {
  /** The failure of the store, when its series are missing. */
  readonly partialCause: () => FleetError | undefined
}

/** While it is not known what the store is. */
const OF_SERVER: Plan = {
  ...{ way: 'local', reason: 'server', notes: [] },
  sentence: 'the metrics store does not answer, and this server measures what the query reads',
}

export function createRemoteEngine(parts: RemoteEngineParts): LocalEngine {
  const { store, facts, buffer, ownNames, options, nowMs, lane, scope, turn, pool } = parts
  const shares = { ...(turn && { turn }), ...(pool && { pool }) }
  const { hasHistograms, serverMetrics, recordedNames = () => [] } = parts
  const local = {
    ...{ store, facts, ownNames, buffer, hasHistograms, recordedNames, serverMetrics, options, nowMs, shares, lane },
  }
  const parsed = new ParsedQueries(options)
  const here = [facts, buffer].map((queryable) => createLocalEngine({ queryable, options, nowMs, ...shares }))

  const runOf = (signal: Cancellation | undefined, timeoutMs = Infinity): RunHere => {
    let cause: FleetError | undefined
    return {
      ...{ scope: scope?.(), signal, timeoutMs: Math.min(timeoutMs, options.timeoutMs) },
      onPartial: (failure) => {
        cause = failure
      },
      partialCause: () => cause,
    }
  }

  const prepare = async (query: Query, signal: Cancellation | undefined): Promise<Prepared> => {
    const planned = plannedOf(query, parsed, options)
    const run = runOf(signal, query.timeoutMs)
    const context = {
      ...{ differences: DIFFERENCES, ownNames, recordedNames: recordedNames(), scope: run.scope },
      hasHistograms: ({ matchers }: VectorSelector) => hasHistograms(matchers),
      ...{ subqueryStepMs: options.subqueryStepMs, isExact: store.options.isExact },
    }
    const selectors = selectorsOf(planned.expr)
    const areOfServer = selectors.length > 0 && selectors.every((one) => isOfServer(one, serverMetrics))
    try {
      const traits = selectors.length === 0 ? undefined : await store.traits()
      return { planned, run, traits, areOfServer, plan: planOf(planned, { ...context, traits }) }
    } catch (thrown) {
      if (!areOfServer || !isUnavailable(thrown)) throw thrown
      return { planned, run, traits: undefined, areOfServer, plan: OF_SERVER }
    }
  }

  const answerHere = async (
    query: Query,
    reason: LocalReason,
    notes: readonly string[],
    run: RunHere,
  ): Promise<QueryResult> => {
    store.counters.countQuery('local', reason)
    const result = await evaluateLocally(local, run, (engine) => evaluateWith(engine, query, run.signal))
    if (reason === 'constant') return result
    const whole = { ...result, infos: [...result.infos, ...notes.map(annotated)] }
    const cause = run.partialCause()
    if (cause === undefined) return withLag(whole, store, endMsOf(query), true)
    return { ...whole, warnings: [...whole.warnings, partialWarning(cause)], isPartial: true }
  }

  const answerThere = async (
    query: Query,
    { expr, lookbackMs }: PlannedQuery,
    { text, notes }: Pick<PushedPlan, 'text' | 'notes'>,
    traits: StoreTraits,
    { timeoutMs, signal }: LocalRun,
  ): Promise<QueryResult> => {
    const startedMs = nowMs()
    const budget = new Budget(options, timeoutMs, nowMs, signal, shares)
    try {
      const { samplesMax } = options
      const pushed = { query, expr, text, traits, lookbackMs, timeoutMs, lane, signal, samplesMax }
      const { samplesRead, seriesRead, samplesByStep, value, warnings, infos } = await push(store, pushed)
      budget.takeSamples(seriesRead, samplesRead)
      budget.holdBytes(samplesRead * SAMPLE_BYTES)
      // Of a text that the user did not write, no place is shown.
      const placed = (annotations: readonly string[]): readonly string[] =>
        text === query.expr ? annotations : annotations.map(withoutPlace)
      const result: QueryResult = {
        value,
        warnings: placed(warnings),
        infos: [...placed(infos), ...notes.map(annotated)],
        stats: { samplesRead, seriesRead, evalMs: nowMs() - startedMs, ...(samplesByStep && { samplesByStep }) },
      }
      return withLag(result, store, endMsOf(query), false)
    } finally {
      budget.release()
    }
  }

  const runPrepared = async (query: Query, prepared: Prepared): Promise<QueryResult> => {
    const { planned, plan, traits, run, areOfServer } = prepared
    if (plan.way === 'local') return answerHere(query, plan.reason, plan.notes, run)
    store.counters.countQuery(plan.way)
    try {
      return await answerThere(query, planned, plan, traits!, run)
    } catch (thrown) {
      if (areOfServer && isUnavailable(thrown)) return answerHere(query, 'server', plan.notes, run)
      // The parser here accepts the query. Here it either has an answer, or Prometheus' own words for the failure.
      if (!(thrown instanceof FleetError) || thrown.code !== 'query_execution') throw thrown
      return answerHere(query, 'rejected', plan.notes, run)
    }
  }

  const run = async (query: Query, signal?: Cancellation): Promise<QueryResult> =>
    runPrepared(query, await prepare(query, signal))

  const explain = async (query: Query, signal?: Cancellation): Promise<Explanation> => {
    const prepared = await prepare(query, signal)
    const { plan, planned, run: asked } = prepared
    const remote = explainedRemote(plan, prepared.traits)
    if (plan.way === 'local') {
      const explained = await evaluateLocally(local, asked, (engine) => engine.explain(query, signal))
      const cause = asked.partialCause()
      const warnings = cause === undefined ? explained.warnings : [...explained.warnings, partialWarning(cause)]
      const whole = { ...explained, warnings, remote }
      return plan.reason === 'constant' ? whole : withLag(whole, store, planned.endMs, true)
    }
    const budget = new Budget(options, asked.timeoutMs, nowMs, signal)
    const result = await runPrepared(query, prepared)
    const root = new Explainer(budget).treeOf(planned.expr)
    const isInstant = planned.stepMs === 0
    return {
      ...{ query: query.expr, startMs: planned.startMs, endMs: planned.endMs },
      stepMs: isInstant ? undefined : planned.stepMs,
      steps: isInstant ? 1 : Math.floor((planned.endMs - planned.startMs) / planned.stepMs) + 1,
      ...{ busyMs: 0, waitedMs: result.stats.evalMs },
      ...{ samplesRead: result.stats.samplesRead, samplesMax: options.samplesMax },
      ...{ resultBytes: result.stats.samplesRead * SAMPLE_BYTES, resultBytesMax: options.resultBytesMax },
      ...{ warnings: result.warnings, infos: result.infos, root, remote },
    }
  }

  const caller = (signal: Cancellation | undefined) => ({ lane, signal, timeoutMs: options.timeoutMs })
  const inScope = (selectors: Selectors): Selectors => {
    const matcher = scope?.()
    return matcher === undefined ? selectors : selectors.map((matchers) => [...matchers, matcher])
  }
  /** The lists of the store, of facts and of the buffer together, sorted and without repeats. */
  const union = async <T>(
    selectors: Selectors,
    ofStore: (stored: Selectors) => Promise<readonly T[]>,
    ofEngine: (engine: LocalEngine, selectors: Selectors) => Promise<readonly T[]>,
    compare: (a: T, b: T) => number,
  ): Promise<readonly T[]> => {
    const all = inScope(selectors)
    const stored = all.flatMap((matchers) => {
      const of = sourcesOf(matchers, ownNames).stored
      return of === undefined ? [] : [of]
    })
    const isOfStore = stored.length > 0 || all.length === 0
    const ofThisProcess = here.map((engine) => ofEngine(engine, all))
    const lists = await Promise.all([isOfStore ? ofStore(stored) : Promise.resolve([]), ...ofThisProcess])
    return withoutRepeats(lists.flat(), compare)
  }
  const labelNames = (selectors: Selectors, range: TimeRange, signal?: Cancellation): Promise<readonly string[]> =>
    union(
      orAll(selectors, scope),
      (stored) => listLabelNames(store, stored, range, caller(signal)),
      (engine, all) => engine.labelNames(all, range, signal),
      compareText,
    )
  const labelValues: LocalEngine['labelValues'] = (name, selectors, range, signal) =>
    union(
      orAll(selectors, scope),
      (stored) => listLabelValues(store, name, stored, range, caller(signal)),
      (engine, all) => engine.labelValues(name, all, range, signal),
      compareText,
    )
  return {
    instant: run,
    range: run,
    explain,
    labelNames,
    labelValues,
    series: (selectors, range, signal) =>
      union(
        selectors,
        (stored) => listSeries(store, stored, range, caller(signal)),
        (engine, all) => engine.series(all, range, signal),
        compareLabels,
      ),
    exemplars: async (selectors, range, signal) => {
      const all = inScope(selectors)
      const stored = all.length === 0 ? [] : await listExemplars(store, all, range, caller(signal))
      const lists = await Promise.all(here.map(async (engine) => engine.exemplars(all, range, signal)))
      // Those of this process are the same ones, and the newest.
      const known = new Set(stored.map(({ labels }) => labels.key))
      return [...stored, ...lists.flat().filter(({ labels }) => !known.has(labels.key))].sort((a, b) =>
        compareLabels(a.labels, b.labels),
      )
    },
    newest: (selectors, range, signal) =>
      evaluateLocally(local, runOf(signal), (engine) => engine.newest(selectors, range, signal)),
    metadata: async (name) => {
      const [stored, ...lists] = await Promise.all([
        listMetadata(store, name, caller(undefined)),
        ...here.map((engine) => engine.metadata(name)),
      ])
      const families = joinedFamilies([...lists, stored].flat())
      return scope === undefined ? families : familiesNamed(families, await labelValues(METRIC_NAME, [], ALL_TIMES))
    },
  }
}

/** A time and a value. */
const SAMPLE_BYTES = 16
const ALL_TIMES: TimeRange = { fromMs: -Infinity, toMs: Infinity }

function partialWarning({ message }: FleetError): string {
  return `only what this process measured itself is in the answer: ${message}`
}

/** A difference of the store as an annotation. */
function annotated(note: string): string {
  return `PromQL info: ${note}`
}

function endMsOf(query: Query): number {
  return 'timeMs' in query ? query.timeMs : query.endMs
}

function evaluateWith(engine: LocalEngine, query: Query, signal: Cancellation | undefined): Promise<QueryResult> {
  return 'timeMs' in query ? engine.instant(query, signal) : engine.range(query, signal)
}

function plannedOf(query: Query, parsed: ParsedQueries, options: EngineOptions): PlannedQuery {
  const { startMs, endMs, stepMs } =
    'timeMs' in query ? { startMs: query.timeMs, endMs: query.timeMs, stepMs: 0 } : query
  const { expr } = parsed.get(query.expr, { stepMs, rangeMs: endMs - startMs })
  const isSplit = stepMs > 0 && (endMs - startMs) / stepMs >= STEPS_MAX
  const type = typeOf(expr)
  return {
    ...{ query: query.expr, expr, startMs, endMs, stepMs },
    lookbackMs: query.lookbackMs ?? options.lookbackMs,
    // The local engine refuses it in Prometheus' words.
    isRefused: stepMs > 0 && type !== 'vector' && type !== 'scalar',
    isSplit,
  }
}

/** No selector means all series, of the scope if there is one. */
function orAll(selectors: Selectors, scope: (() => Matcher) | undefined): Selectors {
  return selectors.length === 0 && scope !== undefined ? [[]] : selectors
}

function withLag<T extends { readonly warnings: readonly string[] }>(
  result: T,
  store: RemoteStore,
  toMs: number,
  hasBuffer: boolean,
): T {
  const warnings = lagWarnings(store.lagOf(), toMs, hasBuffer)
  return warnings.length === 0 ? result : { ...result, warnings: [...result.warnings, ...warnings] }
}

/** The place in a query that the user did not write. */
function withoutPlace(annotation: string): string {
  return annotation.replace(/ \(\d+:\d+\)$/, '')
}

function explainedRemote(plan: Plan, traits: StoreTraits | undefined): ExplainedRemote {
  const name = traits === undefined ? {} : { store: nameOf(traits) }
  if (plan.way === 'local') return { way: 'local', reason: plan.sentence, ...name, notes: plan.notes }
  return { way: plan.way, reason: plan.sentence, ...name, text: plan.text, notes: plan.notes }
}

function withoutRepeats<T>(items: T[], compare: (a: T, b: T) => number): readonly T[] {
  const sorted = items.sort(compare)
  return sorted.filter((item, i) => i === 0 || compare(sorted[i - 1]!, item) !== 0)
}

/** Families of one name as one; of equal metadata the first. */
function joinedFamilies(families: readonly MetricFamily[]): readonly MetricFamily[] {
  const byName = new Map<string, MetricFamily>()
  for (const { name, metadata } of families) {
    const known = byName.get(name)?.metadata ?? []
    const more = metadata.filter(
      (one) => !known.some((other) => other.type === one.type && other.help === one.help && other.unit === one.unit),
    )
    byName.set(name, { name, metadata: [...known, ...more] })
  }
  return [...byName.values()].sort((a, b) => compareText(a.name, b.name))
}
