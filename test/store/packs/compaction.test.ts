import { describe, expect, test } from 'vitest'
import { BlockRows, type BlockRow } from '../../../src/store/packs/blocks.ts'
import { Compaction, groupsToCompact } from '../../../src/store/packs/compaction.ts'
import { openDatabase, openDatabaseForReading } from '../../../src/store/database.ts'
import { DamageList } from '../../../src/store/integrity/damage.ts'
import { STORE_DEFAULTS } from '../../../src/store/options.ts'
import { RollupRows } from '../../../src/store/rollups/rollup-rows.ts'
import { HOUR_MS, MINUTE_MS, TempStore, type TestOptions } from '../temp-store.ts'
import { listed } from '../../support/portions.ts'

const DAY_MS = 24 * HOUR_MS
/** Midnight: windows are counted from the epoch. */
const START_MS = 20_376 * DAY_MS
const WINDOWS = { ...STORE_DEFAULTS, compactToMs: [DAY_MS, 8 * DAY_MS], retentionRawMs: 30 * DAY_MS }

describe('which blocks are compacted', () => {
  /**
   * Blocks as `level@cut in hours`, `o` for open, `u` for not rolled up, `-` for without their samples, `>id` for begun;
   * ids and positions count from 1.
   */
  const blocksOf = (text: string): BlockRow[] =>
    text
      .split(' ')
      .filter((part) => part !== '')
      .map((part, i) => {
        const [, level, hours, sign, into] = /^(\d)@(\d+)([ou-]?)(?:>(\d+))?$/.exec(part)!
        const tiers = sign === '-' ? 14 : sign === '' ? 15 : 1
        return {
          id: i + 1,
          level: Number(level),
          position: i + 1,
          cutMs: Number(hours) * HOUR_MS,
          fromMs: 0,
          toMs: 0,
          isOpen: sign === 'o' ? 1 : 0,
          intoBlock: into === undefined ? null : Number(into),
          tiers,
          stored: tiers,
          isRolled: tiers === 1 ? 0 : 1,
        }
      })

  test.each([
    ['', '', 'none'],
    ['0@8 0@16 0@22', '', 'a day that is not over'],
    ['0@8 0@16 0@24', '1:1,2,3', 'a day that is over; midnight is part of it'],
    ['0@8 0@16 0@26', '1:1,2', 'and not what comes after it'],
    ['0@8 0@30 0@50', '1:1 1:2', 'each day for itself'],
    ['0@8 0@16o 0@26', '1:1', 'not an open one, nor over it'],
    ['0@8 0@16o 0@24 0@30', '1:1 1:3', 'not over an open one'],
    ['0@8 0@16u 0@26', '1:1', 'not one that is not rolled up'],
    ['0@8- 0@16 0@24 0@30-', '', 'not one with samples and one without, until all are without'],
    ['1@24 1@48 0@50', '', 'days wait for eight of them'],
    ['1@24 1@192 0@194', '2:1,2', 'eight days that are over'],
    ['0@8>3 0@16>3 1@24 0@50', '1:1,2>3', 'one that was begun goes on; its target is not a source'],
    ['0@8>9 0@16>9 0@50', '1:1,2', 'one whose target is gone begins anew'],
    ['2@192 1@216 0@220 0@250', '1:3', 'not levels that are done'],
  ])('%s: %s (%s)', (blocks, expected) => {
    const groups = groupsToCompact(blocksOf(blocks), WINDOWS)
    const text = groups.map(({ level, sources, target }) => {
      const begun = target === undefined ? '' : `>${target}`
      return `${level}:${sources.map((source) => source.id).join(',')}${begun}`
    })
    expect(text.join(' ')).toBe(expected)
  })

  test('a window wider than a third of the retention is not used', () => {
    const blocks = blocksOf('0@8 0@16 0@26')
    expect(groupsToCompact(blocks, { ...WINDOWS, retentionRawMs: 3 * DAY_MS })).toHaveLength(1)
    expect(groupsToCompact(blocks, { ...WINDOWS, retentionRawMs: 3 * DAY_MS - 1 })).toEqual([])
    const withoutSamples = blocksOf('0@8- 0@16- 0@26-')
    expect(groupsToCompact(withoutSamples, { ...WINDOWS, retentionRawMs: DAY_MS })).toHaveLength(1)
    expect(groupsToCompact(withoutSamples, { ...WINDOWS, retention1hMs: DAY_MS })).toEqual([])
  })
})

interface BlockLine {
  readonly level: number
  readonly packs: number
}

function blockLines(store: TempStore): readonly BlockLine[] {
  const db = openDatabaseForReading(store.options.dir)
  try {
    return db
      .prepare<[], BlockLine>(
        'SELECT level, (SELECT count(*) FROM pack WHERE block = block.id) AS packs FROM block ORDER BY position',
      )
      .all()
  } finally {
    db.close()
  }
}

const OPTIONS: TestOptions = { flushEveryMs: 6 * HOUR_MS, outOfOrderMs: 0, retentionRawMs: 60 * DAY_MS }

/** Series that are constant, that change, that come and that go; each ten minutes. Flushed, and compacted if allowed. */
async function fill(store: TempStore, days: number): Promise<void> {
  for (let atMs = START_MS; atMs < START_MS + days * DAY_MS; atMs += 10 * MINUTE_MS) {
    const hour = Math.floor((atMs - START_MS) / HOUR_MS)
    const append = (name: string, cluster: string, value: number): void => {
      store.writer.appender.append(store.resolve({ __name__: name, cluster }), atMs, value)
    }
    for (let i = 0; i < 3; i++) {
      append('constant', `c${i}`, 1)
      append('changing', `c${i}`, hour * i + atMs / 7)
    }
    append('daily', `day-${Math.floor(hour / 24)}`, hour / 10)
    if (hour % 5 === 0) append('gaps', 'c0', 2)
    if (atMs % (6 * HOUR_MS) === 0) await store.writer.maintain(atMs)
  }
  await store.writer.maintain(START_MS + days * DAY_MS + HOUR_MS)
}

describe('compaction', () => {
  test('makes few blocks of many, and every sample stays as it was', async () => {
    const plain = new TempStore({ ...OPTIONS, compactToMs: [] })
    await fill(plain, 20)
    const store = new TempStore(OPTIONS)
    await fill(store, 20)
    expect(blockLines(plain).length).toBeGreaterThan(75)
    expect(blockLines(store).length).toBeLessThan(16)
    expect(blockLines(store).some(({ level }) => level === 2)).toBe(true)
    expect(store.all()).toEqual(plain.all())
    const [fromMs, toMs] = [START_MS + 30 * HOUR_MS, START_MS + 31 * HOUR_MS]
    expect(store.all(fromMs, toMs)).toEqual(plain.all(fromMs, toMs))
    expect(store.newest(fromMs, toMs)).toEqual(plain.newest(fromMs, toMs))
    expect(listed(store.reader.labelValues('cluster', [], { fromMs, toMs }))).toEqual(['c0', 'c1', 'c2', 'day-1'])
    expect(store.writer.stats().compaction).toEqual({
      backlogBlocks: 0,
      oldestMs: undefined,
      lastProgressMs: START_MS + 20 * DAY_MS + HOUR_MS,
    })
    await store.reopen(START_MS + 21 * DAY_MS)
    expect(store.all()).toEqual(plain.all())
  })

  test('that stops after any step leaves every sample once, and is gone on with', async () => {
    const store = new TempStore({ ...OPTIONS, compactToMs: [] })
    await fill(store, 3)
    const before = store.all()
    let isMore = true
    for (let steps = 1; isMore; steps = (steps % 4) + 1) {
      await store.close()
      const db = openDatabase(store.options.dir)
      const damage = new DamageList(db, () => undefined)
      const blocks = new BlockRows(db, damage)
      const [group] = groupsToCompact(blocks.all(), WINDOWS)
      isMore = group !== undefined
      if (group !== undefined) {
        const compaction = new Compaction(db, { blocks, rollups: new RollupRows(db, damage) }, group)
        for (let i = 0; i < steps && compaction.step(); i++);
      }
      db.close()
      await store.reopen(START_MS + 3 * DAY_MS)
      expect(store.all()).toEqual(before)
    }
    expect(blockLines(store).filter(({ level }) => level === 1)).toHaveLength(3)
    expect(blockLines(store).every(({ packs }) => packs > 0)).toBe(true)
  })

  test('goes on without a damaged pack, and says so', async () => {
    const store = new TempStore({ ...OPTIONS, compactToMs: [] })
    await fill(store, 2)
    await store.close()
    const db = openDatabase(store.options.dir)
    db.exec(`UPDATE pack SET payload = x'ff' WHERE id = 7`)
    db.close()
    const broken = new TempStore({ ...store.options, compactToMs: [DAY_MS] })
    await broken.writer.maintain(START_MS + 2 * DAY_MS + 2 * HOUR_MS)
    const { compaction, damage } = broken.writer.stats()
    expect(compaction.backlogBlocks).toBe(0)
    expect(damage).toMatchObject({ count: 1, kind: 'pack' })
  })
})
