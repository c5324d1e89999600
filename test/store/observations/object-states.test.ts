import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CLOCK_ERROR_MS_MAX } from '../../../src/model/observation.ts'
import { statesOf, type Sighting, type StateSpan } from '../../../src/store/observations/object-states.ts'

const KIND = 7
const STEP_MS = CLOCK_ERROR_MS_MAX / 2

const sighting = (version: number, step: number): Sighting => ({ version, ms: step * STEP_MS, change: 0, manager: '' })
const small = fc.integer({ min: 0, max: 6 })
const arbitraryState = fc
  .record({ version: small, more: small, from: small, to: small, seen: small, isDeleted: fc.boolean() })
  .map(({ version, more, from, to, seen, isDeleted }): Omit<StateSpan, 'hash'> => ({
    isDeleted,
    first: sighting(version, from),
    last: sighting(version + more, to),
    seenMs: (to + seen) * STEP_MS,
  }))
const arbitraryStates = fc
  .array(arbitraryState, { minLength: 2, maxLength: 8 })
  .map((states) => states.map((state, hash): StateSpan => ({ ...state, hash })))

test('a state counts again where it was seen long after all with a higher version, of those that had begun', () => {
  fc.assert(
    fc.property(arbitraryStates, (states) => {
      const starts = statesOf(KIND, states)
      const direct = states.flatMap((state) => {
        const later = states.filter(({ last, first }) => last.version > state.last.version && first.ms <= state.seenMs)
        const laterMs = Math.max(...later.map(({ last, seenMs }) => Math.max(last.ms, seenMs)))
        const own = starts.filter((start) => start.state === state && start.change === 0).at(-1)!
        const isBack = later.length > 0 && own.ms <= laterMs && state.seenMs >= laterMs + CLOCK_ERROR_MS_MAX
        return isBack && !state.isDeleted ? [`${state.hash} ${laterMs + CLOCK_ERROR_MS_MAX}`] : []
      })
      const again = starts.filter(({ change }) => change !== 0)
      expect(again.map(({ state, ms }) => `${state.hash} ${ms}`).sort()).toEqual(direct.sort())
      expect(again.map(({ ms }) => ms)).toEqual(again.map(({ ms }) => ms).sort((a, b) => a - b))
    }),
    { seed: 11, numRuns: 3000 },
  )
})
