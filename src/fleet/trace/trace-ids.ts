import { createHash } from 'node:crypto'
import type { UpgradeRecord } from '../../model/upgrade.ts'

/**
 * The ids of an upgrade's trace. They are hashes of what the upgrade is, so that deriving it again writes the same
 * spans again, and so that an operator can compute the trace it may link to.
 */

/** Of the cluster's name as `ingest` knows it, and the new CSV's uid; without a CSV, of the upgrade's id. */
export function upgradeTraceId({ upgrade, detail }: UpgradeRecord): string {
  return sha256(`upgrade|${upgrade.cluster}|${detail.csvUid ?? upgrade.id}`).slice(0, 32)
}

/** @param path the span's name; where a trace has several of that name, with what tells them apart: see `spanPath` */
export function upgradeSpanId(traceId: string, path: string): string {
  return sha256(`${traceId}|${path}`).slice(0, 16)
}

/** KubeVirt's component is the one without a suffix; of CSV phases that come again, the first. */
export function spanPath(name: string, telling?: string | number): string {
  return telling === undefined ? name : `${name}|${telling}`
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
