/**
 * The ids of an upgrade's trace. They are hashes of what the upgrade is, so that deriving it again writes the same
 * spans again, and so that an operator can compute the trace it may link to.
 */
import { idOf } from '../derive/id.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'

/** From the cluster's name as `ingest` resolves it, and the new CSV's uid; without a CSV, the upgrade's id. */
export function upgradeTraceId({ upgrade, detail }: UpgradeRecord): string {
  return idOf('upgrade', upgrade.cluster, detail.csvUid ?? upgrade.id)
}

/** @param path the span's name, with a suffix if the trace has several spans of that name: see `spanPath` */
export function upgradeSpanId(traceId: string, path: string): string {
  return idOf(traceId, path).slice(0, 16)
}

/** KubeVirt's component has no suffix, nor has the first occurrence of a CSV phase. */
export function spanPath(name: string, suffix?: string | number): string {
  return suffix === undefined ? name : `${name}|${suffix}`
}
