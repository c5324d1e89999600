import { describe, expect, test } from 'vitest'
import { upgradeStage } from '../../../src/fleet/clusters/cluster-states.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { deriveCluster, deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import { createBaselineIndex } from '../../../src/fleet/stuck/stuck-baseline.ts'
import { createStuckJudge } from '../../../src/fleet/stuck/stuck.ts'
import type { InstallPlanFacts, SubscriptionFacts } from '../../../src/model/object-facts.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { at, CLUSTER, condition, csvFacts, csvName, hcoFacts, observations, settled, sight, T0 } from './stories.ts'

const HOUR = 3600
const PLAN = 'install-7'

const old = sight(
  { uid: 'a', name: csvName('1.16.0'), rv: 1, seconds: -1000 },
  csvFacts('1.16.0', [['Succeeded', 'InstallSucceeded', -9000]], { createdMs: at(-9100) }),
)
const hco = sight(
  { uid: 'h', name: 'kubevirt-hyperconverged', rv: 2, seconds: -1000 },
  hcoFacts('1.16.0', settled(-8000)),
)

/** The Subscription offers 1.17.0 and refers to the plan. */
function subscription(rv: number, seconds: number, more: Partial<SubscriptionFacts> = {}): ObjectObservation {
  return sight(
    { uid: 's', name: 'hco', rv, seconds },
    {
      kind: 'subscriptions',
      package: 'kubevirt-hyperconverged',
      channel: 'stable',
      source: 'redhat-operators',
      approval: 'Manual',
      state: 'UpgradePending',
      installedCsv: csvName('1.16.0'),
      currentCsv: csvName('1.17.0'),
      installPlan: PLAN,
      lastUpdatedMs: at(seconds),
      conditions: [],
      ...more,
    },
  )
}

function plan(
  rv: number,
  seconds: number,
  more: Partial<InstallPlanFacts> = {},
  change?: 'deleted',
): ObjectObservation {
  return sight(
    { uid: 'p', name: PLAN, rv, seconds, ...(change !== undefined && { change }) },
    {
      kind: 'installplans',
      approval: 'Manual',
      isApproved: false,
      csvNames: [csvName('1.17.0')],
      phase: 'RequiresApproval',
      conditions: [],
      createdMs: at(1),
      ...more,
    },
  )
}

const offered = [old, hco, subscription(10, 0), plan(11, 1)]

function upgradeOf(objects: readonly ObjectObservation[]): UpgradeRecord {
  const records = deriveUpgrades(observations({ objects }))
  expect(records).toHaveLength(1)
  expect(deriveUpgrades(observations({ objects: objects.toReversed().flatMap((one) => [one, one]) }))).toEqual(records)
  return records[0]!
}

const phaseStates = ({ upgrade }: UpgradeRecord): unknown =>
  upgrade.phases.slice(0, 2).map(({ name, state }) => `${name} ${state}`)

describe('a plan that nobody can approve is not pending approval', () => {
  const missing = condition('InstallPlanMissing', 'True', 'ReferencedInstallPlanNotFound', '', 2 * HOUR)
  test.each<readonly [string, readonly ObjectObservation[], RegExp, number]>([
    [
      'deleted, as the Subscription reports',
      [plan(12, 7190, {}, 'deleted'), subscription(13, 2 * HOUR, { conditions: [missing] })],
      /was deleted.*ReferencedInstallPlanNotFound/,
      at(2 * HOUR),
    ],
    ['deleted, before the Subscription is written', [plan(12, 7190, {}, 'deleted')], /was deleted/, at(7190)],
    [
      'failed before its approval, which only the plan reports',
      [plan(12, 60, { phase: 'Failed', message: 'no operator group found that manages this namespace' })],
      /InstallPlan failed/,
      at(60),
    ],
  ])('%s', (_, later, text, aboutMs) => {
    const record = upgradeOf([...offered, ...later])
    const { blockedBy } = record.upgrade
    expect(blockedBy).toMatchObject({ cause: 'resolution_failed', text: expect.stringMatching(text) as string })
    expect(Math.abs(blockedBy!.sinceMs! - aboutMs)).toBeLessThan(2000)
    expect(blockedBy!.evidence).toHaveLength(1)
    expect(phaseStates(record)).toEqual(['offered in_progress', 'approval pending'])
    expect(upgradeStage(record)).toBe('upgrading')
  })

  test('another plan for the same version is pending approval again', () => {
    const other = sight(
      { uid: 'p2', name: 'install-8', rv: 14, seconds: 8000 },
      { ...plan(0, 0).facts, createdMs: at(8000) },
    )
    const objects = [
      ...offered,
      plan(12, 7190, {}, 'deleted'),
      subscription(15, 8001, { installPlan: 'install-8' }),
      other,
    ]
    const record = upgradeOf(objects)
    expect(record.upgrade.blockedBy?.cause).toBe('approval_waiting')
    expect(upgradeStage(record)).toBe('waiting')
  })
})

describe('a plan that somebody can approve is pending approval', () => {
  test('also while OLM cannot resolve what follows', () => {
    const failed = condition('ResolutionFailed', 'True', 'ConstraintsNotSatisfiable', 'two packages provide a CRD', 90)
    const record = upgradeOf([...offered, subscription(12, 91, { conditions: [failed] })])
    expect(record.upgrade.blockedBy?.cause).toBe('approval_waiting')
  })

  test('also when another Subscription of the namespace makes the plan manual', () => {
    const automatic = [old, hco, subscription(10, 0, { approval: 'Automatic' }), plan(11, 1)]
    const record = upgradeOf(automatic)
    expect(record.upgrade).toMatchObject({ approval: 'Manual', blockedBy: { cause: 'approval_waiting' } })
  })
})

test.each([
  ['ResolutionFailed', 'ErrorPreventedResolution', 'no operators found in channel stable'],
  ['BundleUnpackFailed', 'BundleUnpackFailed', 'job was active longer than specified deadline'],
  ['CatalogSourcesUnhealthy', 'UnhealthyCatalogSourceFound', 'targeted catalogsource other/mirror unhealthy'],
])('%s without a time lasts since it was first observed', (type, reason, message) => {
  const conditions = [{ type, status: 'True', reason, message }]
  const before = subscription(10, 0, { installPlan: 'none-yet' })
  const record = upgradeOf([
    ...[old, hco, before],
    subscription(11, 300, { conditions, installPlan: 'none-yet' }),
    subscription(12, 4000, { conditions, installPlan: 'none-yet', channel: 'candidate' }),
  ])
  expect(record.upgrade.blockedBy).toMatchObject({ cause: 'resolution_failed' })
  expect(Math.abs(record.upgrade.blockedBy!.sinceMs! - at(300))).toBeLessThan(2000)
  expect(record.upgrade.blockedBy!.evidence[0]!.text).toContain(message)
  expect(record.upgrade.blockedBy!.text).toContain(reason)
})

test('an upgrade of the platform is not blamed on OLM', () => {
  const failed = condition('ResolutionFailed', 'True', 'ConstraintsNotSatisfiable', '', 90)
  const version = sight(
    { uid: 'cv', name: 'version', rv: 5, seconds: 1, namespace: '' },
    {
      kind: 'clusterversions',
      clusterId: 'c',
      channel: 'stable-4.20',
      desiredVersion: '4.20.1',
      conditions: [],
      availableUpdates: [],
      history: [
        { state: 'Partial', version: '4.20.1', startedMs: T0 },
        { state: 'Completed', version: '4.19.9', startedMs: at(-90_000), completedMs: at(-80_000) },
      ],
    },
  )
  const latest = { state: 'AtLatestKnown', currentCsv: csvName('1.16.0'), conditions: [failed] }
  const record = upgradeOf([old, hco, version, subscription(12, 91, latest)])
  expect(record.upgrade).toMatchObject({ operator: 'openshift', state: 'in_progress' })
  expect(record.upgrade.blockedBy).toBeUndefined()
})

test('an approved plan without a CSV is stuck, and not after a minute', () => {
  const approved = { approval: 'Automatic', isApproved: true, phase: 'Installing', startMs: at(3) }
  const record = upgradeOf([old, hco, subscription(10, 0, { approval: 'Automatic' }), plan(11, 3, approved)])
  const judge = createStuckJudge(createBaselineIndex())
  expect(judge(record, at(60), { objectsMs: at(60) }).isStuck).toBe(false)
  const verdict = judge(record, at(2 * HOUR), { objectsMs: at(2 * HOUR) })
  expect(verdict).toMatchObject({ isStuck: true, stalledSinceMs: at(3) })
  expect(verdict.causes).toMatchObject([{ cause: 'resolution_failed', text: expect.stringContaining(PLAN) as string }])
  expect(verdict.causes[0]!.evidence.length).toBeGreaterThan(0)
})

describe('OLM that cannot plan is a state of the cluster without an open upgrade', () => {
  const latest = { state: 'AtLatestKnown', currentCsv: csvName('1.16.0'), installPlan: 'install-1' }
  test.each<readonly [string, readonly ObjectObservation[], RegExp, number]>([
    [
      'a bundle that cannot be resolved',
      [
        subscription(10, 0, latest),
        subscription(11, 60, {
          ...latest,
          conditions: [condition('ResolutionFailed', 'True', 'ConstraintsNotSatisfiable', 'a CSV is orphaned', 59)],
        }),
      ],
      /cannot resolve/,
      59,
    ],
    [
      'a Subscription that was deleted',
      [subscription(10, 0, latest), { ...subscription(11, 60, latest), change: 'deleted' }],
      /Subscription of the installed CSV was deleted/,
      60,
    ],
  ])('%s', (_, objects, text, second) => {
    const facts = deriveCluster(observations({ objects: [old, hco, ...objects] }))
    expect(facts.upgrades).toEqual([])
    expect(facts.cluster.problems).toMatchObject([
      { cause: 'cannot_plan', text: expect.stringMatching(text) as string },
    ])
    expect(Math.abs(facts.cluster.problems![0]!.sinceMs - at(second))).toBeLessThan(2000)
    expect(facts.cluster.problems![0]!.evidence).toHaveLength(1)
    const index = createFleetIndex()
    index.put(facts)
    const statesAt = (atSecond: number): unknown => {
      index.markSeen(CLUSTER, { objectsMs: at(atSecond) })
      return index.cluster(CLUSTER, at(atSecond))!.states
    }
    expect([statesAt(300), statesAt(1200)]).toEqual([['steady'], ['cannot_plan']])
  })
})
