/** What holds of a cluster at a time: whether it upgrades, is stuck, is silent. Pure; several may hold at once. */
import { CLUSTER_STATES } from '../../model/cluster-record.ts'
import type { ClusterRecord, ClusterState } from '../../model/cluster-record.ts'
import type { StuckVerdict } from '../../model/stuck.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import type { LastSeen } from '../stuck/stuck.ts'
import { upgradeStage } from '../upgrade-stage.ts'

/** An upgrade that runs or whose machines still follow, with what is to be thought of it. */
export interface OpenUpgrade {
  readonly record: UpgradeRecord
  readonly verdict: StuckVerdict
}

/** Of a cluster that is gone nothing else is said. */
export const GONE_STATES: readonly ClusterState[] = ['gone']

/** A cluster is silent when nothing came on any of its ways for longer than that way allows. */
export const SILENT_AFTER = {
  // Two of telemetry's pushes (4 min 30 s apart) and a margin: one lost push is no silence.
  metricsMs: 10 * 60_000,
  // A watch tells only what changes; by listings (every half hour by the edge kit) a cluster at rest is seen.
  objectsMs: 65 * 60_000,
} as const

const HELD_STATES = CLUSTER_STATES.filter((state) => state !== 'steady' && state !== 'gone')

/** Of a cluster that is not gone. */
export function statesOf(
  record: ClusterRecord,
  open: readonly OpenUpgrade[],
  isMute: boolean,
): readonly ClusterState[] {
  const holds: Readonly<Record<(typeof HELD_STATES)[number], boolean>> = {
    upgrading: open.some(({ record }) => upgradeStage(record) === 'upgrading'),
    stuck: open.some(({ verdict }) => verdict.isStuck),
    silent: isMute,
    unhealthy: record.systemHealth === 'error',
    tainted: record.isTainted === true,
    outdated_workloads: (record.workloads?.outdated ?? 0) > 0,
    paused_pool: record.pools.some(({ isPaused }) => isPaused),
    unknown: isUnknown(record),
  }
  const states = HELD_STATES.filter((state) => holds[state])
  return states.length === 0 ? ['steady'] : states
}

/** Nothing came on any of its ways for longer than that way allows. */
export function isSilent(lastSeen: LastSeen, nowMs: number): boolean {
  return nowMs > notSilentUntilMs(lastSeen)
}

/**
 * The last moment at which it is not yet silent, unless it is seen again. Where both ways came until the same time the
 * metrics decide: objects that rest are only then a sign of life when they go on without metrics.
 */
export function notSilentUntilMs({ metricsMs = -Infinity, objectsMs = -Infinity }: LastSeen): number {
  if (Number.isFinite(metricsMs) && objectsMs - metricsMs <= SILENT_AFTER.metricsMs) {
    return Math.max(metricsMs, objectsMs) + SILENT_AFTER.metricsMs
  }
  return Math.max(metricsMs + SILENT_AFTER.metricsMs, objectsMs + SILENT_AFTER.objectsMs)
}

/** No version of any operator is told: neither good nor bad. */
export function isUnknown({ hcoVersion, versions }: ClusterRecord): boolean {
  return hcoVersion === undefined && Object.keys(versions).length === 0
}
