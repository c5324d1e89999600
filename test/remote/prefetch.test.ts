import { expect, test } from 'vitest'
import type { Matcher } from '../../src/model/matcher.ts'
import { FetchedStore, NotFetched, SelectionNotes } from '../../src/remote/prefetch.ts'
import { series } from './fake-store.ts'

const named = (value: string): readonly Matcher[] => [{ name: '__name__', op: '=', value }]
const request = (name: string, fromMs: number, toMs: number) => ({
  matchers: named(name),
  fromMs,
  toMs,
  maxSamples: 10,
})

test('selections of equal matchers are read together when they overlap or nearly do', () => {
  const notes = new SelectionNotes()
  for (const [name, fromMs, toMs] of [
    ['up', 0, 100],
    ['down', 0, 100],
    ['up', 50, 80],
    ['up', 60_100, 60_200],
    ['up', 120_201, 120_300],
  ] as const) {
    expect(notes.select(request(name, fromMs, toMs))).toEqual([])
  }
  expect(notes.selections().map(({ matchers, fromMs, toMs }) => [matchers[0]!.value, fromMs, toMs])).toEqual([
    ['down', 0, 100],
    ['up', 0, 60_200],
    ['up', 120_201, 120_300],
  ])
})

test('only what was fetched is there, and what was not is noted once', () => {
  const store = new FetchedStore()
  const columns = { ref: 0, labels: series('up'), count: 3 }
  const one = { ...columns, timesMs: Float64Array.of(10, 20, 30), values: Float64Array.of(1, 2, 3) }
  store.put({ matchers: named('up'), fromMs: 10, toMs: 30 }, [one])
  expect([...store.select(request('up', 15, 25))[0]!.values]).toEqual([2])
  expect(store.select(request('up', 11, 19))).toEqual([])
  expect([...store.select(request('up', 10, 30))[0]!.values]).toEqual([1, 2, 3])
  for (const [name, fromMs, toMs] of [
    ['up', 9, 30],
    ['up', 10, 31],
    ['other', 10, 30],
  ] as const) {
    expect(() => store.select(request(name, fromMs, toMs)), name).toThrow(NotFetched)
  }
  expect(store.takeMissing().map(({ matchers, fromMs, toMs }) => [matchers[0]!.value, fromMs, toMs])).toEqual([
    ['other', 10, 30],
    ['up', 9, 31],
  ])
  expect(store.takeMissing()).toEqual([])
})
