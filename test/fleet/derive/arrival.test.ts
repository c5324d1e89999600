import { expect, test } from 'vitest'
import { reachedBy, upgradesByTarget } from '../../../src/fleet/derive/arrival.ts'
import type { Upgrade, UpgradeRecord } from '../../../src/model/upgrade.ts'

const upgradeTo = (to: string, startedMs: number | undefined, state: Upgrade['state'], endedMs?: number) =>
  ({
    upgrade: { operator: 'kubevirt-hyperconverged', to, startedMs, state, endedMs, resolutionSeconds: 30 },
  }) as UpgradeRecord

const seen = { version: '1.17.0', atMs: 1000, isKnown: true, resolutionSeconds: 1 }

test.each([
  ['none: as it was seen', [], seen],
  ['one to another version', [upgradeTo('1.18.0', 500, 'failed')], seen],
  ['one that starts later', [upgradeTo('1.17.0', 1001, 'failed')], seen],
  ['one that starts at that moment', [upgradeTo('1.17.0', 1000, 'failed')], undefined],
  [
    'the last that had started',
    [
      upgradeTo('1.17.0', 900, 'succeeded', 990),
      upgradeTo('1.17.0', undefined, 'failed'),
      upgradeTo('1.17.0', 1500, 'failed'),
    ],
    { version: '1.17.0', atMs: 990, isKnown: true, resolutionSeconds: 30 },
  ],
])('the upgrade that decides whether a version was reached: %s', (_, upgrades, arrival) => {
  expect(reachedBy(seen, upgradesByTarget(upgrades))).toEqual(arrival)
})
