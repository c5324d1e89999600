import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { goneAt, isReturned, decommissionsAt, verdictOfGone } from '../../../src/fleet/clusters/gone.ts'
import type { Decommission, DecommissionEnd } from '../../../src/model/decommission.ts'

const said = (sinceMs: number, end?: Omit<DecommissionEnd, 'by'>, id = 'd'): Decommission => ({
  ...{ id, cluster: 'prague', sinceMs, by: 'ada', reason: 'sold', saidMs: sinceMs + 5 },
  ...(end === undefined ? {} : { end: { ...end, by: 'ada' } }),
})
const withdrawn = (atMs: number) => ({ kind: 'withdrawn', atMs }) as const
const returned = (atMs: number) => ({ kind: 'returned', atMs }) as const
const NEVER = Infinity

describe('a cluster', () => {
  test.each<
    readonly [string, number | undefined, readonly Decommission[], number, number, 'declared' | 'unheard' | undefined]
  >([
    ['of which nobody said anything', 100, [], NEVER, 1e9, undefined],
    ['a moment before somebody says it is', 100, [said(200)], NEVER, 199, undefined],
    ['from that moment on', 100, [said(200)], NEVER, 200, 'declared'],
    ['heard at that very moment', 200, [said(200)], NEVER, 300, 'declared'],
    ['heard a moment later', 201, [said(200)], NEVER, 300, undefined],
    ['never seen by any way', undefined, [said(200)], NEVER, 300, 'declared'],
    ['of which it was taken back', 100, [said(200, withdrawn(250))], NEVER, 300, undefined],
    ['of which it was taken back later', 100, [said(200, withdrawn(350))], NEVER, 300, undefined],
    ['that came back', 400, [said(200, returned(350))], NEVER, 400, undefined],
    ['that came back, before it did', 300, [said(200, returned(350))], NEVER, 300, 'declared'],
    ['that came back and was switched off again', 400, [said(200, returned(350)), said(450)], NEVER, 500, 'declared'],
    ['not seen for exactly as long as allowed', 100, [], 50, 150, undefined],
    ['not seen for longer', 100, [], 50, 151, 'unheard'],
    ['of which nobody knows when it was heard', undefined, [], 50, 1e9, undefined],
    ['taken back, and not seen for longer than allowed', 100, [said(120, withdrawn(130))], 50, 200, 'unheard'],
    ['said to be, and not seen for longer than allowed before', 100, [said(400)], 50, 300, 'unheard'],
    ['said to be, and not seen for longer than allowed', 100, [said(400)], 50, 500, 'declared'],
  ])('%s', (_, lastSeenMs, told, goneAfterMs, atMs, why) => {
    expect(goneAt({ lastSeenMs, decommissions: told, goneAfterMs }, atMs)?.why.kind).toBe(why)
  })

  test('says since when, by whom and why', () => {
    const evidence = { lastSeenMs: 100, decommissions: [said(200)], goneAfterMs: 500 }
    expect(goneAt(evidence, 300)).toMatchObject({
      sinceMs: 200,
      why: { kind: 'declared', decommission: { by: 'ada', reason: 'sold' } },
    })
    expect(goneAt({ ...evidence, decommissions: [] }, 700)).toEqual({
      sinceMs: 600,
      why: { kind: 'unheard', afterMs: 500 },
    })
  })
})

const momentMs = fc.nat(1000)
const endArbitrary = fc.option(
  fc.record({ kind: fc.constantFrom('withdrawn' as const, 'returned' as const), atMs: momentMs }),
)
const toldArbitrary = fc.array(
  fc.tuple(momentMs, endArbitrary).map(([sinceMs, end]) => said(sinceMs, end ?? undefined)),
  { maxLength: 4 },
)

test('no word hides a living cluster, and what was said later changes nothing that was before', () => {
  fc.assert(
    fc.property(momentMs, toldArbitrary, momentMs, momentMs, (lastSeenMs, told, goneAfterMs, atMs) => {
      const gone = goneAt({ lastSeenMs, decommissions: told, goneAfterMs }, atMs)
      const byTimeAlone = goneAt({ lastSeenMs, decommissions: [], goneAfterMs }, atMs)
      if (gone?.why.kind === 'unheard') expect(gone).toEqual(byTimeAlone)
      if (gone?.why.kind === 'declared') {
        const { end, sinceMs } = gone.why.decommission
        // Nothing was heard after the word, or it was over by then: until the cluster came back.
        expect(end === undefined ? lastSeenMs <= sinceMs : end.kind === 'returned' && atMs < end.atMs).toBe(true)
        expect(gone.sinceMs).toBeLessThanOrEqual(atMs)
      }
      const later = said(atMs + 1)
      expect(goneAt({ lastSeenMs, decommissions: [...told, later], goneAfterMs }, atMs)).toEqual(gone)
    }),
  )
})

test('a word that stands is overheard as soon as anything is seen after its moment', () => {
  expect([undefined, 199, 200, 201].map((heardMs) => isReturned(said(200), heardMs))).toEqual([
    ...[false, false, false, true],
  ])
  expect(isReturned(said(200, returned(201)), 300)).toBe(false)
})

test('the past is told without what came later', () => {
  const told = [said(100, withdrawn(150), 'a'), said(200, withdrawn(250), 'b'), said(300, returned(350), 'c')]
  const ids = (atMs: number) => decommissionsAt(told, atMs).map(({ id, end }) => `${id} ${end?.kind ?? 'stands'}`)
  expect([ids(120), ids(200), ids(320), ids(400)]).toEqual([
    [],
    ['a withdrawn'],
    ['a withdrawn', 'b withdrawn', 'c stands'],
    ['a withdrawn', 'b withdrawn', 'c returned'],
  ])
})

test('nobody waits for an upgrade of a cluster that is gone', () => {
  const verdict = { upgradeId: 'u', isStuck: true, stalledSinceMs: 7, phase: 'olm', causes: [] } as const
  expect(verdictOfGone(verdict)).toEqual({
    ...{ upgradeId: 'u', isStuck: false, phase: 'olm', causes: [], silentSinceMs: 7 },
  })
})
