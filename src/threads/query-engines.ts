/**
 * Which engine answers PromQL on the query worker: the one over this server's own store, or the one over a metrics store. Wiring.
 */
import { systemClock } from '../base/clock.ts'
import { sharedTurn } from '../base/thread-slices.ts'
import { readHeadersFile, type MetricsStore } from '../config/metrics-store.ts'
import { FACT_SERIES, WRITTEN_METRICS } from '../fleet/series/derived-metrics.ts'
import { scopedQueryable } from '../fleet/scope/scoped-queryable.ts'
import { keyOfMatchers, type Matcher } from '../model/matcher.ts'
import type { Queryable } from '../model/queryable.ts'
import { createLocalEngine, type LocalEngine } from '../promql/engine.ts'
import type { EngineOptions } from '../promql/engine-options.ts'
import { MemoryPool } from '../promql/memory-pool.ts'
import { EvaluationWait } from '../remote/evaluation-wait.ts'
import { apartWarning, NO_LAG, type Lag } from '../remote/lag.ts'
import { REMOTE_STORE_DEFAULTS, type RemoteStoreOptions } from '../remote/options.ts'
import { createRemoteEngine } from '../remote/remote-engine.ts'
import { RemoteStore, type RemoteStatus } from '../remote/remote-store.ts'

/** What crosses to the query worker for a metrics store. */
export interface RemoteQueryData extends Pick<
  RemoteStoreOptions,
  'timeoutMs' | 'answerBytesMax' | 'samplesMax' | 'concurrencyMax' | 'isExact'
> {
  readonly store: Pick<MetricsStore, 'queryUrl' | 'tenantHeaders' | 'headersFile' | 'ca'>
  /** Names of the metrics about this server. */
  readonly serverMetrics: readonly string[]
}

/** What main calls of the metrics store. */
export interface MetricsStoreServices {
  /** `undefined`: queries are answered from this server's own store. */
  status(): RemoteStatus | undefined
  /** What processes received and is not in the metrics store, or not in this one's. */
  reportLag(lag: Lag): void
}

export interface QueryEngines {
  /** Of rules and the fleet loop: its turns are its own, and no request takes its memory or evicts what it cached. */
  readonly ofRules: LocalEngine
  /** Of requests, for all clusters or those of a scope. */
  readonly ofRequests: (scope?: () => Matcher) => LocalEngine
  readonly metricsStore: MetricsStoreServices
  /** False: rules wait, because the metrics store lacks samples that are being sent. */
  readonly isComplete: (nowMs: number) => boolean
  /** The names of the series that rules record, from now on. */
  readonly useRecordedNames: (names: readonly string[]) => void
  close(): void
}

interface QueryEngineParts {
  readonly remote: RemoteQueryData | undefined
  readonly options: EngineOptions
  readonly memoryBytesMax: number
  /** Stored series and those of facts. */
  readonly store: Required<Queryable>
  /** Only stored ones. */
  readonly stored: Required<Queryable>
  readonly facts: Queryable
  /** A query of a rule may take as long, so that a slow store delays the next evaluation and no others. */
  readonly rulesIntervalMs: number
  /** Monotonic. */
  readonly nowMs: () => number
}

export function createQueryEngines(parts: QueryEngineParts): QueryEngines {
  const { remote, options, store, nowMs } = parts
  const shares = { turn: sharedTurn, pool: new MemoryPool(parts.memoryBytesMax) }
  if (remote !== undefined) return remoteEngines(parts, remote, shares)
  let lag = NO_LAG
  const lagOf = (): Lag => lag
  return {
    ofRules: apartFromOthers(createLocalEngine({ queryable: store, options, nowMs }), lagOf),
    ofRequests: (scope) => {
      const queryable = scope === undefined ? store : scopedQueryable(store, scope)
      return apartFromOthers(createLocalEngine({ queryable, options, nowMs, ...shares }), lagOf)
    },
    metricsStore: {
      status: () => undefined,
      reportLag: (reported) => {
        lag = reported
      },
    },
    isComplete: () => true,
    useRecordedNames: () => undefined,
    close: () => undefined,
  }
}

function remoteEngines(
  { stored, facts, options, rulesIntervalMs, nowMs }: QueryEngineParts,
  remote: RemoteQueryData,
  shares: { readonly turn: typeof sharedTurn; readonly pool: MemoryPool },
): QueryEngines {
  const writtenHere = [...WRITTEN_HERE, ...remote.serverMetrics]
  let recordedNames = writtenHere
  const wait = new EvaluationWait()
  let lag = NO_LAG
  const store = new RemoteStore({
    options: remoteOptions(remote),
    nowMs,
    after: (delayMs, run) => systemClock.after(delayMs, run),
    lagOf: () => lag,
  })
  // Its result is the first query's; a failure is that of the next one.
  store.traits().catch(() => undefined)
  const hasHistograms = remembered(nowMs, (matchers) => {
    const selection = stored.selectRuns({ matchers, fromMs: -Infinity, toMs: Infinity, maxSamples: Infinity })
    return selection.hasHistograms === true
  })
  const serverMetrics = new Set(remote.serverMetrics)
  const common = { store, facts, ownNames: FACT_SERIES, buffer: stored, hasHistograms, serverMetrics, options, nowMs }
  return {
    ofRules: createRemoteEngine({
      ...{ ...common, lane: 'rules', recordedNames: () => recordedNames },
      options: { ...options, timeoutMs: Math.min(options.timeoutMs, rulesIntervalMs) },
    }),
    ofRequests: (scope) =>
      createRemoteEngine({ ...common, ...shares, lane: 'requests', ...(scope === undefined ? {} : { scope }) }),
    metricsStore: {
      status: () => store.status(),
      reportLag: (reported) => {
        lag = reported
        wait.note(reported)
      },
    },
    isComplete: (atMs) => wait.isOver(atMs),
    useRecordedNames: (names) => {
      recordedNames = [...writtenHere, ...names]
    },
    close: () => {
      store.close()
    },
  }
}

/** What a cycle writes besides the results of recording rules, and rules of the same cycle read. */
const WRITTEN_HERE: readonly string[] = [...WRITTEN_METRICS, 'ALERTS', 'ALERTS_FOR_STATE']

/** With a warning in each answer while other processes receive samples that this one does not have. */
function apartFromOthers(engine: LocalEngine, lagOf: () => Lag): LocalEngine {
  const warned = async <T extends { readonly warnings: readonly string[] }>(answer: Promise<T>): Promise<T> => {
    const result = await answer
    const warning = apartWarning(lagOf())
    return warning === undefined ? result : { ...result, warnings: [...result.warnings, warning] }
  }
  return {
    ...engine,
    instant: (query, signal) => warned(engine.instant(query, signal)),
    range: (query, signal) => warned(engine.range(query, signal)),
    explain: (query, signal) => warned(engine.explain(query, signal)),
  }
}

function remoteOptions(remote: RemoteQueryData): RemoteStoreOptions {
  const { store, timeoutMs, answerBytesMax, samplesMax, concurrencyMax, isExact } = remote
  const { queryUrl, tenantHeaders, headersFile, ca } = store
  const read = (): Readonly<Record<string, string>> => ({
    ...tenantHeaders,
    ...(headersFile === undefined ? {} : readHeadersFile(headersFile)),
  })
  let headers = read()
  return {
    ...REMOTE_STORE_DEFAULTS,
    ...{ timeoutMs, answerBytesMax, samplesMax, concurrencyMax, isExact },
    url: queryUrl,
    headers: (wereRefused) => (wereRefused ? (headers = read()) : headers),
    tls: ca === undefined ? {} : { ca },
  }
}

/** Answers that are remembered, and for how long: a metric is not often changed to native histograms. */
const REMEMBERED_MAX = 2000
const REMEMBERED_MS = 60_000

function remembered(
  nowMs: () => number,
  find: (matchers: readonly Matcher[]) => boolean,
): (matchers: readonly Matcher[]) => boolean {
  const known = new Map<string, { readonly untilMs: number; readonly answer: boolean }>()
  return (matchers) => {
    const key = keyOfMatchers(matchers)
    const found = known.get(key)
    if (found !== undefined && found.untilMs > nowMs()) return found.answer
    const answer = find(matchers)
    if (known.size >= REMEMBERED_MAX) known.clear()
    known.set(key, { untilMs: nowMs() + REMEMBERED_MS, answer })
    return answer
  }
}
