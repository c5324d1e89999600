import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { forEachInSlices, ownTurn, sharedTurn } from '../../src/base/thread-slices.ts'

// The order of events on one thread: who runs in which round of its event loop.

/** Work of several slices; notes each of them. */
async function work(name: string, slices: number, turn: () => Promise<void>, seen: string[]): Promise<void> {
  for (let slice = 0; slice < slices; slice++) {
    await turn()
    seen.push(name)
  }
}

test('all work on the shared turn has one slice per round, in order; work with a turn of its own has one in each', async () => {
  const seen: string[] = []
  const requests = ['a', 'b', 'c', 'd', 'e'].map((name) => work(name, 4, sharedTurn, seen))
  await Promise.all([work('rule', 8, ownTurn, seen), ...requests])
  const slices = seen.join(' ')
  // Whatever the number of requests: between two slices of rules there is one of theirs.
  expect(slices).toMatch(/^(\w )?(rule \w |\w rule ){7}/)
  // And of the requests each has as many as the others at any time.
  expect(seen.filter((name) => name !== 'rule').join('')).toBe('abcde'.repeat(4))
})

test('a message arrives between two slices of the shared turn', async () => {
  const seen: string[] = []
  const { port1, port2 } = new MessageChannel()
  const arrived = new Promise<void>((resolve) => {
    port2.on('message', () => {
      seen.push('message')
      resolve()
    })
  })
  port1.postMessage(undefined)
  await Promise.all([arrived, ...Array.from({ length: 50 }, () => work('slice', 10, sharedTurn, seen))])
  port1.close()
  expect(seen.indexOf('message')).toBeLessThan(20)
  expect(seen).toHaveLength(501)
})

test('a list that nobody waits for ends after its slice', async () => {
  const signal = { aborted: false }
  const seen: number[] = []
  const all = forEachInSlices(
    [1, 2, 3],
    (item) => {
      seen.push(item)
      const untilMs = performance.now() + 30
      while (performance.now() < untilMs);
      signal.aborted = true
    },
    signal,
  )
  await expect(all).rejects.toMatchObject({ code: 'query_canceled' })
  expect(seen).toEqual([1])
})
