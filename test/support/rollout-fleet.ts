import { fillFleetIndex } from '../../src/fleet/clusters/fill-fleet-index.ts'
import { createFleetIndex } from '../../src/fleet/clusters/fleet-index.ts'
import { createFleetViews, type FleetViews } from '../../src/fleet/fleet-views.ts'
import type { FiredAlert, FiredAlertReader } from '../../src/model/alert-run.ts'
import type { ClusterRecord } from '../../src/model/cluster-record.ts'
import type { FleetFactsReader } from '../../src/model/fleet-facts.ts'
import type { RolloutPolicy } from '../../src/model/rollout-verdict.ts'
import type { UpgradeRecord } from '../../src/model/upgrade.ts'
import { emptyRecord } from './cluster-record.ts'
import { upgradeRecord } from './upgrade-record.ts'

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000]

export interface PlantedRollout {
  /** When the last upgrade has long ended. */
  readonly nowMs: number
  readonly canaries: number
  /** The first so many of the canaries fail. */
  readonly failing?: number
  readonly baselines: number
  /** The canary's operands take so many times as long. */
  readonly slowdown?: number
  /** Fires on each canary cluster after its upgrade, and never elsewhere. */
  readonly newAlert?: string
  readonly policy?: RolloutPolicy
}

/** Upgrades from 1.16.0 to 1.17.0, the canary, and from 1.15.0 to 1.16.0 beside it, two of each a day, on equal clusters. */
export async function plantedRollout(planted: PlantedRollout): Promise<{ readonly fleet: FleetViews }> {
  const { nowMs, canaries, baselines, failing = 0, slowdown = 1, newAlert, policy } = planted
  const upgrades = new Map<string, UpgradeRecord>()
  const startOf = (i: number): number => nowMs - 25 * DAY_MS + (i % 20) * DAY_MS + (i % 7) * 3600_000
  const plant = (cluster: string, i: number, isCanary: boolean): void => {
    const startedMs = startOf(i)
    const isFailing = isCanary && i < failing
    const olmMs = (5 + (i % 4)) * MINUTE_MS
    const operandsMs = (10 + (i % 5)) * MINUTE_MS * (isCanary ? slowdown : 1)
    const operandsAtMs = startedMs + olmMs
    const [endedMs, phaseState] = [operandsAtMs + operandsMs, isFailing ? 'failed' : 'succeeded'] as const
    const phase = { resolutionSeconds: 1, isReconstructed: false } as const
    const [from, to] = isCanary ? (['1.16.0', '1.17.0'] as const) : (['1.15.0', '1.16.0'] as const)
    upgrades.set(
      cluster,
      upgradeRecord(
        {
          ...{ id: `upgrade-of-${cluster}`, cluster, from, to, state: phaseState, startedMs, endedMs, nodes: 6 },
          phases: [
            { ...phase, name: 'olm', startedMs, endedMs: operandsAtMs, state: 'succeeded' },
            { ...phase, name: 'operands', startedMs: operandsAtMs, endedMs, state: phaseState },
          ],
        },
        { observedUntilMs: nowMs },
      ),
    )
  }
  for (let i = 0; i < canaries; i++) plant(`canary-${i}`, i, true)
  for (let i = 0; i < baselines; i++) plant(`other-${i}`, i, false)
  const records = [...upgrades.keys()].map((cluster, i): ClusterRecord => {
    return emptyRecord(cluster, {
      ...{ firstSeenMs: nowMs - 200 * DAY_MS, lastSeenMs: nowMs - MINUTE_MS, aliases: [`${cluster}-uid`] },
      hcoVersion: upgrades.get(cluster)!.upgrade.to,
      platform: { kind: 'openshift', version: '4.20.1' },
      region: i % 2 === 0 ? 'eu' : 'us',
      environment: i % 5 === 0 ? 'staging' : 'production',
      nodes: { count: 6, ready: 6, kubeletVersions: [] },
      subscription: {
        package: 'kubevirt-hyperconverged',
        channel: 'stable',
        approval: 'Manual',
        source: 'c',
        state: 'AtLatestKnown',
      },
      coverage: { objects: true, metrics: true, spans: false, metricsLastMs: nowMs - 1000, kinds: [] },
    })
  })
  // Clusters that did not upgrade: alerts are compared with theirs.
  for (let i = 0; i < 4 * canaries; i++) {
    records.push({ ...records[0]!, cluster: `quiet-${i}`, aliases: [], hcoVersion: '1.16.0' })
  }
  const none = (): Promise<never[]> => Promise.resolve([])
  const reader: FleetFactsReader = {
    clusters: () => Promise.resolve(records),
    cluster: (name) => {
      const cluster = records.find((record) => record.cluster === name)
      const own = upgrades.get(name)
      return Promise.resolve(
        cluster && { cluster, intervals: [], upgrades: own === undefined ? [] : [own], modifications: [] },
      )
    },
    ...{ upgrades: none, modifications: none, intervalsAt: none, upgrade: () => Promise.resolve(undefined) },
    values: () => Promise.resolve(new Map()),
  }
  const alerts: Pick<FiredAlertReader, 'firedOn'> = {
    firedOn: (cluster, { fromMs, toMs }) => {
      const startedMs = upgrades.get(cluster)?.upgrade.startedMs ?? Infinity
      const fired: FiredAlert[] =
        newAlert === undefined || !cluster.startsWith('canary')
          ? []
          : [{ alertname: newAlert, severity: 'warning', firedAtMs: startedMs + DAY_MS }]
      return Promise.resolve(fired.filter(({ firedAtMs }) => firedAtMs >= fromMs && firedAtMs <= toMs))
    },
  }
  const index = await fillFleetIndex(createFleetIndex(), reader, { list: none })
  for (const { cluster } of records)
    index.markSeen(cluster, { metricsMs: nowMs - MINUTE_MS, objectsMs: nowMs - MINUTE_MS })
  const progress = { caughtUpMs: nowMs, waiting: 0, daysLeft: 0 }
  return {
    fleet: createFleetViews(
      reader,
      Promise.resolve(index),
      () => progress,
      alerts,
      undefined,
      policy && (() => policy),
    ),
  }
}
