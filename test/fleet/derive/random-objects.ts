/** Objects with random states for comparisons with a walk over everything: few minutes and versions, so that many are equal. */
import fc from 'fast-check'
import { type ClusterHistory, clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import type { ObjectFacts } from '../../../src/model/object-facts.ts'
import { at, look, observed, type Look } from './observed.ts'

/** Seconds after T0. */
export const seconds = fc.nat(12).map((minutes) => minutes * 60)
export const version = fc.constantFrom('1.16.0', '1.17.0', '1.18.0')
export const csvNameOf = (of: string): string => `kubevirt-hyperconverged-operator.v${of}`

/** States of up to four objects of a kind; some are deleted in the end, and some say when they were created. */
export function objectsOf<F extends ObjectFacts>(
  facts: fc.Arbitrary<F>,
  nameOf: (facts: F, uid: string) => string = (_, uid) => uid,
): fc.Arbitrary<readonly ReturnType<typeof look>[]> {
  const one = fc.record({
    states: fc.array(fc.record({ facts, second: seconds }), { minLength: 1, maxLength: 4 }),
    created: fc.option(seconds, { nil: undefined }),
    isDeleted: fc.boolean(),
  })
  return fc.array(one, { maxLength: 4 }).map((objects) =>
    objects.flatMap(({ states, created, isDeleted }, i) => {
      const uid = `${states[0]!.facts.kind}-${i}`
      const name = nameOf(states[0]!.facts, uid)
      const sorted = states.toSorted((a, b) => a.second - b.second)
      const createdMs = created === undefined ? {} : { createdMs: at(created - 300) }
      return sorted.map((state, k) => {
        const isLast = isDeleted && k === sorted.length - 1 && k > 0
        const options: Look = { name, uid, change: isLast ? 'deleted' : 'modified', version: 1_000_000 + i * 1000 + k }
        return look(state.second, { ...state.facts, ...createdMs }, options)
      })
    }),
  )
}

export function historyOf(...kinds: readonly (readonly ReturnType<typeof look>[])[]): ClusterHistory {
  return clusterHistory(observed(kinds.flat()))
}
