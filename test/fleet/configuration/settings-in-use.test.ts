import { describe, expect, test } from 'vitest'
import { configurationOf, settingOf } from '../../../src/fleet/configuration/cluster-configuration.ts'
import { majorityOf, type CountedSetting } from '../../../src/fleet/configuration/reference.ts'
import {
  differencesOf,
  referencesOf,
  referencesOfCluster,
  settingsInUse,
} from '../../../src/fleet/configuration/settings-in-use.ts'
import { settingsWithDefaults } from '../../../src/fleet/clusters/setting-defaults.ts'
import type { ClusterRecord, ClusterSettings } from '../../../src/model/cluster-record.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

type Set = Partial<ClusterSettings>

const reporting = (
  cluster: string,
  hcoVersion: string | undefined,
  settings: Set = {},
  more: Partial<ClusterRecord> = {},
) =>
  emptyRecord(cluster, {
    ...(hcoVersion === undefined ? {} : { hcoVersion }),
    settings: { apiVersion: 'hco.kubevirt.io/v1beta1', liveMigration: {}, featureGates: {}, ...settings },
    ...more,
  })

const migration = (value: number | undefined): Set =>
  value === undefined ? {} : { liveMigration: { completionTimeoutPerGiB: value } }
const TIMEOUT = 'liveMigration.completionTimeoutPerGiB'

/** `800 default` */
function shown(record: ClusterRecord, name: string): string | undefined {
  const setting = settingOf(record, name)
  return setting && `${setting.key}${setting.isDefault ? ' default' : ''}`
}

describe('the configuration of a cluster', () => {
  test.each<readonly [string | undefined, number | undefined, string | undefined]>([
    ['1.13.2', undefined, '800 default'],
    ['1.13.2', 800, '800 default'],
    ['1.14.0', 800, '800'],
    ['1.18.1', 150, '150 default'],
    ['4.22.1', 150, '150 default'],
    ['1.19.0', 150, '150'],
    ['1.19.0', undefined, '20 default'],
    ['1.3.0', undefined, undefined],
    [undefined, 150, '150'],
    [undefined, undefined, undefined],
  ])('HCO %s with a timeout of %s per GiB has %s', (version, value, want) => {
    expect(shown(reporting('a', version, migration(value)), TIMEOUT)).toBe(want)
  })

  test('durations and lists are compared by what they mean', () => {
    const of = (others: Set['others'], methods: readonly string[]) =>
      reporting('a', '1.17.0', { others: others!, workloadUpdateMethods: methods })
    const a = of({ 'certConfig.ca.duration': '48h', batchEvictionInterval: '60s' }, ['Evict', 'LiveMigrate'])
    expect(shown(a, 'certConfig.ca.duration')).toBe('172800 default')
    expect(shown(a, 'batchEvictionInterval')).toBe('60 default')
    const b = of({ 'certConfig.ca.duration': '2d' }, ['LiveMigrate', 'Evict'])
    expect(shown(b, 'certConfig.ca.duration')).toBe('"2d"')
    expect(shown(a, 'workloadUpdateMethods')).toBe(shown(b, 'workloadUpdateMethods'))
    expect(shown(of({}, []), 'workloadUpdateMethods')).toBe('[]')
    expect(shown(of({}, ['LiveMigrate']), 'workloadUpdateMethods')).toBe('["LiveMigrate"] default')
  })

  test.each([
    [1, 'None', '"None" default'],
    [1, 'LiveMigrate', '"LiveMigrate"'],
    [2, 'LiveMigrate', '"LiveMigrate" default'],
    [2, undefined, '"LiveMigrate" default'],
    [2, 'None', '"None"'],
  ])('on %i nodes the eviction strategy %s is %s', (count, evictionStrategy, want) => {
    const nodes = { count, ready: count, kubeletVersions: [] }
    const set = evictionStrategy === undefined ? {} : { evictionStrategy }
    expect(shown(reporting('a', '1.17.0', set, { nodes }), 'evictionStrategy')).toBe(want)
    expect(shown(reporting('a', '1.17.0', set), 'evictionStrategy')).toBe(
      evictionStrategy === undefined ? ' default' : `"${evictionStrategy}"`,
    )
  })

  test('a gate that the version ignores is not compared, one that no table knows is', () => {
    const gates = { deployVmConsoleProxy: true, somethingNew: true, downwardMetrics: false }
    const record = reporting('a', '1.17.0', { featureGates: gates })
    expect(shown(record, 'featureGates.deployVmConsoleProxy')).toBeUndefined()
    expect(shown(record, 'featureGates.somethingNew')).toBe('true')
    expect(shown(record, 'featureGates.downwardMetrics')).toBe('false default')
    expect(shown(record, 'featureGates.another')).toBe(' default')
    expect(shown(emptyRecord('b'), 'featureGates.another')).toBeUndefined()
    expect(configurationOf(emptyRecord('b')).size).toBe(0)
  })

  test('default storage classes and golden images count without HyperConverged', () => {
    const settings = { liveMigration: {}, featureGates: {}, goldenImages: ['a'] }
    const record = emptyRecord('a', { settings: { ...settings, storage: { default: 'ceph', virtDefault: '' } } })
    expect([...configurationOf(record).keys()]).toEqual([
      'defaultStorageClass',
      'virtDefaultStorageClass',
      'goldenImages',
    ])
    expect(shown(record, 'virtDefaultStorageClass')).toBe(' default')
  })

  test('the page of a cluster lists what is set or has a default, without gates', () => {
    const names = settingsWithDefaults(
      reporting('a', '1.17.0', { featureGates: { alignCPUs: true }, tuningPolicy: 'x' }),
    )
    expect(names.find(({ name }) => name === 'tuningPolicy')).toEqual({ name: 'tuningPolicy', set: 'x' })
    expect(names.filter(({ name }) => name.startsWith('featureGates.') || name === 'defaultCPUModel')).toEqual([])
    expect(names.find(({ name }) => name === 'uninstallStrategy')?.default).toBe('BlockUninstallIfWorkloadsExist')
  })
})

describe('what clusters are compared with', () => {
  const counted = (key: string, isDefault: boolean, clusters: number): CountedSetting => {
    return { setting: { name: 'x', key, isDefault }, clusters }
  }
  test.each<readonly [string, readonly CountedSetting[], string | undefined]>([
    ['two clusters have no majority', [counted('1', false, 2)], undefined],
    ['three of one value have', [counted('1', false, 3)], '1'],
    ['half is not more than half', [counted('1', false, 2), counted('2', false, 2)], undefined],
    ['one more than half', [counted('1', false, 3), counted('2', false, 2)], '1'],
    [
      'defaults of several versions are one value',
      [counted('1', true, 2), counted('2', true, 3), counted('3', false, 4)],
      '2',
    ],
    ['the same value as a default and chosen are two', [counted('1', true, 2), counted('1', false, 2)], undefined],
    ['nobody reports it', [], undefined],
  ])('%s', (_what, counts, want) => {
    expect(majorityOf(counts)?.setting.key).toBe(want)
  })

  const fleet = [
    reporting('old', '1.13.0'),
    reporting('old-2', '1.13.0', migration(800)),
    reporting('new', '1.19.0'),
    reporting('kept', '1.19.0', migration(800)),
    reporting('chosen', '1.18.1', migration(20)),
    emptyRecord('silent'),
  ]
  const outliers = (records: readonly ClusterRecord[], baseline?: ClusterRecord) => {
    const references = referencesOf(settingsInUse(records, baseline))
    return records
      .filter((record) => differencesOf(record, references).some(({ setting }) => setting.name === TIMEOUT))
      .map(({ cluster }) => cluster)
  }

  test('clusters that keep the defaults of their versions agree; a value that is no default of the version differs', () => {
    const use = settingsInUse(fleet).settings.find(({ name }) => name === TIMEOUT)!
    expect(use).toMatchObject({
      reporting: 5,
      outliers: 2,
      reference: { by: 'majority', setting: { isDefault: true } },
    })
    expect(outliers(fleet)).toEqual(['kept', 'chosen'])
    expect(use.values.map(({ setting, clusters }) => [setting.key, setting.isDefault, clusters])).toEqual([
      ['800', true, 2],
      ['20', true, 1],
      ['20', false, 1],
      ['800', false, 1],
    ])
  })

  test('a baseline: its value, or its default where it keeps the default', () => {
    // In effect the baseline has 20, as the defaults of 1.19 have.
    expect(outliers(fleet, fleet[4])).toEqual(['old', 'old-2', 'kept'])
    expect(outliers(fleet, fleet[2])).toEqual(['kept'])
    expect(outliers(fleet, fleet[5])).toEqual([])
  })

  test('what only some clusters can set: the others count as not set', () => {
    const gated = [
      reporting('a', '1.17.0', { featureGates: { New: true } }),
      ...['b', 'c', 'd'].map((one) => reporting(one, '1.17.0')),
    ]
    const use = settingsInUse(gated).settings.find(({ name }) => name === 'featureGates.New')!
    expect(use).toMatchObject({ reporting: 4, outliers: 1 })
    expect(use.values.map(({ setting, clusters }) => [setting.key, clusters])).toEqual([
      ['', 3],
      ['true', 1],
    ])
    const references = referencesOf(settingsInUse(gated))
    expect(gated.map((record) => differencesOf(record, references).length)).toEqual([1, 0, 0, 0])
    expect(differencesOf(gated[1]!, referencesOfCluster(gated[0]!, gated[1]!))).toHaveLength(1)
    expect(differencesOf(gated[0]!, referencesOfCluster(gated[1]!, gated[0]!))).toHaveLength(1)
    expect(differencesOf(gated[0]!, referencesOfCluster(emptyRecord('x'), gated[0]!))).toHaveLength(0)
  })

  test('the order of clusters does not matter', () => {
    expect(settingsInUse(fleet.toReversed())).toEqual(settingsInUse(fleet))
  })
})
