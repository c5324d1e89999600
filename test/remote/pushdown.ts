/**
 * Test scripts of PromQL against a real store: the series of a script are written to it, each query is asked of the engine over
 * that store and of the engine over memory, and the two answers are compared. Sections of a script (between `clear`) get times of
 * their own, days apart, because a store cannot be cleared.
 */
import { CUSTOM_BOUNDS, type Histogram } from '../../src/model/histogram.ts'
import type { Labels } from '../../src/model/labels.ts'
import type { Queryable } from '../../src/model/queryable.ts'
import { FleetError } from '../../src/base/errors.ts'
import { systemClock } from '../../src/base/clock.ts'
import { childrenOf, type Expr } from '../../src/promql/ast.ts'
import { createLocalEngine, type LocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { formatExpr } from '../../src/promql/format.ts'
import { allBuckets } from '../../src/promql/histogram/buckets.ts'
import { parseExpr } from '../../src/promql/parse.ts'
import type { InstantQuery, QueryResult, RangeQuery } from '../../src/promql/query-engine.ts'
import { listSeries } from '../../src/remote/lists.ts'
import { REMOTE_STORE_DEFAULTS } from '../../src/remote/options.ts'
import { NO_LAG } from '../../src/remote/lag.ts'
import { createRemoteEngine } from '../../src/remote/remote-engine.ts'
import { RemoteStore } from '../../src/remote/remote-store.ts'
import { storedHint } from '../../src/rules/unit-test/histogram-notation.ts'
import { encodeLabels, writeSample } from '../../src/wire/remote-write-encode.ts'
import { ProtobufWriter } from '../../src/wire/protobuf.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'
import { ClassicSeries } from '../promql/histogram-script.ts'
import { blocksOf, readQuery, readSeries, readValues, timeMs, type ScriptQuery } from '../promql/script.ts'
import { histogramBytes, sentOf } from '../support/histograms.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { until } from '../support/until.ts'

type SampleValue = number | 'stale' | Histogram

interface ScriptSample {
  readonly labels: Labels
  readonly timeMs: number
  readonly value: SampleValue
}

/** What is loaded before its queries. */
export interface Section {
  readonly samples: readonly ScriptSample[]
  readonly queries: readonly (ScriptQuery & { readonly line: number })[]
}

/** In the order of the script. Series that are loaded after a query start a section with all that was loaded before. */
export function sectionsOf(text: string): readonly Section[] {
  const sections: Section[] = []
  let samples: ScriptSample[] = []
  let queries: Section['queries'][number][] = []
  const newest = new Map<string, Histogram>()
  const end = (): void => {
    if (queries.length > 0) sections.push({ samples: [...samples], queries })
    queries = []
  }
  for (const [head, ...lines] of blocksOf(text)) {
    const [command = ''] = head!.text.split(/\s+/, 1)
    if (command === 'clear') {
      end()
      samples = []
      newest.clear()
    } else if (command.startsWith('load')) {
      end()
      const stepMs = timeMs(head!.text.split(/\s+/)[1]!)
      const classic = command === 'load_with_nhcb' ? new ClassicSeries() : undefined
      const put = (labels: Labels, atMs: number, value: SampleValue): void => {
        if (typeof value !== 'object') {
          newest.delete(labels.key)
          samples.push({ labels, timeMs: atMs, value })
          return
        }
        samples.push({
          labels,
          timeMs: atMs,
          value: { ...value, counterReset: storedHint(value, newest.get(labels.key)) },
        })
        newest.set(labels.key, value)
      }
      for (const line of lines) {
        const { labels, rest } = readSeries(line.text)
        readValues(rest).forEach((value, i) => {
          if (value === undefined) return
          put(labels, i * stepMs, typeof value === 'object' ? value.histogram : value)
          if (typeof value === 'number') classic?.add(labels, i * stepMs, value)
        })
      }
      for (const one of classic?.histograms() ?? []) put(one.labels, one.timeMs, one.histogram)
    } else if (command.startsWith('eval')) queries.push({ ...readQuery(head!.text), line: head!.number })
  }
  end()
  return sections
}

export interface ComparedCase {
  readonly line: number
  readonly expr: string
  /** As sent. */
  readonly text: string | undefined
  /** `pushed`, `rewritten`, or `local: reason`; `refused`: the engine over memory refuses the query, too. */
  readonly way: string
  readonly isSame: boolean
  /** Differences that the user sees beside the answer. */
  readonly notes: readonly string[]
  /** Of the series or the answer over memory. */
  readonly hasNan: boolean
  /** For a different answer. */
  readonly got?: string
  readonly wanted?: string
}

const NOTHING: Queryable = { select: () => [], series: () => [], labelNames: () => [], labelValues: () => [] }
const DAY_MS = 86_400_000

export interface PushdownTarget {
  readonly url: string
  /** Makes what was written visible. */
  flush(): Promise<void>
  readonly hasHistograms: boolean
}

export class Pushdown {
  readonly store: RemoteStore
  readonly #target: PushdownTarget
  readonly #engine: LocalEngine
  #memory = new MemoryQueryable()
  /** Not at midnight: VictoriaMetrics 1.79 does not find a series that starts there at that millisecond. */
  #baseMs: number

  /** @param year of the first section; later ones have later times */
  constructor(target: PushdownTarget, isExact = false, year = 2001) {
    this.#baseMs = Date.UTC(year, 0, 1, 6)
    this.#target = target
    this.store = new RemoteStore({
      options: { ...REMOTE_STORE_DEFAULTS, url: target.url, isExact },
      nowMs: () => performance.now(),
      after: (delayMs, run) => systemClock.after(delayMs, run),
      lagOf: () => NO_LAG,
    })
    this.#engine = createRemoteEngine({
      ...{
        store: this.store,
        facts: NOTHING,
        ownNames: [],
        buffer: NOTHING,
        lane: 'requests',
        serverMetrics: new Set<string>(),
      },
      hasHistograms: (matchers) =>
        this.#memory
          .select({ matchers, fromMs: -Infinity, toMs: Infinity, maxSamples: Infinity })
          .some(({ histograms }) => histograms !== undefined),
      ...{ options: { ...DEFAULT_ENGINE_OPTIONS, experimental: true }, nowMs: () => performance.now() },
    })
  }

  async compare(section: Section): Promise<readonly ComparedCase[]> {
    const { held, baseMs } = await this.#load(section)
    const memory = (this.#memory = new MemoryQueryable())
    for (const { labels, timeMs: atMs, value } of held) {
      if (value === 'stale') memory.appendStale(labels, baseMs + atMs)
      else if (typeof value === 'number') memory.append(labels, baseMs + atMs, value)
      else memory.appendHistogram(labels, baseMs + atMs, value)
    }
    const options = { ...DEFAULT_ENGINE_OPTIONS, experimental: true }
    const wanted = createLocalEngine({ queryable: memory, options, nowMs: () => 0 })
    const areNan = held.some(({ value }) => Number.isNaN(value) || Object.is(value, -0))
    const cases: ComparedCase[] = []
    for (const query of section.queries) {
      const asked = shifted(query, baseMs)
      if (asked !== undefined) cases.push(await this.#compareOne(query.line, asked, wanted, areNan))
    }
    return cases
  }

  close(): void {
    this.store.close()
  }

  async #compareOne(
    line: number,
    query: InstantQuery | RangeQuery,
    wanted: LocalEngine,
    areNan: boolean,
  ): Promise<ComparedCase> {
    const [want, got] = [await outcomeOf(wanted, query), await outcomeOf(this.#engine, query)]
    const explained = await this.#engine.explain(query).catch(() => undefined)
    const { way = 'refused', notes = [], reason = '', text } = explained?.remote ?? {}
    const [wantedText, gotText] = [describe(want), describe(got)]
    const isSame = typeof want === 'string' || typeof got === 'string' ? typeof want === typeof got : areSame(want, got)
    return {
      ...{ line, expr: query.expr, text, notes, isSame, hasNan: areNan || /NaN|-0/.test(wantedText) },
      way: way === 'local' ? `local: ${reason}` : way,
      ...(isSame ? {} : { got: gotText, wanted: wantedText }),
    }
  }

  /** Writes what the store can hold, and returns it with its time: what it cannot hold is on neither side. */
  async #load({
    samples,
    queries,
  }: Section): Promise<{ readonly held: readonly ScriptSample[]; readonly baseMs: number }> {
    // Queries about the calendar are decades away, and read nothing.
    const ends = queries.map(({ endMs }) => endMs).filter((endMs) => endMs < 30 * DAY_MS)
    const lastMs = Math.max(0, ...samples.map((one) => one.timeMs), ...ends)
    const takeBase = (): number => {
      const baseMs = this.#baseMs
      // Also beyond the ranges of the section's queries.
      this.#baseMs += Math.ceil(lastMs / DAY_MS + 3) * DAY_MS
      return baseMs
    }
    const floats = samples.filter(({ value }) => typeof value !== 'object')
    const isHeld = ({ value }: ScriptSample): boolean =>
      typeof value !== 'object' || (this.#target.hasHistograms && value.schema !== CUSTOM_BOUNDS)
    // Prometheus refuses some of the scripts' histograms, and has then stored others of the section.
    for (const held of [samples.filter(isHeld), floats]) {
      const baseMs = takeBase()
      const refusal = await this.#write(held, baseMs)
      if (refusal === undefined) return { held, baseMs }
      if (held.length === floats.length) throw new Error(`the store refused samples: ${refusal}`)
    }
    throw new Error('the store refused all samples')
  }

  /** Why the store refused them. */
  async #write(samples: readonly ScriptSample[], baseMs: number): Promise<string | undefined> {
    // Stores refuse samples that are older than those before.
    const sorted = [...samples].sort((a, b) => a.timeMs - b.timeMs)
    for (let at = 0; at < sorted.length; at += 5000) {
      const body = encodeSnappy(requestOf(sorted.slice(at, at + 5000), baseMs))
      const response = await fetch(`${this.#target.url}/api/v1/write`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: {
          'content-type': 'application/x-protobuf',
          'content-encoding': 'snappy',
          'x-prometheus-remote-write-version': '0.1.0',
        },
      })
      if (!response.ok) return `${response.status} ${await response.text()}`
    }
    await this.#target.flush()
    await this.#untilVisible(sorted, baseMs)
    return undefined
  }

  /** VictoriaMetrics finds new series a moment later. */
  async #untilVisible(samples: readonly ScriptSample[], baseMs: number): Promise<void> {
    // It stores no NaN, and no series that starts with a stale marker alone.
    const stored = samples.filter(({ value }) => typeof value !== 'number' || !Number.isNaN(value))
    const wanted = new Set(stored.map(({ labels }) => labels.key)).size
    if (wanted === 0) return
    const times = { fromMs: baseMs, toMs: baseMs + samples.at(-1)!.timeMs }
    const caller = { lane: 'requests', signal: undefined, timeoutMs: 10_000 } as const
    const all = [[{ name: '__name__', op: '!=', value: '' } as const]]
    await until('the series to be visible', async () => {
      const found = await listSeries(this.store, all, times, caller)
      return found.length >= wanted ? true : undefined
    })
  }
}

function requestOf(samples: readonly ScriptSample[], baseMs: number): Uint8Array {
  const request = new ProtobufWriter()
  for (const { labels, timeMs: atMs, value } of samples) {
    const series = request.open(1)
    request.raw(encodeLabels(labels))
    if (typeof value === 'object') request.bytes(4, histogramBytes(sentOf(value, baseMs + atMs)))
    else {
      const sample = request.open(2)
      const isStale = value === 'stale'
      writeSample(request, { timeMs: baseMs + atMs, value: isStale ? 0 : value, isStale })
      request.close(sample)
    }
    request.close(series)
  }
  return request.finish()
}

/** The query at times of the section; `undefined`: it cannot be parsed. */
function shifted(
  { kind, expr, startMs, endMs, stepMs }: ScriptQuery,
  baseMs: number,
): InstantQuery | RangeQuery | undefined {
  let text = expr
  try {
    const parsed = parseExpr(expr, { experimental: true })
    if (hasFixedTime(parsed)) text = formatExpr(withTimes(parsed, baseMs))
  } catch (thrown) {
    if (thrown instanceof FleetError) return undefined
    throw thrown
  }
  return kind === 'instant'
    ? { expr: text, timeMs: baseMs + startMs }
    : { expr: text, startMs: baseMs + startMs, endMs: baseMs + endMs, stepMs }
}

function hasFixedTime(expr: Expr): boolean {
  return ('at' in expr && expr.at.kind === 'time') || childrenOf(expr).some(hasFixedTime)
}

function withTimes<T>(value: T, baseMs: number): T {
  if (Array.isArray(value)) return value.map((one: unknown) => withTimes(one, baseMs)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]: [string, unknown]) => {
    const at = part as { kind?: string; timeMs?: number } | undefined
    return key === 'at' && at?.kind === 'time'
      ? [key, { kind: 'time', timeMs: at.timeMs! + baseMs }]
      : [key, withTimes(part, baseMs)]
  })
  return Object.fromEntries(entries) as T
}

type Outcome = QueryResult | string

async function outcomeOf(engine: LocalEngine, query: InstantQuery | RangeQuery): Promise<Outcome> {
  try {
    return await ('timeMs' in query ? engine.instant(query) : engine.range(query))
  } catch (thrown) {
    if (thrown instanceof FleetError) return `${thrown.code}: ${thrown.message}`
    throw thrown
  }
}

/** Points by series; histograms as text. */
type Points = ReadonlyMap<string, ReadonlyMap<number, number | string>>

function pointsOf({ value }: QueryResult): Points {
  switch (value.type) {
    case 'scalar':
      return new Map([['', new Map([[value.timeMs, value.value]])]])
    case 'string':
      return new Map([['', new Map([[value.timeMs, value.value]])]])
    case 'vector':
      return new Map(
        value.samples.map((one) => [
          one.labels.toString(),
          new Map([[one.timeMs, one.histogram === undefined ? one.value : histogramText(one.histogram)]]),
        ]),
      )
    case 'matrix':
      return new Map(
        value.series.map((one) => {
          const points: [number, number | string][] = Array.from(one.timesMs, (time, i) => [time, one.values[i]!])
          for (const [i, histogram] of (one.histograms ?? []).entries()) {
            points.push([one.histogramTimesMs![i]!, histogramText(histogram)])
          }
          return [one.labels.toString(), new Map(points)]
        }),
      )
  }
}

function histogramText(histogram: Histogram): string {
  const buckets = allBuckets(histogram)
    .filter(({ count }) => count !== 0)
    .map(({ lower, upper, count }) => `${lower.toPrecision(9)}..${upper.toPrecision(9)}:${count.toPrecision(9)}`)
  return `count ${histogram.count.toPrecision(9)} sum ${histogram.sum.toPrecision(9)} ${buckets.join(' ')}`
}

function areSame(a: QueryResult, b: QueryResult): boolean {
  if (a.value.type !== b.value.type) return false
  const [left, right] = [pointsOf(a), pointsOf(b)]
  if (left.size !== right.size) return false
  for (const [key, points] of left) {
    const others = right.get(key)
    if (others?.size !== points.size) return false
    for (const [time, value] of points) if (!areClose(value, others.get(time))) return false
  }
  return true
}

/** Sums of floats depend on their order, and VictoriaMetrics rounds values to 15 digits. */
const RELATIVE_ERROR = 1e-9

function areClose(a: number | string, b: number | string | undefined): boolean {
  if (typeof a !== 'number' || typeof b !== 'number') return a === b
  return Object.is(a, b) || a === b || Math.abs(a - b) <= Math.max(Math.abs(a), Math.abs(b)) * RELATIVE_ERROR
}

const SHOWN_CHARS = 400

function describe(outcome: Outcome): string {
  if (typeof outcome === 'string') return outcome
  const series = Array.from(pointsOf(outcome), ([key, points]) => `${key} => ${[...points.values()].join(' ')}`)
  return `${outcome.value.type} ${series.sort().join('; ')}`.slice(0, SHOWN_CHARS)
}
