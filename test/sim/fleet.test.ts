import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createFleet, type Fleet, type FleetOptions } from '../../sim/fleet.ts'
import type { Truth } from '../../sim/truth.ts'
import { encodeLabels } from '../../src/wire/remote-write-encode.ts'

const PRESENT = Date.UTC(2026, 10, 21, 12)
const HISTORY_MS = 2 * 3_600_000
const MINUTE = 60_000

function fleetOf(clusters: number, seed = 'daytwo', more: Partial<FleetOptions> = {}): Fleet {
  return createFleet({ seed, clusters, startMs: PRESENT - HISTORY_MS, presentMs: PRESENT, ...more })
}

/** A digest of everything the first `clusters` clusters send in some minutes of each hour. */
function digestOf(fleet: Fleet, clusters: number): string {
  const hash = createHash('sha256')
  const bits = new DataView(new ArrayBuffer(16))
  for (const prometheus of fleet.prometheuses.filter(({ plan }) => plan.profile.index < clusters)) {
    for (const fromMs of [PRESENT - HISTORY_MS, PRESENT - 10 * MINUTE, PRESENT + 60 * MINUTE]) {
      for (const run of prometheus.collect(prometheus.scrapesBetween(fromMs, fromMs + 4 * MINUTE))) {
        hash.update(encodeLabels(run.labels))
        for (const { timeMs, value, isStale } of run.samples) {
          bits.setFloat64(0, timeMs)
          bits.setFloat64(8, isStale === true ? Number.NaN : value)
          hash.update(new Uint8Array(bits.buffer))
        }
      }
    }
  }
  return hash.digest('hex')
}

function countOf(truth: Truth, alertname: string, state = 'firing'): number {
  const alerts = truth.alerts.filter((alert) => alert.alertname === alertname && alert.state === state)
  return new Set(alerts.map(({ cluster }) => cluster)).size
}

describe('a fleet', () => {
  test('the same seed gives the same bytes, another one others', () => {
    const digest = digestOf(fleetOf(16), 16)
    expect(digestOf(fleetOf(16), 16)).toBe(digest)
    expect(digestOf(fleetOf(16, 'other'), 16)).not.toBe(digest)
  })

  test('more clusters leave the first ones as they are', () => {
    expect(digestOf(fleetOf(40), 16)).toBe(digestOf(fleetOf(16), 16))
  })

  test('what is collected does not depend on how the time is cut', () => {
    const [whole, cut] = [fleetOf(6), fleetOf(6)]
    whole.prometheuses.forEach((prometheus, i) => {
      const scrapes = prometheus.scrapesBetween(PRESENT - 60 * MINUTE, PRESENT)
      const expected = new Map<string, number>()
      for (const run of prometheus.collect(scrapes)) expected.set(run.labels.key, run.samples.length)
      const got = new Map<string, number>()
      for (let at = 0; at < scrapes.length; at += 7) {
        for (const run of cut.prometheuses[i]!.collect(scrapes.slice(at, at + 7))) {
          got.set(run.labels.key, (got.get(run.labels.key) ?? 0) + run.samples.length)
        }
      }
      expect(got).toEqual(expected)
    })
  })

  test('scrapes come at the interval, each cluster at its own moment, and no window misses or repeats one', () => {
    const fleet = fleetOf(20)
    for (const prometheus of fleet.prometheuses) {
      const all = prometheus.scrapesBetween(PRESENT, PRESENT + 10 * MINUTE)
      const cutMs = PRESENT + 123_456
      expect(all).toHaveLength(20)
      expect(new Set(all.map((timeMs, i) => timeMs - (all[i - 1] ?? timeMs - 30_000)))).toEqual(new Set([30_000]))
      expect([
        ...prometheus.scrapesBetween(PRESENT, cutMs),
        ...prometheus.scrapesBetween(cutMs, PRESENT + 10 * MINUTE),
      ]).toEqual(all)
    }
    const offsets = fleet.prometheuses.map((prometheus) => prometheus.scrapesBetween(PRESENT, PRESENT + 30_000)[0])
    expect(new Set(offsets).size).toBeGreaterThan(15)
  })

  test('samplesAt is the last scrape of everybody who reports', () => {
    const fleet = fleetOf(30)
    const silent = new Set(fleet.truthAt(PRESENT).silent.map(({ cluster }) => cluster))
    const seen = new Set<string>()
    for (const sample of fleet.samplesAt(PRESENT)) {
      seen.add(sample.labels.get('cluster'))
      expect(sample.timeMs).toBeLessThanOrEqual(PRESENT)
      expect(sample.timeMs).toBeGreaterThan(PRESENT - 30_000)
    }
    expect(silent.size).toBe(2)
    expect(seen).toEqual(new Set(fleet.plans.map(({ profile }) => profile.name).filter((name) => !silent.has(name))))
  })

  test.each(['daytwo', 'a', 'b', 'c', 'd', 'e', 'f', 'g'])('the opening scene of 200 clusters with seed %s', (seed) => {
    const truth = fleetOf(200, seed).truthAt(PRESENT)
    const within = (count: number, min: number, max: number): void => {
      expect(count).toBeGreaterThanOrEqual(min)
      expect(count).toBeLessThanOrEqual(max)
    }
    within(countOf(truth, 'KubeVirtCRModified'), 3, 6)
    within(countOf(truth, 'UnsupportedHCOModification'), 2, 3)
    within(countOf(truth, 'HCOMisconfiguredDescheduler'), 1, 2)
    within(countOf(truth, 'HCOOperatorConditionsUnhealthy'), 1, 3)
    expect(countOf(truth, 'HCOInstallationIncomplete')).toBe(1)
    within(truth.upgrades.length, 3, 9)
    // One of each kind: before the present only roles get stuck.
    const stuck = truth.upgrades.filter(({ isStuck }) => isStuck)
    expect(stuck.map(({ cause }) => cause).sort()).toEqual(['canary', 'hco', 'olm'])
    expect(truth.silent.map(({ hasStaleMarkers }) => hasStaleMarkers).sort()).toEqual([false, true])
    const firing = truth.alerts.filter(({ state }) => state === 'firing')
    expect(new Set(firing.map(({ cluster }) => cluster)).size).toBeLessThan(36)
  })

  test('life goes on: edits end and others begin, upgrades end and others begin, outages come and go', () => {
    const fleet = fleetOf(200)
    const seen = { edits: new Set<string>(), upgrades: new Set<string>(), silent: new Set<string>() }
    const histories = new Set<string>()
    for (let timeMs = PRESENT; timeMs < PRESENT + 4 * 60 * MINUTE; timeMs += 5 * MINUTE) {
      const truth = fleet.truthAt(timeMs)
      for (const alert of truth.alerts) if (alert.alertname === 'KubeVirtCRModified') seen.edits.add(alert.cluster)
      for (const upgrade of truth.upgrades) seen.upgrades.add(`${upgrade.cluster} ${upgrade.to}`)
      for (const silence of truth.silent) seen.silent.add(silence.cluster)
      expect(countOf(truth, 'KubeVirtCRModified')).toBeGreaterThan(0)
      histories.add([...truth.versions.values()].sort().join())
    }
    expect(seen.edits.size).toBeGreaterThan(25)
    expect(seen.upgrades.size).toBeGreaterThan(35)
    expect(seen.silent.size).toBeGreaterThan(5)
    expect(histories.size).toBeGreaterThan(20)
  })
})
