import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortInSteps } from '../../src/base/sort-in-steps.ts'
import { Budget } from '../../src/promql/budget.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { runPieces, type Pieces } from '../../src/promql/evaluate/pieces.ts'

/** A budget whose clock goes on by `selectorTimeMs` at every look. */
function budgetOf(selectorTimeMs: number, signal?: AbortSignal): Budget {
  let nowMs = 0
  return new Budget(DEFAULT_ENGINE_OPTIONS, 1e9, () => (nowMs += selectorTimeMs), signal)
}

test('sorting in pieces is sorting, and keeps the order of equal items', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 30_000 }),
      fc.integer({ min: 1, max: 5000 }),
      fc.integer({ min: 1, max: 2 ** 30 }),
      async (length, distinct, seed) => {
        let random = seed
        const items = Array.from({ length }, (_, place) => {
          random = (random * 48_271 + 11) % 2_147_483_647
          return { key: random % distinct, place }
        })
        const want = [...items].sort((a, b) => a.key - b.key)
        expect(
          await runPieces(
            sortInSteps(items, (a, b) => a.key - b.key),
            budgetOf(0),
          ),
        ).toEqual(want)
      },
    ),
    { numRuns: 15 },
  )
})

test('between pieces others have the thread, and an abort ends the work', async () => {
  const abort = new AbortController()
  let done = 0
  function* pieces(): Pieces<number> {
    for (; done < 1000; done++) yield
    return done
  }
  setImmediate(() => {
    abort.abort()
  })
  await expect(runPieces(pieces(), budgetOf(10, abort.signal))).rejects.toMatchObject({ code: 'query_canceled' })
  expect(done).toBeLessThan(1000)
})
