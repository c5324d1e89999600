import { expect, test } from 'vitest'
import { steadyNow } from '../../../src/web/lib/steady-now.ts'
import { now } from '../browser/now-fixtures.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')

test('the lists of the landing page keep their rows, and its numbers are the newest', () => {
  const read = now(NOW_MS)
  const [first, ...others] = read.stuck.items
  const came = { ...first!, id: 'came' }
  const newest = {
    ...now(NOW_MS + 60_000),
    stuck: { count: 7, items: [came, ...others] },
    silent: { count: 0, items: [] },
  }
  const steady = steadyNow(read, newest)
  expect(steady.now.stuck.count).toBe(7)
  expect(steady.now.stuck.items.map(({ id, isGone }) => [id, isGone])).toEqual([
    [first!.id, true],
    ...others.map(({ id }) => [id, undefined]),
  ])
  expect(steady.now.silent.items.every(({ isGone }) => isGone)).toBe(true)
  expect(steady.news).toEqual({ newCount: 1, goneCount: 1 + read.silent.items.length })
  expect(steadyNow(newest, newest).news).toEqual({ newCount: 0, goneCount: 0 })
})
