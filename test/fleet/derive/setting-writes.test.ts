import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ObjectHistory, ObjectState } from '../../../src/fleet/derive/cluster-history.ts'
import { SettingWrites, type SettingSort } from '../../../src/fleet/derive/setting-writes.ts'
import { writtenOf } from '../../../src/fleet/derive/written.ts'
import type { HyperConvergedFacts } from '../../../src/model/object-facts.ts'
import { hyperConverged } from './observed.ts'

const GATES: SettingSort = {
  namesOf: ({ featureGates }) => Object.keys(featureGates),
  valueOf: ({ featureGates }, name) => featureGates[name],
}

const stateOf = (facts: HyperConvergedFacts, i: number): ObjectState<HyperConvergedFacts> => ({
  ...{ facts, seenMs: 1000 * i, atMs: 1000 * i, isWatched: true, manager: `manager-${i % 3}` },
})

const historyOf = (
  states: readonly ObjectState<HyperConvergedFacts>[],
  createdMs?: number,
): ObjectHistory<HyperConvergedFacts> => ({
  ...{ uid: 'u', name: 'kubevirt-hyperconverged', namespace: 'n', createdMs, states, gone: undefined },
})

test('after each state they are those of a walk back from it', () => {
  const gates = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'toString'), fc.boolean(), { noNullPrototype: true })
  fc.assert(
    fc.property(
      fc.array(gates, { minLength: 1, maxLength: 15 }),
      fc.constantFrom(undefined, 0, -3_600_000),
      (all, born) => {
        const states = all.map((featureGates, i) => stateOf(hyperConverged({ featureGates }), i))
        const writes = new SettingWrites(historyOf(states, born), GATES)
        for (let count = 1; count <= states.length; count++) {
          const then = historyOf(states.slice(0, count), born)
          const names = [...new Set(then.states.flatMap(({ facts }) => GATES.namesOf(facts)))]
          expect(new Set(writes.names(count))).toEqual(new Set(names))
          for (const name of names) {
            const walked = writtenOf(
              then,
              (earlier, newest) => GATES.valueOf(earlier, name) === GATES.valueOf(newest, name),
            )
            expect(writes.last(name, count)).toEqual(walked.sinceMs === undefined ? undefined : walked)
          }
        }
      },
    ),
  )
})

test('each state is read a fixed number of times, however many moments are asked for', () => {
  let reads = 0
  const counting: SettingSort = {
    ...GATES,
    namesOf: (facts) => {
      reads++
      return GATES.namesOf(facts)
    },
  }
  const states = Array.from({ length: 3000 }, (_, i) =>
    stateOf(hyperConverged({ featureGates: { a: i % 2 === 0 } }), i),
  )
  const writes = new SettingWrites(historyOf(states), counting)
  for (let count = 1; count <= states.length; count++) {
    expect(writes.last('a', count)?.sinceMs).toBe(count === 1 ? undefined : 1000 * (count - 1))
  }
  expect(reads).toBeLessThanOrEqual(2 * states.length)
})

test('names beyond any version’s are not followed', () => {
  const states = Array.from({ length: 501 }, (_, i) =>
    stateOf(hyperConverged({ featureGates: { [`made-up-${i}`]: true } }), i),
  )
  const writes = new SettingWrites(historyOf(states), GATES)
  expect(writes.names(states.length)).toHaveLength(500)
  expect(writes.last('made-up-499', states.length)).toEqual({ sinceMs: 500_000, by: 'manager-2' })
  expect(writes.last('made-up-500', states.length)).toBeUndefined()
})
