import { describe, expect, test } from 'vitest'
import { withoutPause } from '../../../src/base/thread-slices.ts'
import {
  differenceValues,
  upgradeWindow,
  type UpgradeWindow,
} from '../../../src/fleet/configuration/difference-values.ts'
import type { ClusterRecord, Written } from '../../../src/model/cluster-record.ts'
import type { UpgradeSpan } from '../../../src/model/upgrade.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

const NOW_MS = Date.UTC(2026, 8, 1)
const HOUR_MS = 3600_000
const hoursAgo = (hours: number): number => NOW_MS - hours * HOUR_MS

/** Three settings that differ from the defaults, each with its write. */
function changed(cluster: string, ...writes: readonly Written[]): ClusterRecord {
  const names = ['parallelMigrationsPerCluster', 'progressTimeout', 'completionTimeoutPerGiB'].slice(0, writes.length)
  return emptyRecord(cluster, {
    hcoVersion: '1.17.3',
    settings: {
      ...{ apiVersion: 'hco.kubevirt.io/v1beta1', featureGates: {} },
      liveMigration: Object.fromEntries(names.map((name) => [name, 77])),
      written: Object.fromEntries(writes.map((write, i) => [`liveMigration.${names[i]}`, write])),
    },
  })
}

const BASELINE = changed('base')

function shown(records: readonly ClusterRecord[], windows: readonly UpgradeWindow[] = [], baseline = BASELINE) {
  const values = withoutPause(differenceValues(records, baseline, () => windows, NOW_MS))
  return values.map(({ name, labels, value }) => {
    const { cluster, against, change = '', by = '' } = labels
    const kind = name.replace('daytwo_cluster_configuration_', '')
    return [kind, cluster, against, change, by, kind === 'differences' ? value : `${value / 3600} h`]
      .filter((word) => word !== '')
      .join(' ')
  })
}

const UPGRADE: UpgradeWindow = { fromMs: hoursAgo(30), untilMs: hoursAgo(28) }

describe('the newest changes of settings that differ', () => {
  test('are told apart by whether an upgrade changed the cluster at that time, with who wrote them', () => {
    const writes = [
      { sinceMs: hoursAgo(29), by: 'hyperconverged-cluster-operator' },
      { sinceMs: hoursAgo(90), by: 'argocd-controller' },
      { sinceMs: hoursAgo(40), by: 'kubectl-edit' },
    ]
    expect(shown([BASELINE, changed('fra-1', ...writes)], [UPGRADE])).toEqual([
      'differences base baseline 0',
      'differences fra-1 baseline 3',
      'change_seconds fra-1 baseline outside_upgrade kubectl-edit 40 h',
      'change_seconds fra-1 baseline in_upgrade hyperconverged-cluster-operator 29 h',
    ])
  })

  test.each([
    [30, 'in_upgrade'],
    [28, 'in_upgrade'],
    [30.001, 'outside_upgrade'],
    [27.999, 'outside_upgrade'],
  ])('%d hours ago is %s of an upgrade from 30 to 28 hours ago', (hours, change) => {
    const [, line] = shown([changed('fra-1', { sinceMs: hoursAgo(hours) })], [UPGRADE])
    expect(line).toBe(`change_seconds fra-1 baseline ${change} ${hours} h`)
  })

  test('of an unknown time have no series, and one of a clock that is ahead is of now', () => {
    expect(shown([changed('fra-1', { by: 'Mozilla' })])).toEqual(['differences fra-1 baseline 1'])
    expect(shown([changed('fra-1', { sinceMs: hoursAgo(-1) })])).toEqual([
      'differences fra-1 baseline 1',
      'change_seconds fra-1 baseline outside_upgrade 0 h',
    ])
  })

  test('have the same label, whichever cluster is the baseline; without one there are none', () => {
    const write = { sinceMs: hoursAgo(2), by: 'kubectl-edit' }
    expect(shown([BASELINE], [], changed('other', write))).toEqual(['differences base baseline 1'])
    expect(withoutPause(differenceValues([BASELINE], undefined, () => [], NOW_MS))).toEqual([])
    expect(shown([emptyRecord('mute')])).toEqual([])
  })
})

test('an upgrade changes a cluster from its start to its end, as exactly as they are known', () => {
  const span = (more: Partial<UpgradeSpan>): UpgradeSpan => ({
    ...{ id: 'u', cluster: 'fra-1', operator: 'kubevirt-hyperconverged', to: '1.18.0', state: 'succeeded' },
    ...{ resolutionSeconds: 30, ...more },
  })
  expect(upgradeWindow(span({ startedMs: 100_000, endedMs: 500_000 }))).toEqual([{ fromMs: 70_000, untilMs: 530_000 }])
  expect(upgradeWindow(span({ startedMs: 100_000, state: 'in_progress' }))).toEqual([
    { fromMs: 70_000, untilMs: Infinity },
  ])
  // Superseded: it ended at a time that no source reports.
  expect(upgradeWindow(span({ startedMs: 100_000, state: 'superseded' }))).toEqual([
    { fromMs: 70_000, untilMs: 130_000 },
  ])
  expect(upgradeWindow(span({ endedMs: 500_000 }))).toEqual([])
})
