import Database from 'better-sqlite3'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { MINUTE_MS, NOW_MS, TempStore } from '../temp-store.ts'

/** The head is written down whenever `maintain` runs, however short the log is. */
const EAGER = { checkpointLogBytes: 0, checkpointEveryMs: 0 }
/** Only at the end. */
const AT_CLOSE = { checkpointLogBytes: 0, checkpointEveryMs: 3_600_000 }

/** Half an hour of a constant, a counter, floats of full length and a stale marker. */
async function fill(store: TempStore, from = 0, to = 60): Promise<void> {
  const refs = ['constant', 'counter', 'float', 'gone'].map((name) => store.resolve({ __name__: name }))
  const { appender } = store.writer
  for (let i = from; i < to; i++) {
    const timeMs = NOW_MS - 30 * MINUTE_MS + i * 30_000
    appender.append(refs[0]!, timeMs, 1)
    appender.append(refs[1]!, timeMs + 1, i)
    appender.append(refs[2]!, timeMs, Math.sin(i))
    if (i === 20) appender.appendStale(refs[3]!, timeMs)
    else if (i < 20) appender.append(refs[3]!, timeMs, NaN)
  }
  await appender.commit()
}

/** Changes the file of a closed store. */
function edit(store: TempStore, sql: string): void {
  const db = new Database(join(store.options.dir, 'daytwo.db'))
  db.exec(sql)
  db.close()
}

function rows(store: TempStore, table: string): number {
  const db = new Database(join(store.options.dir, 'daytwo.db'), { readonly: true })
  try {
    return Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get())
  } finally {
    db.close()
  }
}

/** A log whose rows cannot be read: a start that reads one fails. */
const SPOIL_LOG = "UPDATE log SET payload = x'ff'"

describe('a checkpoint of the head', () => {
  test('spares a start the log before it', async () => {
    const store = new TempStore(EAGER)
    await fill(store, 0, 40)
    await store.writer.maintain(NOW_MS)
    const logId = '(SELECT log_id FROM head_checkpoint)'
    await fill(store, 40, 60)
    const all = store.all()
    await store.close()
    edit(store, `DELETE FROM log WHERE id > ${logId} AND id > 1; ${SPOIL_LOG} WHERE id <= ${logId}`)
    await store.reopen()
    expect(store.all()).toEqual(all)
    expect(store.writer.stats().headSamples).toBe(60 * 3 + 21)
  })

  test('of a store that was closed lets the next start read no log at all', async () => {
    const store = new TempStore(AT_CLOSE)
    await fill(store)
    const all = store.all()
    await store.close()
    edit(store, SPOIL_LOG)
    await store.reopen()
    expect(store.all()).toEqual(all)
  })

  test('without one the same spoilt log keeps the store from opening', async () => {
    const store = new TempStore()
    await fill(store)
    await store.close()
    edit(store, SPOIL_LOG)
    await expect(store.reopen()).rejects.toThrow('log row 1 is damaged')
    edit(store, 'DELETE FROM log')
    await store.reopen()
  })

  test('is followed by what the log has beyond it: new series, late samples, repeats', async () => {
    const store = new TempStore(EAGER)
    await fill(store, 0, 30)
    await store.writer.maintain(NOW_MS)
    await fill(store, 30, 60)
    const late = store.resolve({ __name__: 'constant' })
    store.writer.appender.append(late, NOW_MS - 20 * MINUTE_MS + 7, 5)
    const fresh = store.resolve({ __name__: 'fresh' })
    store.writer.appender.append(fresh, NOW_MS, 3)
    await store.writer.appender.commit()
    const all = store.all()
    // Neither is the end of this life a checkpoint.
    store.options.checkpointLogBytes = Infinity
    await store.reopen()
    expect(store.all()).toEqual(all)
    expect(store.writer.appender.append(late, NOW_MS - 20 * MINUTE_MS + 7, 5)).toBe(1)
    expect(store.writer.appender.append(late, NOW_MS - 20 * MINUTE_MS + 7, 6)).toBe(2)
  })

  test('that cannot be read is passed over, and the log is read whole', async () => {
    const store = new TempStore(AT_CLOSE)
    await fill(store)
    const all = store.all()
    await store.close()
    edit(store, 'UPDATE head_part SET payload = substr(payload, 1, length(payload) - 3)')
    await store.reopen()
    expect(store.all()).toEqual(all)
  })

  test('that was cut off counts for nothing, and goes with the next one', async () => {
    const store = new TempStore(AT_CLOSE)
    await fill(store)
    const all = store.all()
    await store.close()
    edit(store, "DELETE FROM head_checkpoint; INSERT INTO head_part (generation, part, payload) VALUES (7, 0, x'00')")
    await store.reopen()
    expect(store.all()).toEqual(all)
    await store.close()
    expect(rows(store, 'head_checkpoint')).toBe(1)
    expect(rows(store, 'head_part')).toBe(1)
    await store.reopen()
    expect(store.all()).toEqual(all)
  })

  test('does not bring back what was flushed after it', async () => {
    const store = new TempStore({ ...EAGER, outOfOrderMs: 0, flushEveryMs: MINUTE_MS })
    await fill(store)
    await store.writer.maintain(NOW_MS)
    const all = store.all()
    store.options.checkpointEveryMs = 3_600_000
    await store.reopen()
    await store.writer.maintain(NOW_MS + 20 * MINUTE_MS)
    expect(store.writer.stats().headSamples).toBeLessThan(21)
    store.options.checkpointLogBytes = Infinity
    await store.reopen(NOW_MS + 20 * MINUTE_MS)
    expect(store.all()).toEqual(all)
  })

  test('is removed when the log has become short', async () => {
    const store = new TempStore({ ...EAGER, checkpointLogBytes: 100, outOfOrderMs: 0 })
    await fill(store)
    await store.writer.maintain(NOW_MS)
    expect(rows(store, 'head_checkpoint')).toBe(1)
    await store.writer.maintain(NOW_MS + 240 * MINUTE_MS)
    expect(rows(store, 'head_checkpoint')).toBe(0)
    expect(rows(store, 'head_part')).toBe(0)
  })

  test('is not made before its time, nor of a short log', async () => {
    const store = new TempStore({ checkpointLogBytes: 100, checkpointEveryMs: 10 * MINUTE_MS })
    await fill(store)
    await store.writer.maintain(NOW_MS)
    await store.writer.maintain(NOW_MS + 9 * MINUTE_MS)
    expect(rows(store, 'head_checkpoint')).toBe(0)
    await store.writer.maintain(NOW_MS + 10 * MINUTE_MS)
    expect(rows(store, 'head_checkpoint')).toBe(1)
    const short = new TempStore({ checkpointEveryMs: 0 })
    await fill(short)
    await short.writer.maintain(NOW_MS)
    expect(rows(short, 'head_checkpoint')).toBe(0)
  })

  test('is made at once after a start that had much to read', async () => {
    const store = new TempStore({ checkpointLogBytes: Infinity })
    await fill(store)
    store.options.checkpointLogBytes = 100
    store.options.checkpointEveryMs = 3_600_000
    await store.reopen()
    await store.writer.maintain(NOW_MS)
    expect(rows(store, 'head_checkpoint')).toBe(1)
  })
})
