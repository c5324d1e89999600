import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { EVENT_TOPICS } from '../../../src/contract/events.ts'
import { atMostEvery, LIVE_TOPICS, pollMsOf, topicOf } from '../../../src/web/lib/live-topics.ts'
import { FakeClock } from '../../support/fake-clock.ts'

test.each([
  ['now', 'live', 60_000],
  ['now', 'polling', 5000],
  ['now', 'paused', false],
  // Nobody tells when a query has another answer.
  ['instant', 'live', 5000],
] as const)('%s while %s is asked every %s ms', (key, state, want) => {
  expect(pollMsOf(key, 5000, state)).toBe(want)
})

test.each([
  ['{"topic":"alerts","version":3}', 'alerts'],
  ['{"topic":"of a newer server"}', undefined],
  ['{"topic":"toString"}', undefined],
  ['{"topic":7}', undefined],
  ['not JSON', undefined],
])('the topic of %s is %s', (data, want) => {
  expect(topicOf(data)).toBe(want)
})

test('every topic concerns questions that are asked, by the keys they have', () => {
  const folder = resolve(import.meta.dirname, '../../../src/web/query')
  const text = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
  const keys = new Set(Array.from(text.matchAll(/(?:queryKey: \[|useApi\w+<\w+>\()'([\w-]+)'/g), ([, key]) => key))
  expect(Object.keys(LIVE_TOPICS).sort()).toEqual([...EVENT_TOPICS].sort())
  const unknown = Object.values(LIVE_TOPICS).flatMap((topic) => topic.keys.filter((key) => !keys.has(key)))
  expect(unknown).toEqual([])
})

describe('at most every second', () => {
  function counting() {
    const clock = new FakeClock(0)
    const ran: number[] = []
    const work = atMostEvery(
      1000,
      () => ran.push(clock.nowMs()),
      (delayMs, run) => clock.after(delayMs, run),
    )
    return { clock, ran, work }
  }

  test('the first is done at once, and those that come too soon together when it is time', () => {
    const { clock, ran, work } = counting()
    work.ask()
    work.ask()
    clock.advance(400)
    work.ask()
    clock.advance(5000)
    work.ask()
    expect(ran).toEqual([0, 1000, 5400])
  })

  test('what is canceled is not done, and the next is done at once', () => {
    const { clock, ran, work } = counting()
    work.ask()
    work.ask()
    work.cancel()
    clock.advance(2000)
    work.ask()
    expect(ran).toEqual([0, 2000])
  })
})
