/** A query that this server evaluates over series that are fetched from the store, joined with those that only it has. */
import type { Cancellation } from '../base/cancellation.ts'
import { FleetError } from '../base/errors.ts'
import type { BudgetShares } from '../promql/budget.ts'
import { METRIC_NAME } from '../model/labels.ts'
import type { Matcher } from '../model/matcher.ts'
import type { Queryable, SelectRequest } from '../model/queryable.ts'
import type { SeriesColumns } from '../model/series.ts'
import { createLocalEngine, type LocalEngine } from '../promql/engine.ts'
import type { EngineOptions } from '../promql/engine-options.ts'
import type { RemoteLane } from './client.ts'
import { bufferFromMs } from './lag.ts'
import { mergedSeries } from './merged-series.ts'
import { FetchedStore, NotFetched, SelectionNotes, type Selection } from './prefetch.ts'
import type { RemoteStore } from './remote-store.ts'
import { maySelect } from './rewrite.ts'
import { isUnavailable } from './store-failure.ts'

export interface LocalQueryParts {
  readonly store: RemoteStore
  /** The series that are computed from facts, and nothing else; their names. */
  readonly facts: Queryable
  readonly ownNames: readonly string[]
  /** What this process received. */
  readonly buffer: Queryable
  readonly hasHistograms: (matchers: readonly Matcher[]) => boolean
  /** See `PlanContext`. */
  readonly recordedNames: () => readonly string[]
  /** See `RemoteEngineParts`. */
  readonly serverMetrics: ReadonlySet<string>
  readonly options: EngineOptions
  readonly nowMs: () => number
  readonly shares: BudgetShares
  readonly lane: RemoteLane
}

export interface LocalRun {
  readonly scope: Matcher | undefined
  readonly timeoutMs: number
  readonly signal: Cancellation | undefined
  /** The store does not answer, and the result has only what this process measured. */
  readonly onPartial: (cause: FleetError) => void
}

/** `info` reads what depends on what it read; more rounds than nested calls of it are not needed. */
const ROUNDS_MAX = 10
/** The results of rules of this time are read here: far more than an interval. */
const RECORDED_MS = 3_600_000

/** Runs `evaluate` over an engine that has all that it reads. */
export async function evaluateLocally<T>(
  parts: LocalQueryParts,
  run: LocalRun,
  evaluate: (engine: LocalEngine) => Promise<T>,
): Promise<T> {
  const engineOver = (queryable: Queryable): LocalEngine =>
    createLocalEngine({ queryable, options: parts.options, nowMs: parts.nowMs, ...parts.shares })
  const notes = new SelectionNotes()
  // What fails without series may succeed with them; what does not fails again below.
  await evaluate(engineOver(withScope(notes, run.scope))).catch((thrown: unknown) => {
    if (!(thrown instanceof FleetError)) throw thrown
  })
  const fetched = new FetchedStore()
  const startedMs = parts.nowMs()
  let missing = notes.selections()
  for (let round = 0; ; round++) {
    const leftMs = run.timeoutMs - (parts.nowMs() - startedMs)
    await fetchAll(parts, { ...run, timeoutMs: leftMs }, missing, fetched)
    try {
      return await evaluate(engineOver(withScope(fetched, run.scope)))
    } catch (thrown) {
      if (!(thrown instanceof NotFetched) || round === ROUNDS_MAX) throw thrown
      missing = fetched.takeMissing()
    }
  }
}

async function fetchAll(
  parts: LocalQueryParts,
  run: LocalRun,
  selections: readonly Selection[],
  into: FetchedStore,
): Promise<void> {
  let samplesLeft = parts.options.samplesMax
  const read = selections.map(async (selection) => {
    const series = await readSelection(parts, run, selection, samplesLeft)
    for (const { count } of series) samplesLeft -= count
    if (samplesLeft < 0) {
      const { samplesMax } = parts.options
      throw new FleetError(
        'query_limit',
        `the query reads more than ${samplesMax} samples, the value of query.samples-max`,
        {
          hint: 'select fewer series or a shorter range',
        },
      )
    }
    into.put(selection, series)
  })
  await Promise.all(read)
}

/** Samples of the store, those that only this process has, and series of facts. */
async function readSelection(
  { store, facts, ownNames, buffer, hasHistograms, recordedNames, serverMetrics, lane }: LocalQueryParts,
  { timeoutMs, signal, onPartial }: LocalRun,
  selection: Selection,
  samplesMax: number,
): Promise<readonly SeriesColumns[]> {
  const { fromMs, toMs } = selection
  const { stored, hasOwn } = sourcesOf(selection.matchers, ownNames)
  const limits = { seriesMax: store.options.seriesMax, samplesMax }
  const request = (matchers: readonly Matcher[], oldestMs: number): SelectRequest => ({
    ...{ matchers, fromMs: Math.max(fromMs, oldestMs), toMs, maxSamples: samplesMax },
  })
  const own = hasOwn ? facts.select(request(selection.matchers, fromMs)) : []
  if (stored === undefined) return own
  const asked = { matchers: stored, fromMs, toMs, lane, timeoutMs, signal, ...limits }
  const fetching = store.fetch({ ...asked, hasHistograms: hasHistograms(selection.matchers) })
  const remote = await fetching.catch((cause: unknown) => {
    if (!isOfServer(selection, serverMetrics) || !isUnavailable(cause)) throw cause
    onPartial(cause)
    return undefined
  })
  if (remote === undefined) return buffer.select(request(stored, fromMs))
  const isRecorded = maySelect(selection, recordedNames())
  const bufferMs = Math.min(bufferFromMs(store.lagOf()) ?? Infinity, isRecorded ? toMs - RECORDED_MS : Infinity)
  const here = bufferMs > toMs ? [] : buffer.select(request(stored, bufferMs))
  return [...mergedSeries(remote, here), ...own]
}

/** Whether only metrics about this server and others of its kind are selected. */
export function isOfServer(
  { matchers }: { readonly matchers: readonly Matcher[] },
  serverMetrics: ReadonlySet<string>,
): boolean {
  return matchers.some(({ name, op, value }) => name === METRIC_NAME && op === '=' && serverMetrics.has(value))
}

/** The matchers for stored series, `undefined` where there are none, and whether series of facts are selected. */
export function sourcesOf(
  matchers: readonly Matcher[],
  ownNames: readonly string[],
): { readonly stored: readonly Matcher[] | undefined; readonly hasOwn: boolean } {
  const hasOwn = maySelect({ matchers }, ownNames)
  if (!hasOwn) return { stored: matchers, hasOwn }
  const isExact = matchers.some(({ name, op, value }) => name === METRIC_NAME && op === '=' && value !== '')
  const others: Matcher = { name: METRIC_NAME, op: '!~', value: ownNames.join('|') }
  return { stored: isExact ? undefined : [...matchers, others], hasOwn }
}

/** A store that adds the matcher to each selection. */
function withScope(queryable: Queryable, scope: Matcher | undefined): Queryable {
  if (scope === undefined) return queryable
  const lists = new WeakMap<readonly Matcher[], readonly Matcher[]>()
  const within = (matchers: readonly Matcher[]): readonly Matcher[] => {
    let list = lists.get(matchers)
    if (list === undefined) lists.set(matchers, (list = [...matchers, scope]))
    return list
  }
  return {
    select: (request) => queryable.select({ ...request, matchers: within(request.matchers) }),
    series: (matchers, range) => queryable.series(within(matchers), range),
    labelNames: (matchers, range) => queryable.labelNames(within(matchers), range),
    labelValues: (name, matchers, range) => queryable.labelValues(name, within(matchers), range),
  }
}
