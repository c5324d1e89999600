import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import Database from 'better-sqlite3'
import { unpackStoredData } from '../support/stored-data.ts'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

const data = tempDir('doctor')
beforeAll(() => {
  unpackStoredData(data.path)
})
afterAll(() => {
  data.remove()
})

test('a sound directory ends with 0, a damaged one with 1, a repaired one with 0 again', async () => {
  const sound = await daytwo('doctor', '--data', data.path)
  expect(sound).toMatchObject({ code: 0, stdout: 'nothing is damaged\n' })
  const db = new Database(join(data.path, 'daytwo.db'))
  const id = db.prepare<[], number>('SELECT max(id) FROM pack').pluck().get()!
  db.prepare(`UPDATE pack SET payload = x'ff' WHERE id = ?`).run(id)
  db.close()

  const damaged = await daytwo('doctor', '--data', data.path)
  expect(damaged.code).toBe(1)
  expect(damaged.stdout).toMatch(
    new RegExp(`^pack ${id}: .*; lost with it: samples of \\d+ series \\(.*\\n1 damaged\\n$`),
  )

  const repaired = await daytwo('doctor', '--repair', '--data', data.path)
  expect(repaired.code).toBe(0)
  expect(repaired.stdout).toMatch(
    /\nrepaired: \d+ rows of \d+ tables copied; the damaged file is .*damaged-\d{8}T\d{6}Z\nlost:\n {2}pack /,
  )
  expect(await daytwo('doctor', '--data', data.path)).toMatchObject({ code: 0, stdout: 'nothing is damaged\n' })
})

test('a directory without data, and a word too many, end with 2', async () => {
  const none = await daytwo('doctor', '--data', join(data.path, 'none'))
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no folder') as string })
  const word = await daytwo('doctor', 'repair')
  expect(word).toMatchObject({ code: 2, stderr: expect.stringContaining('want only options') as string })
})
