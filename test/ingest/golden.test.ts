import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { receiveFaro, type FaroItems } from '../../src/ingest/faro.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import { Intake } from '../../src/ingest/intake.ts'
import { createRemoteWriteIngest, type WriteOutcome } from '../../src/ingest/remote-write.ts'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { CUSTOM_BOUNDS } from '../../src/model/histogram.ts'
import { bucketsOf } from '../support/histograms.ts'
import { MemoryAppender } from '../support/memory-appender.ts'

// Bodies that stock clients sent, and bodies generated from the upstream schemas with what should come of them. They
// are kept beside the project, not in it.
const GOLDEN = resolve(import.meta.dirname, '../../../shared/golden')
const MISSING = 'the stored request bodies are not beside the project'

const T0_MS = 1_787_220_000_000
const CAPTURED_MS = Date.parse('2026-11-21T10:00:00Z')
const CLUSTER = '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d'

function write(path: string, nowMs = T0_MS, appender = new MemoryAppender()): WriteOutcome {
  const ingest = createRemoteWriteIngest({ intake: new Intake(appender, INGEST_DEFAULTS) })
  const protocol = path.startsWith('rw/v2-') ? '2.0' : '1.0'
  return ingest.write(readFileSync(resolve(GOLDEN, path)), { nowMs, protocol })
}

interface ExpectedSeries {
  readonly labels: Record<string, string>
  readonly samples: readonly {
    readonly t: number
    readonly v: number | { readonly bits?: string; readonly value?: string; readonly stale?: boolean }
  }[]
}

describe.skipIf(!existsSync(GOLDEN))(`golden remote write bodies (skipped when ${MISSING})`, () => {
  test.each([
    ['rw/v1-samples.snappy', 204, 12, 5],
    ['rw/v1-metadata-only.snappy', 204, 0, 0],
    ['rw/empty.snappy', 204, 0, 0],
    ['rw/v1-exemplar-histogram.snappy', 204, 1, 4],
    ['rw/v1-out-of-order.snappy', 400, 5, 3],
    ['rw/v1-bad-labels.snappy', 400, 1, 1],
    ['rw/bad-framed.snappy', 400, 0, 0],
    ['rw/bad-length.snappy', 400, 0, 0],
    ['rw/bad-raw.pb', 400, 0, 0],
    ['rw/v2-full.snappy', 204, 3, 5],
    ['rw/v2-bad-ref.snappy', 400, 0, 0],
    ['rw/v2-bad-histogram.snappy', 400, 0, 1],
    ['rw/v2-odd-refs.snappy', 400, 0, 0],
    ['rw/v2-no-empty-symbol.snappy', 400, 0, 0],
  ])('%s is answered %i, takes %i samples into %i series', (path, status, samples, series) => {
    const appender = new MemoryAppender()
    const outcome = write(path, T0_MS, appender)
    expect(outcome).toMatchObject({ status, samplesTaken: samples })
    expect(outcome.message === '').toBe(outcome.refusals.length === 0)
    expect(appender.seriesCount).toBe(series)
  })

  test.each([
    ['rw/v2-bad-ref.snappy', 'label reference'],
    ['rw/v2-odd-refs.snappy', 'pairs of name and value'],
    ['rw/v2-no-empty-symbol.snappy', 'want an empty one'],
    ['rw/v2-bad-histogram.snappy', 'bad_histogram (1): got 12 in buckets, want the count, 99'],
  ])('%s is told what is wrong with it', (path, want) => {
    expect(write(path).message).toContain(want)
  })

  test('what 2.0 holds beside samples is counted', () => {
    const { written } = JSON.parse(readFileSync(resolve(GOLDEN, 'rw/v2-full.expected.json'), 'utf8')) as {
      readonly written: { readonly samples: number; readonly histograms: number; readonly exemplars: number }
    }
    expect(write('rw/v2-full.snappy')).toMatchObject({
      samplesTaken: written.samples,
      histogramsTaken: written.histograms,
      exemplarsTaken: written.exemplars,
      exemplarsIgnored: 0,
      refusals: [],
    })
  })

  test.each(['rw/v1-samples.snappy', 'captured/prom-2.42-rw1-samples.snappy'])(
    '%s, announced as 2.0, is recognised as 1.0 and takes nothing',
    (path) => {
      const appender = new MemoryAppender()
      const ingest = createRemoteWriteIngest({ intake: new Intake(appender, INGEST_DEFAULTS) })
      const outcome = ingest.write(readFileSync(resolve(GOLDEN, path)), { nowMs: T0_MS, protocol: '2.0' })
      expect(outcome).toMatchObject({ status: 400, samplesTaken: 0 })
      expect(outcome.message).toContain('a request of remote write 1.0')
      expect(appender.seriesCount).toBe(0)
    },
  )

  test('samples are kept value by value, bits included', () => {
    const appender = new MemoryAppender()
    write('rw/v1-samples.snappy', T0_MS, appender)
    const expected = JSON.parse(
      readFileSync(resolve(GOLDEN, 'rw/v1-samples.expected.json'), 'utf8'),
    ) as ExpectedSeries[]
    expect(appender.dump()).toEqual(
      expected.map(({ labels, samples }) => ({
        labels: { ...labels, cluster: CLUSTER },
        samples: samples.map(({ t, v }) => {
          if (typeof v === 'number') return { timeMs: t, value: v, isStale: false }
          return { timeMs: t, value: v.bits === undefined ? Number(v.value) : NaN, isStale: v.stale === true }
        }),
      })),
    )
  })

  test.each(['rw/v1-exemplar-histogram.snappy', 'rw/v2-full.snappy'])(
    'histograms of %s are what they should be',
    (path) => {
      const appender = new MemoryAppender()
      write(path, T0_MS, appender)
      const histograms = appender.dump().flatMap(({ samples }) => samples.flatMap(({ histogram }) => histogram ?? []))
      expect(histograms[0]).toMatchObject({
        positive: bucketsOf({ 0: 1, 1: 2, 3: 1, 4: 1 }),
        negative: bucketsOf({ 0: 2, 1: 3 }),
        zeroCount: 2,
        count: 12,
      })
      if (!path.includes('v2')) return
      expect(histograms[1]).toMatchObject({
        schema: CUSTOM_BOUNDS,
        customBounds: Float64Array.of(0.1, 0.5),
        positive: bucketsOf({ 0: 1, 1: 2, 2: 3 }),
      })
    },
  )

  test('exemplars and metadata are taken', () => {
    const appender = new MemoryAppender()
    expect(write('rw/v1-exemplar-histogram.snappy', T0_MS, appender)).toMatchObject({
      exemplarsTaken: 2,
      exemplarsIgnored: 0,
      histogramsTaken: 2,
    })
    expect(write('rw/v1-metadata-only.snappy', T0_MS, appender)).toMatchObject({ metadataIgnored: 0 })
    expect(appender.exemplars).toHaveLength(2)
    expect(appender.metadata.size).toBe(3)
  })

  test('of two values for one time the first stays, and older samples are welcome', () => {
    const appender = new MemoryAppender()
    expect(write('rw/v1-out-of-order.snappy', T0_MS, appender).refusals).toMatchObject([
      { reason: 'duplicate_sample', count: 1 },
    ])
    expect(appender.dump().map(({ samples }) => samples.map(({ value }) => value))).toEqual([[1, 2], [1], [9]])
  })

  test('bad label sets are refused one by one', () => {
    expect(write('rw/v1-bad-labels.snappy').refusals).toMatchObject([
      { reason: 'no_metric_name', count: 2 },
      { reason: 'repeated_label', count: 1 },
    ])
  })

  test.each(['captured/prom-2.42-rw1-samples.snappy', 'captured/prom-2.42-rw1-samples-next.snappy'])(
    '%s, really sent, is taken whole; its zero values are zeros and its last series only an exemplar',
    (path) => {
      const appender = new MemoryAppender()
      expect(write(path, CAPTURED_MS, appender)).toMatchObject({
        status: 204,
        samplesIn: 10,
        samplesTaken: 10,
        exemplarsTaken: 1,
        exemplarsIgnored: 0,
      })
      const metrics = appender.dump().map(({ labels }) => labels['__name__'])
      expect(metrics).toEqual(expect.arrayContaining(['up', 'scrape_duration_seconds', 'scrape_samples_scraped']))
      expect(appender.dump().some(({ samples }) => samples[0]!.value === 0)).toBe(true)
    },
  )

  test('two scrapes of one sender are the same series', () => {
    const appender = new MemoryAppender()
    const ingest = createRemoteWriteIngest({ intake: new Intake(appender, INGEST_DEFAULTS) })
    for (const name of ['samples', 'samples-next']) {
      ingest.write(readFileSync(resolve(GOLDEN, `captured/prom-2.42-rw1-${name}.snappy`)), { nowMs: CAPTURED_MS })
    }
    expect([appender.seriesCount, appender.sampleCount]).toEqual([10, 20])
  })

  test('metadata that was really sent is no fault', () => {
    const appender = new MemoryAppender()
    const outcome = write('captured/prom-2.42-rw1-metadata.snappy', CAPTURED_MS, appender)
    expect(outcome).toMatchObject({ status: 204, metadataIgnored: 0 })
    expect(appender.metadata.size).toBe(2)
  })
})

describe.skipIf(!existsSync(GOLDEN))(`golden faro bodies (skipped when ${MISSING})`, () => {
  function receive(path: string, nowMs: number): FaroItems {
    const outcome = receiveFaro(readFileSync(resolve(GOLDEN, path)), nowMs)
    if (outcome.kind !== 'accepted') throw new Error(outcome.message)
    return outcome.items
  }

  test('every kind of item is read', () => {
    const { records, refusals, spansIgnored } = receive('faro/payload.json', T0_MS)
    expect([refusals, spansIgnored]).toEqual([[], 1])
    expect(records.map(({ kind, type, message, timeMs }) => [kind, type, message, timeMs - T0_MS])).toEqual([
      ['exception', 'TypeError', "can't access property x", 0],
      ['log', 'warn', 'hello "world" a=b', 1],
      ['measurement', 'web-vitals', '', 2],
      ['measurement', 'custom', '', 3],
      ['event', 'session_start', '', 4],
      ['event', 'faro.performance.resource', '', 5],
    ])
    expect(records[0]).toMatchObject({
      stack: 'render (https://console.example/main.js:10:24) < ? (<anonymous>:0:0)',
      session: 'hZ3kQ9aL2p',
      pageUrl: 'https://console.example/k8s/vms',
      browser: 'Firefox 142.0',
      app: 'virt-console 4.21.0',
    })
    expect(records[2]).toMatchObject({ values: { lcp: 1234.5 }, attributes: { rating: 'good' } })
  })

  test('the smallest payload is read', () => {
    expect(receive('faro/minimal.json', T0_MS).records).toMatchObject([{ kind: 'log', type: 'info', message: 'm' }])
  })

  test('cut JSON is an error of decoding', () => {
    expect(() => receive('faro/bad.json', T0_MS)).toThrow(DecodeError)
  })

  test('a payload that was really sent is read, its odd `brands` and all', () => {
    const { records, refusals } = receive('captured/faro-2.12.1-jsdom.json', CAPTURED_MS)
    expect(refusals).toEqual([])
    expect(records.map(({ kind }) => kind)).toEqual(['exception', 'log', 'measurement', 'event', 'event'])
    expect(records.every(({ isTimeOurs, browser }) => !isTimeOurs && browser === 'WebKit 537.36')).toBe(true)
  })
})
