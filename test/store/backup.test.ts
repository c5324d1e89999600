import Database from 'better-sqlite3'
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkIntegrity, readBackup, restoreBackup, writeBackup } from '../../src/store/backup.ts'
import { DATABASE_FILE, lockDirectory } from '../../src/store/database.ts'
import { SCHEMA_VERSION } from '../../src/store/migrations.ts'
import { MINUTE_MS, NOW_MS, TempStore, tempDir } from './temp-store.ts'

// A backup of a directory in use is complete, ends while others write, and is put in place whole or not at all.

const MARK = { atMs: NOW_MS, version: '1.2.3' }
const SAMPLES = 734

/** A store with samples that are in its log alone: SQLite has not moved them into the file. */
async function storeWithLog(): Promise<TempStore> {
  const store = new TempStore()
  for (let i = 0; i < SAMPLES; i++) {
    store.writer.appender.append(store.resolve({ __name__: 'm', i: String(i) }), NOW_MS - MINUTE_MS, i)
  }
  await store.writer.appender.commit()
  return store
}

function backup(dir: string, file: string, onProgress: () => void = () => undefined) {
  return writeBackup({ dir, file, mark: MARK, bytesPerSecondMax: Infinity, onProgress })
}

async function samplesIn(dir: string): Promise<number> {
  const restored = new TempStore({ dir })
  const count = Object.keys(restored.all()).length
  await restored.close()
  return count
}

describe('a backup', () => {
  test('has what is in the log of a store in use, and is one file by itself', async () => {
    const store = await storeWithLog()
    const [folder, target] = [tempDir(), join(tempDir(), 'restored')]
    const file = join(folder, 'daytwo.backup')
    const written = await backup(store.options.dir, file)
    expect(written).toMatchObject({ ...MARK, schemaVersion: SCHEMA_VERSION, bytes: readFileSync(file).length })
    expect(readdirSync(folder)).toEqual(['daytwo.backup'])
    checkIntegrity(file)
    expect(await restoreBackup({ file, dir: target, replaces: false })).toEqual(written)
    expect(await samplesIn(target)).toBe(SAMPLES)
  })

  test('of the file without its log would be empty, and is refused', async () => {
    const store = await storeWithLog()
    const [copied, target] = [join(tempDir(), DATABASE_FILE), join(tempDir(), 'restored')]
    copyFileSync(join(store.options.dir, DATABASE_FILE), copied)
    await expect(restoreBackup({ file: copied, dir: target, replaces: false })).rejects.toMatchObject({
      code: 'config_invalid',
      hint: expect.stringContaining('lacks what is in its log') as string,
    })
    expect(existsSync(target)).toBe(false)
    expect(readdirSync(join(copied, '..'))).toEqual([DATABASE_FILE])
  })

  test('ends although another process writes at every step, and has nothing of that', async () => {
    const store = await storeWithLog()
    const { dir } = store.options
    const other = new Database(join(dir, DATABASE_FILE))
    other.exec('CREATE TABLE load (bytes BLOB)')
    const put = other.prepare('INSERT INTO load VALUES (zeroblob(65536))')
    for (let i = 0; i < 64; i++) put.run()
    const pages = Number(other.pragma('page_count', { simple: true }))
    let steps = 0
    const file = join(tempDir(), 'b')
    await backup(dir, file, () => {
      steps++
      for (let i = 0; i < 32; i++) put.run()
    })
    other.close()
    // One for each megabyte, and the last: it did not start over, nor follow what was written.
    expect(steps).toBeGreaterThan(3)
    expect(steps).toBeLessThanOrEqual(Math.ceil(pages / 256) + 1)
    const copy = new Database(file, { readonly: true })
    expect(copy.prepare('SELECT count(*) FROM load').pluck().get()).toBe(64)
    copy.close()
  })

  test('replaces an earlier one of its name, and no other file', async () => {
    const store = await storeWithLog()
    const file = join(tempDir(), 'b')
    writeFileSync(file, 'notes of somebody')
    await expect(backup(store.options.dir, file)).rejects.toMatchObject({ code: 'config_invalid' })
    expect(readFileSync(file, 'utf8')).toBe('notes of somebody')
    const other = join(tempDir(), 'b')
    await backup(store.options.dir, other)
    const later = { dir: store.options.dir, file: other, bytesPerSecondMax: Infinity, onProgress: () => undefined }
    await writeBackup({ ...later, mark: { ...MARK, atMs: NOW_MS + 1 } })
    expect(readBackup(other).atMs).toBe(NOW_MS + 1)
  })

  test.each([
    ['an absent file', () => undefined, 'there is no file'],
    [
      'another file',
      (file: string) => {
        writeFileSync(file, 'x'.repeat(5000))
      },
      'is not a backup',
    ],
    [
      'an empty file',
      (file: string) => {
        writeFileSync(file, '')
      },
      'is not a backup',
    ],
    [
      "another program's database",
      (file: string) => {
        new Database(file).exec('CREATE TABLE meta (key TEXT, value TEXT)')
      },
      'is not a backup',
    ],
  ])('is not %s', (_, make, message) => {
    const file = join(tempDir(), 'b')
    make(file)
    expect(() => readBackup(file)).toThrow(message)
  })

  test('of a newer schema is refused, and so is a damaged one', async () => {
    const store = await storeWithLog()
    const file = join(tempDir(), 'b')
    await backup(store.options.dir, file)
    const damaged = join(tempDir(), 'b')
    const bytes = readFileSync(file)
    // In the second half: not the schema, nor the mark.
    bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 4096 * 8)
    writeFileSync(damaged, bytes)
    expect(readBackup(damaged)).toMatchObject(MARK)
    const target = join(tempDir(), 'restored')
    await expect(restoreBackup({ file: damaged, dir: target, replaces: false })).rejects.toMatchObject({
      code: 'storage_failed',
    })
    expect(readdirSync(target)).toEqual(['daytwo.lock'])
    const db = new Database(file)
    db.pragma(`user_version = ${SCHEMA_VERSION + 1}`)
    db.close()
    await expect(restoreBackup({ file, dir: target, replaces: false })).rejects.toMatchObject({
      code: 'data_dir_too_new',
    })
  })
})

describe('restoring', () => {
  test('refuses a folder that is not empty, and replaces its data only when told to', async () => {
    const store = await storeWithLog()
    const file = join(tempDir(), 'b')
    await backup(store.options.dir, file)
    const other = new TempStore()
    other.writer.appender.append(other.resolve({ __name__: 'other' }), NOW_MS - MINUTE_MS, 1)
    await other.close()
    const { dir } = other.options
    writeFileSync(join(dir, 'notes'), 'stay')
    const before = readFileSync(join(dir, DATABASE_FILE))
    await expect(restoreBackup({ file, dir, replaces: false })).rejects.toMatchObject({
      message: expect.stringContaining('is not empty') as string,
      hint: expect.stringContaining('--force') as string,
    })
    expect(readFileSync(join(dir, DATABASE_FILE)).equals(before)).toBe(true)
    await restoreBackup({ file, dir, replaces: true })
    expect(await samplesIn(dir)).toBe(SAMPLES)
    expect(readFileSync(join(dir, 'notes'), 'utf8')).toBe('stay')
  })

  test('refuses a folder that a server uses, also when told to replace', async () => {
    const store = await storeWithLog()
    const file = join(tempDir(), 'b')
    await backup(store.options.dir, file)
    const dir = tempDir()
    const lock = lockDirectory(dir)
    await expect(restoreBackup({ file, dir, replaces: true })).rejects.toMatchObject({ code: 'data_dir_in_use' })
    lock.release()
  })
})
