import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveCluster, deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import type { ClusterObservations, MetricRun, MetricSignal } from '../../../src/model/observation.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { observed, run, T0 } from './observed.ts'
import * as stories from './stories.ts'

// Scrapes each half minute, from 900 seconds before T0 on.

const FIRST = -900
const HOUR = 3600

type Steps = readonly (readonly [value: number | undefined, fromSecond: number])[]

/** A series of one value after the other, up to a second: `[[0, -900], [1, 120]]` is 0 from -900 on, and 1 from 120 on. */
function series(
  until: number,
  signal: MetricSignal,
  labels: Readonly<Record<string, string>>,
  steps: Steps,
): readonly MetricRun[] {
  return steps.flatMap(([value, from], i) => {
    const next = steps[i + 1]?.[1]
    if (value === undefined || from > until) return []
    const isOver = next !== undefined && next <= until
    const ends = { ...(from > FIRST && { before: from - 30 }), ...(isOver && { after: next }) }
    return [run(signal, labels, value, [from, isOver ? next - 30 : until], ends)]
  })
}

interface Versions {
  readonly hco: readonly [string, string, string]
  readonly kubevirt: readonly [string, string, string]
}

const COMMUNITY: Versions = {
  hco: ['1.16.0', '1.17.0', '1.17.1'],
  kubevirt: ['v1.6.2', 'v1.7.1', 'v1.7.2'],
}
const OPENSHIFT: Versions = {
  hco: ['4.20.1', '4.21.0', '4.22.0'],
  kubevirt: ['v1.6.2', 'v1.7.1', 'v1.8.2'],
}

/**
 * Two upgrades: the CSV of the second appears at 200, during the rollout of the first, and is held in Pending until `gate`.
 * First: CSV at 0, nodes from 180 to 300, healthy at 360. The second takes the same steps from `gate` on.
 */
function chained({ hco, kubevirt }: Versions, gate: number, until: number): readonly MetricRun[] {
  const [a, b, c] = hco
  const [ka, kb, kc] = kubevirt
  const draw = (signal: MetricSignal, labels: Readonly<Record<string, string>>, steps: Steps) =>
    series(until, signal, labels, steps)
  const abnormal = (version: string, phase: string, reason: string, from: number, to: number) =>
    draw('csv_abnormal', { phase, reason, version }, [
      [1, from],
      [undefined, to],
    ])
  return [
    ...draw('csv_succeeded', { version: a }, [
      [1, FIRST],
      [0, 0],
      [undefined, 120],
    ]),
    ...abnormal(a, 'Replacing', 'BeingReplaced', 0, 120),
    ...draw('csv_succeeded', { version: b }, [
      [0, 0],
      [1, 120],
      [0, 210],
      [undefined, gate + 150],
    ]),
    ...abnormal(b, 'Pending', 'RequirementsNotMet', 0, 30),
    ...abnormal(b, 'Installing', 'InstallWaiting', 30, 120),
    ...abnormal(b, 'Replacing', 'BeingReplaced', 210, gate + 150),
    ...draw('csv_succeeded', { version: c }, [
      [0, 210],
      [1, gate + 120],
    ]),
    ...abnormal(c, 'Pending', 'OperatorConditionNotUpgradeable', 210, gate),
    ...abnormal(c, 'Installing', 'InstallWaiting', gate, gate + 120),
    ...draw('kubevirt_nodes', { kubeversion: ka }, [
      [3, FIRST],
      [2, 150],
      [undefined, 300],
    ]),
    ...draw('kubevirt_nodes', { kubeversion: kb }, [
      [1, 180],
      [3, 300],
      [2, gate + 150],
      [undefined, gate + 300],
    ]),
    ...draw('kubevirt_nodes', { kubeversion: kc }, [
      [1, gate + 180],
      [3, gate + 300],
    ]),
    ...draw('hco_health', {}, [
      [0, FIRST],
      [2, 150],
      [0, 360],
      [2, gate + 150],
      [0, gate + 360],
    ]),
  ]
}

const second = (ms: number | undefined): string => (ms === undefined ? '?' : String((ms - T0) / 1000))

function linesOf(metrics: readonly MetricRun[]): readonly string[] {
  return deriveUpgrades(observed([], metrics)).map(
    ({ upgrade }) =>
      `${upgrade.from} ${upgrade.to} ${upgrade.state} ${second(upgrade.startedMs)}..${second(upgrade.endedMs)}`,
  )
}

function phasesOf({ upgrade }: UpgradeRecord): readonly string[] {
  return upgrade.phases
    .filter(({ startedMs, endedMs, state }) => state === 'in_progress' || (startedMs ?? endedMs) !== undefined)
    .map(({ name, startedMs, endedMs, state }) => `${name} ${second(startedMs)}..${second(endedMs)} ${state}`)
}

describe('the next CSV is held at the gate while an upgrade runs', () => {
  test.each([
    ['of the community', COMMUNITY],
    ['of OpenShift Virtualization', OPENSHIFT],
  ])('both end, %s', (_, versions) => {
    const [a, b, c] = versions.hco
    const metrics = chained(versions, 900, 4 * HOUR)
    expect(linesOf(metrics)).toEqual([`${a} ${b} succeeded 0..360`, `${b} ${c} succeeded 210..1260`])
    const [first, next] = deriveUpgrades(observed([], metrics))
    expect(phasesOf(first!)).toEqual([
      'olm 0..120 succeeded',
      'olm.pending 0..30 succeeded',
      'olm.installing 30..120 succeeded',
      'operands.kubevirt ?..360 succeeded',
      'virt_handler.canary ?..180 succeeded',
      'virt_handler.waves 180..300 succeeded',
    ])
    expect(phasesOf(next!)).toEqual([
      'olm 210..1020 succeeded',
      'olm.pending 210..900 succeeded',
      'olm.installing 900..1020 succeeded',
      'operands.kubevirt ?..1260 succeeded',
      'virt_handler.canary ?..1080 succeeded',
      'virt_handler.waves 1080..1200 succeeded',
    ])
    const { intervals } = deriveCluster(observed([], metrics))
    const versionsOfHco = intervals.filter(({ operator }) => operator === 'kubevirt-hyperconverged')
    expect(versionsOfHco.map(({ version, fromMs }) => `${version} ${second(fromMs)}`).slice(1)).toEqual([
      `${b} 360`,
      `${c} 1260`,
    ])
  })

  test('while it is held, the first one goes on', () => {
    const metrics = chained(COMMUNITY, 900, 270)
    expect(linesOf(metrics)).toEqual(['1.16.0 1.17.0 in_progress 0..?', '1.17.0 1.17.1 in_progress 210..?'])
    const [first, next] = deriveUpgrades(observed([], metrics))
    expect(phasesOf(first!).slice(-2)).toEqual([
      'virt_handler.canary ?..180 succeeded',
      'virt_handler.waves 180..? in_progress',
    ])
    expect(phasesOf(next!)).toEqual(['olm 210..? in_progress', 'olm.pending 210..? in_progress'])
  })

  test('held for hours, the first one has ended', () => {
    expect(linesOf(chained(OPENSHIFT, 9 * HOUR, 4 * HOUR))).toEqual([
      '4.20.1 4.21.0 succeeded 0..360',
      '4.21.0 4.22.0 in_progress 210..?',
    ])
  })

  test('the upgrades do not depend on the order of runs, on repeats or on pieces', () => {
    const metrics = chained(COMMUNITY, 900, 4 * HOUR)
    const text = JSON.stringify(deriveCluster(observed([], metrics)))
    const pieces = metrics.flatMap((one): readonly MetricRun[] => {
      const middleMs = Math.floor((one.firstMs + one.lastMs) / 2)
      const { afterMs, ...open } = one
      const rest = { ...open, firstMs: middleMs, beforeMs: middleMs - 1, ...(afterMs !== undefined && { afterMs }) }
      return one.firstMs === one.lastMs ? [one] : [{ ...open, lastMs: middleMs }, rest]
    })
    const mixed = fc.shuffledSubarray([...pieces, ...pieces, ...metrics], {
      minLength: pieces.length * 2 + metrics.length,
    })
    fc.assert(
      fc.property(mixed, (runs) => {
        expect(JSON.stringify(deriveCluster(observed([], runs)))).toBe(text)
      }),
      { numRuns: 30 },
    )
  })
})

describe('the end since 1.16, where no metric shows the end of HCO', () => {
  const upgrade = (until: number, health: Steps, more: readonly MetricRun[] = []): readonly MetricRun[] =>
    [
      // The second CSV never appears.
      ...chained(COMMUNITY, 9 * HOUR, until).filter(
        ({ signal, labels, value, firstMs }) =>
          signal !== 'hco_health' &&
          labels['version'] !== '1.17.1' &&
          !(labels['version'] === '1.17.0' && (labels['phase'] === 'Replacing' || (value === 0 && firstMs > T0))),
      ),
      ...series(until, 'hco_health', {}, health),
      ...more,
    ].map((one) =>
      one.labels['version'] === '1.17.0' && one.value === 1 && one.signal === 'csv_succeeded' ? open(one, until) : one,
    )

  function open({ cluster, signal, labels, value, firstMs, beforeMs }: MetricRun, until: number): MetricRun {
    return { cluster, signal, labels, value, firstMs, beforeMs: beforeMs!, lastMs: T0 + until * 1000 }
  }

  const WELL: Steps = [
    [0, FIRST],
    [2, 150],
    [0, 360],
  ]
  const cdi = (until: number, steps: Steps) =>
    series(until, 'operand_ready', { component: 'cdi' }, [[1, FIRST], ...steps])

  test.each<[string, readonly MetricRun[], string]>([
    ['is when the health returned after the last node', upgrade(3 * HOUR, WELL), 'succeeded 0..360'],
    ['is not known for two hours: HCO may wait for an operand', upgrade(HOUR + 360, WELL), 'in_progress 0..?'],
    [
      'is when the last operand was ready',
      upgrade(
        4 * HOUR,
        WELL,
        cdi(4 * HOUR, [
          [0, 200],
          [1, 960],
        ]),
      ),
      'succeeded 0..960',
    ],
    [
      'is not there while an operand that was updated is not ready',
      upgrade(4 * HOUR, WELL, cdi(4 * HOUR, [[0, 200]])),
      'in_progress 0..?',
    ],
    ['is not moved by a later fault', upgrade(4 * HOUR, [...WELL, [2, 2400], [0, 3000]]), 'succeeded 0..360'],
    ['is after a fault that follows at once', upgrade(4 * HOUR, [...WELL, [2, 420], [0, 3000]]), 'succeeded 0..3000'],
    ['has no time when the health shows nothing of the upgrade', upgrade(4 * HOUR, [[0, FIRST]]), 'succeeded 0..?'],
  ])('%s', (_, metrics, want) => {
    expect(linesOf(metrics)).toEqual([`1.16.0 1.17.0 ${want}`])
  })

  test('has the resolution in which HCO ends', () => {
    const [record] = deriveUpgrades(observed([], upgrade(3 * HOUR, WELL)))
    expect(record!.upgrade.resolutionSeconds).toBe(120)
    expect(record!.upgrade.evidence.at(-1)).toMatchObject({
      text: 'all nodes are updated and HCO is healthy again with 1.17.0',
      atMs: T0 + 360_000,
    })
  })

  test('HCO that restarts reports no health, which is no end of KubeVirt', () => {
    const restarts: Steps = [
      [0, FIRST],
      [2, 150],
      [undefined, 330],
      [2, 390],
      [0, 480],
    ]
    const kubevirtOf = (until: number) =>
      deriveUpgrades(observed([], upgrade(until, restarts)))[0]!.upgrade.phases.find(
        ({ name }) => name === 'operands.kubevirt',
      )
    expect(linesOf(upgrade(3 * HOUR, restarts))).toEqual(['1.16.0 1.17.0 succeeded 0..480'])
    expect(second(kubevirtOf(3 * HOUR)?.endedMs)).toBe('480')
    // Nobody knows while it is away.
    for (const until of [330, 360, 390, 450]) expect(kubevirtOf(until)?.endedMs).toBeUndefined()
  })

  test('a restart during the change of the health leaves a time between two scrapes', () => {
    const metrics = upgrade(3 * HOUR, [
      [0, FIRST],
      [2, 150],
      [undefined, 330],
      [0, 390],
    ])
    const [record] = deriveUpgrades(observed([], metrics))
    const kubevirt = record!.upgrade.phases.find(({ name }) => name === 'operands.kubevirt')
    expect([second(kubevirt?.endedMs), kubevirt?.resolutionSeconds]).toEqual(['390', 90])
  })

  test('a fault before the two hours are over opens no phase again', () => {
    const [record] = deriveUpgrades(observed([], upgrade(3000, [...WELL, [2, 2400]])))
    expect(record!.upgrade.state).toBe('in_progress')
    expect(record!.upgrade.phases.filter(({ state }) => state === 'in_progress')).toEqual([])
  })
})

describe('the workload update when the next upgrade follows', () => {
  const workloadsOf = (...steps: Steps) => {
    const metrics = [
      ...chained(COMMUNITY, 900, 4 * HOUR),
      ...series(4 * HOUR, 'outdated_vmis', {}, [[0, FIRST], [4, 360], ...steps]),
    ]
    return deriveUpgrades(observed([], metrics)).map(({ upgrade }) => {
      const { startedMs, endedMs, state } = upgrade.phases.find(({ name }) => name === 'workloads')!
      return `${second(startedMs)}..${second(endedMs)} ${state}`
    })
  }

  test.each<[string, Steps, readonly string[]]>([
    [
      'is over and unknown when the next KubeVirt is rolled out before its end',
      [
        [3, 600],
        [5, 1290],
      ],
      ['360..? unknown', '1290..? in_progress'],
    ],
    [
      'goes on while OLM installs the next one',
      [
        [0, 960],
        [5, 1290],
        [0, 2400],
      ],
      ['360..960 succeeded', '1290..2400 succeeded'],
    ],
  ])('%s', (_, steps, want) => {
    expect(workloadsOf(...steps)).toEqual(want)
  })
})

describe('a run that is current is stored with a last sample that is up to an hour old', () => {
  /** As `signals/signal-runs.ts` stores them. */
  const stored = (metrics: readonly MetricRun[]): readonly MetricRun[] =>
    metrics.map((one) =>
      one.afterMs === undefined
        ? { ...one, lastMs: Math.max(one.firstMs, Math.floor(one.lastMs / (HOUR * 1000)) * HOUR * 1000) }
        : one,
    )
  const story = (until: number): readonly MetricRun[] => [
    ...chained(COMMUNITY, 900, until),
    ...series(until, 'outdated_vmis', {}, [[0, FIRST]]),
    ...series(until, 'operand_ready', { component: 'cdi' }, [
      [1, FIRST],
      [0, 120],
      [1, 1300],
    ]),
  ]

  test('the upgrades are the same at each scrape', () => {
    const shown = (metrics: readonly MetricRun[]) =>
      deriveUpgrades(observed([], metrics)).map((record) => ({
        ...record.upgrade,
        detail: { ...record.detail, observedUntilMs: undefined },
      }))
    for (let until = 0; until <= 1800; until += 30) {
      expect(shown(stored(story(until))), `second ${until}`).toEqual(shown(story(until)))
    }
  })
})

describe('OLM goes back to a version, and no scrape shows that both CSVs are gone', () => {
  // Both are deleted after 600; the previous version is installed again before the next scrape.
  const back = (phases: readonly MetricRun[], succeededAt: number, until = HOUR, end = {}): readonly MetricRun[] => [
    run('csv_succeeded', { version: '1.16.0' }, 1, [FIRST, -30], { after: 0 }),
    run('csv_succeeded', { version: '1.16.0' }, 0, [0, succeededAt - (succeededAt === 690 ? 90 : 30)], {
      before: -30,
      after: succeededAt,
    }),
    run('csv_abnormal', { version: '1.16.0', phase: 'Replacing', reason: 'BeingReplaced' }, 1, [0, 600], {
      before: -30,
      after: 690,
    }),
    run('csv_succeeded', { version: '1.17.0' }, 0, [0, 600], { before: -30, after: 690 }),
    run('csv_abnormal', { version: '1.17.0', phase: 'Installing', reason: 'InstallWaiting' }, 1, [0, 270], {
      before: -30,
      after: 300,
    }),
    run(
      'csv_abnormal',
      { version: '1.17.0', phase: 'Failed', reason: 'InstallComponentFailedNoRetry' },
      1,
      [300, 600],
      { before: 270, after: 690 },
    ),
    ...phases,
    run('csv_succeeded', { version: '1.16.0' }, 1, [succeededAt, until], {
      before: succeededAt === 690 ? 600 : succeededAt - 30,
      ...end,
    }),
  ]
  const phase = (name: string, [from, to]: readonly [number, number], before: number): MetricRun =>
    run('csv_abnormal', { version: '1.16.0', phase: name, reason: '' }, 1, [from, to], { before, after: to + 30 })
  const installed = [phase('InstallReady', [690, 690], 600), phase('Installing', [720, 780], 690)]

  test.each<[string, readonly MetricRun[]]>([
    ['it is installed', back(installed, 810)],
    ['it has been installed meanwhile', back([], 690)],
  ])('%s', (_, metrics) => {
    expect(linesOf(metrics)).toEqual(['1.16.0 1.17.0 rolled_back 0..690'])
    expect(deriveUpgrades(observed([], metrics))[0]!.upgrade).toMatchObject({ resolutionSeconds: 90 })
  })

  test('the next attempt is another upgrade', () => {
    const again = [
      ...back(installed, 810, 1170, { after: 1200 }),
      run('csv_succeeded', { version: '1.16.0' }, 0, [1200, HOUR], { before: 1170 }),
      run('csv_abnormal', { version: '1.16.0', phase: 'Replacing', reason: '' }, 1, [1200, HOUR], { before: 1170 }),
      run('csv_succeeded', { version: '1.17.0' }, 0, [1200, HOUR], { before: 1170 }),
    ]
    expect(linesOf(again)).toEqual(['1.16.0 1.17.0 rolled_back 0..690', '1.16.0 1.17.0 in_progress 1200..?'])
  })

  test('a CSV that is still being replaced according to another pod is not a new one', () => {
    expect(linesOf(back([phase('InstallReady', [630, 660], 600)], 810))).toEqual(['1.16.0 1.17.0 unknown 0..?'])
  })
})

test('objects that report an upgrade in progress are not overruled by metrics while they are reported', () => {
  const objects = stories.goldenUpgrade().slice(0, -2)
  const hour = (count: number): number => T0 + count * HOUR * 1000
  const metrics: readonly MetricRun[] = [
    ...series(5 * HOUR, 'csv_succeeded', { version: '1.16.0' }, [
      [1, FIRST],
      [undefined, 30],
    ]),
    ...series(5 * HOUR, 'csv_succeeded', { version: '1.17.0' }, [
      [0, 30],
      [1, 120],
    ]),
    ...series(5 * HOUR, 'kubevirt_nodes', { kubeversion: 'v1.6.2' }, [
      [3, FIRST],
      [undefined, 300],
    ]),
    ...series(5 * HOUR, 'kubevirt_nodes', { kubeversion: 'v1.7.1' }, [[3, 300]]),
    ...series(5 * HOUR, 'hco_health', {}, [
      [0, FIRST],
      [2, 150],
      [0, 360],
    ]),
  ].map((one) => ({ ...one, cluster: stories.CLUSTER }))
  const stateAt = (more: Partial<ClusterObservations>): string =>
    deriveUpgrades(stories.observations({ objects, metrics, ...more }))
      .map(({ upgrade }) => upgrade.state)
      .join()
  expect(stateAt({ objectsLastSeenMs: hour(4) })).toBe('in_progress')
  expect(stateAt({ objectsLastSeenMs: hour(0) })).toBe('succeeded')
})
