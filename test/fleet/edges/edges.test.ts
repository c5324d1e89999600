import { expect, test } from 'vitest'
import { comparePhases, edgeFactsOf, edgeRunOf } from '../../../src/fleet/edges/edges.ts'
import type { PhaseName, UpgradeState } from '../../../src/model/upgrade.ts'
import { phase, recordOf, T0, type RecordScript } from '../edge-script.ts'

const EDGE = { operator: 'kubevirt-hyperconverged', from: '1.16.0', to: '1.17.0' }
const factsOf = (scripts: readonly RecordScript[]) => edgeFactsOf(EDGE, scripts.map(recordOf).map(edgeRunOf))

test('outcomes are counted, and the success is that of what ended', () => {
  const states: UpgradeState[] = ['failed', 'superseded', 'rolled_back', 'in_progress', 'in_progress', 'unknown']
  const facts = factsOf([
    ...[1, 2, 3].map((minute) => ({ startMinute: 0, endMinute: minute })),
    ...states.map((state) => ({ startMinute: 0, seenMinute: 9, state })),
  ])
  expect(facts.attempts).toBe(9)
  expect(facts.outcomes).toEqual({ succeeded: 3, failed: 1, superseded: 1, rolledBack: 1, inProgress: 2, unknown: 1 })
  expect(facts.success).toMatchObject({ share: 0.6, of: 5 })
  expect([facts.firstMs, facts.lastMs]).toEqual([T0, T0 + 9 * 60_000])
})

test('an edge on which nothing ended has no success, not a bad one', () => {
  const facts = factsOf([{ startMinute: 0, seenMinute: 5 }])
  expect(facts).not.toHaveProperty('success')
  expect(facts.duration).toEqual({ runs: 1, censored: 1 })
})

test('an open run counts as longer than it was seen to be, and not as longer than that', () => {
  // Three of four finish; the fourth was seen for five minutes only, so the third says nothing of it.
  const ended = [4, 6, 10].map((minute) => ({ startMinute: 0, endMinute: minute }))
  expect(factsOf(ended).duration).toMatchObject({ runs: 3, censored: 0, p50Seconds: 360 })
  expect(factsOf([...ended, { startMinute: 0, seenMinute: 5 }]).duration).toMatchObject({
    runs: 4,
    censored: 1,
    p50Seconds: 360,
    p90Seconds: 600,
  })
  // Seen for an hour it is longer than all others, so the slowest tenth is not known.
  const open = factsOf([...ended, { startMinute: 0, seenMinute: 60 }]).duration
  expect(open.p50Seconds).toBe(360)
  expect(open).not.toHaveProperty('p90Seconds')
})

test('what failed took longer than it was tried: it does not make the edge look fast', () => {
  const facts = factsOf([
    { startMinute: 0, endMinute: 10 },
    { startMinute: 0, endMinute: 1, state: 'failed' },
  ])
  expect(facts.duration).toMatchObject({ runs: 2, censored: 1, p50Seconds: 600 })
})

test('the wait for an approval is a phase and no part of what the machines need', () => {
  const facts = factsOf([
    {
      startMinute: 0,
      endMinute: 1010,
      phases: [phase('approval', 0, 1000), phase('olm', 1000, 1002), phase('operands', 1002, 1010)],
    },
  ])
  expect(facts.duration.p50Seconds).toBe(600)
  expect(facts.phases.map(({ phase, p50Seconds }) => [phase, p50Seconds])).toEqual([
    ['approval', 60_000],
    ['olm', 120],
    ['operands', 480],
  ])
})

test.each([
  ['without a start', {}],
  ['without phases', { startMinute: 0, endMinute: 1 }],
  ['with phases nobody saw begin', { phases: [{ ...phase('olm', 0, 1), startedMs: undefined as never }] }],
])('a record %s is an attempt all the same', (_, script) => {
  const facts = factsOf([script])
  expect(facts.attempts).toBe(1)
  expect(facts.phases).toEqual([])
})

test('a clock that was set back makes no negative length', () => {
  expect(factsOf([{ startMinute: 5, endMinute: 3 }]).duration.p50Seconds).toBe(0)
})

test('phases stand in the order of an upgrade, operands and pools after what they belong to', () => {
  const names: PhaseName[] = ['platform.worker', 'settle', 'operands.ssp', 'platform', 'olm.pending', 'operands', 'olm']
  expect([...names, 'operands.cdi' as const, 'virt_handler.canary' as const].sort(comparePhases)).toEqual([
    'olm',
    'olm.pending',
    'operands',
    'operands.cdi',
    'operands.ssp',
    'virt_handler.canary',
    'settle',
    'platform',
    'platform.worker',
  ])
})

test('a run has the VMs that it had to update, if any', () => {
  const workloads = { outdatedAtStart: 41, migrations: {} }
  const run = (detail: RecordScript['detail'] = {}) => edgeRunOf(recordOf({ startMinute: 0, endMinute: 10, detail }))
  expect(run({ workloads })).toMatchObject({ vms: 41 })
  expect(run({ workloads: { ...workloads, outdatedAtStart: 0 } })).not.toHaveProperty('vms')
  expect(run()).not.toHaveProperty('vms')
})
