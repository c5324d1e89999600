import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderHistogram, renderQueryAnswer } from '../../src/api/prometheus/answer-json.ts'
import { CUSTOM_BOUNDS, NO_BUCKETS, type Histogram } from '../../src/model/histogram.ts'
import { Labels } from '../../src/model/labels.ts'
import { bitsOf, isStaleAt } from '../../src/model/sample.ts'
import type { SeriesColumns } from '../../src/model/series.ts'
import { negativeBuckets, positiveBuckets } from '../../src/promql/histogram/buckets.ts'
import type { QueryResult, QueryValue } from '../../src/promql/query-engine.ts'
import { AnswerReader, type AnsweredSeries } from '../../src/remote/answer-reader.ts'
import { ReadAnswer, readRequest } from '../../src/remote/fetch-read.ts'
import { columnsOfSeries } from '../../src/remote/fetched-series.ts'
import { histogramOfJson } from '../../src/remote/histogram-json.ts'
import { JsonStream, JsonStreamError } from '../../src/remote/json-stream.ts'
import { cutSeries, mergedSeries } from '../../src/remote/merged-series.ts'
import { valueOf } from '../../src/remote/result-reader.ts'
import { anyHistogram, histogramOf } from '../support/histograms.ts'
import { FakeStore, storeAt, series } from './fake-store.ts'

/** A result as the API writes it, read again in chunks. */
function roundTrip(value: QueryValue, chunkBytes: number): QueryValue {
  const result: QueryResult = { value, warnings: ['w'], infos: [], stats: { samplesRead: 0, seriesRead: 0, evalMs: 0 } }
  const text = [...renderQueryAnswer(result, { limit: Infinity, stats: '{"samples":{"a":[1]}}', warnings: [] })].join(
    '',
  )
  const found: AnsweredSeries[] = []
  const limits = { seriesMax: 1e6, samplesMax: 1e6 }
  const reader = new AnswerReader({ list: 'result', ...limits, items: { series: (one) => found.push(one) } })
  const stream = new JsonStream(reader)
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += chunkBytes) stream.push(bytes.subarray(at, at + chunkBytes))
  stream.end()
  expect(reader.frame.warnings).toEqual(['w'])
  const timeMs = 'timeMs' in value ? value.timeMs : 0
  return valueOf(value.type, timeMs, found, reader.frame)
}

const labels = fc
  .dictionary(
    fc.constantFrom('__name__', 'a', 'b', '__proto__', 'metric', 'values', 'é'),
    fc.string({ minLength: 1, unit: 'grapheme' }),
  )
  .map((record) => Labels.fromPairs(Object.entries(record)))
const timesMs = (length: number): Float64Array => Float64Array.from({ length }, (_, i) => 1_787_220_000_000 + i * 1001)
const value = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(NaN, Infinity, -Infinity, -0, 1e-7))
const matrix = fc
  .uniqueArray(fc.record({ labels, values: fc.array(value, { minLength: 1, maxLength: 5 }) }), {
    selector: (one) => one.labels.key,
    maxLength: 6,
  })
  .map((list) =>
    list
      .map((one) => ({
        labels: one.labels,
        timesMs: timesMs(one.values.length),
        values: Float64Array.from(one.values),
      }))
      .sort((a, b) => (a.labels.key < b.labels.key ? -1 : 1)),
  )
const chunk = fc.integer({ min: 1, max: 200 })

describe('a result over the API is the same result', () => {
  test('matrix', () => {
    fc.assert(
      fc.property(matrix, chunk, (all, bytes) => {
        const got = roundTrip({ type: 'matrix', series: all }, bytes)
        const sorted = (one: QueryValue): unknown =>
          one.type === 'matrix'
            ? new Map(one.series.map((each) => [each.labels.key, [[...each.timesMs], [...each.values]]]))
            : one
        expect(sorted(got)).toEqual(sorted({ type: 'matrix', series: all }))
      }),
    )
  })

  test('vector, scalar and string', () => {
    fc.assert(
      fc.property(matrix, value, fc.string({ unit: 'grapheme' }), chunk, (all, number, text, bytes) => {
        const timeMs = 1_787_220_000_123
        const samples = all.map((one) => ({ labels: one.labels, value: one.values[0]!, timeMs }))
        for (const wanted of [
          { type: 'vector', timeMs, samples },
          { type: 'scalar', timeMs, value: number },
          { type: 'string', timeMs, value: text },
        ] as const) {
          expect(roundTrip(wanted, bytes)).toEqual(wanted)
        }
      }),
    )
  })

  test('native histograms, as far as the API shows them', () => {
    fc.assert(
      fc.property(anyHistogram, (histogram) => {
        // Of bounds that are no longer exact, and of a zero bucket that is as wide as the others, no schema can be found.
        const sides = [...negativeBuckets(histogram), ...positiveBuckets(histogram)]
        const bounds = sides.flatMap(({ lower, upper }) => [Math.abs(lower), Math.abs(upper)])
        const inner = Math.min(...bounds)
        fc.pre(bounds.every((bound) => (bound > 1e-300 && bound < 1e300) || histogram.schema === CUSTOM_BOUNDS))
        fc.pre(histogram.zeroThreshold === 0 || inner > histogram.zeroThreshold)
        const text = renderHistogram(histogram)
        const read = histogramOfJson(JSON.parse(text))
        const numbers = (json: string): number[] =>
          json.match(/[-+]?(?:Inf|NaN|[\d.]+(?:e[-+]?\d+)?)/g)!.map((one) => Number(one.replace('Inf', 'Infinity')))
        const [got, want] = [numbers(renderHistogram(read)), numbers(text)]
        expect(got.length).toBe(want.length)
        got.forEach((one, i) => {
          if (!Object.is(one, want[i])) expect(Math.abs(one - want[i]!)).toBeLessThanOrEqual(Math.abs(want[i]!) * 1e-9)
        })
      }),
      { numRuns: 300 },
    )
    const wanted = histogramOf(3)
    expect(histogramOfJson(JSON.parse(renderHistogram(wanted)))).toMatchObject({ schema: 0, positive: wanted.positive })
  })

  test.each([
    [{ count: '1' }],
    [{ count: '1', sum: 'x' }],
    [{ count: '1', sum: '1', buckets: 'x' }],
    [{ count: '1', sum: '1', buckets: [[0, '1', '2']] }],
    [undefined],
  ])('%j is not a histogram', (json) => {
    expect(() => histogramOfJson(json)).toThrow(JsonStreamError)
  })

  test('VictoriaMetrics has scalars as vectors, and none for NaN', () => {
    const one: AnsweredSeries = {
      labels: Labels.EMPTY,
      timesMs: timesMs(1),
      values: Float64Array.of(5),
      histogramTimesMs: [],
      histograms: [],
    }
    expect(valueOf('scalar', 1, [one], {})).toEqual({ type: 'scalar', timeMs: 1, value: 5 })
    expect(valueOf('scalar', 1, [], {})).toEqual({ type: 'scalar', timeMs: 1, value: NaN })
    expect(() => valueOf('scalar', 1, [one, one], {})).toThrow(JsonStreamError)
    expect(() => valueOf('string', 1, [], {})).toThrow(JsonStreamError)
  })
})

describe('raw samples', () => {
  const T0 = 1_787_220_000_000

  test('by remote read: values, stale markers and histograms', async () => {
    const fake = await new FakeStore().start()
    const store = storeAt(fake.url)
    const name = series('m', { a: 'é"\\' })
    fake.memory.append(name, T0, NaN)
    fake.memory.append(name, T0 + 1000, -0)
    fake.memory.appendHistogram(name, T0 + 2000, histogramOf(2))
    fake.memory.appendStale(name, T0 + 3000)
    for (let i = 4; i < 1000; i++) fake.memory.append(name, T0 + i * 1000, i)
    const request = {
      ...{
        matchers: [{ name: '__name__', op: '=~', value: 'm|n' } as const],
        fromMs: T0,
        toMs: T0 + 999_000,
        hasHistograms: false,
      },
      ...({ lane: 'requests', timeoutMs: 1000, signal: undefined, seriesMax: 1, samplesMax: 1000 } as const),
    }
    const [found] = await store.fetch(request)
    const [wanted] = fake.memory.select({ ...request, maxSamples: Infinity })
    expect(found).toMatchObject({ labels: wanted!.labels, count: 1000, timesMs: wanted!.timesMs })
    expect(found!.histograms![2]).toMatchObject({ count: histogramOf(2).count })
    expect(found!.histograms![3]).toBeUndefined()
    const bits = bitsOf(found!.values)
    expect([isStaleAt(bits, 0), isStaleAt(bits, 3), isStaleAt(bits, 4)]).toEqual([false, true, false])
    expect(Object.is(found!.values[1], -0)).toBe(true)
    expect(found!.values[999]).toBe(999)
    expect(store.counters.totals().samplesFetched).toBe(1000)
    await expect(store.fetch({ ...request, samplesMax: 999 })).rejects.toMatchObject({ code: 'query_limit' })
    fake.memory.append(series('n'), T0, 1)
    await expect(store.fetch(request)).rejects.toMatchObject({
      code: 'query_limit',
      message: expect.stringContaining('more than 1 series') as string,
    })
    fake.answers.set('/api/v1/read', (_, response) => {
      response.end('garbage')
    })
    await expect(store.fetch(request)).rejects.toMatchObject({ code: 'remote_unavailable' })
    store.close()
    await fake.stop()
  })

  test('a request has its times, and each kind of matcher', () => {
    const matchers = (['=', '!=', '=~', '!~'] as const).map((op) => ({ name: 'a', op, value: 'b' }))
    const bytes = Buffer.from(readRequest({ matchers, fromMs: -1, toMs: 5 })).toString('hex')
    // 08 from, 10 to, 1a matchers: 08 type, 12 name, 1a value.
    expect(bytes).toContain('08ffffffffffffffffff011005')
    for (const type of ['00', '01', '02', '03']) expect(bytes).toContain(`1a0808${type}1201611a0162`)
    expect(new ReadAnswer(new Uint8Array(0), 1, 1).series()).toEqual([])
  })

  test('by range selectors, where a store has no remote read', async () => {
    const fake = await new FakeStore().start()
    fake.answers.set('/api/v1/read', (_, response) => {
      response.statusCode = 404
      response.end()
    })
    fake.memory.append(series('m', { a: 'x' }), T0, 1)
    fake.memory.append(series('m', { a: 'x' }), T0 + 1000, 2)
    const store = storeAt(fake.url)
    const matchers = [{ name: '__name__', op: '=', value: 'm' } as const]
    const caller = {
      lane: 'requests',
      timeoutMs: 1000,
      signal: undefined,
      seriesMax: 9,
      samplesMax: 9,
      hasHistograms: false,
    } as const
    const [found] = await store.fetch({ matchers, fromMs: T0, toMs: T0 + 1000, ...caller })
    expect(found).toMatchObject({ count: 2, values: Float64Array.of(1, 2) })
    expect(fake.lastTo('/api/v1/query')?.params.get('query')).toBe('{__name__="m"}[1001ms]')
    const [cut] = await store.fetch({ matchers, fromMs: T0 + 1, toMs: T0 + 1000, ...caller })
    expect(cut).toMatchObject({ count: 1, values: Float64Array.of(2) })
    store.close()
    await fake.stop()
  })
})

describe('series that are joined', () => {
  const columns = (key: string, times: readonly number[], from = 0): SeriesColumns => ({
    ...{ ref: 0, labels: series('m', { key }), count: times.length },
    ...{ timesMs: Float64Array.from(times), values: Float64Array.from(times, (time) => time + from) },
  })

  test('in order of time, and of equal times the sample of the store', () => {
    const merged = mergedSeries(
      [columns('a', [1, 2, 4]), columns('b', [1])],
      [columns('a', [2, 3, 5], 100), columns('c', [9])],
    )
    expect(merged.map(({ labels: of, timesMs: times, values }) => [of.get('key'), [...times], [...values]])).toEqual([
      ['a', [1, 2, 3, 4, 5], [1, 2, 103, 4, 105]],
      ['b', [1], [1]],
      ['c', [9], [9]],
    ])
    const stored = [columns('a', [1])]
    expect(mergedSeries(stored, [])).toBe(stored)
  })

  test('and cut to a range, with both ends', () => {
    const one = columns('a', [1, 2, 3, 4])
    expect(cutSeries(one, 1, 4)).toBe(one)
    expect([...cutSeries(one, 2, 3)!.values]).toEqual([2, 3])
    expect([...cutSeries(one, 4, 9)!.values]).toEqual([4])
    expect(cutSeries(one, 5, 9)).toBeUndefined()
    expect(cutSeries(one, -1, 0)).toBeUndefined()
  })

  test('floats and histograms of one series', () => {
    const histogram: Histogram = { ...histogramOf(1), positive: NO_BUCKETS }
    const joined = columnsOfSeries(
      series('m'),
      { timesMs: Float64Array.of(1, 3), values: Float64Array.of(10, 30) },
      [2, 4],
      [histogram, histogram],
    )
    expect([...joined.timesMs]).toEqual([1, 2, 3, 4])
    expect(joined.histograms!.map((one) => one !== undefined)).toEqual([false, true, false, true])
    expect([joined.values[0], joined.values[2]]).toEqual([10, 30])
    const late = mergedSeries([joined], [{ ...columns('', [5]), labels: series('m') }])[0]!
    expect(late.histograms!.length).toBe(5)
    expect(cutSeries(joined, 2, 3)!.histograms!.map((one) => one !== undefined)).toEqual([true, false])
  })
})
