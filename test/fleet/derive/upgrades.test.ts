import fc from 'fast-check'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import { createOtlpLogsIngest } from '../../../src/ingest/otlp/logs.ts'
import { Intake } from '../../../src/ingest/intake.ts'
import { INGEST_DEFAULTS } from '../../../src/ingest/options.ts'
import { OTLP_DEFAULTS } from '../../../src/ingest/otlp/options.ts'
import type { ClusterObservations, ObjectObservation } from '../../../src/model/observation.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { knownAt, observationsOf } from '../../../sim/history/cluster-observations.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { MemoryAppender } from '../../support/memory-appender.ts'
import {
  CLUSTER,
  CSV_UID,
  T0,
  at,
  condition,
  csvFacts,
  csvName,
  goldenUpgrade,
  hcoFacts,
  observations,
  operandFacts,
  settled,
  sight,
  upgradingTo,
  type Step,
} from './stories.ts'
import { atOnce } from '../../support/at-once.ts'

const GOLDEN = resolve(import.meta.dirname, '../../../../shared/golden')

/** `name start-end state` in seconds after T0; what is not known is `?`. */
function drawn({ upgrade }: UpgradeRecord): readonly string[] {
  const second = (ms: number | undefined): string => (ms === undefined ? '?' : String((ms - T0) / 1000))
  return upgrade.phases.map(
    ({ name, startedMs, endedMs, state }) => `${name} ${second(startedMs)}-${second(endedMs)} ${state}`,
  )
}

const GOLDEN_PHASES = [
  'offered ?-? unknown',
  'approval ?-? unknown',
  'olm 0-95 succeeded',
  'olm.pending 0-20 succeeded',
  'olm.install_ready 20-21 succeeded',
  'olm.installing 21-95 succeeded',
  'operands 95-840 succeeded',
  'virt_handler.canary ?-? unknown',
  'virt_handler.waves ?-? unknown',
  'settle ?-? unknown',
  'workloads ?-? unknown',
]

function derived(objects: readonly ObjectObservation[]): readonly UpgradeRecord[] {
  return deriveUpgrades(observations({ objects }))
}

test('the stored upgrade is one upgrade with the times its README says', () => {
  const records = derived(goldenUpgrade())
  expect(records).toHaveLength(1)
  const { upgrade, detail } = records[0]!
  expect(upgrade).toMatchObject({
    id: '945c777c1329507dc44b3d4f4893652b',
    operator: 'kubevirt-hyperconverged',
    from: '1.16.0',
    to: '1.17.0',
    state: 'succeeded',
    startedMs: T0,
    endedMs: T0 + 840_000,
    resolutionSeconds: 1,
  })
  expect(drawn(records[0]!)).toEqual(GOLDEN_PHASES)
  expect(detail).toMatchObject({ csvUid: CSV_UID, replaces: csvName('1.16.0'), lastProgressMs: at(840) })
  expect(detail.csvSteps.map(({ phase, startedMs }) => [phase, (startedMs - T0) / 1000])).toEqual([
    ['Pending', 0],
    ['InstallReady', 20],
    ['Installing', 21],
    ['Succeeded', 95],
  ])
  expect(upgrade.phases.every(({ isReconstructed }) => !isReconstructed)).toBe(true)
})

describe.skipIf(!existsSync(GOLDEN))('the stored bodies (skipped when they are not beside the project)', () => {
  test.each(['json', 'pb'])('logs-k8s-watch.%s gives the same upgrade, read by the decoders', (ending) => {
    const objects: ObjectObservation[] = []
    const ingest = createOtlpLogsIngest({
      intake: new Intake(new MemoryAppender(), INGEST_DEFAULTS),
      otlp: OTLP_DEFAULTS,
      observations: { admits: () => true, putObjects: (more) => objects.push(...more), putListings: () => 0 },
      logs: { putLogs: () => 0 },
      limits: { objectRetentionMs: 400 * 86_400_000, logRetentionMs: 30 * 86_400_000 },
    })
    const body = readFileSync(`${GOLDEN}/otlp/logs-k8s-watch.${ending}`)
    const written = atOnce(ingest.write(body, ending === 'pb' ? 'protobuf' : 'json', { nowMs: T0 + 86_400_000 }))
    expect(written.status).toBe(200)
    expect(objects.every(({ cluster }) => cluster === CLUSTER)).toBe(true)
    const records = derived(objects)
    expect(records.map(({ upgrade }) => [upgrade.from, upgrade.to, upgrade.state])).toEqual([
      ['1.16.0', '1.17.0', 'succeeded'],
    ])
    expect(drawn(records[0]!)).toEqual(GOLDEN_PHASES)
  })
})

describe('the same set of observations', () => {
  /** Any order, some twice. */
  function shuffled<T>(items: readonly T[]): fc.Arbitrary<readonly T[]> {
    return fc
      .subarray([...items])
      .chain((twice) => fc.shuffledSubarray([...items, ...twice], { minLength: items.length + twice.length }))
  }

  test('the stored upgrade, in any order and with repeats, is the same bytes', () => {
    const objects = goldenUpgrade()
    const text = JSON.stringify(derived(objects))
    fc.assert(
      fc.property(shuffled(objects), (mixed) => {
        expect(JSON.stringify(derived(mixed))).toBe(text)
      }),
    )
  })

  const YEAR = { fromMs: Date.UTC(2026, 0, 1), untilMs: Date.UTC(2026, 2, 1), seed: 'orders', mode: 'all' } as const
  const stories = Array.from({ length: 6 }, (_, index) =>
    observationsOf(planHistory({ ...YEAR, index, stallShare: 0.5 })),
  )

  test('simulated stories by all ways, in any order, with repeats and runs in pieces, are the same bytes', () => {
    for (const story of stories) {
      const text = JSON.stringify(deriveUpgrades(story))
      fc.assert(
        fc.property(
          shuffled(story.objects),
          shuffled(story.metrics),
          shuffled(story.spans),
          (objects, metrics, spans) => {
            const mixed: ClusterObservations = { ...story, objects, metrics: metrics.flatMap(inPieces), spans }
            expect(JSON.stringify(deriveUpgrades(mixed))).toBe(text)
          },
        ),
        { numRuns: 4 },
      )
    }
  })

  /** A stretch as two that meet at a sample in between. */
  function inPieces(run: ClusterObservations['metrics'][number]): readonly ClusterObservations['metrics'][number][] {
    const middleMs = Math.floor((run.firstMs + run.lastMs) / 2)
    const { afterMs, ...open } = run
    return run.lastMs === run.firstMs
      ? [run]
      : [
          { ...open, lastMs: middleMs },
          {
            ...open,
            firstMs: middleMs,
            beforeMs: middleMs - 1,
            lastMs: run.lastMs,
            ...(afterMs !== undefined && { afterMs }),
          },
        ]
  }

  test('what is known up to a time tells nothing that what is known later takes back', () => {
    const story = stories.find(({ objects }) => objects.some(({ facts }) => facts.kind === 'kubevirts'))!
    const final = deriveUpgrades(story)
    const begins = final.flatMap(({ upgrade }) => upgrade.endedMs ?? [])
    for (const nowMs of begins) {
      for (const { upgrade } of deriveUpgrades(knownAt(story, nowMs))) {
        const later = final.find((other) => other.upgrade.id === upgrade.id)
        if (upgrade.startedMs === undefined) continue
        expect(later?.upgrade.startedMs).toBe(upgrade.startedMs)
      }
    }
  })
})

test('a Collector with a wrong clock moves no time, even where only the sight of a state tells it', () => {
  const kubevirt = { uid: 'kv', name: 'kubevirt', rv: 0 }
  const [good, bad] = [settled(0), condition('Progressing', 'True', 'UpdateInProgress', '', 120)]
  const objects = [
    ...goldenUpgrade(),
    sight(
      { ...kubevirt, rv: 1, seconds: -900, change: 'listed' },
      operandFacts('kubevirts', { targetVersion: 'v1.6.2', observedVersion: 'v1.6.2', conditions: [good] }),
    ),
    sight(
      { ...kubevirt, rv: 2, seconds: 120 },
      operandFacts('kubevirts', { targetVersion: 'v1.7.1', observedVersion: 'v1.6.2', conditions: [bad] }),
    ),
    // No time of its own: Progressing is still True.
    sight(
      { ...kubevirt, rv: 3, seconds: 500 },
      operandFacts('kubevirts', {
        targetVersion: 'v1.7.1',
        observedVersion: 'v1.7.1',
        outdatedWorkloads: 7,
        conditions: [settled(500)],
      }),
    ),
    sight(
      { ...kubevirt, rv: 4, seconds: 700 },
      operandFacts('kubevirts', {
        targetVersion: 'v1.7.1',
        observedVersion: 'v1.7.1',
        outdatedWorkloads: 0,
        conditions: [settled(500)],
      }),
    ),
  ]
  const right = derived(objects)
  for (const aheadMs of [45_000, -90_000]) {
    const skewed = derived(objects.map((object) => ({ ...object, observedMs: object.observedMs + aheadMs })))
    expect(drawn(skewed[0]!)).toEqual(drawn(right[0]!))
  }
  expect(drawn(right[0]!)).toContain('operands.kubevirt 120-500 succeeded')
  expect(drawn(right[0]!)).toContain('workloads 500-700 succeeded')
})

describe('how an attempt ends', () => {
  const path: readonly Step[] = [
    ['Pending', 'RequirementsNotMet', 0],
    ['InstallReady', 'AllRequirementsMet', 20],
    ['Installing', 'InstallSucceeded', 21],
  ]
  const old = sight(
    { uid: 'a', name: csvName('1.16.0'), rv: 1, seconds: -1000 },
    csvFacts('1.16.0', [['Succeeded', 'InstallSucceeded', -9000]], { createdMs: at(-9100) }),
  )
  const hco = sight(
    { uid: 'hco', name: 'kubevirt-hyperconverged', rv: 2, seconds: -1000 },
    hcoFacts('1.16.0', settled(-8000)),
  )
  const next = (
    version: string,
    uid: string,
    second: number,
    steps: readonly Step[],
    replaces?: string,
  ): ObjectObservation =>
    sight(
      { uid, name: csvName(version), rv: 5000 + second, seconds: second + 60 },
      csvFacts(
        version,
        steps.map(([phase, reason, s]) => [phase, reason, second + s] as const),
        { createdMs: at(second), ...(replaces !== undefined && { replaces: csvName(replaces) }) },
      ),
    )
  const b = next('1.17.0', 'b', 0, path, '1.16.0')
  const failing: readonly Step[] = [...path, ['Failed', 'InstallCheckFailed', 300]]
  const states = (objects: readonly ObjectObservation[]): readonly string[] =>
    derived([old, hco, ...objects]).map(
      ({ upgrade }) =>
        `${upgrade.from} ${upgrade.to} ${upgrade.state} ${upgrade.endedMs === undefined ? '?' : (upgrade.endedMs - T0) / 1000}`,
    )

  test.each<[string, readonly ObjectObservation[], readonly string[]]>([
    ['in progress while OLM installs', [b], ['1.16.0 1.17.0 in_progress ?']],
    [
      'CSV Succeeded is not the end',
      [next('1.17.0', 'b', 0, [...path, ['Succeeded', 'InstallSucceeded', 90]])],
      ['1.16.0 1.17.0 in_progress ?'],
    ],
    [
      'superseded by a newer one that begins',
      [b, next('1.17.1', 'c', 5000, path, '1.17.0')],
      ['1.16.0 1.17.0 superseded 5000', '1.16.0 1.17.1 in_progress ?'],
    ],
    [
      'not by one that OLM holds back',
      [b, next('1.17.1', 'c', 5000, [['Pending', 'OperatorConditionNotUpgradeable', 0]], '1.17.0')],
      ['1.16.0 1.17.0 in_progress ?', '1.16.0 1.17.1 in_progress ?'],
    ],
    [
      'failed when it had failed as it was replaced',
      [next('1.17.0', 'b', 0, failing, '1.16.0'), next('1.17.1', 'c', 5000, path, '1.17.0')],
      ['1.16.0 1.17.0 failed 300', '1.16.0 1.17.1 in_progress ?'],
    ],
    ['tried again is not failed', [next('1.17.0', 'b', 0, failing, '1.16.0')], ['1.16.0 1.17.0 in_progress ?']],
    [
      'failed for good',
      [next('1.17.0', 'b', 0, [...path, ['Failed', 'InstallComponentFailedNoRetry', 300]])],
      ['1.16.0 1.17.0 failed 300'],
    ],
    [
      'rolled back when the old version is installed again',
      [b, next('1.16.0', 'a2', 5000, path)],
      ['1.16.0 1.17.0 rolled_back 5000'],
    ],
    [
      'rolled back when its CSV went and the old one stayed',
      [b, sight({ uid: 'b', name: csvName('1.17.0'), rv: 9000, seconds: 700, change: 'deleted' }, b.facts)],
      ['1.16.0 1.17.0 rolled_back 700'],
    ],
    [
      'a CSV that is created anew is another attempt',
      [b, next('1.17.0', 'b2', 5000, path, '1.16.0')],
      ['1.16.0 1.17.0 superseded 5000', '1.16.0 1.17.0 in_progress ?'],
    ],
    [
      'a backward edge is an upgrade like any other',
      [
        next('1.15.2', 'b', 0, path, '1.16.0'),
        sight(
          { uid: 'hco', name: 'kubevirt-hyperconverged', rv: 9000, seconds: 600 },
          hcoFacts('1.15.2', settled(600)),
        ),
      ],
      ['1.16.0 1.15.2 succeeded 600'],
    ],
    ['a jump over minors too', [next('1.18.0', 'b', 0, path, '1.17.0')], ['1.16.0 1.18.0 in_progress ?']],
    [
      'an unstable build is a version',
      [next('1.17.0-unstable', 'b', 0, path, '1.16.0')],
      ['1.16.0 1.17.0-unstable in_progress ?'],
    ],
    ['the same version installed again is no upgrade', [next('1.16.0', 'a2', 0, path)], []],
    [
      'copies in other namespaces are nothing',
      [
        sight(
          { uid: 'copy', name: csvName('1.17.0'), rv: 7, seconds: 5, namespace: 'default' },
          csvFacts('1.17.0', [['Succeeded', 'Copied', 5]]),
        ),
      ],
      [],
    ],
  ])('%s', (_name, objects, want) => {
    expect(states(objects)).toEqual(want)
  })

  test('unknown when its CSV and all else are gone', () => {
    const gone = (object: ObjectObservation): ObjectObservation => ({
      ...object,
      resourceVersion: '9999',
      change: 'deleted',
      observedMs: at(700),
    })
    expect(states([b, gone(b), gone(old), gone(hco)])).toEqual(['1.16.0 1.17.0 unknown ?'])
  })

  test('a first installation is no upgrade, though its CSV names a predecessor', () => {
    const first = next('1.17.0', 'b', 0, [...path, ['Succeeded', 'InstallSucceeded', 90]], '1.16.0')
    const fresh = sight(
      { uid: 'hco', name: 'kubevirt-hyperconverged', rv: 3, seconds: 200 },
      hcoFacts('1.17.0', settled(190), { createdMs: at(120) }),
    )
    expect(derived([first, fresh])).toEqual([])
  })

  test('first seen in the middle, with what ran before known from HCO alone', () => {
    const late = sight(
      { uid: 'hco', name: 'kubevirt-hyperconverged', rv: 3, seconds: 200, change: 'listed' },
      hcoFacts('1.16.0', upgradingTo('1.17.0', 95)),
    )
    const csv = {
      ...next('1.17.0', 'b', 0, [...path, ['Succeeded', 'InstallSucceeded', 90]], '1.16.0'),
      change: 'listed' as const,
      observedMs: at(200),
    }
    const [record, ...others] = derived([csv, late])
    expect(others).toEqual([])
    expect(record!.upgrade).toMatchObject({ from: '1.16.0', to: '1.17.0', state: 'in_progress', startedMs: T0 })
    expect(drawn(record!)).toContain('olm 0-90 succeeded')
    expect(record!.upgrade.phases.find(({ name }) => name === 'olm')!.isReconstructed).toBe(true)
  })

  test('without a version of HCO, the CSV that it replaces says what ran before, and nobody knows the end', () => {
    const [record] = derived([old, next('1.17.0', 'b', 0, [...path, ['Succeeded', 'InstallSucceeded', 90]], '1.16.0')])
    expect(record!.upgrade).toMatchObject({ from: '1.16.0', to: '1.17.0', state: 'unknown' })
    expect(record!.upgrade.endedMs).toBeUndefined()
  })

  test('without OLM, HCO alone tells', () => {
    const moving = sight(
      { uid: 'hco', name: 'kubevirt-hyperconverged', rv: 3, seconds: 100 },
      hcoFacts('1.16.0', upgradingTo('1.17.0', 99)),
    )
    const done = sight(
      { uid: 'hco', name: 'kubevirt-hyperconverged', rv: 4, seconds: 800 },
      hcoFacts('1.17.0', settled(799)),
    )
    const [record] = derived([hco, moving, done])
    expect(record!.upgrade).toMatchObject({
      from: '1.16.0',
      to: '1.17.0',
      state: 'succeeded',
      startedMs: at(99),
      endedMs: at(799),
    })
  })

  test('without HCO, KubeVirt is the operator', () => {
    const kubevirt = (rv: number, second: number, target: string, observed: string): ObjectObservation =>
      sight(
        { uid: 'kv', name: 'kubevirt', rv, seconds: second, namespace: 'kubevirt' },
        operandFacts('kubevirts', { targetVersion: target, observedVersion: observed, conditions: [] }),
      )
    const [record, ...others] = derived([
      kubevirt(1, -50, 'v1.6.2', 'v1.6.2'),
      kubevirt(2, 0, 'v1.7.1', 'v1.6.2'),
      kubevirt(3, 300, 'v1.7.1', 'v1.7.1'),
    ])
    expect(others).toEqual([])
    expect(record!.upgrade).toMatchObject({
      operator: 'kubevirt',
      from: 'v1.6.2',
      to: 'v1.7.1',
      state: 'succeeded',
      startedMs: T0,
      endedMs: at(300),
    })
  })
})

describe('virt-handler, of an upgrade of which the Collector saw the start and the end', () => {
  const handler = (rv: number, seconds: number, generation: number, change: ObjectObservation['change'] = 'listed') =>
    sight(
      { uid: 'ds', name: 'virt-handler', rv, seconds, change },
      { kind: 'daemonsets', desired: 6, current: 6, updated: 6, ready: 6, available: 6, generation },
    )
  const kubevirt = (rv: number, seconds: number, observedVersion: string, targetVersion: string) =>
    sight({ uid: 'kv', name: 'kubevirt', rv, seconds }, operandFacts('kubevirts', { observedVersion, targetVersion }))
  const objects = [
    kubevirt(1, -60, 'v1.6.2', 'v1.6.2'),
    handler(2, -60, 4),
    ...goldenUpgrade(),
    kubevirt(1500, 110, 'v1.6.2', 'v1.7.1'),
    kubevirt(1600, 800, 'v1.7.1', 'v1.7.1'),
  ]
  const handlerPhases = (more: readonly ObjectObservation[]): readonly string[] =>
    drawn(derived([...objects, ...more])[0]!).filter((text) => text.startsWith('virt_handler'))

  test.each<readonly [string, readonly ObjectObservation[], string]>([
    ['that stays as it was', [], 'skipped'],
    ['that is listed with another template later', [handler(1700, 1800, 5)], 'unknown'],
    ['of which another field changed', [handler(1700, 1800, 4, 'modified')], 'skipped'],
  ])('%s', (_, more, state) => {
    expect(handlerPhases(more)).toEqual([`virt_handler.canary ?-? ${state}`, `virt_handler.waves ?-? ${state}`])
  })

  test('that another template is listed in the next upgrade says nothing of this one', () => {
    const again: readonly Step[] = [['Succeeded', 'InstallSucceeded', 90_090]]
    const csv = { uid: 'csv-again', name: csvName('1.18.0'), rv: 5000, seconds: 90_090 }
    const next = [
      sight(csv, csvFacts('1.18.0', again, { createdMs: at(90_000), replaces: csvName('1.17.0') })),
      handler(5100, 90_200, 5),
    ]
    expect(handlerPhases(next)).toEqual(['virt_handler.canary ?-? skipped', 'virt_handler.waves ?-? skipped'])
  })
})

test('an offer that waits for approval is an upgrade that has not begun, and the CSV makes it its own', () => {
  const subscription = (rv: number, second: number, state: string): ObjectObservation =>
    sight(
      { uid: 's', name: 'hco', rv, seconds: second },
      {
        kind: 'subscriptions',
        package: 'kubevirt-hyperconverged',
        channel: 'stable',
        source: 'redhat-operators',
        approval: 'Manual',
        state,
        installedCsv: csvName('1.16.0'),
        currentCsv: csvName('1.17.0'),
        lastUpdatedMs: at(second),
        conditions: [],
      },
    )
  const plan = sight(
    { uid: 'p', name: 'install-x', rv: 10, seconds: -900 },
    {
      kind: 'installplans',
      approval: 'Manual',
      isApproved: false,
      csvNames: [csvName('1.17.0')],
      phase: 'RequiresApproval',
      conditions: [],
      createdMs: at(-900),
    },
  )
  const waiting = derived([subscription(1, -1000, 'UpgradeAvailable'), subscription(2, -899, 'UpgradePending'), plan])
  expect(waiting).toHaveLength(1)
  expect(waiting[0]!.upgrade).toMatchObject({
    from: '1.16.0',
    to: '1.17.0',
    state: 'in_progress',
    approval: 'Manual',
    channel: 'stable',
    blockedBy: { cause: 'approval_waiting', sinceMs: at(-900) },
  })
  expect(waiting[0]!.upgrade.startedMs).toBeUndefined()
  expect(drawn(waiting[0]!).slice(0, 3)).toEqual([
    'offered -1000--900 succeeded',
    'approval -900-? in_progress',
    'olm ?-? pending',
  ])
  // An earlier attempt at the version, of which only metrics are left, is another upgrade.
  const csvRun = (version: string, value: number, firstS: number, lastS: number, ends: object) => {
    const times = { firstMs: at(firstS), lastMs: at(lastS) }
    return { ...{ cluster: CLUSTER, signal: 'csv_succeeded' as const, labels: { version }, value }, ...times, ...ends }
  }
  const metrics = [
    csvRun('1.16.0', 1, -9000, -600, {}),
    csvRun('1.17.0', 0, -8000, -7000, { beforeMs: at(-8030), afterMs: at(-6970) }),
  ]
  const objects = [subscription(1, -1000, 'UpgradeAvailable'), subscription(2, -899, 'UpgradePending'), plan]
  const twice = deriveUpgrades(observations({ metrics, objects }))
  const shown = twice.map(({ upgrade: { startedMs, state } }) => `${startedMs} ${state}`)
  expect(shown.sort()).toEqual([`${at(-8000)} unknown`, 'undefined in_progress'])
  const begun = derived([subscription(1, -1000, 'UpgradeAvailable'), plan, ...goldenUpgrade()])
  expect(begun).toHaveLength(1)
  expect(begun[0]!.upgrade).toMatchObject({ id: '945c777c1329507dc44b3d4f4893652b', startedMs: T0, approval: 'Manual' })
  expect(drawn(begun[0]!).slice(0, 2)).toEqual(['offered -1000--900 succeeded', 'approval -900-0 succeeded'])
})

test('the same upgrade by metrics first and by objects later is one record', () => {
  const run = (
    signal: 'csv_succeeded',
    version: string,
    value: number,
    firstS: number,
    lastS: number,
    beforeS?: number,
    afterS?: number,
  ) => ({
    ...{ cluster: CLUSTER, signal, labels: { version }, value, firstMs: at(firstS), lastMs: at(lastS) },
    ...(beforeS !== undefined && { beforeMs: at(beforeS) }),
    ...(afterS !== undefined && { afterMs: at(afterS) }),
  })
  const metrics = [
    run('csv_succeeded', '1.16.0', 1, -3000, -15, undefined, 15),
    run('csv_succeeded', '1.17.0', 0, 15, 75, -15, 105),
    run('csv_succeeded', '1.17.0', 1, 105, 4005, 75),
  ]
  const [byMetrics, ...none] = deriveUpgrades(observations({ metrics }))
  expect(none).toEqual([])
  expect(byMetrics!.upgrade).toMatchObject({ from: '1.16.0', to: '1.17.0', startedMs: at(15), resolutionSeconds: 30 })
  // HyperConverged alone reports when HCO started, here an hour after the CSV was created.
  const hco = (rv: number, second: number, facts: ReturnType<typeof hcoFacts>) =>
    sight({ uid: 'hco', name: 'kubevirt-hyperconverged', rv, seconds: second }, facts)
  const late = deriveUpgrades(
    observations({
      metrics,
      objects: [
        hco(1, -50, hcoFacts('1.16.0', settled(-9000))),
        hco(2, 3600, hcoFacts('1.16.0', upgradingTo('1.17.0', 3600))),
        hco(3, 3900, hcoFacts('1.17.0', settled(3900))),
      ],
    }),
  )
  expect(late.map(({ upgrade }) => [upgrade.startedMs, upgrade.endedMs, upgrade.state])).toEqual([
    [at(15), at(3900), 'succeeded'],
  ])
  const both = deriveUpgrades(observations({ metrics, objects: goldenUpgrade() }))
  expect(both.map(({ upgrade }) => [upgrade.id, upgrade.startedMs, upgrade.endedMs, upgrade.state])).toEqual([
    ['945c777c1329507dc44b3d4f4893652b', T0, at(840), 'succeeded'],
  ])
})
