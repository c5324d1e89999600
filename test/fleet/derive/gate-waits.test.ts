import { expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { deriveUpgrades } from '../../../src/fleet/derive/derive-cluster.ts'
import { withGateWaits } from '../../../src/fleet/derive/gate-waits.ts'
import { createStuckJudge } from '../../../src/fleet/stuck/stuck.ts'
import { createBaselineIndex } from '../../../src/fleet/stuck/stuck-baseline.ts'
import { recordAt } from '../../../src/fleet/past/record-at.ts'
import type { StuckVerdict } from '../../../src/model/stuck.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import {
  at,
  condition,
  csvFacts,
  csvName,
  CSV_UID,
  goldenUpgrade,
  hcoFacts,
  observations,
  settled,
  sight,
} from './stories.ts'

const HOUR = 3600
const HCO = { uid: '22222222-2222-4333-8444-555555555555', name: 'kubevirt-hyperconverged' }

/** 1.17.0 is installed and HCO upgrades to it, while the catalog has 1.18.0 already. */
function gate(reason: string): readonly ObjectObservation[] {
  return [
    ...goldenUpgrade().filter(({ uid, resourceVersion }) => uid !== HCO.uid || resourceVersion === '2001'),
    sight(
      { uid: 'oc', name: csvName('1.17.0'), rv: 3001, seconds: 97 },
      {
        kind: 'operatorconditions',
        conditions: [condition('Upgradeable', 'False', reason, 'not now', 96)],
        overrides: [],
      },
    ),
    sight(
      { uid: 'next', name: csvName('1.18.0'), rv: 3002, seconds: 200, change: 'added' },
      csvFacts('1.18.0', [['Pending', 'OperatorConditionNotUpgradeable', 200]], {
        createdMs: at(199),
        replaces: csvName('1.17.0'),
      }),
    ),
  ]
}

function upgradesOf(objects: readonly ObjectObservation[]): readonly UpgradeRecord[] {
  const records = deriveUpgrades(observations({ objects }))
  expect(deriveUpgrades(observations({ objects: [...objects, ...objects].toReversed() }))).toEqual(records)
  expect(records.map(({ detail }) => detail.csvName)).toEqual([csvName('1.17.0'), csvName('1.18.0')])
  expect(records[0]!.detail.csvUid).toBe(CSV_UID)
  return records
}

function verdictAt(record: UpgradeRecord, second: number): StuckVerdict {
  return createStuckJudge(createBaselineIndex())(record, at(second), { objectsMs: at(second) })
}

const ended = (second: number): ObjectObservation =>
  sight({ ...HCO, rv: 5000, seconds: second }, hcoFacts('1.17.0', settled(second)))

test.each(['AlreadyPerformingUpgrade', 'KubeVirtProgressing'])(
  '%s while the previous upgrade runs: only that one can be stuck',
  (reason) => {
    const [running, next] = upgradesOf(gate(reason))
    expect(next!.upgrade.blockedBy).toBeUndefined()
    expect(next!.detail.waitsFor).toEqual({ to: '1.17.0' })
    expect(verdictAt(next!, 2 * HOUR)).toMatchObject({ isStuck: false, phase: 'olm.pending' })
    expect(verdictAt(running!, 2 * HOUR).isStuck).toBe(true)
  },
)

test('after the end of the previous upgrade the gate has to open', () => {
  const [, next] = upgradesOf([...gate('AlreadyPerformingUpgrade'), ended(2 * HOUR)])
  expect(next!.detail.waitsFor).toEqual({ to: '1.17.0', untilMs: at(2 * HOUR) })
  expect(verdictAt(next!, 2 * HOUR + 200).isStuck).toBe(false)
  expect(verdictAt(next!, 3 * HOUR)).toMatchObject({ isStuck: true, causes: [{ cause: 'not_upgradeable' }] })
  expect(verdictAt(recordAt(next!, at(HOUR))!, HOUR).isStuck).toBe(false)
})

test('an operand that forbids the upgrade blocks also while the previous one runs', () => {
  const [, next] = upgradesOf(gate('NetworkAddonsConfigNotUpgradeable'))
  expect(next!.upgrade.blockedBy).toMatchObject({ cause: 'not_upgradeable' })
  expect(verdictAt(next!, 2 * HOUR).isStuck).toBe(true)
})

test('a CSV that starts to upgrade HCO before anything holds it back waits for nothing', () => {
  const records = deriveUpgrades(observations({ objects: [...goldenUpgrade()] }))
  expect(records[0]!.detail.waitsFor).toBeUndefined()
  expect(records[0]!.upgrade).toMatchObject({ to: '1.17.0', state: 'succeeded' })
})

test('an upgrade of OpenShift in between changes nothing of what an upgrade of HCO waits for', () => {
  const record = (operator: string, to: string, startedMs: number, csvSteps: readonly object[] = []) =>
    ({ upgrade: { operator, to, startedMs, state: 'in_progress' }, detail: { csvSteps } }) as unknown as UpgradeRecord
  const gated = record('kubevirt-hyperconverged', '1.18.0', 300, [
    { phase: 'Pending', reason: 'OperatorConditionNotUpgradeable' },
  ])
  const records = [record('kubevirt-hyperconverged', '1.17.0', 100), record('openshift', '4.20.0', 200), gated]
  const found = withGateWaits(records, clusterHistory(observations({ objects: [] })))
  expect(found.map(({ detail }) => detail.waitsFor)).toEqual([undefined, undefined, { to: '1.17.0' }])
})
