import { expect, test } from 'vitest'
import { observationsOf } from '../../../sim/history/cluster-observations.ts'
import { truthOfHistory } from '../../../sim/history/history-truth.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import { differencesOf, referencesOf, settingsInUse } from '../../../src/fleet/configuration/settings-in-use.ts'
import { writeOfSetting } from '../../../src/fleet/clusters/setting-defaults.ts'

/** Simulated clusters over half a year, on both layouts of HyperConverged. */
const HALF_YEAR = { fromMs: Date.UTC(2025, 10, 1), untilMs: Date.UTC(2026, 4, 1), seed: 'configuration', stallShare: 0 }
const CLUSTERS = 60
const PLANTED = ['certConfig.server.duration', 'commonInstancetypesDeployment', 'enableCommonBootImageImport']
const ALL = [...PLANTED, 'liveMigration.bandwidthPerMigration', 'memoryOvercommitPercentage']

test('the outliers are the clusters on which a difference was planted, with its author, and no others', () => {
  const fleet = Array.from({ length: CLUSTERS }, (_, index) => {
    const history = planHistory({ ...HALF_YEAR, mode: 'objects', index })
    return { truth: truthOfHistory(history), facts: deriveCluster(observationsOf(history)) }
  })
  const records = fleet.map(({ facts }) => facts.cluster)
  const references = referencesOf(settingsInUse(records))
  const found = records.flatMap((record) =>
    differencesOf(record, references)
      .filter(({ setting }) => ALL.includes(setting.name))
      .map(({ setting: { name } }) => ({ cluster: record.cluster, name, ...writeOfSetting(record, name) })),
  )
  const planted = fleet.flatMap(({ truth }) => truth.settings.map((one) => ({ cluster: truth.cluster, ...one })))
  const namesOf = (all: readonly { readonly cluster: string; readonly name: string }[]) =>
    all.map(({ cluster, name }) => `${cluster} ${name}`).sort()
  expect(planted.length).toBeGreaterThan(8)
  expect(namesOf(found)).toEqual(namesOf(planted.map(({ cluster, setting }) => ({ cluster, name: setting }))))
  // What was written before the history began has no author.
  for (const { cluster, name, by, sinceMs } of found) {
    const real = planted.find((one) => one.cluster === cluster && one.setting === name)!
    if (by !== undefined) expect([cluster, name, by]).toEqual([cluster, name, real.by])
    if (sinceMs !== undefined && real.fromMs > HALF_YEAR.fromMs)
      expect(sinceMs).toBeGreaterThanOrEqual(real.fromMs - 1000)
  }
  expect(found.filter(({ by }) => by !== undefined).length).toBeGreaterThan(3)
})
