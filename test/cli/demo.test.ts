import { expect, test } from 'vitest'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

test('a demo in a folder with tokens ends, and says what it needs', async () => {
  const folder = tempDir('demo-with-token')
  const made = await daytwo('token', 'add', '--role', 'admin', '--name', 'first', '--data', folder.path)
  expect(made.code).toBe(0)
  const options = [
    '--listen',
    '127.0.0.1:0',
    '--data',
    folder.path,
    '--clusters',
    '3',
    '--past',
    '7d',
    '--history',
    '1h',
  ]
  const { code, stderr } = await daytwo('demo', ...options)
  expect(code).toBe(2)
  expect(stderr).toContain('this needs a token')
  expect(stderr).toContain('hint: start the demo in a folder without tokens')
  folder.remove()
})
