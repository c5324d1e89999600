import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SPLIT_REQUESTS_MAX, splitRefused } from '../../src/forward/split.ts'

/** Splits `length` items of which some are refused. */
async function splitOf(length: number, refused: ReadonlySet<number>) {
  const accepted: number[] = []
  const reported: number[] = []
  let requests = 0
  const send = (from: number, to: number): Promise<string | undefined> => {
    requests++
    const items = Array.from({ length: to - from }, (_, i) => from + i)
    const isRefused = items.some((item) => refused.has(item))
    if (!isRefused) accepted.push(...items)
    return Promise.resolve(isRefused ? 'no' : undefined)
  }
  await splitRefused(length, send, (item) => void reported.push(item), 'no', { requests: 0 })
  return { accepted, reported, requests }
}

describe('splitting what was refused', () => {
  test('finds exactly the refused items, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({ min: 1, max: 300 })
          .chain((length) =>
            fc.record({ length: fc.constant(length), refused: fc.uniqueArray(fc.nat(length - 1), { minLength: 1 }) }),
          ),
        async ({ length, refused }) => {
          const { accepted, reported, requests } = await splitOf(length, new Set(refused))
          expect(reported).toEqual([...refused].sort((a, b) => a - b))
          expect(accepted).toHaveLength(length - refused.length)
          expect(accepted).toEqual([...accepted].sort((a, b) => a - b))
          expect(requests).toBeLessThanOrEqual(SPLIT_REQUESTS_MAX + 2 * length)
        },
      ),
      { numRuns: 200 },
    )
  })

  test.each([
    [1024, [0], 20],
    [1024, [1023], 11],
    [1024, [512], 20],
    [2, [1], 2],
    [1, [0], 0],
  ])('of %i items with %j refused takes at most %i requests', async (length, refused, requests) => {
    expect((await splitOf(length, new Set(refused))).requests).toBeLessThanOrEqual(requests)
  })

  test('goes item by item when nearly all is refused', async () => {
    const all = new Set(Array.from({ length: 10_000 }, (_, i) => i))
    const { requests, reported } = await splitOf(10_000, all)
    expect(reported).toHaveLength(10_000)
    expect(requests).toBeLessThanOrEqual(10_000 + SPLIT_REQUESTS_MAX)
  })
})
