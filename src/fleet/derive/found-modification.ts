import { createHash } from 'node:crypto'
import type { Modification } from '../../model/cluster-record.ts'

/** A modification of one source, without its id and before it is compared with the cluster's upgrades. */
export type FoundModification = Omit<Modification, 'id' | 'cluster' | 'isUpgradeMode'>

export function modificationId(cluster: string, { kind, component, startedMs, annotation }: FoundModification): string {
  const parts = [cluster, kind, component, annotation ?? '', startedMs ?? '']
  return createHash('sha256').update(parts.join('|')).digest('hex').slice(0, 32)
}
