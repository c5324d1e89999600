import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ClusterHistory, ObjectHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { hcoCreations, hcoVersionAfter, hcoVersionAt, wasHcoDeleted } from '../../../src/fleet/derive/hco-versions.ts'
import { at, hyperConverged } from './observed.ts'
import { historyOf, objectsOf, seconds, version } from './random-objects.ts'

const hcos = objectsOf(
  fc
    .record({ operatorVersion: fc.option(version, { nil: undefined }) })
    .map(({ operatorVersion }) => hyperConverged(operatorVersion === undefined ? {} : { operatorVersion })),
)

/** In the order of time, by a walk over everything. */
function reported(history: ClusterHistory) {
  const states = history.of('hyperconvergeds').flatMap((hco) => hco.states)
  return states.filter(({ facts }) => facts.operatorVersion !== undefined).toSorted((a, b) => a.atMs - b.atMs)
}

test('versions that several HyperConvergeds reported are those of a walk over all states', () => {
  fc.assert(
    fc.property(hcos, seconds, seconds, (objects, a, b) => {
      const history = historyOf(objects)
      const states = reported(history)
      const until = states.filter(({ atMs }) => atMs <= at(a)).at(-1)
      expect(hcoVersionAt(history, at(a))).toBe(until?.facts.operatorVersion)
      const after = states.find(({ atMs }) => atMs > at(a) && atMs < at(b))
      expect(hcoVersionAfter(history, at(a), at(b))).toBe(after?.facts.operatorVersion)
    }),
  )
})

test('HCO was deleted when each HyperConverged that had reported a version was', () => {
  fc.assert(
    fc.property(hcos, fc.array(fc.nat(3)), seconds, fc.boolean(), (objects, absent, a, isReplaced) => {
      const whole = historyOf(objects)
      // Some were found to be gone a while after they were last seen.
      const all = whole.of('hyperconvergeds').map((hco, i): ObjectHistory => {
        const sinceMs = hco.states.at(-1)!.atMs
        return absent.includes(i) ? { ...hco, gone: { sinceMs, atMs: sinceMs + 120_000 } } : hco
      })
      const history = { ...whole, of: () => all as never } as ClusterHistory
      const ran = history
        .of('hyperconvergeds')
        .filter(({ states }) => states.some(({ atMs, facts }) => atMs <= at(a) && facts.operatorVersion !== undefined))
      const isGone = ran.every(({ gone }) => gone !== undefined && (isReplaced ? gone.sinceMs : gone.atMs) <= at(a))
      expect(wasHcoDeleted(history, at(a), isReplaced)).toBe(ran.length > 0 && isGone)
      const created = history.of('hyperconvergeds').flatMap(({ createdMs }) => createdMs ?? [])
      const ends = created.length === 0 ? {} : { firstMs: Math.min(...created), lastMs: Math.max(...created) }
      expect(hcoCreations(history)).toEqual(ends)
    }),
  )
})
