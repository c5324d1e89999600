import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import type { Queryable } from '../../src/model/queryable.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { QueryEngine, QueryResult } from '../../src/promql/query-engine.ts'
import { HOUR_MS, MINUTE_MS, NOW_MS, TempStore } from '../store/temp-store.ts'

/** The path over runs against the plain one, which asks the same store for sample columns: answers are the same bits. */

const SCRAPE_MS = 30_000

/** One stretch of a series' life: so many scrapes of one kind. */
interface Stretch {
  readonly kind: 'constant' | 'counter' | 'gauge' | 'gap' | 'stale' | 'odd'
  readonly scrapes: number
  readonly value: number
  /** Scrapes are so much apart. */
  readonly everyMs: number
}

const stretch: fc.Arbitrary<Stretch> = fc.record({
  kind: fc.constantFrom<Stretch['kind']>('constant', 'counter', 'gauge', 'gap', 'stale', 'odd'),
  scrapes: fc.integer({ min: 1, max: 60 }),
  value: fc.constantFrom(0, -0, 1, 3, 0.1, 0.5, -7.25, 1e15, 2 ** 53, 1e308, -1e308, Infinity, NaN),
  everyMs: fc.constantFrom(SCRAPE_MS, SCRAPE_MS, MINUTE_MS, 7 * MINUTE_MS, 1234),
})

const RANGE_FUNCTIONS = [
  ...['rate', 'increase', 'delta', 'idelta', 'irate', 'resets', 'changes', 'deriv'],
  ...['sum', 'avg', 'min', 'max', 'count', 'first', 'last', 'present', 'stdvar', 'absent'].map(
    (one) => `${one}_over_time`,
  ),
]

const QUERIES = [
  'm',
  'm offset 3m',
  'm @ end()',
  'timestamp(m)',
  'm > 2',
  'sum by (group) (m)',
  'avg without (series) (m)',
  'count by (group) (m == 1) / ignoring (group) group_left count(m == 1)',
  'm * on (series) group_left (version) info',
  'm unless on (group) (m offset 5m > 3)',
  'm - m offset 5m',
  'topk(2, m)',
  'quantile_over_time(0.3, m[7m])',
  'predict_linear(m[9m], 60)',
  'max_over_time(sum by (group) (m)[20m:3m])',
  ...RANGE_FUNCTIONS.map((name) => `${name}(m[5m])`),
  ...RANGE_FUNCTIONS.map((name) => `${name}(m[47s])`),
  'sum by (group) (rate(m[17m]))',
  'increase(m[1h] offset 1m)',
  // Experiments.
  ...['mad', 'ts_of_first', 'ts_of_last', 'ts_of_max', 'ts_of_min'].map((one) => `${one}_over_time(m[5m])`),
  'double_exponential_smoothing(m[5m], 0.3, 0.6)',
  ...['rate', 'increase', 'delta', 'changes', 'resets'].map((name) => `${name}(m[7m] anchored)`),
  ...['rate', 'increase', 'delta'].map((name) => `${name}(m[47s] smoothed)`),
  'm smoothed offset 17s',
  'm + fill (1) (m > 1)',
  'count_over_time(m[step() * 2] offset (step() / 2))',
  'limit_ratio(0.5, m)',
  'info(m * 2, {__name__="info"})',
]

const seriesLabels = (series: number): Labels =>
  Labels.of({ __name__: 'm', series: `s${series}`, group: `g${series % 3}` })

/** Appends all stretches of all series in order of time, some samples late; answers the time of the last scrape. */
async function fill(store: TempStore, lives: readonly (readonly Stretch[])[], lateEvery: number): Promise<number> {
  let endMs = NOW_MS
  const late: [ref: number, timeMs: number, value: number][] = []
  const { appender } = store.writer
  lives.forEach((stretches, series) => {
    const ref = store.resolve(seriesLabels(series).toObject())
    let timeMs = NOW_MS
    let nth = 0
    for (const { kind, scrapes, value, everyMs } of stretches) {
      for (let i = 0; i < scrapes; i++) {
        timeMs += everyMs
        if (kind === 'gap') continue
        if (kind === 'stale') {
          if (i === 0) appender.appendStale(ref, timeMs)
          continue
        }
        const moved = kind === 'counter' ? value + i : kind === 'gauge' ? value * ((i * 7) % 5) : value
        const sample = kind === 'odd' && i % 3 === 0 ? NaN : moved
        if (++nth % lateEvery === 0) late.push([ref, timeMs, sample])
        else appender.append(ref, timeMs, sample)
      }
    }
    endMs = Math.max(endMs, timeMs)
  })
  for (const [ref, timeMs, value] of late) appender.append(ref, timeMs, value)
  await appender.commit()
  return endMs
}

function enginesOf(store: TempStore): readonly [QueryEngine, QueryEngine] {
  const { reader } = store
  const plain: Queryable = {
    select: (request) => reader.select(request),
    series: (matchers, range) => reader.series(matchers, range),
    labelNames: (matchers, range) => reader.labelNames(matchers, range),
    labelValues: (name, matchers, range) => reader.labelValues(name, matchers, range),
  }
  const engineOf = (queryable: Queryable): QueryEngine =>
    createLocalEngine({ queryable, options: { ...DEFAULT_ENGINE_OPTIONS, experimental: true }, nowMs: () => 0 })
  return [engineOf(reader), engineOf(plain)]
}

/** The answer with the bits of its values, in an order of its own. */
function bitsOf({ value, warnings, infos }: QueryResult): unknown {
  const words = (values: ArrayLike<number>): string => Buffer.from(Float64Array.from(values).buffer).toString('hex')
  const rows =
    value.type === 'vector'
      ? value.samples.map((sample) => `${sample.labels.toString()} ${words([sample.value])}`)
      : value.type === 'matrix'
        ? value.series.map((one) => `${one.labels.toString()} ${words(one.timesMs)} ${words(one.values)}`)
        : []
  return { rows: rows.sort(), warnings, infos }
}

async function outcome(ask: Promise<QueryResult>): Promise<unknown> {
  return ask.then(bitsOf, (thrown: unknown) => String(thrown))
}

test('over runs, every query answers what it answers over samples', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(stretch, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 7 }),
      fc.record({
        lateEvery: fc.constantFrom(5, 1000),
        flushAfterMs: fc.constantFrom(0, 20 * MINUTE_MS, 4 * HOUR_MS),
        fromShare: fc.double({ min: -0.1, max: 1, noNaN: true }),
        stepMs: fc.constantFrom(1000, SCRAPE_MS, MINUTE_MS, 7 * MINUTE_MS, HOUR_MS),
        steps: fc.integer({ min: 2, max: 40 }),
      }),
      async (lives, { lateEvery, flushAfterMs, fromShare, stepMs, steps }) => {
        const store = new TempStore({
          outOfOrderMs: 30 * MINUTE_MS,
          flushEveryMs: 10 * MINUTE_MS,
          compactToMs: [HOUR_MS],
        })
        const endMs = await fill(store, lives, lateEvery)
        lives.forEach((_, series) => {
          const version = `v${series % 2}`
          const info = Labels.of({ __name__: 'info', series: `s${series}`, version })
          store.writer.appender.append(store.resolve(info.toObject()), endMs, 1)
        })
        await store.writer.appender.commit()
        if (flushAfterMs > 0) await store.writer.maintain(endMs + flushAfterMs)
        const [fast, plain] = enginesOf(store)
        const startMs = NOW_MS + Math.floor(((endMs - NOW_MS) * fromShare) / 1000) * 1000
        for (const expr of QUERIES) {
          const range = { expr, startMs, endMs: startMs + (steps - 1) * stepMs, stepMs }
          expect(await outcome(fast.range(range)), expr).toEqual(await outcome(plain.range(range)))
          const timeMs = range.endMs
          expect(await outcome(fast.instant({ expr, timeMs })), expr).toEqual(
            await outcome(plain.instant({ expr, timeMs })),
          )
        }
        await store.close()
      },
    ),
    { numRuns: 15 },
  )
})
