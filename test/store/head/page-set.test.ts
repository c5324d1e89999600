import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PageSet } from '../../../src/store/head/page-set.ts'

const takeAll = (pages: PageSet): number[] => Array.from({ length: pages.size }, () => pages.take(1))

test('free pages are taken in the order of their numbers, whatever the order in which they were freed', () => {
  const pages = new PageSet()
  for (const page of [40, 3, 5000, 31, 32, 4]) pages.add(page)
  expect([pages.take(1), pages.take(1)]).toEqual([3, 4])
  // Behind the place at which the last one was: it is for the next round.
  pages.add(2)
  pages.add(63)
  expect(pages.size).toBe(6)
  expect(takeAll(pages)).toEqual([2, 31, 32, 40, 63, 5000])
  expect(pages.take(1)).toBe(0)
})

test('few free pages among many are left for later', () => {
  const pages = new PageSet()
  pages.add(7)
  expect(pages.take(257)).toBe(0)
  expect(pages.take(256)).toBe(7)
})

test('each free page is taken once', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 100_000 })), (free) => {
      const pages = new PageSet()
      for (const page of free) pages.add(page)
      expect(takeAll(pages).sort((a, b) => a - b)).toEqual(free.sort((a, b) => a - b))
    }),
  )
})
