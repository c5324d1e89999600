/** Deliveries that contradict themselves or the cluster: made-up uids, reinstallations, restored etcd, wrong clocks. */
import { describe, expect, test } from 'vitest'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import type { ObjectObservation } from '../../../src/model/observation.ts'
import { CSV_UID, at, goldenUpgrade, observations, operandFacts, sight } from './stories.ts'

/** `from > to state start-end` of HCO's upgrades, in seconds after T0. */
function upgradesOf(parts: Parameters<typeof observations>[0]): readonly string[] {
  return deriveCluster(observations(parts))
    .upgrades.filter(({ upgrade }) => upgrade.operator === 'kubevirt-hyperconverged')
    .map(({ upgrade: { from, to, state, startedMs, endedMs } }) => {
      const second = (ms: number | undefined): string => (ms === undefined ? '?' : String((ms - at(0)) / 1000))
      return `${from ?? '?'} > ${to} ${state} ${second(startedMs)}-${second(endedMs)}`
    })
}

const GOLDEN = '1.16.0 > 1.17.0 succeeded 0-840'

describe('objects of two kinds with one uid', () => {
  const kubevirt = (seconds: number, observedVersion: string): ObjectObservation =>
    sight(
      { uid: CSV_UID, name: 'kubevirt-kubevirt-hyperconverged', rv: 3000 + seconds, seconds },
      operandFacts('kubevirts', { observedVersion }),
    )

  test('are two objects', () => {
    const objects = [kubevirt(-60, 'v1.6.2'), ...goldenUpgrade(), kubevirt(700, 'v1.7.1')]
    expect(upgradesOf({ objects })).toEqual([GOLDEN])
    const { cluster } = deriveCluster(observations({ objects }))
    expect(cluster).toMatchObject({ hcoVersion: '1.17.0', versions: { kubevirt: 'v1.7.1' } })
  })

  test('the absence of one is not the absence of the other', () => {
    const objects = [kubevirt(-60, 'v1.6.2'), ...goldenUpgrade(), kubevirt(700, 'v1.7.1')]
    const absence = { cluster: objects[0]!.cluster, uid: CSV_UID, lastSeenMs: at(900), absentMs: at(3600) }
    const absences = [{ ...absence, kind: 'kubevirts' as const }]
    expect(upgradesOf({ objects, absences })).toEqual([GOLDEN])
    expect(deriveCluster(observations({ objects, absences })).cluster.versions).toEqual({})
  })
})
