import type Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { BlockRows } from '../../../src/store/packs/blocks.ts'
import { openDatabase } from '../../../src/store/database.ts'
import { DamageList } from '../../../src/store/integrity/damage.ts'
import { blocksToRollUp, RollUp } from '../../../src/store/rollups/roll-up.ts'
import { RollupRows } from '../../../src/store/rollups/rollup-rows.ts'
import { HOUR_MS, MINUTE_MS, TempStore } from '../temp-store.ts'

const START_MS = 20_376 * 24 * HOUR_MS
const ALL_TIERS = 15

/** A block of more runs than one step takes. */
async function filled(): Promise<TempStore> {
  const store = new TempStore({ outOfOrderMs: 0, flushEveryMs: 6 * HOUR_MS, compactToMs: [] }, START_MS)
  const refs = ['a', 'b', 'c'].flatMap((__name__) =>
    Array.from({ length: 150 }, (_, i) => store.resolve({ __name__, i: String(i) })),
  )
  for (let i = 1; i <= 240; i++) {
    for (const ref of refs) store.writer.appender.append(ref, START_MS + i * MINUTE_MS, (i * ref) % 1000)
  }
  await store.writer.appender.commit()
  await store.writer.maintain(START_MS + 7 * HOUR_MS)
  await store.close()
  return store
}

function rowsOf(db: Database.Database): unknown {
  const columns = 'block, tier, metric, first_ref, last_ref, edges, extremes, sums'
  return db.prepare(`SELECT ${columns} FROM rollup ORDER BY block, tier, metric, first_ref`).all()
}

/** As a file is that was written before there were rollups. */
function forget(db: Database.Database): void {
  db.exec('DELETE FROM rollup; UPDATE block SET tiers = 1, stored = 1, is_rolled = 0')
}

describe('rolling up', () => {
  test('that stops after any step is gone on with, and makes the same', async () => {
    const store = await filled()
    const db = openDatabase(store.options.dir)
    const made = rowsOf(db)
    expect(made).toHaveLength(3 * 3 * 2)
    forget(db)
    const damage = new DamageList(db, () => undefined)
    const parts = { blocks: new BlockRows(db, damage), rollups: new RollupRows(db, damage) }
    let objects = 0
    for (let isMore = true; isMore; objects++) {
      const [block] = blocksToRollUp(parts.blocks.all())
      isMore = new RollUp(db, parts, block!, ALL_TIERS).step()
      expect(parts.blocks.all()[0]).toMatchObject({ stored: ALL_TIERS, tiers: isMore ? 1 : ALL_TIERS })
    }
    expect(objects).toBeGreaterThan(1)
    expect(rowsOf(db)).toEqual(made)
    expect(blocksToRollUp(parts.blocks.all())).toEqual([])
    db.close()
  })

  test('is done for files from before, and not for a tier that nobody keeps', async () => {
    const store = await filled()
    const db = openDatabase(store.options.dir)
    forget(db)
    db.close()
    const again = new TempStore({ ...store.options, retention1hMs: 0 }, START_MS + 7 * HOUR_MS)
    expect(again.writer.stats().rollups).toMatchObject({ backlogBlocks: 0, lastProgressMs: undefined })
    await again.writer.maintain(START_MS + 7 * HOUR_MS)
    expect(again.writer.stats().rollups).toEqual({
      backlogBlocks: 0,
      oldestMs: undefined,
      lastProgressMs: START_MS + 7 * HOUR_MS,
    })
    await again.close()
    const after = openDatabase(store.options.dir)
    expect(after.prepare('SELECT DISTINCT tier FROM rollup ORDER BY tier').pluck().all()).toEqual([2, 8])
    expect(new BlockRows(after, new DamageList(after, () => undefined)).all()[0]).toMatchObject({
      tiers: 11,
      stored: 11,
      isRolled: 1,
    })
    after.close()
  })

  test('that finds a damaged pack leaves it out, and says so', async () => {
    const store = await filled()
    const db = openDatabase(store.options.dir)
    const made = db.prepare('SELECT count(*) FROM rollup').pluck().get()
    forget(db)
    db.exec(`UPDATE pack SET payload = x'ff' WHERE id = 3`)
    db.close()
    const broken = new TempStore(store.options, START_MS + 7 * HOUR_MS)
    await broken.writer.maintain(START_MS + 7 * HOUR_MS)
    const { rollups, damage } = broken.writer.stats()
    expect(rollups.backlogBlocks).toBe(0)
    expect(damage).toMatchObject({ count: 1, kind: 'pack', fromMs: START_MS + MINUTE_MS })
    await broken.close()
    const after = openDatabase(store.options.dir)
    // One for each of three widths.
    expect(after.prepare('SELECT count(*) FROM rollup').pluck().get()).toBe(Number(made) - 3)
    after.close()
  })
})
