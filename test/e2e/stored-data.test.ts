import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtApp } from '../support/built-app.ts'
import { skipInScaleOut } from '../support/mode.ts'
import {
  answersOf,
  ANSWERS_FILE,
  differencesOf,
  unpackStoredData,
  type Answer,
  type StoredAnswers,
} from '../support/stored-data.ts'
import { tempDir } from '../support/temp-dir.ts'

// A data directory that an earlier version wrote, with samples in the log, in packs and in rollups, and every kind of fact:
// the present version opens it and gives the same answers to the same requests.

const stored = JSON.parse(readFileSync(ANSWERS_FILE, 'utf8')) as StoredAnswers
const data = tempDir('stored-data')
let got: ReadonlyMap<string, Answer>

beforeAll(async () => {
  unpackStoredData(data.path)
  const { startApp } = await builtApp()
  const requests = stored.answers.map(({ request }) => request)
  const answers = await answersOf(startApp, data.path, stored, requests)
  got = new Map(answers.map((answer) => [answer.request, answer]))
})
afterAll(() => {
  data.remove()
})

test('50 requests are stored, and each has an answer', () => {
  expect(stored.answers.length).toBe(50)
  expect(stored.answers.filter(({ status }) => status !== 200)).toEqual([])
})

test.for(stored.answers.map((answer) => [answer.request, answer] as const))('%s', ([request, want], context) => {
  skipInScaleOut(context, 'facts in SQLite are moved to PostgreSQL by `daytwo migrate`, and are not read beside it')
  expect(differencesOf(want, got.get(request))).toEqual([])
})

test('a changed, a missing and a surplus value are seen; a field more is not', () => {
  const want = { a: 1, list: [{ b: 'x' }], evaluationTime: 3 }
  expect(differencesOf(want, { a: 1, list: [{ b: 'x', c: 2 }], evaluationTime: 4, more: true })).toEqual([])
  expect(differencesOf(want, { a: '1', list: [{}, {}], evaluationTime: 3 })).toEqual([
    '.a: got "1", want 1',
    '.list: 2 items, want 1',
    '.list[0].b: missing',
  ])
})
