import { describe, expect, test } from 'vitest'
import { createProfile } from '../../../sim/cluster-profile.ts'
import { COMPONENTS } from '../../../sim/history/cluster-history.ts'
import { gateWrites, settingsOf as settingsWith, updateMethodsOf } from '../../../sim/history/objects/hco-settings.ts'
import { patchOperations } from '../../../sim/history/patch-operations.ts'
import { releaseOf, type Release } from '../../../sim/release.ts'

type Profile = ReturnType<typeof createProfile>

const writesOf = (profile: Profile) =>
  gateWrites({ profile, installedMs: 0, firstCsv: { release: releaseOf('1.10.7')! } as never, upgrades: [] })

/** After the owner of the cluster has set all that is set. */
const settingsOf = (profile: Profile, release: Release) =>
  settingsWith(profile, release, new Set(writesOf(profile).map(({ gate }) => gate)))

const FLEET = Array.from({ length: 200 }, (_, index) => createProfile('settings', index, 30_000))

describe('feature gates', () => {
  const gatesAt = (hco: string) => FLEET.map((profile) => settingsOf(profile, releaseOf(hco)!).featureGates)

  test.each([
    ['1.10.7', ['deployKubeSecondaryDNS', 'persistentReservation']],
    ['1.15.2', ['deployKubeSecondaryDNS', 'disableMDevConfiguration', 'downwardMetrics', 'persistentReservation']],
    [
      '1.16.0',
      [
        ...['decentralizedLiveMigration', 'declarativeHotplugVolumes', 'deployKubeSecondaryDNS'],
        ...['disableMDevConfiguration', 'downwardMetrics', 'enableMultiArchBootImageImport', 'persistentReservation'],
      ],
    ],
  ])('of %s are those that HyperConverged has then', (hco, want) => {
    for (const gates of gatesAt(hco)) expect(Object.keys(gates).toSorted()).toEqual(want)
  })

  test('have the default of their release on most clusters, and another value on some', () => {
    const shareOn = (hco: string, gate: string): number =>
      gatesAt(hco).filter((gates) => gates[gate] === true).length / FLEET.length
    expect(shareOn('1.17.3', 'decentralizedLiveMigration')).toBeLessThan(0.2)
    expect(shareOn('1.18.1', 'decentralizedLiveMigration')).toBeGreaterThan(0.8)
    expect(shareOn('1.16.0', 'downwardMetrics')).toBeGreaterThan(0.05)
    expect(shareOn('1.16.0', 'downwardMetrics')).toBeLessThan(0.3)
  })
})

test('a gate is set after the installation, and after the version that has it', () => {
  const [early, late] = ['persistentReservation', 'incrementalBackup']
  for (const profile of FLEET) {
    for (const { gate, atMs } of writesOf(profile)) {
      if (gate === early) expect(atMs).toBeGreaterThan(0)
      if (gate === late) expect(atMs).toBe(Infinity)
      expect(settingsWith(profile, releaseOf('1.11.1')!, new Set()).featureGates[gate] ?? false).toBe(false)
    }
  }
  expect(FLEET.flatMap(writesOf).filter(({ gate }) => gate === early || gate === late).length).toBeGreaterThan(10)
})

test('settings differ from cluster to cluster, and stay what they are', () => {
  const release = releaseOf('1.17.3')!
  const of = (value: (profile: (typeof FLEET)[number]) => unknown): number =>
    new Set(FLEET.map((profile) => JSON.stringify(value(profile)))).size
  expect(of((profile) => settingsOf(profile, release).liveMigration)).toBeGreaterThan(10)
  expect(of((profile) => settingsOf(profile, release).batchEvictionSize)).toBe(3)
  expect(of((profile) => settingsOf(profile, release).evictionStrategy)).toBe(3)
  expect(of(updateMethodsOf)).toBe(2)
  for (const profile of FLEET) {
    expect(settingsOf(profile, release)).toEqual(settingsOf(profile, release))
    if (profile.fixedVms > 0) expect(updateMethodsOf(profile)).toEqual(['LiveMigrate'])
  }
})

describe.each(COMPONENTS)('JSON patches of %s', (component) => {
  test('have as many operations as are wanted, all below /spec/', () => {
    for (const count of [1, 2, 3]) {
      const operations = patchOperations('a', component, count)
      expect(operations).toHaveLength(count)
      expect(new Set(operations).size).toBe(count)
      for (const { path } of operations) expect(path).toMatch(/^\/spec\//)
    }
  })

  test('differ from cluster to cluster', () => {
    const firsts = FLEET.map(({ seed }) => patchOperations(seed, component, 1)[0]!.path)
    expect(new Set(firsts).size).toBeGreaterThan(2)
  })
})
