import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TimeRange } from '../../../src/model/time-range.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { openDatabase, openDatabaseForReading } from '../../../src/store/database.ts'
import type { FoundDamage } from '../../../src/store/integrity/damage.ts'
import { passOver, Scrub } from '../../../src/store/integrity/scrub.ts'
import { openReader } from '../../../src/store/reader.ts'
import { ANSWERS_FILE, unpackStoredData, type StoredAnswers } from '../../support/stored-data.ts'
import { HOUR_MS, MINUTE_MS, tempDir, TempStore } from '../temp-store.ts'
import {
  AFTER_MS,
  breakPage,
  execute,
  flipByte,
  flushedStore,
  FROM_MS,
  METRICS,
  SERIES,
  TO_MS,
} from './damaged-store.ts'

// Damage of one item is left out, reported, and does not stop the rest.

const DAY_MS = 24 * HOUR_MS

/** Samples by metric, and the missing times that the store reported. */
function read(store: TempStore, reader = store.reader): { counts: Record<string, number>; missing: TimeRange[] } {
  const missing: TimeRange[] = []
  const series = reader.select({
    ...{ matchers: [], fromMs: -Infinity, toMs: Infinity, maxSamples: 1e9 },
    missing: (times) => missing.push(times),
  })
  const counts: Record<string, number> = {}
  for (const { labels, count } of series) {
    const name = labels.get('__name__')
    counts[name] = (counts[name] ?? 0) + count
  }
  return { counts, missing }
}

/** What a whole pass of the scrub finds. */
function scrubbed(store: TempStore): FoundDamage[] {
  const db = openDatabaseForReading(store.options.dir)
  const found = [...passOver(db)].flat()
  db.close()
  return found
}

const PER_METRIC = SERIES * 240
const ALL = Object.fromEntries(METRICS.map((metric) => [metric, PER_METRIC]))
/** One pack: a metric in the two hours of a flush. */
const WITHOUT_ONE_PACK = { ...ALL, a: PER_METRIC / 2 }

describe('a damaged pack', () => {
  test('is left out of a read, which names the missing times, and is quarantined', async () => {
    const store = await flushedStore()
    expect(read(store)).toEqual({ counts: ALL, missing: [] })
    await store.reopen(AFTER_MS)
    flipByte(store, 'pack', 'payload', 'id = 1')
    const found: FoundDamage[] = []
    const reader = openReader(store.options, store.writer.share(), (one) => found.push(one))
    const { counts, missing } = read(store, reader)
    expect(counts).toEqual(WITHOUT_ONE_PACK)
    expect(new Set(missing.map(({ fromMs, toMs }) => `${fromMs} ${toMs}`)).size).toBe(1)
    expect(missing[0]!.fromMs).toBe(FROM_MS + MINUTE_MS)
    expect(missing[0]!.toMs).toBeLessThanOrEqual(FROM_MS + 2 * HOUR_MS)
    // Other times, and other metrics, miss nothing.
    const later: TimeRange[] = []
    const request = {
      fromMs: TO_MS - HOUR_MS,
      toMs: TO_MS,
      maxSamples: 1e9,
      missing: (at: TimeRange) => later.push(at),
    }
    reader.select({ ...request, matchers: [] })
    reader.select({ ...request, fromMs: 0, matchers: [{ name: '__name__', op: '=', value: 'b' }] })
    expect(later).toEqual([])

    expect(found).toMatchObject([{ kind: 'pack', id: 1 }])
    await store.writer.reportDamage(found)
    expect(store.writer.stats().damage).toMatchObject({ count: 1, kind: 'pack', fromMs: missing[0]!.fromMs })
    const db = openDatabaseForReading(store.options.dir)
    expect(db.prepare('SELECT id FROM pack WHERE block < 0').pluck().all()).toEqual([1])
    db.close()
    // Another reader is told, also of a store that is opened again.
    expect(read(store)).toMatchObject({ counts: WITHOUT_ONE_PACK, missing: [{ fromMs: missing[0]!.fromMs }] })
    reader.close()
    await store.reopen(AFTER_MS)
    expect(store.writer.stats().damage).toMatchObject({ count: 1 })
    expect(read(store)).toMatchObject({ counts: WITHOUT_ONE_PACK, missing: [{ fromMs: missing[0]!.fromMs }] })
  })

  test.each([
    ['samples', 'a', { startMs: FROM_MS + 61_000, endMs: FROM_MS + HOUR_MS, stepMs: 61_000 }],
    ['rollups', 'count_over_time(a[1h])', { startMs: FROM_MS + HOUR_MS, endMs: TO_MS, stepMs: HOUR_MS }],
    ['an instant', 'count_over_time(a[3h])', FROM_MS + 3 * HOUR_MS],
    ['the newest sample', 'a', FROM_MS + HOUR_MS],
  ] as const)('is named in a warning of a query: %s', async (_what, expr, range) => {
    const store = await flushedStore()
    flipByte(store, 'pack', 'payload', 'id = 1')
    await store.writer.reportDamage(scrubbed(store))
    const engine = createLocalEngine({ queryable: store.reader, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
    const result = await (typeof range === 'number'
      ? engine.instant({ expr, timeMs: range })
      : engine.range({ expr, ...range }))
    const from = new Date(FROM_MS + MINUTE_MS).toISOString()
    expect(result.warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^PromQL warning: samples of ${from} to .*Z are damaged and left out \\(1:\\d+\\)$`),
      ),
    ])
  })

  test('does not stop compaction and rollups: the rest is merged', async () => {
    const store = await flushedStore()
    await store.close()
    execute(store, 'DELETE FROM rollup; UPDATE block SET tiers = 1, stored = 1, is_rolled = 0')
    flipByte(store, 'pack', 'payload', 'id = 1')
    const merged = new TempStore({ ...store.options, compactToMs: [DAY_MS] }, AFTER_MS)
    await merged.writer.maintain(FROM_MS + 2 * DAY_MS)
    const { damage, compaction, rollups } = merged.writer.stats()
    expect(damage).toMatchObject({ count: 1, kind: 'pack' })
    expect([compaction.backlogBlocks, rollups.backlogBlocks]).toEqual([0, 0])
    expect(read(merged)).toMatchObject({ counts: WITHOUT_ONE_PACK, missing: [{ fromMs: FROM_MS + MINUTE_MS }] })
  })

  test('goes with its retention, and with it the report', async () => {
    const store = await flushedStore()
    flipByte(store, 'pack', 'payload', 'id = 1')
    await store.writer.reportDamage(scrubbed(store))
    expect(store.writer.stats().damage).toMatchObject({ count: 1 })
    await store.writer.maintain(TO_MS + store.options.retentionRawMs + DAY_MS)
    expect(store.writer.stats().damage).toBeUndefined()
    expect(openDatabase(store.options.dir).prepare('SELECT count(*) FROM pack').pluck().get()).toBe(0)
  })

  test('of a version without checksums is found by its form', async () => {
    const store = await flushedStore()
    execute(store, `UPDATE pack SET payload = x'ff' WHERE id = 1`)
    await store.reopen(AFTER_MS)
    expect(read(store).counts).toEqual(WITHOUT_ONE_PACK)
  })

  test('that is another row by now is not quarantined', async () => {
    const store = await flushedStore()
    await store.writer.reportDamage([{ kind: 'pack', id: 1, message: 'damaged' }])
    expect(store.writer.stats().damage).toBeUndefined()
    expect(read(store)).toEqual({ counts: ALL, missing: [] })
  })
})

test('a damaged rollup is left out of buckets, and of the next merge', async () => {
  const store = await flushedStore()
  await store.reopen(AFTER_MS)
  flipByte(store, 'rollup', 'edges', 'tier = 2 AND id = (SELECT min(id) FROM rollup WHERE tier = 2)')
  const missing: TimeRange[] = []
  const request = {
    matchers: [],
    ...{ fromMs: FROM_MS, toMs: TO_MS, alignMs: 5 * MINUTE_MS, bucketsMax: 1e9 },
    parts: { extremes: true, sums: true },
    missing: (times: TimeRange) => missing.push(times),
  }
  const selection = store.reader.selectRollup(request)!
  let rows = 0
  selection.readBuckets(0, selection.rows.length, () => rows++)
  expect(rows).toBe(120)
  expect(missing.length).toBeGreaterThan(0)
  await store.writer.reportDamage(scrubbed(store))
  expect(store.writer.stats().damage).toMatchObject({ count: 1, kind: 'rollup' })
  await store.close()
  const merged = new TempStore({ ...store.options, compactToMs: [DAY_MS] }, AFTER_MS)
  await merged.writer.maintain(FROM_MS + 2 * DAY_MS)
  expect(merged.writer.stats().compaction.backlogBlocks).toBe(0)
  expect(merged.writer.stats().damage).toMatchObject({ count: 1 })
})

describe('a broken page in the middle of the file', () => {
  test.each(['leaf', 'overflow'] as const)(
    'of packs (%s) is isolated: the server starts and serves the rest',
    async (type) => {
      const store = await flushedStore()
      await store.close()
      breakPage(store, 'pack', type)
      const broken = new TempStore(store.options, AFTER_MS)
      const { counts, missing } = read(broken)
      expect(missing.length).toBeGreaterThan(0)
      const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
      expect(total).toBeGreaterThan(0)
      expect(total).toBeLessThan(METRICS.length * PER_METRIC)
      const found = scrubbed(broken)
      expect(found.length).toBeGreaterThan(0)
      await broken.writer.reportDamage(found, true)
      expect(broken.writer.stats().damage?.count).toBeGreaterThan(0)
      // It takes samples and commits as before.
      broken.writer.appender.append(broken.resolve({ __name__: 'new' }), AFTER_MS, 1)
      await broken.writer.commit()
      expect(read(broken).counts['new']).toBe(1)
      // Retention cannot remove the rows of a broken leaf; the flush after it is done all the same.
      const { flushesDone } = broken.writer.stats()
      const failing = broken.writer.maintain(TO_MS + broken.options.retentionRawMs + DAY_MS)
      if (type === 'leaf') await expect(failing).rejects.toMatchObject({ code: 'storage_failed' })
      else await failing.catch(() => undefined)
      expect(broken.writer.stats().flushesDone).toBe(flushesDone + 1)
    },
  )

  test('of an index is found, and told until it is repaired', async () => {
    const store = await flushedStore()
    await store.writer.facts.audit.list(1)
    await store.close()
    breakPage(store, 'alert_run_fired')
    const broken = new TempStore(store.options, AFTER_MS)
    expect(read(broken)).toEqual({ counts: ALL, missing: [] })
    const found = scrubbed(broken)
    expect(found.map(({ kind }) => kind)).toContain('pages of alert_run')
    await broken.writer.reportDamage(found, true)
    expect(broken.writer.stats().damage).toMatchObject({ count: found.length, fromMs: undefined, toMs: undefined })
    await broken.writer.reportDamage([], true)
    expect(broken.writer.stats().damage).toBeUndefined()
  })
})

describe('the scrub', () => {
  test('finds nothing in data of the baseline, nor after it was migrated and written again', async () => {
    const dir = tempDir()
    unpackStoredData(dir)
    const { nowMs } = JSON.parse(readFileSync(ANSWERS_FILE, 'utf8')) as StoredAnswers
    const store = new TempStore({ dir }, nowMs)
    await store.writer.maintain(nowMs + 4 * HOUR_MS)
    expect(scrubbed(store)).toEqual([])
  })

  test('goes through everything in steps, and begins anew', async () => {
    const store = await flushedStore()
    flipByte(store, 'pack', 'directory', 'id = 2')
    const scrub = new Scrub(store.options.dir)
    for (const pass of [1, 2]) {
      const found: FoundDamage[] = []
      for (let isPassEnd = false; !isPassEnd;) {
        const step = scrub.step()
        found.push(...step.found)
        isPassEnd = step.isPassEnd
      }
      expect([pass, found]).toMatchObject([pass, [{ kind: 'pack', id: 2 }]])
    }
    scrub.close()
  })

  test('finds a changed byte in each encoded column, and nothing else', async () => {
    const dir = tempDir()
    unpackStoredData(dir)
    const { nowMs } = JSON.parse(readFileSync(ANSWERS_FILE, 'utf8')) as StoredAnswers
    const store = new TempStore({ dir, checkpointLogBytes: 1, checkpointEveryMs: 0 }, nowMs)
    // New packs, rollups and states, and then a checkpoint.
    await store.writer.maintain(nowMs + 4 * HOUR_MS)
    store.writer.appender.append(store.resolve({ __name__: 'up' }), nowMs + 4 * HOUR_MS, 1)
    await store.writer.maintain(nowMs + 4 * HOUR_MS)
    await store.close()
    COLUMNS.forEach(([table, column, key], i) => {
      const offset = COLUMNS.slice(0, i).filter(([other]) => other === table).length
      const newest = `SELECT ${key} FROM ${table} ORDER BY ${key} DESC LIMIT 1 OFFSET ${offset}`
      flipByte(store, table, column, `${key} = (${newest})`)
    })
    expect(scrubbed(store).map(({ kind }) => kind)).toEqual(COLUMNS.map(([table]) => table))
  })
})

/** By table in the order of a pass: the column, and what rows are found by. */
const COLUMNS = [
  ...[
    ['pack', 'payload', 'id'],
    ['pack', 'directory', 'id'],
  ],
  ...[
    ['rollup', 'edges', 'id'],
    ['rollup', 'extremes', 'id'],
    ['rollup', 'sums', 'id'],
  ],
  ['histogram_pack', 'payload', 'ref * 1000000000000000 + from_ms'],
  ['series_batch', 'series', 'last_ref'],
  ['series_state', 'states', 'page'],
  ['log', 'payload', 'id'],
  ['head_part', 'payload', 'part'],
  ['trace_part', 'payload', 'id'],
  ['object_state', 'facts', 'object * 281474976710656 + hash'],
  ['log_record', 'payload', 'hash'],
] as [string, string, string][]

test('a damaged checkpoint of the head costs nothing: the log has it all', async () => {
  const store = new TempStore({ checkpointLogBytes: 1, checkpointEveryMs: 0 })
  for (let i = 0; i < 100; i++)
    store.writer.appender.append(store.resolve({ __name__: 'up', i: String(i) }), AFTER_MS, i)
  await store.writer.maintain(AFTER_MS)
  const before = store.all()
  await store.close()
  flipByte(store, 'head_part', 'payload', '1')
  await store.reopen(AFTER_MS)
  expect(store.all()).toEqual(before)
})

test.each([
  ['series_batch', 'series'],
  ['series_state', 'states'],
  ['log', 'payload'],
])('a changed byte in %s is refused at the start, with a hint', async (table, column) => {
  const store = await flushedStore()
  store.writer.appender.append(store.resolve({ __name__: 'up' }), AFTER_MS, 1)
  await store.close()
  flipByte(store, table, column, '1')
  expect(() => new TempStore(store.options, AFTER_MS)).toThrow(
    expect.objectContaining({ code: 'storage_failed', hint: expect.stringContaining('daytwo doctor') as string }),
  )
})
