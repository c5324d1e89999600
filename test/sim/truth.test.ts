import { beforeAll, describe, expect, test } from 'vitest'
import { createFleet } from '../../sim/fleet.ts'
import { EDIT_ALERT_MS } from '../../sim/scenarios/out-of-band.ts'
import { STUCK_AFTER_MS, type Truth } from '../../sim/truth.ts'

// The truth comes from the plans. Here it is held against plain computations on the samples, which know nothing of plans.

const PRESENT = Date.UTC(2026, 10, 21, 12)
const START = PRESENT - 2 * 3_600_000
const SCRAPE_MS = 30_000
const MINUTE = 60_000
const LOOKBACK_MS = 5 * MINUTE

const fleet = createFleet({ seed: 'truth', clusters: 60, startMs: START, presentMs: PRESENT })

interface Series {
  readonly cluster: string
  readonly get: (label: string) => string
  readonly timesMs: number[]
  /** NaN is a stale marker. */
  readonly values: number[]
}

const byName = new Map<string, Series[]>()
const end = PRESENT + 20 * MINUTE

beforeAll(() => {
  for (const prometheus of fleet.prometheuses) {
    if (prometheus.replica !== 0) continue
    for (const { labels, samples } of prometheus.collect(prometheus.scrapesBetween(START, end))) {
      const series: Series = {
        cluster: labels.get('cluster'),
        get: (label) => labels.get(label),
        timesMs: samples.map(({ timeMs }) => timeMs),
        values: samples.map(({ value, isStale }) => (isStale === true ? Number.NaN : value)),
      }
      byName.set(labels.metricName, [...(byName.get(labels.metricName) ?? []), series])
    }
  }
})

/** The newest sample not after `timeMs` within the lookback, as an instant query finds it. */
function valueAt(series: Series, timeMs: number): number | undefined {
  const i = series.timesMs.findLastIndex((sampleMs) => sampleMs <= timeMs)
  if (i < 0 || series.timesMs[i]! <= timeMs - LOOKBACK_MS) return undefined
  const value = series.values[i]!
  return Number.isNaN(value) ? undefined : value
}

/** Label sets of the series of a metric that have a value, and the value passes. */
function having(name: string, timeMs: number, label: string, passes: (value: number) => boolean): Set<string> {
  const found = new Set<string>()
  for (const series of byName.get(name) ?? []) {
    const value = valueAt(series, timeMs)
    if (value !== undefined && passes(value)) found.add(`${series.cluster} ${series.get(label)}`.trim())
  }
  return found
}

function alertsNamed(truth: Truth, alertname: string, label: string): Set<string> {
  return new Set(
    truth.alerts
      .filter((alert) => alert.alertname === alertname)
      .map((alert) => `${alert.cluster} ${alert.labels[label] ?? ''}`.trim()),
  )
}

/** A sample tells of an event up to one scrape later: what is true throughout the last interval must be seen, what is at no time of it must not. */
function expectSeen(seen: ReadonlySet<string>, timeMs: number, trueAt: (timeMs: number) => ReadonlySet<string>): void {
  const moments = Array.from({ length: 7 }, (_, i) => trueAt(timeMs - i * 5000 - (i === 6 ? 1 : 0)))
  const reporting = new Set(fleet.plans.map(({ profile }) => profile.name))
  for (const moment of [timeMs, timeMs - LOOKBACK_MS - SCRAPE_MS]) {
    // A cluster that fell silent without a word is seen with its last samples for the lookback.
    for (const { cluster } of fleet.truthAt(moment).silent) reporting.delete(cluster)
  }
  const isJudged = (key: string): boolean => reporting.has(key.split(' ')[0]!)
  const missing = [...moments[0]!].filter((key) => moments.every((moment) => moment.has(key)) && !seen.has(key))
  const invented = [...seen].filter((key) => isJudged(key) && moments.every((moment) => !moment.has(key)))
  expect({ at: new Date(timeMs).toISOString(), missing, invented }).toEqual({
    at: new Date(timeMs).toISOString(),
    missing: [],
    invented: [],
  })
}

const MOMENTS = Array.from({ length: 36 }, (_, i) => START + 15 * MINUTE + i * 3 * MINUTE + 7_000)

describe('truth', () => {
  test.each([
    [
      'UnsupportedHCOModification',
      'kubevirt_hco_unsafe_modifications',
      'annotation_name',
      (value: number) => value > 0,
    ],
    ['HCOInstallationIncomplete', 'kubevirt_hco_hyperconverged_cr_exists', '', (value: number) => value === 0],
    ['HCOMisconfiguredDescheduler', 'kubevirt_hco_misconfigured_descheduler', '', (value: number) => value === 1],
    ['HCOOperatorConditionsUnhealthy', 'kubevirt_hco_system_health_status', '', (value: number) => value > 0],
    [
      'HCOGoldenImageWithNoSupportedArchitecture',
      'kubevirt_hco_dataimportcrontemplate_with_supported_architectures',
      'data_import_cron_name',
      (value: number) => value === 0,
    ],
    [
      'HCOGoldenImageWithNoArchitectureAnnotation',
      'kubevirt_hco_dataimportcrontemplate_with_architecture_annotation',
      'data_import_cron_name',
      (value: number) => value === 0,
    ],
    [
      'HCOMultiArchGoldenImagesDisabled',
      'kubevirt_hco_multi_arch_boot_images_enabled',
      '',
      (value: number) => value === 0,
    ],
    ['VMCannotBeEvicted', 'kubevirt_vmi_non_evictable', 'name', (value: number) => value === 1],
    ['VirtAPIDown', 'kubevirt_virt_api_up', '', (value: number) => value === 0],
    ['OutdatedVirtualMachineInstanceWorkloads', 'kubevirt_vmi_number_of_outdated', '', (value: number) => value > 0],
  ] as const)('%s is what %s shows', (alertname, metric, label, passes) => {
    let count = 0
    for (const timeMs of MOMENTS) {
      const seen = having(metric, timeMs, label, passes)
      count += seen.size
      expectSeen(seen, timeMs, (atMs) => alertsNamed(fleet.truthAt(atMs), alertname, label))
    }
    expect(count).toBeGreaterThan(0)
  })

  test('KubeVirtCRModified is a birth or a growth of the counter within ten minutes', () => {
    let count = 0
    for (const timeMs of MOMENTS) {
      const seen = new Set<string>()
      for (const series of byName.get('kubevirt_hco_out_of_band_modifications_total') ?? []) {
        if (valueAt(series, timeMs) === undefined) continue
        const grew = series.values.some((value, i) => {
          const sampleMs = series.timesMs[i]!
          if (sampleMs > timeMs || sampleMs <= timeMs - EDIT_ALERT_MS || Number.isNaN(value)) return false
          const before = series.values[i - 1]
          const wasBorn = before === undefined || Number.isNaN(before)
          return wasBorn ? sampleMs > START + SCRAPE_MS : value > before
        })
        if (grew) seen.add(`${series.cluster} ${series.get('component_name')}`)
      }
      count += seen.size
      expectSeen(seen, timeMs, (atMs) => alertsNamed(fleet.truthAt(atMs), 'KubeVirtCRModified', 'component_name'))
    }
    expect(count).toBeGreaterThan(40)
  })

  test('silent clusters are those whose samples ended', () => {
    for (const timeMs of [...MOMENTS, PRESENT, PRESENT + 15 * MINUTE]) {
      const sending = new Set<string>()
      for (const [, series] of byName) {
        for (const one of series) {
          const i = one.timesMs.findLastIndex((sampleMs) => sampleMs <= timeMs)
          if (i >= 0 && one.timesMs[i]! > timeMs - SCRAPE_MS && !Number.isNaN(one.values[i]!)) sending.add(one.cluster)
        }
      }
      const silentThen = fleet.plans.map(({ profile }) => profile.name).filter((name) => !sending.has(name))
      expectSeen(
        new Set(silentThen),
        timeMs,
        (atMs) => new Set(fleet.truthAt(atMs).silent.map(({ cluster }) => cluster)),
      )
    }
  })

  test('a farewell marks every series stale; without one the last samples just stand there', () => {
    const silent = fleet.truthAt(PRESENT).silent
    expect(silent.map(({ hasStaleMarkers }) => hasStaleMarkers).sort()).toEqual([false, true])
    for (const { cluster, hasStaleMarkers, sinceMs } of silent) {
      const last = (byName.get('kubevirt_hco_system_health_status') ?? [])
        .filter((series) => series.cluster === cluster)
        .map((series) => ({ timeMs: series.timesMs.at(-1)!, isStale: Number.isNaN(series.values.at(-1)!) }))
      expect(last).toHaveLength(1)
      expect(last[0]!.isStale).toBe(hasStaleMarkers)
      expect(Math.abs(last[0]!.timeMs - sinceMs)).toBeLessThanOrEqual(SCRAPE_MS)
    }
  })

  test('versions are those of the CSV that has succeeded last', () => {
    for (const timeMs of MOMENTS) {
      const { versions, upgrades } = fleet.truthAt(timeMs)
      const upgrading = new Set(upgrades.map(({ cluster }) => cluster))
      for (const series of byName.get('csv_succeeded') ?? []) {
        if (upgrading.has(series.cluster) || valueAt(series, timeMs - SCRAPE_MS) !== 1 || valueAt(series, timeMs) !== 1)
          continue
        expect([series.cluster, series.get('version')]).toEqual([series.cluster, versions.get(series.cluster)])
      }
    }
  })

  test('an abnormal CSV or mixed KubeVirt versions mean an open upgrade, and OLM\u2019s part of one always shows', () => {
    let abnormal = 0
    for (const timeMs of MOMENTS) {
      const seen = having('csv_abnormal', timeMs, '', () => true)
      abnormal += seen.size
      const mixed = new Map<string, Set<string>>()
      for (const series of byName.get('kubevirt_info') ?? []) {
        if (valueAt(series, timeMs) === undefined) continue
        mixed.set(series.cluster, (mixed.get(series.cluster) ?? new Set()).add(series.get('kubeversion')))
      }
      for (const [cluster, versions] of mixed) if (versions.size > 1) seen.add(cluster)
      const open = [0, 10_000, 20_000, SCRAPE_MS + 1].flatMap((agoMs) => fleet.truthAt(timeMs - agoMs).upgrades)
      const openNames = new Set(open.map(({ cluster }) => cluster))
      // The old CSV may outlive the new one's success by a moment, never the upgrade.
      expect([...seen].filter((cluster) => !openNames.has(cluster))).toEqual([])
      const inOlm = fleet
        .truthAt(timeMs)
        .upgrades.filter(({ phase, startedAtMs }) => phase === 'olm' && startedAtMs < timeMs - SCRAPE_MS)
      expect(inOlm.map(({ cluster }) => cluster).filter((cluster) => !seen.has(cluster))).toEqual([])
    }
    expect(abnormal).toBeGreaterThan(20)
  })

  test('in a stuck upgrade nothing that tells of upgrades moved for an hour', () => {
    const stuck = fleet.truthAt(PRESENT).upgrades.filter(({ isStuck }) => isStuck)
    expect(stuck.map(({ cause }) => cause).sort()).toEqual(['canary', 'hco', 'olm'])
    for (const { cluster, lastMovedMs } of stuck) {
      expect(PRESENT - lastMovedMs).toBeGreaterThan(STUCK_AFTER_MS)
      for (const name of ['csv_abnormal', 'csv_succeeded', 'kubevirt_info', 'kubevirt_vmi_number_of_outdated']) {
        for (const series of (byName.get(name) ?? []).filter((one) => one.cluster === cluster)) {
          const hour = series.values.filter(
            (_, i) => series.timesMs[i]! > PRESENT - STUCK_AFTER_MS && series.timesMs[i]! <= PRESENT,
          )
          expect([name, new Set(hour).size <= 1]).toEqual([name, true])
        }
      }
    }
  })

  test('an alert says since when its condition holds, and fires when that is as long as its rule asks', () => {
    const truth = fleet.truthAt(PRESENT)
    const forMs: Record<string, number> = {
      HCOInstallationIncomplete: 60 * MINUTE,
      HCOOperatorConditionsUnhealthy: 10 * MINUTE,
      VirtHandlerDaemonSetRolloutFailing: 15 * MINUTE,
      OutdatedVirtualMachineInstanceWorkloads: 24 * 60 * MINUTE,
      VirtControllerRESTErrorsBurst: 5 * MINUTE,
      VirtAPIDown: 10 * MINUTE,
      VMCannotBeEvicted: MINUTE,
      GuestFilesystemAlmostOutOfSpace: 0, // the critical one; the warning began long ago
      KubeVirtVMGuestMemoryPressure: 5 * MINUTE,
      VirtualMachineStuckInUnhealthyState: 10 * MINUTE,
      VirtualMachineStuckOnNode: 5 * MINUTE,
    }
    expect(truth.alerts.length).toBeGreaterThan(8)
    for (const alert of truth.alerts) {
      const heldMs = PRESENT - alert.sinceMs
      expect(heldMs).toBeGreaterThanOrEqual(0)
      expect(alert.state).toBe(heldMs >= (forMs[alert.alertname] ?? 0) ? 'firing' : 'pending')
      const isAlsoTrueThen = (timeMs: number): boolean =>
        fleet
          .truthAt(timeMs)
          .alerts.some(
            (then) =>
              then.cluster === alert.cluster && then.alertname === alert.alertname && then.sinceMs === alert.sinceMs,
          )
      expect(isAlsoTrueThen(Math.max(START, alert.sinceMs))).toBe(true)
      if (alert.sinceMs > START) expect(isAlsoTrueThen(alert.sinceMs - 1)).toBe(false)
    }
  })
})
