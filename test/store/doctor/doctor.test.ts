import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { REFUSED_OUT_OF_ORDER } from '../../../src/model/appender.ts'
import { lockDirectory } from '../../../src/store/database.ts'
import { examine, repair, withDirectory, type Finding, type Repair } from '../../../src/store/doctor/doctor.ts'
import { unpackStoredData } from '../../support/stored-data.ts'
import { AFTER_MS, breakPage, execute, flipByte, flushedStore, FROM_MS } from '../integrity/damaged-store.ts'
import { tempDir, TempStore } from '../temp-store.ts'

// What is damaged is listed; a repair keeps everything else, and says what is lost.

const REPAIRED_MS = Date.UTC(2026, 10, 27, 14, 30, 5)

function examined(store: { readonly options: { readonly dir: string } }): readonly Finding[] {
  const { dir } = store.options
  return withDirectory(dir, (db) => examine(db, dir))
}

function repaired(store: { readonly options: { readonly dir: string } }): Repair {
  const { dir } = store.options
  return withDirectory(dir, (db) => repair(db, dir, REPAIRED_MS))
}

/** A closed store, and all its samples. */
async function closedStore(): Promise<{ store: TempStore; samples: ReturnType<TempStore['all']> }> {
  const store = await flushedStore()
  store.writer.appender.append(store.resolve({ __name__: 'log_only' }), AFTER_MS, 7)
  await store.writer.commit()
  const samples = store.all()
  await store.close()
  return { store, samples }
}

function countOf(samples: ReturnType<TempStore['all']>): number {
  return Object.values(samples).reduce((sum, one) => sum + one.length, 0)
}

describe('a sound directory', () => {
  test('has no findings, and a repair loses nothing', async () => {
    const { store, samples } = await closedStore()
    expect(examined(store)).toEqual([])
    const { lost, restored, damagedPath } = repaired(store)
    expect([lost, restored]).toEqual([[], []])
    expect(damagedPath).toBe(join(store.options.dir, 'daytwo.db.damaged-20261127T143005Z'))
    expect(existsSync(damagedPath)).toBe(true)
    expect(existsSync(join(store.options.dir, 'daytwo.db.repaired'))).toBe(false)
    const again = new TempStore(store.options, AFTER_MS)
    expect(again.all()).toEqual(samples)
    // What the log did not have is in the file again.
    expect(examined({ options: { dir: (await closed(again)).options.dir } })).toEqual([])
  })

  test('of the baseline keeps every row of every table, also in its old schema', () => {
    const dir = tempDir()
    unpackStoredData(dir)
    const store = { options: { dir } }
    expect(examined(store)).toEqual([])
    const before = rowCounts(dir)
    const { tables, lost } = repaired(store)
    expect(lost).toEqual([])
    expect(rowCounts(dir)).toEqual(before)
    expect(Object.fromEntries(tables.map(({ table, copied }) => [table, copied]))).toEqual(before)
    expect(examined(store)).toEqual([])
  })
})

async function closed(store: TempStore): Promise<TempStore> {
  await store.close()
  return store
}

function rowCounts(dir: string): Record<string, number> {
  return withDirectory(dir, (db) => {
    const names = db
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .pluck()
      .all()
    return Object.fromEntries(
      names.map((name) => [name, db.prepare<[], number>(`SELECT count(*) FROM ${name}`).pluck().get()!]),
    )
  })
}

describe('a damaged pack', () => {
  test('is listed with its series and times, and a repair drops it alone', async () => {
    const { store, samples } = await closedStore()
    flipByte(store, 'pack', 'payload', 'id = 1')
    const [finding] = examined(store)
    expect(finding).toMatchObject({
      what: 'pack 1',
      message: expect.stringContaining('inflate') as string,
      lost: expect.stringMatching(/^samples of 10 series \(a\{i="0"\}, .*\.\.\.\) from .* to .*Z$/) as string,
    })
    expect(finding!.lost).toContain(new Date(FROM_MS + 60_000).toISOString())
    const { lost } = repaired(store)
    expect(lost).toHaveLength(1)
    expect(lost[0]).toContain('10 series')
    expect(examined(store)).toEqual([])
    const again = new TempStore(store.options, AFTER_MS)
    expect(again.writer.stats().damage).toBeUndefined()
    expect(countOf(again.all())).toBe(countOf(samples) - 10 * 120)
  })

  test('that the server had quarantined is dropped too', async () => {
    const { store } = await closedStore()
    flipByte(store, 'pack', 'payload', 'id = 1')
    const open = new TempStore(store.options, AFTER_MS)
    await open.writer.reportDamage([{ kind: 'pack', id: 1, message: 'damaged' }])
    await open.close()
    expect(examined(store)).toMatchObject([{ what: 'pack 1' }])
    expect(repaired(store).lost).toHaveLength(1)
    const again = new TempStore(store.options, AFTER_MS)
    expect(again.writer.stats().damage).toBeUndefined()
  })
})

describe('a broken page', () => {
  test.each(['pack', 'rollup', 'log', 'pair', 'series_state', 'series_batch', 'alert_run'])(
    'of %s costs only what is on it: the server starts',
    async (table) => {
      const { store, samples } = await closedStore()
      fill(store, table)
      breakPage(store, table)
      expect(examined(store).length).toBeGreaterThan(0)
      const before = readFileSync(join(store.options.dir, 'daytwo.db'))
      const { lost, damagedPath } = repaired(store)
      expect(lost.length).toBeGreaterThan(0)
      expect(readFileSync(damagedPath).equals(before)).toBe(true)
      expect(examined(store)).toEqual([])
      const again = new TempStore(store.options, AFTER_MS)
      const after = again.all()
      if (['rollup', 'series_state', 'alert_run'].includes(table)) expect(after).toEqual(samples)
      else expect(countOf(after)).toBeGreaterThan(0)
      await again.writer.maintain(AFTER_MS)
      expect(again.all()).toEqual(after)
    },
  )

  test('of an index costs nothing', async () => {
    const { store, samples } = await closedStore()
    breakPage(store, 'pack_place')
    expect(examined(store).length).toBeGreaterThan(0)
    expect(repaired(store).lost).toEqual([])
    expect(new TempStore(store.options, AFTER_MS).all()).toEqual(samples)
  })

  test('in the middle of a table loses the rows of that page only', async () => {
    const { store } = await closedStore()
    fill(store, 'pair')
    const { pair } = rowCounts(store.options.dir)
    breakPage(store, 'pair')
    const { tables } = repaired(store)
    const { copied, lost } = tables.find((one) => one.table === 'pair')!
    expect(lost).toHaveLength(1)
    const [range] = lost
    if (range?.kind !== 'range') throw new Error('a range is lost')
    expect(range.before! - range.after! - 1).toBe(pair! - copied)
    expect(pair! - copied).toBeLessThan(300)
  })

  test('of the states of series: they are read from the chunks, so that no flushed sample is taken twice', async () => {
    const { store, samples } = await closedStore()
    breakPage(store, 'series_state')
    const { restored } = repaired(store)
    expect(restored.join()).toContain('2 blocks state how far')
    const again = new TempStore(store.options, AFTER_MS)
    expect(again.all()).toEqual(samples)
    const outcome = again.writer.appender.append(again.resolve({ __name__: 'a', i: '0' }), FROM_MS + 60_500, 5)
    expect(outcome).toBe(REFUSED_OUT_OF_ORDER)
  })

  test('of the blocks: they are made from their packs', async () => {
    const { store, samples } = await closedStore()
    breakPage(store, 'block')
    const { lost, restored } = repaired(store)
    expect(lost).toHaveLength(1)
    expect(restored.join()).toContain('2 blocks, from their packs')
    const again = new TempStore(store.options, AFTER_MS)
    expect(again.all()).toEqual(samples)
    await again.writer.maintain(AFTER_MS)
    expect(again.writer.stats().rollups.backlogBlocks).toBe(0)
  })
})

/** Enough rows for several pages. */
function fill(store: TempStore, table: string): void {
  const numbers = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)'
  const inserts: Record<string, string> = {
    pair: `INSERT INTO pair (id, name, value) ${numbers} SELECT 100000 + i, 'filler', 'value ' || i FROM n`,
    log: `INSERT INTO log (id, max_ms, payload, checksum) ${numbers} SELECT 100000 + i, 0, x'02', 1007455905 FROM n`,
    series_batch: `INSERT INTO series_batch ${numbers} SELECT 100000 + i, x'', 0 FROM n`,
    series_state: `INSERT INTO series_state ${numbers} SELECT 100000 + i, x'', 0 FROM n`,
    alert_run: `INSERT INTO alert_run ${numbers} SELECT 'f' || i, i, 'A', 'c', '[]', '{}', i, i FROM n`,
  }
  if (inserts[table] !== undefined) execute(store, inserts[table])
}

describe('a directory', () => {
  test('that a server uses is not touched', async () => {
    const { store } = await closedStore()
    const lock = lockDirectory(store.options.dir)
    expect(() => examined(store)).toThrow(expect.objectContaining({ code: 'data_dir_in_use' }))
    lock.release()
  })

  test('of which not even the schema is readable is refused, and left as it is', async () => {
    const { store } = await closedStore()
    writeFileSync(join(store.options.dir, 'daytwo.db'), Buffer.alloc(100_000, 0x5a))
    expect(() => examined(store)).toThrow(
      expect.objectContaining({ code: 'storage_failed', hint: expect.stringContaining('backup') as string }),
    )
    expect(() => repaired(store)).toThrow(expect.objectContaining({ code: 'storage_failed' }))
    expect(readdirSync(store.options.dir).filter((file) => /repaired|damaged/.test(file))).toEqual([])
  })

  test('of a newer program is refused', async () => {
    const { store } = await closedStore()
    execute(store, 'PRAGMA user_version = 9999')
    expect(() => examined(store)).toThrow(expect.objectContaining({ code: 'data_dir_too_new' }))
  })
})
