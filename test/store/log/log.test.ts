import { describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/store/database.ts'
import { Log } from '../../../src/store/log/log.ts'
import { LogHold } from '../../../src/store/log/log-hold.ts'
import { tempDir } from '../temp-store.ts'

describe('the log', () => {
  test('a row written while the log is truncated stays, also when nothing else was left in it', () => {
    const db = openDatabase(tempDir())
    const log = new Log(db, new LogHold(db, undefined))
    for (let row = 0; row < 3; row++) log.insert(1000, Uint8Array.of(2))
    const newest = log.newestId
    expect(log.removeSome(newest, 5000)).toBe(true)
    expect(log.newestId).toBe(0)
    // Its samples are as old as those that went, and in the head alone.
    log.insert(1000, Uint8Array.of(2))
    expect(log.removeSome(newest, 5000)).toBe(false)
    expect(log.newestId).toBeGreaterThan(newest)
    expect(db.prepare('SELECT count(*) FROM log').pluck().get()).toBe(1)
    db.close()
  })

  test('knows the oldest time that was added since the last flush began', () => {
    const db = openDatabase(tempDir())
    const log = new Log(db, new LogHold(db, undefined))
    // What was stored at the start may be of any time.
    expect(log.oldestMs).toBe(-Infinity)
    log.flushing()
    expect(log.oldestMs).toBe(Infinity)
    log.added(10, 2000)
    log.added(10, 3000)
    expect(log.oldestMs).toBe(2000)
    log.added(10, 1000)
    expect(log.oldestMs).toBe(1000)
    db.close()
  })
})
