import { describe, expect, test } from 'vitest'
import type { Readable } from 'node:stream'
import { createEventFeed } from '../../../src/api/server/event-feed.ts'
import { createOwnMetrics } from '../../../src/base/metrics.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')

function feedOf(listenersMax = 10) {
  const clock = new FakeClock(NOW_MS)
  const metrics = createOwnMetrics('0')
  const shown = async (name: string): Promise<string[]> =>
    (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(name))
  return { clock, shown, feed: createEventFeed({ clock, metrics, listenersMax }) }
}

/** What is there to be read, as text. */
const read = (stream: Readable): string => String((stream.read() as Buffer | null) ?? '')
/** Topic and version of each event, in order. */
const eventsIn = (text: string): string[] =>
  Array.from(text.matchAll(/^id: \w+-(\d+)\nevent: change\ndata: (.*)\n\n/gm), ([, id, data]) => {
    const { topic, version } = JSON.parse(data!) as { topic: string; version: number }
    expect(String(version)).toBe(id)
    return `${topic} ${version}`
  })
const lastIdIn = (text: string): string => [...text.matchAll(/^id: (.*)$/gm)].at(-1)![1]!

test('a change is told at once, and at most once a topic and second', () => {
  const { clock, feed } = feedOf()
  const stream = feed.listen(undefined)
  expect(read(stream)).toBe('retry: 3000\n: listening\n\n')
  feed.publish(['alerts', 'upgrades'])
  feed.publish(['alerts'])
  feed.publish(['alerts'])
  expect(eventsIn(read(stream))).toEqual(['alerts 1', 'upgrades 2'])
  clock.advance(999)
  expect(read(stream)).toBe('')
  clock.advance(1)
  expect(eventsIn(read(stream))).toEqual(['alerts 3'])
  clock.advance(1000)
  feed.publish(['alerts'])
  expect(eventsIn(read(stream))).toEqual(['alerts 4'])
})

describe('who comes back with the last id', () => {
  test('is told what changed since, the oldest first and each topic once', () => {
    const { clock, feed } = feedOf()
    const first = feed.listen(undefined)
    feed.publish(['rules'])
    const id = lastIdIn(read(first))
    first.destroy()
    feed.publish(['upgrades', 'alerts'])
    clock.advance(1000)
    feed.publish(['upgrades'])
    expect(eventsIn(read(feed.listen(id)))).toEqual(['alerts 3', 'upgrades 4'])
  })

  test.each(['x-1', 'nonsense', '', `${NOW_MS.toString(36)}-`])('of another run, %j, is told all', (id) => {
    const { feed } = feedOf()
    feed.publish(['clusters'])
    const all = ['alerts 0', 'silences 0', 'upgrades 0', 'rules 0', 'dashboards 0', 'work 0', 'clusters 1']
    expect(eventsIn(read(feed.listen(id)))).toEqual(all)
  })
})

test('a silent stream has a sign of life every quarter of a minute, as long as somebody listens', () => {
  const { clock, feed } = feedOf()
  const [one, two] = [feed.listen(undefined), feed.listen(undefined)]
  read(one)
  read(two)
  clock.advance(31_000)
  expect([read(one), read(two)]).toEqual([': still here\n\n: still here\n\n', ': still here\n\n: still here\n\n'])
})

test('one more than may is refused and counted, and has room when another left', async () => {
  const { feed, shown } = feedOf(1)
  const first = feed.listen(undefined)
  expect(() => feed.listen(undefined)).toThrow(/got one listener more than web.listeners-max, 1/)
  expect(await shown('daytwo_event_listeners_lost_total')).toEqual([
    'daytwo_event_listeners_lost_total{reason="refused"} 1',
  ])
  first.destroy()
  await new Promise((closed) => first.once('close', closed))
  expect(await shown('daytwo_event_listeners ')).toEqual(['daytwo_event_listeners 0'])
  feed.listen(undefined)
})

test('who does not read is dropped and counted, and the others are told on', async () => {
  const { clock, feed, shown } = feedOf()
  const [slow, quick] = [feed.listen(undefined), feed.listen(undefined)]
  let told = 0
  for (let second = 0; second < 400; second++) {
    feed.publish(['alerts'])
    told += eventsIn(read(quick)).length
    clock.advance(1000)
  }
  expect([slow.destroyed, quick.destroyed, told]).toEqual([true, false, 400])
  expect(await shown('daytwo_event_listeners_lost_total')).toEqual([
    'daytwo_event_listeners_lost_total{reason="slow"} 1',
  ])
  expect(await shown('daytwo_event_listeners ')).toEqual(['daytwo_event_listeners 1'])
})

test('when it stops all streams end, and nobody is let in', async () => {
  const { feed } = feedOf()
  const stream = feed.listen(undefined)
  feed.stop()
  read(stream)
  await new Promise((ended) => stream.once('end', ended).resume())
  expect(() => feed.listen(undefined)).toThrow()
  feed.publish(['alerts'])
})
