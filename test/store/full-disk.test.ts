import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { closeDatabase, lockDirectory, openDatabase } from '../../src/store/database.ts'
import { openFacts } from '../../src/store/facts/facts.ts'
import { openWriter } from '../../src/store/writer.ts'
import type { Skippable } from '../support/peers.ts'
import { mountDisk, type SmallDisk } from '../support/small-disk.ts'
import { HOUR_MS, NOW_MS, tempDir, TempStore } from './temp-store.ts'

// Real disks without a free byte, and mounted read-only.

const disks: SmallDisk[] = []
afterEach(() => {
  // Stores close after this: their disk is detached and goes with its last file.
  for (const disk of disks.splice(0)) disk.remove()
})

const DISK_MB = 20
const TOKEN = { role: 'viewer', name: 'ada', hash: 'h', createdAtMs: NOW_MS } as const
const MADE = { atMs: 0, by: 'daytwo', action: 'token.add', detail: '{}' } as const

function diskOf(context: Skippable): SmallDisk {
  const disk = mountDisk(context, DISK_MB)
  disks.push(disk)
  return disk
}

/** A closed store with one sample of `up`. */
async function filledStore(dir: string): Promise<TempStore> {
  const store = new TempStore({ dir })
  store.writer.appender.append(store.resolve({ __name__: 'up' }), NOW_MS, 1)
  await store.writer.appender.commit()
  await store.writer.maintain(NOW_MS)
  await store.close()
  return store
}

const ONE_SAMPLE = { up: [[NOW_MS, '3ff0000000000000']] }

describe('a disk without a free byte', () => {
  test('lets the store be opened and read, refuses writes, and takes them again when there is room', async (context) => {
    const disk = diskOf(context)
    const store = await filledStore(disk.path)
    disk.fill()
    await store.reopen()
    expect(store.all()).toEqual(ONE_SAMPLE)
    const appended = store.writer.appender.append(store.resolve({ __name__: 'up' }), NOW_MS + 1000, 1)
    expect(appended).toBe(0)
    await expect(store.writer.appender.commit()).rejects.toMatchObject({ code: 'storage_full' })
    await expect(store.writer.facts.tokens.add(TOKEN, MADE)).rejects.toMatchObject({ code: 'storage_full' })
    expect(store.writer.stats().commitFailure).toMatchObject({ code: 'storage_full' })
    disk.free()
    await store.writer.maintain(NOW_MS)
    expect(store.writer.stats().commitFailure).toBeUndefined()
    await store.writer.facts.tokens.add(TOKEN, MADE)
    await store.reopen()
    expect(store.all()['up']).toHaveLength(2)
    expect(await store.writer.facts.tokens.list()).toHaveLength(1)
    await store.close()
  })

  test('has spare room for the files beside the database, which is written again when there is room', async (context) => {
    const disk = diskOf(context)
    const store = await filledStore(disk.path)
    for (const file of ['daytwo.db-wal', 'daytwo.db-shm', 'daytwo.lock']) rmSync(join(disk.path, file))
    disk.fill()
    await store.reopen()
    expect(store.all()).toEqual(ONE_SAMPLE)
    expect(existsSync(join(disk.path, 'daytwo.spare'))).toBe(false)
    disk.free()
    await store.writer.maintain(NOW_MS)
    expect(existsSync(join(disk.path, 'daytwo.spare'))).toBe(true)
    await store.close()
  })

  test('and no spare room either is a failure that says what is missing', async (context) => {
    const disk = diskOf(context)
    const store = await filledStore(disk.path)
    for (const file of readdirSync(disk.path)) if (file !== 'daytwo.db') rmSync(join(disk.path, file))
    disk.fill()
    expect(() => openWriter(store.options, NOW_MS)).toThrow(
      expect.objectContaining({ code: 'storage_full', hint: expect.stringContaining('free space') as string }),
    )
    lockDirectory(disk.path).release()
  })
})

describe('a directory that is mounted read-only', () => {
  test('is read after a clean stop, refuses writes, and says when it can be written', async (context) => {
    const disk = diskOf(context)
    const store = await filledStore(disk.path)
    disk.setReadOnly(true)
    await store.reopen()
    expect(store.all()).toEqual(ONE_SAMPLE)
    expect(() => {
      store.writer.admit()
    }).toThrow(
      expect.objectContaining({
        code: 'storage_failed',
        message: `the data directory ${disk.path} is read-only`,
        hint: expect.stringContaining('make the data directory writable') as string,
      }),
    )
    expect(store.writer.stats()).toMatchObject({
      commitFailure: { code: 'storage_failed', message: expect.stringContaining('is read-only') as string },
      isWritableAgain: false,
    })
    await store.writer.maintain(NOW_MS + HOUR_MS)
    // Facts and the server's own series are not admitted first.
    await expect(store.writer.facts.tokens.add(TOKEN, MADE)).rejects.toMatchObject({
      code: 'storage_failed',
      hint: expect.stringContaining('writable') as string,
    })
    store.writer.appender.append(store.resolve({ __name__: 'own' }), NOW_MS, 1)
    await expect(store.writer.appender.commit()).rejects.toMatchObject({ code: 'storage_failed' })
    disk.setReadOnly(false)
    expect(store.writer.stats().isWritableAgain).toBe(true)
    await store.reopen()
    expect(store.writer.stats()).toMatchObject({ commitFailure: undefined, isWritableAgain: false })
    store.writer.admit()
    store.writer.appender.append(store.resolve({ __name__: 'up' }), NOW_MS + 1000, 1)
    await store.writer.appender.commit()
    expect(Object.keys(store.all())).toEqual(['up'])
    await store.close()
  })

  test('lists its tokens for the command line, which cannot change them', async (context) => {
    const disk = diskOf(context)
    const made = openFacts(disk.path)
    await made.tokens.add(TOKEN, MADE)
    made.close()
    disk.setReadOnly(true)
    const facts = openFacts(disk.path)
    expect(await facts.tokens.list()).toHaveLength(1)
    expect(await facts.audit.verify()).toMatchObject({ entries: 1 })
    await expect(facts.tokens.add(TOKEN, MADE)).rejects.toMatchObject({
      code: 'storage_failed',
      hint: expect.stringContaining('make the data directory writable') as string,
    })
    facts.close()
  })

  test('is read after a kill, with what is in its log', async (context) => {
    const disk = diskOf(context)
    const store = new TempStore()
    store.writer.appender.append(store.resolve({ __name__: 'up' }), NOW_MS, 1)
    await store.writer.appender.commit()
    for (const file of readdirSync(store.options.dir))
      copyFileSync(join(store.options.dir, file), join(disk.path, file))
    disk.setReadOnly(true)
    const killed = new TempStore({ dir: disk.path })
    expect(killed.all()).toEqual(ONE_SAMPLE)
    await killed.close()
  })

  test('has no lock to take when there is no lock file', async (context) => {
    const disk = diskOf(context)
    const store = await filledStore(disk.path)
    rmSync(join(disk.path, 'daytwo.lock'))
    disk.setReadOnly(true)
    await store.reopen()
    expect(store.all()).toEqual(ONE_SAMPLE)
    await store.close()
  })

  test('of an older schema is refused: it cannot be migrated', async (context) => {
    const disk = diskOf(context)
    const store = await filledStore(disk.path)
    const db = openDatabase(disk.path)
    db.pragma('user_version = 21')
    closeDatabase(db, disk.path, 'TRUNCATE')
    disk.setReadOnly(true)
    expect(() => openWriter(store.options, NOW_MS)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/schema version 21, .* read-only$/) as string,
        hint: 'make the data directory writable for one start',
      }),
    )
  })
})

test('a command line that closes last leaves the files that a read-only mount needs', async () => {
  const dir = tempDir()
  await filledStore(dir)
  const facts = openFacts(dir)
  await facts.tokens.add(TOKEN, MADE)
  facts.close()
  expect(readdirSync(dir).sort()).toEqual([
    'daytwo.db',
    'daytwo.db-shm',
    'daytwo.db-wal',
    'daytwo.lock',
    'daytwo.spare',
  ])
})
