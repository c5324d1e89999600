import { expect, test } from 'vitest'
import { createSilenceWatch, withWriteEvents, withReloadEvents } from '../../src/runtime/change-events.ts'
import type { Reloader } from '../../src/runtime/reload.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { memoryPeople } from '../support/people.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')
const MINUTE_MS = 60_000

async function publishing() {
  const clock = new FakeClock(NOW_MS)
  const published: string[] = []
  const publish = (topics: readonly string[]): void => {
    published.push(topics.join(' '))
  }
  const { people } = await memoryPeople({ clock, wrap: (store) => withWriteEvents(store, publish) })
  return { people, published, publish, take: () => published.splice(0) }
}

const SILENCE = {
  matchers: [{ name: 'alertname', op: '=', value: 'Up' }],
  startsAtMs: NOW_MS + MINUTE_MS,
  endsAtMs: NOW_MS + 2 * MINUTE_MS,
  comment: 'rack 4 moves',
  createdBy: 'kim',
  untilResolved: false,
} as const

test('a silence is told when it is written, when it begins and when it ends', async () => {
  const { people, publish, take } = await publishing()
  const watch = createSilenceWatch(() => people.silences.all(), publish)
  watch(NOW_MS)
  expect(take()).toEqual([])
  await people.silences.set(SILENCE, 'kim', NOW_MS)
  expect(take()).toEqual(['silences alerts'])
  const told = [0, 1, 1.5, 2, 3].map((minutes) => {
    watch(NOW_MS + minutes * MINUTE_MS)
    return take()
  })
  expect(told).toEqual([[], ['silences alerts'], [], ['silences alerts'], []])
})

test('what is read again is told when it is in use, and what was refused is not', async () => {
  const { publish, take } = await publishing()
  const faults: Error[] = []
  const reloader: Reloader = {
    reload: () => (faults[0] === undefined ? Promise.resolve() : Promise.reject(faults[0])),
    status: () => ({ isSuccessful: true, lastSuccessMs: NOW_MS }),
    places: [],
  }
  const recorded: string[] = []
  const told = withReloadEvents(reloader, publish, (cause) => {
    recorded.push(cause)
    return Promise.resolve()
  })
  await told.reload('files')
  expect(take()).toEqual(['rules dashboards alerts'])
  // The route that requested it knows by whom, and records it itself.
  await told.reload('request')
  await told.reload('signal')
  expect(recorded).toEqual(['files', 'signal'])
  take()
  faults.push(new Error('a rule is bad'))
  await expect(told.reload('files')).rejects.toThrow('a rule is bad')
  expect([take(), recorded.length]).toEqual([[], 2])
})
