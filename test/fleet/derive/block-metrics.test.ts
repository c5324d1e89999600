import { describe, expect, test } from 'vitest'
import { causesOf } from '../../../src/fleet/stuck/stuck-causes.ts'
import { METRIC_SIGNATURES } from '../../../src/fleet/derive/block-metrics.ts'
import { deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import type { MetricRun, MetricSignal } from '../../../src/model/observation.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { observed, run, T0 } from './observed.ts'

// Scrapes each half minute; the new CSV comes at second 0, OLM is through at 120, nodes move from 180 to 300.

const NOW = 1200

/** A series of one value after the other: `[[0, -900], [1, 120]]` is 0 from -900 on, and 1 from 120 on. */
function series(
  signal: MetricSignal,
  labels: Readonly<Record<string, string>>,
  steps: readonly (readonly [value: number | undefined, fromSecond: number])[],
): readonly MetricRun[] {
  return steps.flatMap(([value, from], i) => {
    const next = steps[i + 1]?.[1]
    if (value === undefined) return []
    const ends = { ...(from > -900 && { before: from - 30 }), ...(next !== undefined && { after: next }) }
    return [run(signal, labels, value, [from, next === undefined ? NOW : next - 30], ends)]
  })
}

const csv = (version: string, steps: readonly (readonly [number | undefined, number])[]) =>
  series('csv_succeeded', { version }, steps)
const abnormal = (phase: string, reason: string, from: number, until?: number) =>
  series('csv_abnormal', { phase, reason, version: '1.18.0' }, [
    [1, from],
    ...(until === undefined ? [] : [[undefined, until] as const]),
  ])
const nodes = (kubeversion: string, steps: readonly (readonly [number | undefined, number])[]) =>
  series('kubevirt_nodes', { kubeversion }, steps)

const BEGUN = [...csv('1.17.1', [[1, -900]]), ...csv('1.18.0', [[0, 0]])]
const OLM_DONE = [
  ...csv('1.17.1', [
    [1, -900],
    [undefined, 120],
  ]),
  ...csv('1.18.0', [
    [0, 0],
    [1, 120],
  ]),
]
const OLD_NODES = nodes('v1.7.1', [[4, -900]])
const NEW_NODES = [
  ...nodes('v1.7.1', [
    [4, -900],
    [3, 150],
    [undefined, 300],
  ]),
  ...nodes('v1.8.2', [
    [1, 180],
    [4, 300],
  ]),
]
const health = (steps: readonly (readonly [number, number])[]) => series('hco_health', {}, [[0, -900], ...steps])
const ready = (component: string, steps: readonly (readonly [number, number])[]) =>
  series('operand_ready', { component }, steps)
const gauges = (outdated: number, pending: number, running: number) => [
  ...series('outdated_vmis', {}, [
    [0, -900],
    [9, 390],
    [outdated, 420],
  ]),
  ...series('migrations_pending', {}, [
    [0, -900],
    [pending, 450],
  ]),
  ...series('migrations_running', {}, [
    [0, -900],
    [running, 450],
  ]),
]
const KUBEVIRT_DONE = [
  ...OLM_DONE,
  ...NEW_NODES,
  ...health([
    [2, 150],
    [0, 360],
  ]),
]

function recordOf(metrics: readonly MetricRun[], operator = 'kubevirt-hyperconverged'): UpgradeRecord {
  return deriveUpgrades(observed([], metrics)).find(({ upgrade }) => upgrade.operator === operator)!
}

describe('what series say is in the way', () => {
  test.each([
    [
      'a CSV that lacks something',
      [...BEGUN, ...abnormal('Pending', 'RequirementsNotMet', 0)],
      'requirements_not_met',
      'olm.pending',
    ],
    [
      'an operator that says not now',
      [...BEGUN, ...abnormal('Pending', 'OperatorConditionNotUpgradeable', 0)],
      'not_upgradeable',
      'olm.pending',
    ],
    [
      'CDI that is not ready after KubeVirt is',
      [
        ...KUBEVIRT_DONE.slice(0, -1),
        ...ready('cdi', [
          [1, -900],
          [0, 330],
        ]),
        ...health([[2, 390]]).slice(1),
      ],
      'operand_failing',
      'operands.cdi',
    ],
    [
      'HCO that cannot reconcile',
      [
        ...KUBEVIRT_DONE.slice(0, -1),
        ...health([
          [0, 360],
          [1, 390],
        ]).slice(1),
      ],
      'reconcile_error',
      'settle',
    ],
  ] as const)('%s', (_, metrics, cause, name) => {
    const { upgrade } = recordOf(metrics)
    expect(upgrade.blockedBy?.cause).toBe(cause)
    expect(upgrade.blockedBy?.evidence[0]).toMatchObject({ source: 'metrics', phase: name })
    expect(upgrade.phases.find((phase) => phase.name === name)?.state).toBe('in_progress')
    expect(upgrade.blockedBy!.sinceMs).toBeGreaterThan(0)
  })

  test.each([
    ['OLM that does nothing', [...BEGUN, ...abnormal('InstallReady', 'AllRequirementsMet', 30)]],
    [
      'requirements that were met',
      [
        ...BEGUN,
        ...abnormal('Pending', 'RequirementsNotMet', 0, 60),
        ...abnormal('InstallReady', 'AllRequirementsMet', 60),
      ],
    ],
    [
      'CDI that was not ready before',
      [...OLM_DONE, ...OLD_NODES, ...health([[2, -600]]), ...ready('cdi', [[0, -900]])],
    ],
    ['CDI that is not there', [...KUBEVIRT_DONE, ...ready('cdi', [[-1, -900]])]],
    [
      'a warning of a version that warns while it is under way',
      [...KUBEVIRT_DONE.slice(0, -1), ...health([[1, 360]]).slice(1)].map(older),
    ],
    ['machines that nothing moves, which a record shows once they stand', [...KUBEVIRT_DONE, ...gauges(5, 0, 0)]],
  ])('%s is no cause', (_, metrics) => {
    expect(recordOf(metrics).upgrade.blockedBy).toBeUndefined()
  })
})

/** The same between 1.14 and 1.15. */
function older(metric: MetricRun): MetricRun {
  const { version } = metric.labels
  if (version === undefined) return metric
  return { ...metric, labels: { ...metric.labels, version: version === '1.18.0' ? '1.15.0' : '1.14.0' } }
}

describe('a node that is not drained', () => {
  const updating = [
    ...series('platform', { type: 'completed', version: '4.20.1' }, [[1_787_000_000, -900]]),
    ...series('platform', { type: 'updating', version: '4.21.0' }, [[1_787_220_000, 0]]),
  ]
  const cordoned = series('cordoned', { node: 'worker-2' }, [
    [0, -900],
    [1, 600],
  ])
  const degraded = series('machine_config', { condition: 'Degraded', reason: 'MachineConfigDaemonFailed' }, [[1, 780]])

  test('is told by machine-config and the node, and by neither alone', () => {
    const of = (...more: readonly (readonly MetricRun[])[]) => recordOf([updating, ...more].flat(), 'openshift')
    expect(of(cordoned, degraded).upgrade.blockedBy).toMatchObject({
      cause: 'node_drain_blocked',
      text: 'Node worker-2 is not drained: something on it may not be evicted.',
    })
    expect(of(cordoned).upgrade.blockedBy).toBeUndefined()
    expect(of(degraded).upgrade.blockedBy).toBeUndefined()
  })

  test('is not the cause while machine-config is degraded and no node is cordoned', () => {
    const opened = series('cordoned', { node: 'worker-2' }, [
      [0, -900],
      [1, 600],
      [0, 700],
    ])
    const of = (...more: readonly (readonly MetricRun[])[]) => recordOf([updating, ...more].flat(), 'openshift')
    const { blockedBy } = of(opened, degraded).upgrade
    expect(blockedBy).toMatchObject({ cause: 'pool_degraded', sinceMs: degraded[0]!.firstMs })
    expect(blockedBy!.text).toContain('machine-config is degraded (MachineConfigDaemonFailed)')
    expect(blockedBy!.evidence).toHaveLength(1)
    const healthy = series('machine_config', { condition: 'Degraded', reason: 'AsExpected' }, [[0, 780]])
    expect(of(opened, healthy).upgrade.blockedBy).toBeUndefined()
  })

  test('each node that is closed or opened again is progress, and the nodes have a phase while one is', () => {
    const { upgrade, detail } = recordOf([...updating, ...cordoned], 'openshift')
    expect(detail.lastProgressMs).toBe(cordoned[1]!.firstMs)
    expect(upgrade.phases.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'platform in_progress',
      'platform.nodes in_progress',
    ])
  })
})

describe('where an upgrade stands that metrics tell of', () => {
  const open = (metrics: readonly MetricRun[]) =>
    recordOf(metrics)
      .upgrade.phases.filter(({ state }) => state === 'in_progress')
      .map(({ name }) => name)

  test.each([
    [
      'a node without virt-handler since OLM is through: the canary',
      [
        ...OLM_DONE,
        ...nodes('v1.7.1', [
          [4, -900],
          [3, 150],
        ]),
        ...health([[2, 150]]),
      ],
      ['operands', 'operands.kubevirt', 'virt_handler.canary'],
    ],
    [
      'the only node without one',
      [
        ...OLM_DONE,
        ...nodes('v1.7.1', [
          [1, -900],
          [undefined, 150],
        ]),
        ...health([[2, 150]]),
      ],
      ['operands', 'operands.kubevirt', 'virt_handler.canary'],
    ],
    [
      'a DaemonSet with an old pod',
      [
        ...OLM_DONE,
        ...OLD_NODES,
        ...series('virt_handler', { state: 'desired' }, [[4, -900]]),
        ...series('virt_handler', { state: 'updated' }, [
          [4, -900],
          [0, 150],
        ]),
      ],
      ['operands', 'operands.kubevirt', 'virt_handler.canary'],
    ],
    [
      'all nodes new and HCO degraded: KubeVirt',
      [...OLM_DONE, ...NEW_NODES, ...health([[2, 150]])],
      ['operands', 'operands.kubevirt'],
    ],
    ['degraded before any node moves: an operand', [...OLM_DONE, ...OLD_NODES, ...health([[2, 150]])], ['operands']],
    [
      'a node that leaves long after',
      [
        ...OLM_DONE,
        ...nodes('v1.7.1', [
          [4, -900],
          [3, 1080],
        ]),
        ...health([[2, 1050]]),
      ],
      [],
    ],
    ['nothing wrong: nobody knows', [...OLM_DONE, ...OLD_NODES, ...health([])], []],
  ] as const)('%s', (_, metrics, names) => {
    expect(open(metrics)).toEqual(names)
  })

  test('a roll-out that begins says how many virt-handlers answer', () => {
    const { detail } = recordOf([
      ...OLM_DONE,
      ...nodes('v1.7.1', [
        [4, -900],
        [3, 150],
      ]),
      ...health([[2, 150]]),
    ])
    expect(detail.virtHandler).toMatchObject({ desired: 4, updated: 0, ready: 3 })
    expect(detail.lastProgressMs).toBe(OLM_DONE[0]!.firstMs + 1_050_000)
  })

  test('what ails HCO long after does not make an upgrade that was quiet run again', () => {
    const quiet = [
      ...OLM_DONE,
      ...NEW_NODES,
      ...health([
        [2, 150],
        [0, 360],
      ]),
    ].map((one) => later(one, 9000))
    const ill = [...quiet, run('hco_health', {}, 1, [4000, 9000], { before: 3970 })].map((one) =>
      one.signal === 'hco_health' && one.value === 0 && one.firstMs > OLM_DONE[0]!.firstMs
        ? { ...one, lastMs: one.firstMs + 3_400_000, afterMs: one.firstMs + 3_640_000 }
        : one,
    )
    expect(recordOf(quiet).upgrade.state).toBe('succeeded')
    expect(recordOf(ill).upgrade.state).toBe('succeeded')
  })
})

describe('a node whose virt-handler is not scraped any more', () => {
  const shrinking = [
    ...OLM_DONE,
    ...nodes('v1.7.1', [
      [4, -900],
      [3, 150],
      [undefined, 300],
    ]),
    ...nodes('v1.8.2', [
      [1, 180],
      [3, 300],
    ]),
  ]
  const of = (...more: readonly (readonly MetricRun[])[]) => {
    const { upgrade, detail } = recordOf([shrinking, ...more].flat())
    const { state } = upgrade.phases.find(({ name }) => name === 'virt_handler.waves')!
    return { state, detail, texts: upgrade.evidence.map(({ text }) => text) }
  }
  const desired = (value: number) => series('virt_handler', { state: 'desired' }, [[value, -900]])

  test('is missing while KubeVirt is degraded, or while the DaemonSet wants its pod', () => {
    for (const { state, detail, texts } of [of(health([[2, 150]])), of(desired(4)), of(desired(4), health([]))]) {
      expect(state).toBe('in_progress')
      expect(detail.virtHandler).toMatchObject({ desired: 4, updated: 3, ready: 3 })
      expect(texts.filter((text) => text.startsWith('all '))).toEqual([])
    }
  })

  test('was removed when the DaemonSet wants fewer pods, or when HCO is healthy again', () => {
    const healthy = health([
      [2, 150],
      [0, 360],
    ])
    for (const { state, texts } of [of(healthy), of(desired(3), health([[2, 150]]))]) {
      expect(state).toBe('succeeded')
      expect(texts).toContain('3 nodes run KubeVirt v1.8.2')
    }
  })
})

/** What still holds, held until then. */
function later(metric: MetricRun, second: number): MetricRun {
  return metric.afterMs === undefined ? { ...metric, lastMs: metric.firstMs + second * 1000 } : metric
}

describe('machines that stand still, as gauges tell it', () => {
  const causesAfter = (metrics: readonly MetricRun[]) =>
    causesOf(recordOf([...KUBEVIRT_DONE, ...metrics]), 'workloads', T0).map(({ cause }) => cause)
  const churn = (outdated: number, waitsSeconds: number) => [
    ...gauges(outdated, 0, 0).filter(({ signal }) => signal !== 'migrations_pending'),
    ...series('migrations_pending', {}, [
      [0, -900],
      [1, 450],
      [0, 450 + waitsSeconds],
    ]),
  ]

  const again = (outdated: number) => [
    ...gauges(outdated, 0, 0).filter(({ signal }) => signal !== 'migrations_running'),
    ...series('migrations_running', {}, [
      [0, -900],
      [1, 480],
      [0, 540],
      [1, 600],
    ]),
  ]

  test.each([
    ['nothing waits and nothing runs', gauges(5, 0, 0), ['workload_method_missing']],
    ['some wait and none runs', gauges(5, 1, 0), ['migrations_pending']],
    ['one waited for as long as KubeVirt lets it', churn(5, 300), ['migrations_pending']],
    ['one waited for a moment, so a method is set', churn(5, 60), ['unknown']],
    ['one runs', gauges(5, 0, 1), ['migration_never_ends']],
    ['one ran and ended, and another one runs', again(5), ['unknown']],
    ['nobody counts migrations', gauges(5, 0, 0).slice(0, 3), ['unknown']],
    ['none is outdated', gauges(0, 0, 0), ['unknown']],
  ] as const)('%s', (_, metrics, causes) => {
    expect(causesAfter(metrics)).toEqual(causes)
  })
})

test('every signature of metrics fires somewhere above', () => {
  expect(METRIC_SIGNATURES.map(({ name }) => name)).toEqual([
    ...['csvHeldBack', 'operandNotReady', 'reconcileIncomplete'],
    'machineConfigDegraded',
  ])
})
