import { beforeEach, describe, expect, test } from 'vitest'
import type { Cancellation } from '../../src/base/cancellation.ts'
import { FleetError } from '../../src/base/errors.ts'
import { Labels } from '../../src/model/labels.ts'
import type { Queryable } from '../../src/model/queryable.ts'
import { createLocalEngine, type LocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS, type EngineOptions } from '../../src/promql/engine-options.ts'
import { MemoryPool } from '../../src/promql/memory-pool.ts'
import type { QueryEngine, QueryValue } from '../../src/promql/query-engine.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

const MINUTE_MS = 60_000
const START_MS = 1_700_000_040_000

let store: MemoryQueryable
let clockMs: number

const engineWith = (options: Partial<EngineOptions> = {}): QueryEngine =>
  createLocalEngine({ queryable: store, options: { ...DEFAULT_ENGINE_OPTIONS, ...options }, nowMs: () => clockMs })

beforeEach(() => {
  clockMs = 0
  store = new MemoryQueryable()
  for (let i = 0; i < 11; i++) {
    for (const cluster of ['west', 'east', 'north']) {
      store.append(Labels.of({ __name__: 'm_total', cluster }), START_MS + i * MINUTE_MS, i * cluster.length)
    }
  }
})

/** Of a store only what is asked of every one. */
function plain(queryable: Queryable): Queryable {
  return {
    select: (request) => queryable.select(request),
    series: (matchers, range) => queryable.series(matchers, range),
    labelNames: (matchers, range) => queryable.labelNames(matchers, range),
    labelValues: (name, matchers, range) => queryable.labelValues(name, matchers, range),
  }
}

const range = { startMs: START_MS, endMs: START_MS + 10 * MINUTE_MS, stepMs: MINUTE_MS }

async function rejection(promise: Promise<unknown>): Promise<FleetError> {
  const thrown: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(thrown).toBeInstanceOf(FleetError)
  return thrown as FleetError
}

function namesOf(value: QueryValue): string[] {
  const list = value.type === 'vector' ? value.samples : value.type === 'matrix' ? value.series : []
  return list.map(({ labels }) => labels.get('cluster'))
}

describe('results', () => {
  test('an instant vector has the time of the evaluation, not of the sample', async () => {
    const timeMs = START_MS + 90_000
    const { value } = await engineWith().instant({ expr: 'm_total{cluster="west"}', timeMs })
    expect(value).toEqual({
      type: 'vector',
      timeMs,
      samples: [{ labels: Labels.of({ __name__: 'm_total', cluster: 'west' }), value: 4, timeMs }],
    })
  })

  test('a range is sorted by labels, and has no points where there is no value', async () => {
    const { value } = await engineWith().range({ expr: 'm_total > 20', ...range })
    expect(namesOf(value)).toEqual(['east', 'north', 'west'])
    const north = value.type === 'matrix' ? value.series[1]! : undefined
    expect(Array.from(north!.timesMs)).toEqual([5, 6, 7, 8, 9, 10].map((i) => START_MS + i * MINUTE_MS))
    expect(Array.from(north!.values)).toEqual([25, 30, 35, 40, 45, 50])
  })

  test('sort orders an instant vector, by value and not by labels', async () => {
    const timeMs = range.endMs
    expect(namesOf((await engineWith().instant({ expr: 'sort_desc(m_total)', timeMs })).value)[0]).toBe('north')
    expect(namesOf((await engineWith().instant({ expr: 'bottomk(1, m_total)', timeMs })).value)).toHaveLength(1)
  })

  test('scalars and strings stay what they are; a scalar over a range is a series without labels', async () => {
    const timeMs = range.startMs
    expect((await engineWith().instant({ expr: '1 + 1', timeMs })).value).toEqual({ type: 'scalar', timeMs, value: 2 })
    expect((await engineWith().instant({ expr: '"x"', timeMs })).value).toEqual({ type: 'string', timeMs, value: 'x' })
    const { value } = await engineWith().range({ expr: 'time()', ...range, endMs: range.startMs + MINUTE_MS })
    expect(value).toEqual({
      type: 'matrix',
      series: [
        {
          labels: Labels.EMPTY,
          timesMs: Float64Array.of(START_MS, START_MS + MINUTE_MS),
          values: Float64Array.of(START_MS / 1000, START_MS / 1000 + 60),
        },
      ],
    })
  })

  test('an instant query may ask for a range vector', async () => {
    const timeMs = START_MS + 2 * MINUTE_MS
    const { value } = await engineWith().instant({ expr: 'm_total{cluster="west"}[2m]', timeMs })
    expect(value.type === 'matrix' && value.series.map(({ values }) => Array.from(values))).toEqual([[4, 8]])
  })

  test.each(['m_total[5m]', '"x"'])('a range query of %s is refused', async (expr) => {
    expect((await rejection(engineWith().range({ expr, ...range }))).message).toContain(
      'for range query, must be Scalar or instant Vector',
    )
  })

  test('a selector that stands twice is read once', async () => {
    await engineWith().range({ expr: 'sum(m_total) / count(m_total) + (m_total > 1 or m_total)', ...range })
    expect(store.selectCount).toBe(1)
  })

  test('what is fixed by @ is the same at every step, and follows the query and not the subquery', async () => {
    const expr = 'sum_over_time((m_total{cluster="west"} @ end())[2m:1m]) + 0 * m_total{cluster="west"}'
    const { value } = await engineWith().range({ expr, ...range })
    expect(value.type === 'matrix' && Array.from(new Set(value.series[0]!.values))).toEqual([80])
  })

  test('the samples of the store are not written to', async () => {
    const request = { matchers: [], fromMs: 0, toMs: range.endMs, maxSamples: 1e6 }
    const before = store.select(request).map(({ values }) => Array.from(values))
    await engineWith().range({
      expr: 'quantile_over_time(0.5, m_total[5m]) + -m_total + quantile(0.5, m_total)',
      ...range,
    })
    expect(store.select(request).map(({ values }) => Array.from(values))).toEqual(before)
  })

  test('it says what it read', async () => {
    const { stats } = await engineWith().instant({ expr: 'm_total[2m]', timeMs: range.endMs })
    expect(stats).toEqual({ samplesRead: 6, seriesRead: 3, evalMs: 0 })
  })

  test('the lookback may be overridden', async () => {
    const timeMs = range.endMs + 3 * MINUTE_MS
    const asked = async (lookbackMs: number): Promise<string[]> =>
      namesOf((await engineWith().instant({ expr: 'm_total', timeMs, lookbackMs })).value)
    expect(await asked(3 * MINUTE_MS)).toEqual([])
    expect(await asked(3 * MINUTE_MS + 1)).toHaveLength(3)
  })
})

describe('limits', () => {
  test('samples', async () => {
    const failure = await rejection(engineWith({ samplesMax: 32 }).range({ expr: 'm_total', ...range }))
    expect([failure.code, failure.message]).toEqual([
      'query_limit',
      'query processing would load too many samples into memory in query execution: limit is 32',
    ])
    await engineWith({ samplesMax: 33 }).range({ expr: 'm_total', ...range })
  })

  test('bytes of results', async () => {
    const failure = await rejection(engineWith({ resultBytesMax: 500 }).range({ expr: 'm_total + m_total', ...range }))
    expect(failure.code).toBe('query_limit')
    expect(failure.message).toContain('limit is 500')
  })

  test('time: the shorter of the two counts', async () => {
    const engine = createLocalEngine({
      queryable: store,
      options: { ...DEFAULT_ENGINE_OPTIONS, timeoutMs: 1000 },
      nowMs: () => (clockMs += 300),
    })
    const failure = await rejection(engine.range({ expr: 'm_total', ...range, timeoutMs: 10 }))
    expect([failure.code, failure.status]).toEqual(['query_timeout', 503])
    expect(failure.message).toContain('limit is 10 ms')
    expect((await rejection(engine.range({ expr: 'sum(m_total) + m_total', ...range }))).message).toContain('1000 ms')
  })

  test('an abort ends a query, before it begins and in the middle', async () => {
    const before = await rejection(engineWith().instant({ expr: '1', timeMs: 0 }, AbortSignal.abort()))
    expect(before.code).toBe('query_canceled')
    const controller = new AbortController()
    // Each look at the clock is 10 ms later, so the query soon gives the thread away, and the abort can arrive.
    const engine = createLocalEngine({
      queryable: store,
      options: DEFAULT_ENGINE_OPTIONS,
      nowMs: () => (clockMs += 10),
    })
    const running = engine.range({ expr: `sum(m_total)${' + sum(m_total)'.repeat(50)}`, ...range }, controller.signal)
    setImmediate(() => {
      controller.abort()
    })
    expect((await rejection(running)).code).toBe('query_canceled')
  })

  test('what is no PromQL is a rejection with a position', async () => {
    const failure = await rejection(engineWith().instant({ expr: 'sum(', timeMs: 0 }))
    expect([failure.code, failure.message]).toEqual(['query_parse', '1:5: parse error: unclosed left parenthesis'])
  })
})

describe('labels', () => {
  const all = { fromMs: 0, toMs: range.endMs }
  const byCluster = (value: string) => [{ name: 'cluster', op: '=' as const, value }]

  test('series of several selectors come once each, sorted', async () => {
    const series = await engineWith().series([byCluster('west'), byCluster('east'), byCluster('west')], all)
    expect(series.map((labels) => labels.get('cluster'))).toEqual(['east', 'west'])
  })

  test('names and values of all series when there is no selector', async () => {
    expect(await engineWith().labelNames([], all)).toEqual(['__name__', 'cluster'])
    expect(await engineWith().labelValues('cluster', [], all)).toEqual(['east', 'north', 'west'])
    expect(await engineWith().labelValues('cluster', [byCluster('west'), byCluster('east')], all)).toEqual([
      'east',
      'west',
    ])
  })

  test('exemplars of several selectors come series by series, once each, sorted; metadata as the store has it', async () => {
    const seriesOf = (cluster: string) => {
      const exemplars = [{ labels: Labels.of({ trace_id: cluster }), value: 1, timeMs: START_MS }]
      return { labels: Labels.of({ __name__: 'm_total', cluster }), exemplars }
    }
    const families = [{ name: 'm_total', metadata: [{ type: 'counter' as const, help: 'Ems.', unit: '' }] }]
    const queryable: Queryable = {
      ...plain(store),
      exemplars: ([matcher]) => [seriesOf(matcher!.value)],
      metadata: (name) => (name === undefined || name === 'm_total' ? families : []),
    }
    const engine = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
    const found = await engine.exemplars([byCluster('west'), byCluster('east'), byCluster('west')], all)
    expect(found).toEqual([seriesOf('east'), seriesOf('west')])
    expect(await engine.metadata()).toEqual(families)
    expect(await engine.metadata('n_total')).toEqual([])
  })

  test('a store that keeps neither exemplars nor metadata has none', async () => {
    expect(await engineWith().exemplars([byCluster('west')], all)).toEqual([])
    expect(await engineWith().metadata()).toEqual([])
  })

  test('a failure of the store is a rejection', async () => {
    const bad = [{ name: 'cluster', op: '=~' as const, value: '(' }]
    await expect(engineWith().series([bad], all)).rejects.toThrow('missing closing )')
  })
})

test('series of a range that have every step share their times, others have their own', async () => {
  store.append(Labels.of({ __name__: 'm_total', cluster: 'late' }), START_MS + 8 * MINUTE_MS, 1)
  const { value } = await engineWith().range({ ...range, expr: 'm_total', lookbackMs: MINUTE_MS })
  if (value.type !== 'matrix') throw new Error('a range is a matrix')
  const [east, late, north, west] = value.series
  expect([...east!.timesMs]).toEqual(Array.from({ length: 11 }, (_, i) => START_MS + i * MINUTE_MS))
  expect([north!.timesMs === east!.timesMs, west!.timesMs === east!.timesMs]).toEqual([true, true])
  expect([...late!.timesMs]).toEqual([START_MS + 8 * MINUTE_MS])
  // What two series share is sent to another thread once.
  const arrived = structuredClone(value.series.map(({ timesMs }) => timesMs))
  expect(arrived[2]).toBe(arrived[0])
})

describe('samples by step', () => {
  const counts = async (expr: string, steps?: Partial<typeof range>): Promise<number[]> => {
    const query = { expr, countsSteps: true }
    const engine = engineWith({ experimental: true })
    const at = { ...range, endMs: START_MS + 3 * MINUTE_MS, ...steps }
    const { stats } = await (steps === undefined
      ? engine.instant({ ...query, timeMs: START_MS + 3 * MINUTE_MS })
      : engine.range({ ...query, ...at }))
    return stats.samplesByStep!.map(({ samples }) => samples)
  }

  test.each([
    ['m_total', 3, [3, 3, 3, 3]],
    ['sum(m_total) + sum(m_total)', 6, [6, 6, 6, 6]],
    ['m_total @ end()', 3, [3, 3, 3, 3]],
    ['m_total offset 2m', 3, [0, 0, 3, 3]],
    ['rate(m_total[2m])', 6, [3, 6, 6, 6]],
    ['increase(m_total[2m] anchored)', 6, [3, 6, 6, 6]],
    ['max_over_time(sum(m_total)[2m:30s])', 4, [1, 3, 4, 4]],
    ['timestamp(m_total{cluster="west"})', 1, [1, 1, 1, 1]],
    ['absent_over_time(m_total[1m])', 3, [3, 3, 3, 3]],
    ['info(m_total)', 3, [3, 3, 3, 3]],
    ['1 + 2', 0, [0, 0, 0, 0]],
  ])('of %s', async (expr, instant, byStep) => {
    expect(await counts(expr)).toEqual([instant])
    expect(await counts(expr, {})).toEqual(byStep)
  })

  test('of samples themselves, and only when they are requested', async () => {
    expect(await counts('m_total[2m]')).toEqual([6])
    const { stats } = await engineWith().instant({ expr: 'm_total', timeMs: START_MS })
    expect(stats).not.toHaveProperty('samplesByStep')
  })
})

test('a sum of many terms is evaluated and explained', async () => {
  const expr = `m_total${' + m_total'.repeat(1900)}`
  const { value } = await engineWith().instant({ expr, timeMs: START_MS + MINUTE_MS })
  const sums = value.type === 'vector' ? value.samples.map((sample) => sample.value) : []
  expect(sums.sort()).toEqual([4 * 1901, 4 * 1901, 5 * 1901])
  const engine = createLocalEngine({ queryable: store, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
  expect((await engine.explain({ expr, ...range })).root.kind).toBe('binary')
})

test('series of many selectors yield the thread between selectors', async () => {
  let busyMs = 0
  const slow: Queryable = {
    ...plain(store),
    series: (matchers, times) => {
      busyMs += 30
      return store.series(matchers, times)
    },
  }
  const engine = createLocalEngine({ queryable: slow, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => busyMs })
  const of = (cluster: string) => [{ name: 'cluster', op: '=', value: cluster } as const]
  let turns = 0
  const answer = engine.series([of('west'), of('east'), of('west')], { fromMs: START_MS, toMs: range.endMs })
  setImmediate(() => turns++)
  expect((await answer).map((labels) => labels.get('cluster'))).toEqual(['east', 'west'])
  expect(turns).toBe(1)
})

describe('what one selector lists', () => {
  const PORTIONS = 6
  const labelsOf = (n: number): Labels => Labels.of({ __name__: 'm', n: String(n) })

  /** A store of which each portion takes 30 ms; counts those that are read. */
  function slowStore() {
    const seen = { portions: 0, busyMs: 0 }
    function* portions<T>(item: (n: number) => T): Generator<readonly T[]> {
      for (let n = 0; n < PORTIONS; n++) {
        seen.busyMs += 30
        seen.portions++
        yield [item(n), item(n + 1)]
      }
    }
    const slow: Queryable = {
      ...plain(store),
      series: () => portions(labelsOf),
      labelNames: () => portions(String),
      labelValues: () => portions(String),
      selectNewest: () =>
        portions((n) => ({
          ...{ ref: n + 1, labels: labelsOf(n), count: 1 },
          ...{ timesMs: Float64Array.of(1), values: Float64Array.of(n) },
        })),
    }
    const engine = createLocalEngine({ queryable: slow, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => seen.busyMs })
    return { engine, seen }
  }
  const all = { fromMs: 0, toMs: 1 }
  const selectors = [[{ name: '__name__', op: '=', value: 'm' } as const]]
  const CALLS = {
    series: (engine: LocalEngine, signal?: Cancellation) => engine.series(selectors, all, signal),
    labelNames: (engine: LocalEngine, signal?: Cancellation) => engine.labelNames(selectors, all, signal),
    labelValues: (engine: LocalEngine, signal?: Cancellation) => engine.labelValues('n', selectors, all, signal),
    newest: (engine: LocalEngine, signal?: Cancellation) => engine.newest(selectors, all, signal),
  }

  test.each(Object.entries(CALLS))('%s yields the thread between portions', async (_name, call) => {
    const { engine, seen } = slowStore()
    const turns: number[] = []
    const turn = (): void => {
      turns.push(seen.portions)
      if (seen.portions < PORTIONS) setImmediate(turn)
    }
    setImmediate(turn)
    expect(await call(engine)).toHaveLength(PORTIONS + 1)
    expect(turns.slice(0, PORTIONS)).toEqual([1, 2, 3, 4, 5, 6])
  })

  test.each(Object.entries(CALLS))('%s ends when the client left', async (_name, call) => {
    const { engine, seen } = slowStore()
    const signal = { aborted: false }
    setImmediate(() => (signal.aborted = true))
    await expect(call(engine, signal)).rejects.toMatchObject({ code: 'query_canceled' })
    expect(seen.portions).toBe(1)
  })

  test.each(Object.entries(CALLS))('%s counts in the memory of all queries', async (_name, call) => {
    const { seen } = slowStore()
    const pool = new MemoryPool(1000)
    const { engine: unlimited } = slowStore()
    await call(unlimited)
    function* many<T>(item: T): Generator<readonly T[]> {
      for (let i = 0; i < 10; i++) yield [item]
    }
    const labels = labelsOf(1)
    const columns = { ref: 1, labels, count: 1, timesMs: Float64Array.of(1), values: Float64Array.of(1) }
    const queryable: Queryable = {
      ...plain(store),
      series: () => many(labels),
      labelNames: () => many('x'),
      labelValues: () => many('x'),
      selectNewest: () => many(columns),
    }
    const engine = createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => seen.busyMs, pool })
    await expect(call(engine)).rejects.toMatchObject({ code: 'overloaded' })
  })
})
