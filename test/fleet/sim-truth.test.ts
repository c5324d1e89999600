import { beforeAll, describe, expect, test } from 'vitest'
import { fleetReaderOf } from '../../src/api/fleet-reader.ts'
import type { FleetReader } from '../../src/fleet/fleet-reader.ts'
import { deriveNow } from '../../src/fleet/now.ts'
import type { FleetNow } from '../../src/fleet/now.ts'
import { DEFAULT_FLEET_OPTIONS } from '../../src/fleet/options.ts'
import { SETTLES_WITHIN_MS } from '../../src/fleet/upgrade-state.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { createFleet } from '../../src/sim/fleet.ts'
import type { Fleet } from '../../src/sim/fleet.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'
import { MINUTE_MS, NOW_MS } from './fleet-script.ts'

/** The metrics the Now facts are read from; the other fifty would only make this slow. */
const READ = /^(up|csv_succeeded|csv_abnormal|kubevirt_info|kubevirt_hco_system_health_status)$/
const START_MS = NOW_MS - 120 * MINUTE_MS
const END_MS = NOW_MS + 40 * MINUTE_MS

let fleet: Fleet
let reader: FleetReader
beforeAll(() => {
  fleet = createFleet({ seed: 'truth', clusters: 30, startMs: START_MS, presentMs: NOW_MS })
  const queryable = new MemoryQueryable()
  for (let atMs = START_MS; atMs <= END_MS; atMs += fleet.scrapeMs) {
    for (const { labels, timeMs, value, isStale } of fleet.samplesAt(atMs)) {
      if (!READ.test(labels.metricName)) continue
      if (isStale) queryable.appendStale(labels, timeMs)
      else queryable.append(labels, timeMs, value)
    }
  }
  reader = fleetReaderOf(createLocalEngine({ queryable, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => NOW_MS }))
})

describe.each([0, 7, 13, 26, 40])('a simulated fleet, %i minutes on, as metrics alone show it', (minutes) => {
  const nowMs = NOW_MS + minutes * MINUTE_MS
  let answer: Promise<FleetNow> | undefined
  const derive = () => (answer ??= deriveNow(reader, [], nowMs, DEFAULT_FLEET_OPTIONS))
  /** What happened within the last scrapes may not have been seen yet. */
  const seenMs = 2 * MINUTE_MS

  test('silent clusters and versions are the true ones', async () => {
    const [now, truth] = [await derive(), fleet.truthAt(nowMs)]
    const silent = truth.silent.filter(({ sinceMs }) => nowMs - sinceMs > DEFAULT_FLEET_OPTIONS.silentAfterMs + seenMs)
    expect(now.silent.map(({ cluster }) => cluster).sort()).toEqual(silent.map(({ cluster }) => cluster).sort())
    for (const { cluster, sinceMs } of silent) {
      const { lastSeenMs, version } = now.silent.find((one) => one.cluster === cluster)!
      expect(Math.abs(lastSeenMs - sinceMs)).toBeLessThanOrEqual(fleet.scrapeMs)
      expect(version).toBe(truth.versions.get(cluster))
    }
    expect(now.clusters).toMatchObject({ total: 30, reporting: 30 - silent.length, unknown: 0 })
    // The two lists differ by the few versions that changed within the last scrape.
    const shares = now.versions.reduce((sum, { clusters }) => sum + clusters, 0)
    expect(shares).toBeGreaterThanOrEqual(28 - silent.length)
  })

  test('open upgrades are found, with their versions, phases and times', async () => {
    const [now, truth] = [await derive(), fleet.truthAt(nowMs)]
    const settled = truth.upgrades.filter(({ startedAtMs }) => nowMs - startedAtMs > seenMs)
    for (const upgrade of settled) {
      const found = now.upgrades.find(({ cluster }) => cluster === upgrade.cluster)
      // The last minutes, when all nodes have moved and the operator tidies up, leave no trace in these metrics.
      const isTidyingUp = found === undefined && upgrade.phase === 'operands' && !upgrade.isStuck
      if (isTidyingUp) continue
      expect(found, upgrade.cluster).toMatchObject({ from: upgrade.from, to: upgrade.to })
      expect(Math.abs(found!.startedAtMs - upgrade.startedAtMs)).toBeLessThanOrEqual(seenMs)
    }
    expect(settled.length).toBeGreaterThan(0)
  })

  test('nothing is called an upgrade that is not, or has not just been', async () => {
    const now = await derive()
    const open = (cluster: string) =>
      [nowMs, nowMs - SETTLES_WITHIN_MS / 3, nowMs - (2 * SETTLES_WITHIN_MS) / 3, nowMs - SETTLES_WITHIN_MS].some(
        (atMs) => fleet.truthAt(atMs).upgrades.some((upgrade) => upgrade.cluster === cluster),
      )
    expect(now.upgrades.filter(({ cluster }) => !open(cluster))).toEqual([])
  })

  test('the stuck ones are exactly the stuck ones', async () => {
    const [now, truth] = [await derive(), fleet.truthAt(nowMs)]
    const stuck = truth.upgrades.filter(({ isStuck }) => isStuck).map(({ cluster, phase }) => [cluster, phase])
    const called = now.upgrades.filter(({ isStuck }) => isStuck).map(({ cluster, phase }) => [cluster, phase])
    expect(called.sort()).toEqual(stuck.sort())
  })
})
