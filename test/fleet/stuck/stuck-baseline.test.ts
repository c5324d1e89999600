import { expect, test } from 'vitest'
import { createBaselineIndex } from '../../../src/fleet/stuck/stuck-baseline.ts'
import { learnBaselines } from '../learn-baselines.ts'
import { silencesOf } from '../../../src/fleet/stuck/stuck-silence.ts'
import type { UpgradePhase, UpgradeRecord } from '../../../src/model/upgrade.ts'
import { phase, recordOf, type RecordScript } from '../edge-script.ts'

const handler = (waves: number): UpgradeRecord['detail']['virtHandler'] => ({ desired: 9, updated: 9, ready: 9, waves })

function finished(phases: readonly UpgradePhase[], more: RecordScript = {}): UpgradeRecord {
  return recordOf({ startMinute: 0, endMinute: 60, phases, ...more })
}

test.each([
  ['a phase without parts takes as long as it takes', [phase('olm.pending', 0, 2)], { 'olm.pending': 120 }],
  [
    'parts that end are progress, and the gap between them is not',
    [phase('olm', 0, 10), phase('olm.pending', 0, 2), phase('olm.installing', 5, 10)],
    { olm: 300, 'olm.pending': 120, 'olm.installing': 300 },
  ],
  [
    'operands beside each other: one that takes long is not made shorter by one that is quick',
    [phase('operands', 0, 10), phase('operands.cdi', 0, 2), phase('operands.kubevirt', 0, 10)],
    { operands: 480, 'operands.cdi': 120, 'operands.kubevirt': 600 },
  ],
  [
    'people, machines and nodes teach nothing',
    [phase('approval', 0, 9), phase('workloads', 0, 9), phase('platform.worker', 0, 9)],
    {},
  ],
  ['what did not end well teaches nothing', [phase('olm', 0, 9, 'failed'), phase('settle', 0)], {}],
])('%s', (_, phases, seconds) => {
  const found = silencesOf(finished(phases))
  expect(Object.fromEntries(found.map((one) => [one.phase, one.seconds]))).toEqual(seconds)
})

test('the waves of virt-handler count one by one, and are progress for KubeVirt', () => {
  const phases = [
    phase('operands.kubevirt', 0, 14),
    phase('virt_handler.canary', 1, 2),
    phase('virt_handler.waves', 2, 12),
  ]
  const found = silencesOf(finished(phases, { detail: { virtHandler: handler(11)! } }))
  expect(Object.fromEntries(found.map((one) => [one.phase, one.seconds]))).toEqual({
    'operands.kubevirt': 120,
    'virt_handler.canary': 60,
    'virt_handler.waves': 60,
  })
})

test('what begins in the dark was silent from the last thing seen before it', () => {
  const ended = (name: UpgradePhase['name'], minute: number): UpgradePhase => ({
    ...{ name, state: 'succeeded', resolutionSeconds: 30, isReconstructed: false },
    endedMs: phase(name, minute, minute).endedMs!,
  })
  const phases = [
    phase('olm', 0, 2),
    { name: 'operands', state: 'unknown', resolutionSeconds: 30, isReconstructed: false } as const,
    ended('operands.kubevirt', 9),
    ended('virt_handler.canary', 3),
    phase('virt_handler.waves', 3, 7),
    ended('settle', 10),
  ]
  const found = silencesOf(finished(phases, { endMinute: 10, detail: { virtHandler: handler(3)! } }))
  expect(Object.fromEntries(found.map((one) => [one.phase, one.seconds]))).toEqual({
    olm: 120,
    operands: 120,
    'operands.kubevirt': 120,
    'virt_handler.canary': 60,
    'virt_handler.waves': 120,
    settle: 60,
  })
})

test('an upgrade that is not through teaches nothing', () => {
  expect(silencesOf(recordOf({ startMinute: 0, phases: [phase('olm', 0, 1)] }))).toEqual([])
})

/** Upgrades of one phase that took these minutes, on clusters of their own. */
function lessons(minutes: readonly number[], more: RecordScript = {}, from = 0): UpgradeRecord[] {
  return minutes.map((minute, i) => finished([phase('settle', 0, minute)], { cluster: `c-${from + i}`, ...more }))
}
const ONES = Array.from({ length: 10 }, () => 1)
const { upgrade } = recordOf({ startMinute: 0 })

test.each([
  ['nothing', [], { learnedFrom: 'seed', runs: 0, p95Seconds: 900, thresholdSeconds: 900 }],
  ['too few', lessons([6, 6]), { learnedFrom: 'seed', thresholdSeconds: 900 }],
  ['its own edge', lessons(ONES), { learnedFrom: 'edge', runs: 10, p50Seconds: 60, thresholdSeconds: 240 }],
  ['a slow edge', lessons(ONES.map(() => 6)), { learnedFrom: 'edge', p95Seconds: 360, thresholdSeconds: 570 }],
  [
    'edges between the same minors',
    lessons(ONES, { from: '1.16.2', to: '1.17.3' }),
    { learnedFrom: 'minor', runs: 0, p50Seconds: 60 },
  ],
  ['the operator anywhere', lessons(ONES, { from: '1.12.0', to: '1.13.0' }), { learnedFrom: 'fleet', runs: 0 }],
  ['another operator', lessons(ONES, { operator: 'openshift' }), { learnedFrom: 'seed' }],
  [
    'its own edge rather than the fleet',
    [
      ...lessons(ONES),
      ...lessons(
        ONES.map(() => 8),
        { from: '1.12.0', to: '1.13.0' },
        50,
      ),
    ],
    { learnedFrom: 'edge', p95Seconds: 60 },
  ],
])('a phase is judged by what is learned from %s', (_, records, baseline) => {
  expect(learnBaselines(records).baselineOf(upgrade, 'settle')).toMatchObject({ phase: 'settle', ...baseline })
})

test('a run that was stuck itself and was mended does not make its successors wait', () => {
  const clean = learnBaselines(lessons(ONES)).baselineOf(upgrade, 'settle')
  const mended = learnBaselines([...lessons(ONES), ...lessons([50, 700], {}, 50)]).baselineOf(upgrade, 'settle')
  expect(mended).toEqual(clean)
})

test.each([
  ['approval', 86_400],
  ['workloads', 3600],
  ['platform.worker', 2700],
] as const)('%s has a threshold of its own, whatever is learned', (name, thresholdSeconds) => {
  const records = ONES.map((minute, i) => finished([phase(name, 0, minute)], { cluster: `c-${i}` }))
  expect(learnBaselines(records).baselineOf(upgrade, name)).toMatchObject({ learnedFrom: 'seed', thresholdSeconds })
})

test('what a cluster says replaces what it said', () => {
  const index = createBaselineIndex()
  for (const record of lessons(ONES)) index.put(record.upgrade.cluster, [record])
  index.put('c-0', lessons([6]))
  index.put('c-0', lessons([1]))
  expect(index.baselineOf(upgrade, 'settle')).toEqual(learnBaselines(lessons(ONES)).baselineOf(upgrade, 'settle'))
  for (const record of lessons(ONES)) index.put(record.upgrade.cluster, [])
  expect(index.baselineOf(upgrade, 'settle').learnedFrom).toBe('seed')
})
