import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import {
  DATABASE_FILE,
  failureOf,
  lockDirectory,
  openDatabase,
  openDatabaseForReading,
} from '../../src/store/database.ts'
import { openFacts } from '../../src/store/facts/facts.ts'
import { SCHEMA_VERSION, versionOf } from '../../src/store/migrations.ts'
import { STORE_DEFAULTS } from '../../src/store/options.ts'
import { openWriter } from '../../src/store/writer.ts'
import { makeOlder } from './older-schema.ts'
import { startChild } from './child.ts'
import { compiled } from './compiled.ts'
import { HOUR_MS, NOW_MS, tempDir, TempStore } from './temp-store.ts'

const LOCK_HOLDER = compiled('lock-holder.ts')

describe('a data directory', () => {
  test('is made, with nobody else allowed in', async () => {
    const dir = join(tempDir(), 'a', 'b')
    const writer = openWriter({ ...STORE_DEFAULTS, dir }, NOW_MS)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    expect(statSync(join(dir, DATABASE_FILE)).mode & 0o777).toBe(0o600)
    await writer.close()
  })

  test('is for one server: a second one in this process is refused', async () => {
    const store = new TempStore()
    expect(() => openWriter(store.options, NOW_MS)).toThrow(expect.objectContaining({ code: 'data_dir_in_use' }))
    await store.close()
    await openWriter(store.options, NOW_MS).close()
  })

  test('is for one server: a second process is refused, and let in when the first is killed', async () => {
    const dir = tempDir()
    const holder = startChild(LOCK_HOLDER, [dir])
    expect(await holder.line()).toBe('locked')
    expect(() => openWriter({ ...STORE_DEFAULTS, dir }, NOW_MS)).toThrow(
      expect.objectContaining({ code: 'data_dir_in_use', hint: expect.stringContaining('stop the other') as string }),
    )
    const second = startChild(LOCK_HOLDER, [dir])
    const { code, stderr } = await second.ended()
    expect(code).toBe(1)
    expect(stderr).toContain('in use by another server')
    await holder.kill()
    lockDirectory(dir).release()
  })

  test('that cannot be made is a failure with its reason', () => {
    const file = join(tempDir(), 'file')
    writeFileSync(file, '')
    expect(() => openWriter({ ...STORE_DEFAULTS, dir: join(file, 'x') }, NOW_MS)).toThrow(
      expect.objectContaining({ code: 'storage_failed', message: expect.stringContaining('ENOTDIR') as string }),
    )
  })
})

describe('the database file', () => {
  test('is brought up to date, and opening it again changes nothing', () => {
    const dir = tempDir()
    const first = openDatabase(dir)
    expect(versionOf(first)).toBe(SCHEMA_VERSION)
    expect(first.pragma('journal_mode', { simple: true })).toBe('wal')
    expect(first.pragma('synchronous', { simple: true })).toBe(2)
    first.close()
    const second = openDatabase(dir)
    expect(versionOf(second)).toBe(SCHEMA_VERSION)
    second.close()
  })

  test('of version 22 has external alerts without a sender', () => {
    const dir = tempDir()
    const old = openDatabase(dir)
    makeOlder(old, 22)
    old.exec(`INSERT INTO external_alert VALUES ('f', '["a","b"]', '{}', 1, 2, 3, 4, 0, 'http://x/')`)
    old.close()
    const after = openDatabase(dir)
    expect(versionOf(after)).toBe(SCHEMA_VERSION)
    expect(after.prepare('SELECT fingerprint, sender FROM external_alert').all()).toEqual([
      { fingerprint: 'f', sender: '' },
    ])
    after.close()
  })

  test('of version 24 has entries of the audit from before the chain, which the next entry does not continue', async () => {
    const dir = tempDir()
    const old = openDatabase(dir)
    makeOlder(old, 24)
    old.exec(
      `INSERT INTO audit (at_ms, by, action, subject, detail) VALUES (1, 'ada', 'rules.reload', 'content', '{}')`,
    )
    old.exec(`INSERT INTO token (hash, role, name, created_at_ms) VALUES ('aa', 'viewer', 'sre', 1)`)
    old.close()
    const facts = openFacts(dir)
    expect(await facts.tokens.list()).toEqual([{ id: 1, hash: 'aa', role: 'viewer', name: 'sre', createdAtMs: 1 }])
    await facts.audit.add({ atMs: 2, by: 'ada', action: 'rules.reload', subject: 'content', detail: '{}' })
    expect(await facts.audit.verify()).toMatchObject({ unchained: 1, entries: 1, last: { id: 2 } })
    expect((await facts.audit.list(9)).map(({ id, hash }) => [id, hash.length])).toEqual([
      [2, 64],
      [1, 0],
    ])
    facts.close()
  })

  test('of a schema older than the baseline is refused with a hint, and left as it is', () => {
    const dir = tempDir()
    const old = openDatabase(dir)
    old.exec(`DROP TABLE decommission; INSERT INTO pair (name, value) VALUES ('a', 'b'); PRAGMA user_version = 20`)
    old.close()
    expect(() => openWriter({ ...STORE_DEFAULTS, dir }, NOW_MS)).toThrow(
      expect.objectContaining({
        code: 'storage_failed',
        message: expect.stringMatching(/has schema version 20, this program reads 21 and later$/) as string,
        hint: expect.stringContaining('empty data dir') as string,
      }),
    )
    const after = openDatabaseForReading(dir)
    expect(versionOf(after)).toBe(20)
    expect(after.prepare('SELECT name FROM pair').pluck().all()).toEqual(['a'])
    after.close()
    lockDirectory(dir).release()
  })

  test('of a newer program is refused with a hint, and left as it is', () => {
    const dir = tempDir()
    const db = openDatabase(dir)
    db.pragma(`user_version = ${SCHEMA_VERSION + 1}`)
    db.close()
    expect(() => openWriter({ ...STORE_DEFAULTS, dir }, NOW_MS)).toThrow(
      expect.objectContaining({ code: 'data_dir_too_new', hint: expect.stringContaining('newer daytwo') as string }),
    )
    const after = openDatabaseForReading(dir)
    expect(versionOf(after)).toBe(SCHEMA_VERSION + 1)
    after.close()
    // The refusal let go of the directory.
    lockDirectory(dir).release()
  })

  test.each([
    ['of another program', (path: string) => new Database(path).exec('CREATE TABLE theirs (x)').close()],
    ['that is not SQLite', (path: string) => { writeFileSync(path, 'hello'.repeat(1000)) }], // prettier-ignore
  ])('%s is refused', (_name, make) => {
    const dir = tempDir()
    mkdirSync(dir, { recursive: true })
    make(join(dir, DATABASE_FILE))
    expect(() => openDatabase(dir)).toThrow(expect.objectContaining({ code: 'storage_failed' }))
  })

  test('with a damaged log row is refused, and the row is named', async () => {
    const store = new TempStore()
    store.writer.appender.append(store.resolve({ __name__: 'up' }), NOW_MS, 1)
    await store.writer.appender.commit()
    await store.close()
    const db = openDatabase(store.options.dir)
    db.exec(`UPDATE log SET payload = x'0107'`)
    db.close()
    expect(() => openWriter(store.options, NOW_MS)).toThrow(
      expect.objectContaining({ code: 'storage_failed', message: expect.stringContaining('log row 1') as string }),
    )
  })
})

describe('failures', () => {
  const coded = (code: string, extra: object = {}): Error => Object.assign(new Error('x'), { code, ...extra })
  test.each([
    ['SQLite without space', new Database.SqliteError('full', 'SQLITE_FULL'), 'storage_full'],
    ['SQLite that cannot write', new Database.SqliteError('io', 'SQLITE_IOERR_WRITE'), 'storage_failed'],
    ['a disk without space', coded('ENOSPC', { syscall: 'mkdir' }), 'storage_full'],
    ['a quota', coded('EDQUOT', { syscall: 'mkdir' }), 'storage_full'],
    ['a directory without access', coded('EACCES', { syscall: 'mkdir' }), 'storage_failed'],
  ])('%s', (_name, thrown, code) => {
    expect(failureOf('writing', thrown)).toMatchObject({ code, cause: thrown })
  })

  test('a bug is not a failure of the storage', () => {
    const bug = new TypeError('bug')
    expect(failureOf('writing', bug)).toBe(bug)
    const argument = coded('ERR_INVALID_ARG_TYPE')
    expect(failureOf('writing', argument)).toBe(argument)
  })
})

/** What the tables take before anything is in them. */
function emptyBytes(): number {
  const db = openDatabase(tempDir())
  const pages = Number(db.pragma('page_count', { simple: true }))
  db.close()
  return pages * 4096
}

describe('a full disk', () => {
  test('fails commits until there is room, loses nothing, and reading goes on', async () => {
    const options = {
      flushEveryMs: HOUR_MS,
      outOfOrderMs: 0,
      databaseBytesMax: emptyBytes() + 232_000,
      pendingBytesMax: 200_000,
    }
    const store = new TempStore(options)
    const refs = Array.from({ length: 500 }, (_, i) => store.resolve({ __name__: 'load', i: String(i) }))
    let acked = 0
    let failure: unknown
    let round = 0
    const append = (): void => {
      for (const ref of refs) store.writer.appender.append(ref, NOW_MS + round * 1000, Math.sin(ref + round))
      round++
    }
    while (failure === undefined && round < 1000) {
      append()
      try {
        await store.writer.appender.commit()
        acked = round
      } catch (thrown) {
        failure = thrown
      }
    }
    expect(failure).toMatchObject({ code: 'storage_full' })
    expect(store.writer.stats().commitFailure).toMatchObject({
      code: 'storage_full',
      message: expect.stringMatching(/^writing the log: /) as string,
    })
    expect(acked).toBeGreaterThan(5)
    expect(Object.values(store.all())[0]!.length).toBeGreaterThanOrEqual(acked)
    expect(store.writer.isOverloaded).toBe(false)
    while (!store.writer.isOverloaded) append()
    await expect(store.writer.maintain(NOW_MS)).rejects.toMatchObject({ code: 'storage_full' })
    expect(store.writer.stats().commitsFailed).toBeGreaterThan(1)
    await expect(store.close()).rejects.toMatchObject({ code: 'storage_full' })
    // What was acknowledged is there, and with room again so is all that comes.
    const roomy = new TempStore({ ...store.options, databaseBytesMax: Infinity })
    for (const samples of Object.values(roomy.all())) expect(samples).toHaveLength(acked)
  })

  test('recovers by itself when retention makes room', async () => {
    const store = new TempStore({
      flushEveryMs: HOUR_MS,
      outOfOrderMs: 0,
      retentionRawMs: 6 * HOUR_MS,
      retention5mMs: 6 * HOUR_MS,
      retention1hMs: 6 * HOUR_MS,
      retention1dMs: 6 * HOUR_MS,
      databaseBytesMax: emptyBytes() + 202_000,
    })
    const refs = Array.from({ length: 600 }, (_, i) => store.resolve({ __name__: 'load', i: String(i) }))
    let nowMs = NOW_MS
    let failure: unknown
    while (failure === undefined && nowMs < NOW_MS + 48 * HOUR_MS) {
      nowMs += 10 * 60_000
      for (const ref of refs) store.writer.appender.append(ref, nowMs, Math.sin(ref * nowMs))
      try {
        await store.writer.appender.commit()
        await store.writer.maintain(nowMs)
      } catch (thrown) {
        failure = thrown
      }
    }
    expect(failure).toMatchObject({ code: 'storage_full' })
    expect(store.writer.stats().flushesDone).toBeGreaterThan(0)
    nowMs += 5.5 * HOUR_MS
    await store.writer.maintain(nowMs)
    await store.writer.appender.commit()
    expect(store.writer.stats().commitFailure).toBe(undefined)
    expect(store.writer.stats().pendingBytes).toBe(0)
    const before = store.all()
    await store.reopen(nowMs)
    expect(store.all()).toEqual(before)
    expect(Object.keys(before)).toHaveLength(600)
  })
})
