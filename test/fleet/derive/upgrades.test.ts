import { expect, test } from 'vitest'
import { deriveUpgrades } from '../../../src/fleet/derive/upgrades.ts'
import type { UpgradeRecord } from '../../../src/model/upgrade.ts'
import { CSV_UID, T0, goldenUpgrade, observations } from './stories.ts'

/** `name start-end state` in seconds after T0; what is not known is `?`. */
function drawn({ upgrade }: UpgradeRecord): readonly string[] {
  const second = (ms: number | undefined): string => (ms === undefined ? '?' : String((ms - T0) / 1000))
  return upgrade.phases.map(
    ({ name, startedMs, endedMs, state }) => `${name} ${second(startedMs)}-${second(endedMs)} ${state}`,
  )
}

test('the stored upgrade is one upgrade with the times its README says', () => {
  const records = deriveUpgrades(observations({ objects: goldenUpgrade() }))
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
  expect(drawn(records[0]!)).toEqual([
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
  ])
  expect(detail.csvUid).toBe(CSV_UID)
  expect(upgrade.phases.every(({ isReconstructed }) => !isReconstructed)).toBe(true)
})
