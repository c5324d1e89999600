import { expect, test } from 'vitest'
import { forEachInSlices } from '../../src/base/thread-slices.ts'

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
