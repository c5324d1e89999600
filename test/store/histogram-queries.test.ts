import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import type { Queryable } from '../../src/model/queryable.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import type { QueryValue } from '../../src/promql/query-engine.ts'
import { histogramOf } from '../support/histograms.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { MINUTE_MS, NOW_MS, TempStore } from './temp-store.ts'

// Queries over native histograms that are stored must be answered as over those kept in plain memory: from the head, from
// packs and rows, after a restart, with floats, stale markers and late samples among them.

const EXPRESSIONS = [
  'm',
  'm offset 3m',
  'timestamp(m)',
  'rate(m[5m])',
  'increase(m[10m])',
  'resets(m[10m])',
  'changes(m[10m])',
  'count_over_time(m[5m])',
  'last_over_time(m[5m])',
  'sum_over_time(m[5m])',
  'present_over_time(m[3m])',
  'absent(m)',
  'sum(m{kind="histogram"})',
  'sum by (kind) (count_over_time(m[5m]))',
  'histogram_quantile(0.9, rate(m[5m]))',
  'histogram_count(m)',
  'topk(2, m)',
  'm{kind="float"} * 2',
  'increase(m{kind="float"}[5m])',
] as const

/** 0 is a float, 1 to 6 a histogram that grows or begins anew, 7 a stale marker, 8 nothing. */
const samples = fc.array(fc.nat(8), { minLength: 5, maxLength: 40 })
const KINDS = ['histogram', 'float', 'mixed'] as const

interface Written {
  readonly labels: Labels
  readonly timeMs: number
  readonly code: number
  readonly place: number
}

function isHistogram({ labels, code }: Written): boolean {
  const kind = labels.get('kind')
  return kind === 'histogram' ? code < 7 : kind === 'mixed' && code > 0 && code < 7
}

function write(store: TempStore, memory: MemoryQueryable, one: Written): void {
  const { labels, timeMs, code, place } = one
  const { appender } = store.writer
  const ref = appender.resolve(labels)!
  if (code === 8) return
  let outcome: number
  if (code === 7) {
    outcome = appender.appendStale(ref, timeMs)
    memory.appendStale(labels, timeMs)
  } else if (isHistogram(one)) {
    const histogram = histogramOf(code + 1, code === 6 ? 0 : place)
    outcome = appender.appendHistogram(ref, timeMs, histogram)
    memory.appendHistogram(labels, timeMs, histogram)
  } else {
    outcome = appender.append(ref, timeMs, place)
    memory.append(labels, timeMs, place)
  }
  expect(outcome).toBe(0)
}

/** Where there is a histogram, the value beside it means nothing. */
function plain(value: QueryValue): QueryValue {
  if (value.type !== 'vector') return value
  return { ...value, samples: value.samples.map((one) => (one.histogram === undefined ? one : { ...one, value: 0 })) }
}

function answers(queryable: Queryable, lastMs: number): Promise<readonly QueryValue[]> {
  const options = { ...DEFAULT_ENGINE_OPTIONS, rollupRunsMin: 0 }
  const engine = createLocalEngine({ queryable, options, nowMs: () => 0 })
  const range = { startMs: NOW_MS, endMs: lastMs, stepMs: 70_000 }
  return Promise.all(
    EXPRESSIONS.flatMap((expr) => [
      engine.range({ expr, ...range }).then(({ value }) => value),
      engine.instant({ expr, timeMs: lastMs }).then(({ value }) => plain(value)),
    ]),
  )
}

test(
  'queries over stored native histograms answer what they answer over plain memory',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(samples, fc.integer({ min: 0, max: 39 }), async (codes, flushAfter) => {
        const store = new TempStore({ outOfOrderMs: 10 * MINUTE_MS, flushEveryMs: MINUTE_MS })
        const memory = new MemoryQueryable()
        const all = codes.flatMap((code, place) =>
          KINDS.map((kind): Written => {
            return { labels: Labels.of({ __name__: 'm', kind }), timeMs: NOW_MS + place * MINUTE_MS, code, place }
          }),
        )
        // Each seventh sample of the mixed series comes three minutes late.
        const isLate = ({ labels, place }: Written): boolean => labels.get('kind') === 'mixed' && place % 7 === 6
        for (let place = 0; place < codes.length + 3; place++) {
          const due = all.filter((one) => one.place === (isLate(one) ? place - 3 : place))
          for (const one of due) write(store, memory, one)
          if (place !== flushAfter) continue
          await store.writer.appender.commit()
          await store.writer.maintain(NOW_MS + place * MINUTE_MS)
        }
        await store.writer.appender.commit()
        const lastMs = NOW_MS + codes.length * MINUTE_MS
        const want = await answers(memory, lastMs)
        expect(await answers(store.reader, lastMs)).toEqual(want)
        await store.reopen(lastMs)
        expect(await answers(store.reader, lastMs)).toEqual(want)
        await store.writer.maintain(lastMs + 60 * MINUTE_MS)
        expect(await answers(store.reader, lastMs)).toEqual(want)
        await store.close()
      }),
      { numRuns: 12, seed: 4 },
    )
  },
)
