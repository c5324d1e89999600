import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import {
  aheadOfRequests,
  forEachInSlices,
  inSlices,
  sharedTurn,
  Slice,
  startTurn,
  type Steps,
} from '../../src/base/thread-slices.ts'

/** Holds the thread. */
function busyMs(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

test('other work runs between slices, and the items have their order', async () => {
  const seen: (number | 'other')[] = []
  setImmediate(() => seen.push('other'))
  await forEachInSlices([1, 2, 3], (item) => {
    busyMs(item === 2 ? 30 : 0)
    seen.push(item)
  })
  expect(seen).toEqual([1, 2, 'other', 3])
})

test('each slice has its time', async () => {
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await forEachInSlices(
    Array.from({ length: 1000 }, (_, i) => i),
    (item) => {
      busyMs(item === 0 ? 30 : 0)
    },
  )
  isOver = true
  expect(turns).toBeLessThan(10)
})

test('short work is not interrupted, and an error ends it', async () => {
  const seen: unknown[] = []
  setImmediate(() => seen.push('other'))
  const items = Array.from({ length: 1000 }, (_, i) => i)
  const work = forEachInSlices(items, (item) => {
    if (item === 500) throw new Error('no more')
    seen.push(item)
  })
  await expect(work).rejects.toThrow('no more')
  expect(seen.slice(0, 500)).toEqual(items.slice(0, 500))
  expect(seen).not.toContain(501)
})

test('steps pause when their slice is over, or where they say so, and end with their result', async () => {
  const seen: string[] = []
  function* steps(): Steps<string> {
    for (let i = 0; i < 6; i++) {
      busyMs(i === 4 ? 30 : 0)
      seen.push(`step ${i}`)
      yield i === 1
    }
    return 'all'
  }
  const pause = (): Promise<void> => {
    seen.push('pause')
    return Promise.resolve()
  }
  expect(await inSlices(steps(), pause)).toBe('all')
  expect(seen).toEqual(['step 0', 'step 1', 'pause', 'step 2', 'step 3', 'step 4', 'pause', 'step 5'])
})

test('an error of a step or of a pause ends the steps', async () => {
  let taken = 0
  function* steps(): Steps<void> {
    for (; taken < 10; taken++) yield true
  }
  await expect(inSlices(steps(), () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full')
  expect(taken).toBe(0)
  function* failing(): Steps<void> {
    yield false
    throw new Error('malformed')
  }
  await expect(inSlices(failing(), () => Promise.resolve())).rejects.toThrow('malformed')
})

test('starts that find the thread free take a round of their own once a slice', async () => {
  await startTurn()
  expect(startTurn()).toBeUndefined()
  expect(startTurn()).toBeUndefined()
  busyMs(30)
  const [first, second] = [startTurn(), startTurn()]
  expect([first, second]).toEqual([expect.any(Promise), expect.any(Promise)])
  const seen: string[] = []
  setImmediate(() => seen.push('other'))
  await Promise.all([first?.then(() => seen.push('first')), second?.then(() => seen.push('second'))])
  expect(seen).toEqual(['first', 'other', 'second'])
})

test('a start waits behind work that yielded', async () => {
  await startTurn()
  const yielded = sharedTurn()
  expect(startTurn()).toBeInstanceOf(Promise)
  await yielded
})

test('work ahead of requests waits for other threads without a slice of a request at each answer', async () => {
  let slices = 0
  let isOver = false
  const request = async (): Promise<void> => {
    for (const slice = new Slice(); !isOver; slices++) {
      while (!slice.isOver);
      await slice.next()
    }
  }
  const { port1, port2 } = new MessageChannel()
  port2.on('message', (message) => {
    port2.postMessage(message)
  })
  const requests = [request(), request()]
  const TRIPS = 60
  await aheadOfRequests(async () => {
    for (let trip = 0; trip < TRIPS; trip++) {
      port1.postMessage(trip)
      await once(port1, 'message')
    }
  })
  expect(slices).toBeLessThan(TRIPS / 2)

  // Requests continue meanwhile, however long it takes.
  const before = slices
  await aheadOfRequests(async () => {
    while (slices < before + 4) await sharedTurn()
  })
  isOver = true
  await Promise.all(requests)
  port1.close()
})
