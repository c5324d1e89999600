import { describe, expect, test } from 'vitest'
import type { EdgeRun } from '../../../src/fleet/edges/edges.ts'
import { createStepDurations, type MeasuredEdge } from '../../../src/fleet/plan/step-durations.ts'
import type { PhaseName } from '../../../src/model/upgrade.ts'

interface RunScript {
  readonly seconds: number
  readonly nodes?: number
  readonly vms?: number
  readonly isFinished?: boolean
  readonly phases?: Readonly<Record<string, number>>
}

function run({ seconds, nodes, vms, isFinished = true, phases = {} }: RunScript): EdgeRun {
  const names = Object.keys(phases) as PhaseName[]
  return {
    ...{ id: 'x', state: 'succeeded', begunMs: 0, lastMs: 0, whole: { seconds, isFinished } },
    phases: { names, areFinished: names.map(() => true) },
    phaseSeconds: Object.values(phases),
    ...(nodes === undefined ? {} : { nodes }),
    ...(vms === undefined ? {} : { vms }),
  }
}

const edge = (operator: string, from: string, to: string, scripts: readonly RunScript[]): MeasuredEdge => ({
  name: { operator, from, to },
  // As the index has them: they can be read once.
  runs: scripts.map(run).values(),
})
const many = (count: number, script: RunScript): RunScript[] => Array.from({ length: count }, () => script)
const HCO = 'kubevirt-hyperconverged'
const MOVE = { operator: 'hco', minor: 21, isMinor: true, from: '1.16.0', to: '1.17.3' } as const
const MINORS = { from: '1.16', to: '1.17' }

describe('HCO', () => {
  test('is measured on the same path, on clusters of its class of size where eight of them finished', () => {
    const runs = [...many(8, { seconds: 600, nodes: 5 }), ...many(20, { seconds: 1800, nodes: 50 })]
    const durations = createStepDurations([edge(HCO, '1.16.0', '1.17.3', runs)])
    expect(durations.hco(MOVE, MINORS, 9).window).toEqual({
      ...{ source: 'upgrades', learnedFrom: 'edge', runs: 8, censored: 0, p50Seconds: 600, p90Seconds: 600 },
      basis: '8 upgrades from 1.16.0 to 1.17.3 on clusters of 4 to 10 nodes.',
    })
    expect(durations.hco(MOVE, MINORS, 200).window).toMatchObject({ runs: 28, p50Seconds: 1800, learnedFrom: 'edge' })
    expect(durations.hco(MOVE, MINORS, undefined).window).toMatchObject({ runs: 28, learnedFrom: 'edge' })
  })

  test('with fewer than eight, by paths between the same minors, then by all', () => {
    const own = () => edge(HCO, '1.16.0', '1.17.3', many(7, { seconds: 100 }))
    const alike = edge(HCO, '1.16.0', '1.17.1', many(1, { seconds: 100 }))
    const other = () => edge(HCO, '1.15.0', '1.16.0', many(8, { seconds: 900 }))
    expect(createStepDurations([own(), alike, other()]).hco(MOVE, MINORS, 9).window).toMatchObject({
      ...{ learnedFrom: 'minor', runs: 8, p50Seconds: 100, basis: '8 upgrades from 1.16 to 1.17.' },
    })
    expect(createStepDurations([own(), other()]).hco(MOVE, MINORS, 9).window).toMatchObject({
      ...{ learnedFrom: 'fleet', runs: 15, p50Seconds: 900, basis: '15 upgrades between any versions.' },
    })
  })

  test('unknown is said: fewer than eight finished at all', () => {
    const runs = [...many(7, { seconds: 100 }), ...many(20, { seconds: 10, isFinished: false })]
    const { window, quantiles } = createStepDurations([edge(HCO, '1.16.0', '1.17.3', runs)]).hco(MOVE, MINORS, 9)
    expect(window).toMatchObject({ source: 'unknown', runs: 0 })
    expect(quantiles).toBeUndefined()
  })

  test('runs without an end make it longer, or leave the p90 unknown', () => {
    const runs = [...many(8, { seconds: 100 }), ...many(4, { seconds: 500, isFinished: false })]
    const { window } = createStepDurations([edge(HCO, '1.16.0', '1.17.3', runs)]).hco(MOVE, MINORS, 9)
    expect(window).toMatchObject({ runs: 12, censored: 4, p50Seconds: 100 })
    expect(window).not.toHaveProperty('p90Seconds')
  })
})

describe('OpenShift', () => {
  const move = { operator: 'openshift', minor: 17, isMinor: true, from: '4.16.3', to: '4.17.9' } as const
  const phases = { 'platform.master': 1200, 'platform.worker': 6000 }
  const inside = createStepDurations([
    edge('openshift', '4.16.3', '4.17.9', many(8, { seconds: 9000, nodes: 10, phases })),
  ])

  test('all nodes: the control plane, and the worker nodes scaled to those of the cluster', () => {
    expect(inside.openshift(move, 'all', 10).window.p50Seconds).toBe(9000)
    expect(inside.openshift(move, 'all', 20).window.p50Seconds).toBe(3000 + 12_000)
    expect(inside.openshift(move, 'all', undefined).window.p50Seconds).toBe(9000)
  })

  test('with paused pools: without the worker nodes; these alone when the pools are unpaused', () => {
    expect(inside.openshift(move, 'control_plane', 20).window.p50Seconds).toBe(3000)
    expect(inside.openshift(undefined, 'nodes', 20).window).toMatchObject({
      ...{ p50Seconds: 12_000, learnedFrom: 'fleet' },
      basis: '8 upgrades between any versions, worker nodes alone, scaled to 20 nodes.',
    })
  })

  test('worker nodes that go on after the end of the platform are not subtracted from it', () => {
    const beside = createStepDurations([
      edge('openshift', '4.16.3', '4.17.9', many(8, { seconds: 5000, nodes: 10, phases })),
    ])
    expect(beside.openshift(move, 'control_plane', 10).window.p50Seconds).toBe(5000)
    expect(beside.openshift(move, 'all', 10).window.p50Seconds).toBe(6000)
  })
})

test('the time of a round of migrations is that of a workload update by its rounds of five', () => {
  const runs = many(8, { seconds: 600, vms: 21, phases: { workloads: 500 } })
  const durations = createStepDurations([edge(HCO, '1.16.0', '1.17.3', runs)])
  expect(durations.migrationRound(5).window).toMatchObject({ source: 'workload_updates', p50Seconds: 100, runs: 8 })
  expect(createStepDurations([]).migrationRound(5).window.source).toBe('unknown')
})
