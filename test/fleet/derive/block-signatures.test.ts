import { describe, expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { METRIC_SIGNATURES } from '../../../src/fleet/derive/block-metrics.ts'
import { BLOCK_SIGNATURES, blocksOf } from '../../../src/fleet/derive/block-signatures.ts'
import { deriveUpgrades, upgradesOf } from '../../../src/fleet/derive/derive-cluster.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import type { BlockCause, UpgradeRecord } from '../../../src/model/upgrade.ts'
import type { ClusterHistory, StallKind } from '../../../sim/history/cluster-history.ts'
import { knownAt, observationsOf } from '../../../sim/history/cluster-observations.ts'
import { productVersion } from '../../../sim/cluster-profile.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import {
  T0,
  at,
  condition,
  csvFacts,
  csvName,
  goldenUpgrade,
  hcoFacts,
  observations,
  settled,
  sight,
  upgradingTo,
} from './stories.ts'

const YEAR = { fromMs: Date.UTC(2025, 8, 1), untilMs: Date.UTC(2026, 8, 1), seed: 'blocks', mode: 'objects' } as const
const QUIET = { skewMs: 0, restartsMs: [], outages: [], repeatShare: 0 }

/** Stalls of a simulated fleet by kind, long enough to be looked at half an hour after they began. */
const STALLED = Array.from({ length: 60 }, (_, index) => planHistory({ ...YEAR, index, stallShare: 0.9 })).map(
  (history): ClusterHistory => ({ ...history, delivery: QUIET }),
)
const LOOKS_AFTER_MS = 30 * 60_000
const LOOKS = 2

/** What the record of a stalled upgrade says is in its way, and all that fits. */
function looksAt(
  kind: StallKind,
): readonly { readonly first: BlockCause | undefined; readonly all: readonly BlockCause[] }[] {
  const looks: { first: BlockCause | undefined; all: readonly BlockCause[] }[] = []
  for (const history of STALLED) {
    if (looks.length >= LOOKS) break
    for (const { stall, csv, to } of history.upgrades) {
      const nowMs = (stall?.fromMs ?? Infinity) + LOOKS_AFTER_MS
      if (stall?.kind !== kind || nowMs > Math.min(stall.untilMs, YEAR.untilMs)) continue
      const seen = clusterHistory(knownAt(observationsOf(history), nowMs))
      const isIt = ({ upgrade, detail }: UpgradeRecord): boolean =>
        detail.csvUid === csv.uid || (detail.csvUid === undefined && upgrade.to === productVersion(history.profile, to))
      const record = upgradesOf(seen).findLast((one) => one.upgrade.operator !== 'openshift' && isIt(one))
      const all = record === undefined ? [] : blocksOf(seen, record).map(({ cause }) => cause)
      looks.push({ first: record?.upgrade.blockedBy?.cause, all })
    }
  }
  return looks
}

describe('half an hour into a stall of a simulated cluster, the record says what is in the way', () => {
  test.each<[StallKind, BlockCause]>([
    ['bundle_unpack', 'resolution_failed'],
    ['requirements', 'requirements_not_met'],
    ['not_upgradeable', 'not_upgradeable'],
    ['install_loop', 'install_failing'],
    ['canary', 'virt_handler_rollout'],
    ['wave', 'virt_handler_rollout'],
    ['operand', 'operand_failing'],
    ['reconcile', 'reconcile_error'],
    ['no_method', 'workload_method_missing'],
    ['not_migratable', 'workload_method_missing'],
    ['migrations_pending', 'migrations_pending'],
  ])('%s: %s', (kind, cause) => {
    const looks = looksAt(kind)
    expect(looks.length).toBeGreaterThan(0)
    expect(looks.map(({ first }) => first)).toEqual(looks.map(() => cause))
  })

  test.each<[StallKind]>([['olm_hangs'], ['virt_operator_hangs'], ['hco_hangs']])(
    '%s: nothing that is listed',
    (kind) => {
      const looks = looksAt(kind)
      expect(looks.length).toBeGreaterThan(0)
      expect(looks.flatMap(({ all }) => all)).toEqual([])
    },
  )
})

test('no block without evidence, each cause once, and none on an upgrade that is through', () => {
  const story = observationsOf(STALLED[0]!)
  const history = clusterHistory(story)
  for (const record of upgradesOf(history)) {
    const blocks = blocksOf(history, record)
    expect(blocks.every(({ evidence, text }) => evidence.length > 0 && text.endsWith('.'))).toBe(true)
    expect(new Set(blocks.map(({ cause }) => cause)).size).toBe(blocks.length)
  }
  expect(BLOCK_SIGNATURES).toHaveLength(17 + METRIC_SIGNATURES.length)
  expect(deriveUpgrades(observations({ objects: goldenUpgrade() }))[0]!.upgrade.blockedBy).toBeUndefined()
})

describe('what stands in the way, by hand', () => {
  const old = sight(
    { uid: 'a', name: csvName('1.16.0'), rv: 1, seconds: -1000 },
    csvFacts('1.16.0', [['Succeeded', 'InstallSucceeded', -9000]], { createdMs: at(-9100) }),
  )
  const hco = sight(
    { uid: 'h', name: 'kubevirt-hyperconverged', rv: 2, seconds: -1000 },
    hcoFacts('1.16.0', settled(-8000)),
  )
  const blockOf = (objects: readonly ObjectObservation[]): UpgradeRecord['upgrade']['blockedBy'] =>
    deriveUpgrades(observations({ objects: [old, hco, ...objects] })).at(-1)?.upgrade.blockedBy

  test('the operator condition that holds OLM back is the evidence', () => {
    const csv = sight(
      { uid: 'b', name: csvName('1.17.0'), rv: 3, seconds: 60 },
      csvFacts('1.17.0', [['Pending', 'OperatorConditionNotUpgradeable', 5]]),
    )
    const refusal = condition('Upgradeable', 'False', 'CDINotUpgradeable', 'a data import is running', -30)
    const word = sight(
      { uid: 'oc', name: csvName('1.16.0'), rv: 4, seconds: -29 },
      { kind: 'operatorconditions', conditions: [refusal], overrides: [] },
    )
    const block = blockOf([csv, word])
    expect(block).toMatchObject({ cause: 'not_upgradeable', sinceMs: at(5) })
    expect(block!.evidence.map(({ text }) => text)).toEqual([
      'Upgradeable is False (CDINotUpgradeable: a data import is running)',
      'CSV is Pending (OperatorConditionNotUpgradeable)',
    ])
  })

  test('a catalog that cannot be reached, before anything is planned', () => {
    const subscription = sight(
      { uid: 's', name: 'hco', rv: 3, seconds: 0 },
      {
        kind: 'subscriptions',
        package: 'kubevirt-hyperconverged',
        channel: 'stable',
        source: 'mirror',
        approval: 'Automatic',
        state: 'UpgradeAvailable',
        installedCsv: csvName('1.16.0'),
        currentCsv: csvName('1.17.0'),
        lastUpdatedMs: T0,
        conditions: [],
      },
    )
    const catalog = (name: string): ObjectObservation =>
      sight({ uid: name, name, rv: 4, seconds: 30 }, { kind: 'catalogsources', connectionState: 'TRANSIENT_FAILURE' })
    expect(blockOf([subscription, catalog('mirror')])?.cause).toBe('no_update_offered')
    expect(blockOf([subscription, catalog('another')])).toBeUndefined()
  })

  test('a node that cannot be drained, of the platform', () => {
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
    const degraded = condition(
      'Degraded',
      'True',
      'MachineConfigDaemonFailed',
      'failed to drain node: n1 after 1 hour',
      4000,
    )
    const operator = sight(
      { uid: 'co', name: 'machine-config', rv: 6, seconds: 4001, namespace: '' },
      { kind: 'clusteroperators', conditions: [degraded] },
    )
    const platform = deriveUpgrades(observations({ objects: [version, operator] }))
    expect(
      platform.map(({ upgrade }) => [upgrade.operator, upgrade.from, upgrade.to, upgrade.blockedBy?.cause]),
    ).toEqual([['openshift', '4.19.9', '4.20.1', 'node_drain_blocked']])
    expect(deriveUpgrades(observations({ objects: [version] }))[0]!.upgrade.blockedBy).toBeUndefined()
  })

  test('while an operand is updated, only ReconcileFailed is a fault of HCO', () => {
    const csv = sight(
      { uid: 'b', name: csvName('1.17.0'), rv: 3, seconds: 60 },
      csvFacts('1.17.0', [
        ['Pending', 'RequirementsNotMet', 0],
        ['Installing', 'InstallSucceeded', 10],
        ['Succeeded', 'InstallSucceeded', 50],
      ]),
    )
    const failing = (reason: string): ObjectObservation => {
      const complete = condition('ReconcileComplete', 'False', reason, 'webhook denied', 90)
      const facts = hcoFacts('1.16.0', upgradingTo('1.17.0', 60), {
        conditions: [upgradingTo('1.17.0', 60), complete],
      })
      return sight({ uid: 'h', name: 'kubevirt-hyperconverged', rv: 9, seconds: 91 }, facts)
    }
    expect(blockOf([csv, failing('ReconcileFailed')])?.cause).toBe('reconcile_error')
    expect(blockOf([csv, failing('CDINotAvailable')])?.cause).toBe('reconcile_error')
    const cdi = sight(
      { uid: 'cdi', name: 'cdi', rv: 8, seconds: 70 },
      { kind: 'cdis', phase: 'Upgrading', targetVersion: 'v1.64.0', observedVersion: 'v1.63.1', conditions: [] },
    )
    expect(blockOf([csv, failing('CDINotAvailable'), cdi])).toBeUndefined()
    expect(blockOf([csv, failing('ReconcileFailed'), cdi])?.cause).toBe('reconcile_error')
  })
})
