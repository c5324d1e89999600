import { describe, expect, test } from 'vitest'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import type { QueryResult } from '../../src/promql/query-engine.ts'
import { openDatabaseForReading } from '../../src/store/database.ts'
import { HOUR_MS, MINUTE_MS, TempStore, type TestOptions } from './temp-store.ts'
import { listed } from '../support/portions.ts'

// When samples are gone and rollups are left: what is answered as before, and what is answered coarsely and says so.

const DAY_MS = 24 * HOUR_MS
const START_MS = 20_376 * DAY_MS
const DAYS = 12
const END_MS = START_MS + DAYS * DAY_MS
const OPTIONS: TestOptions = {
  flushEveryMs: 6 * HOUR_MS,
  outOfOrderMs: 0,
  compactToMs: [DAY_MS],
  retentionRawMs: 2 * DAY_MS,
  retention5mMs: 5 * DAY_MS,
  retention1hMs: 8 * DAY_MS,
  retention1dMs: 100 * DAY_MS,
}

/** A counter with restarts, one constant and one that stops with a stale marker, each two minutes. */
async function fill(options: TestOptions): Promise<TempStore> {
  const store = new TempStore(options, START_MS)
  const { appender } = store.writer
  for (let timeMs = START_MS + 2 * MINUTE_MS; timeMs <= END_MS; timeMs += 2 * MINUTE_MS) {
    const i = (timeMs - START_MS) / (2 * MINUTE_MS)
    appender.append(store.resolve({ __name__: 'x_total' }), timeMs, (i * 7) % 5000)
    appender.append(store.resolve({ __name__: 'up' }), timeMs, 1)
    if (timeMs < START_MS + 5.5 * DAY_MS) appender.append(store.resolve({ __name__: 'gone' }), timeMs, i % 9)
    if (timeMs === START_MS + 5.5 * DAY_MS) appender.appendStale(store.resolve({ __name__: 'gone' }), timeMs)
    if (timeMs % (6 * HOUR_MS) === 0) await store.writer.maintain(timeMs + 11 * MINUTE_MS)
  }
  await store.writer.maintain(END_MS + HOUR_MS)
  return store
}

async function ask(
  store: TempStore,
  expr: string,
  startMs: number,
  endMs: number,
  stepMs: number,
): Promise<QueryResult> {
  const engine = createLocalEngine({ queryable: store.reader, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
  return engine.range({ expr, startMs, endMs, stepMs })
}

/** The value and how often each tier has rows in blocks that end before a time. */
function rowsBefore(store: TempStore, timeMs: number): Record<string, number> {
  const db = openDatabaseForReading(store.options.dir)
  try {
    const rows = db
      .prepare<[number], { tier: number; rows: number }>(
        'SELECT tier, count(*) AS rows FROM rollup JOIN block ON block.id = block WHERE block.to_ms < ? GROUP BY tier',
      )
      .all(timeMs)
    const samples = db
      .prepare<[number], number>('SELECT count(*) FROM pack JOIN block ON block.id = block WHERE block.to_ms < ?')
      .pluck()
      .get(timeMs)
    return {
      samples: samples ?? 0,
      ...Object.fromEntries(rows.map(({ tier, rows: count }) => [`tier ${tier}`, count])),
    }
  } finally {
    db.close()
  }
}

describe('when samples are gone', () => {
  test('each tier goes after its own retention, and the series stays, on the disk when it has no samples', async () => {
    const store = await fill(OPTIONS)
    expect(rowsBefore(store, END_MS - 3.5 * DAY_MS)['samples']).toBe(0)
    expect(rowsBefore(store, END_MS - 6.5 * DAY_MS)).toEqual({ samples: 0, 'tier 4': 3, 'tier 8': 15 })
    expect(rowsBefore(store, END_MS)['samples']).toBeGreaterThan(0)
    expect(store.writer.stats()).toMatchObject({ seriesCount: 2, coldSeries: 1, rollups: { backlogBlocks: 0 } })
    const range = { fromMs: START_MS + DAY_MS, toMs: START_MS + 2 * DAY_MS }
    expect(listed(store.reader.labelValues('__name__', [], range))).toEqual(['gone', 'up', 'x_total'])
    const late = { fromMs: START_MS + 7 * DAY_MS, toMs: START_MS + 8 * DAY_MS }
    expect(listed(store.reader.labelValues('__name__', [], late))).toEqual(['up', 'x_total'])
  }, 60_000)

  test('windows and steps that fall on buckets are answered as before', async () => {
    const store = await fill(OPTIONS)
    const whole = await fill({ ...OPTIONS, retentionRawMs: 100 * DAY_MS })
    const cases = [
      ['increase(x_total[1h])', END_MS - 7 * DAY_MS, HOUR_MS],
      ['sum_over_time(x_total[1h])', END_MS - 7 * DAY_MS, HOUR_MS],
      ['rate(x_total[5m])', END_MS - 4 * DAY_MS, 5 * MINUTE_MS],
      ['{__name__=~"up|gone|x_total"}', END_MS - 7 * DAY_MS, HOUR_MS],
      ['max_over_time(gone[1d])', START_MS + DAY_MS, DAY_MS],
      ['changes(x_total[2d])', START_MS + 2 * DAY_MS, DAY_MS],
    ] as const
    for (const [expr, startMs, stepMs] of cases) {
      const got = await ask(store, expr, startMs, END_MS, stepMs)
      expect(got.infos, expr).toEqual([])
      expect(got.value, expr).toEqual((await ask(whole, expr, startMs, END_MS, stepMs)).value)
    }
  }, 60_000)

  test('others are answered from first and last samples, and say so', async () => {
    const store = await fill(OPTIONS)
    const startMs = END_MS - 4 * DAY_MS + 17_000
    const { value, infos } = await ask(store, 'x_total', startMs, startMs + HOUR_MS, 13 * MINUTE_MS)
    expect(infos).toEqual([
      'PromQL info: older samples have expired: the first and the last of each 5m represent them (1:1)',
    ])
    const { series } = value as { series: readonly { timesMs: Float64Array; values: Float64Array }[] }
    expect(series[0]!.timesMs).toHaveLength(5)
    // Each value is one of the series', at most one bucket old.
    series[0]!.timesMs.forEach((timeMs, i) => {
      const newest = Math.floor((timeMs - START_MS) / (2 * MINUTE_MS))
      const candidates = [0, 1, 2].map((back) => ((newest - back) * 7) % 5000)
      expect(candidates).toContain(series[0]!.values[i])
    })
    const now = await ask(store, 'x_total', END_MS - HOUR_MS + 17_000, END_MS, 13 * MINUTE_MS)
    expect(now.infos).toEqual([])
    const old = store.reader.select({
      matchers: [],
      fromMs: START_MS + 5 * DAY_MS,
      toMs: START_MS + 6 * DAY_MS,
      maxSamples: 1e6,
    })
    const gone = old.find((one) => one.labels.metricName === 'gone')!
    expect(gone.timesMs.at(-1)).toBe(START_MS + 5.5 * DAY_MS - 2 * MINUTE_MS + 1)
    await store.reopen(END_MS + HOUR_MS)
    expect((await ask(store, 'x_total', startMs, startMs + HOUR_MS, 13 * MINUTE_MS)).value).toEqual(value)
  }, 60_000)
})
