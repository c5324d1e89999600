import type { Lease } from '../../model/lease.ts'

/** Which clusters this process derives, where several processes share the facts. */
export interface ClusterLeases {
  /** Absent: another process may derive it. */
  lease(cluster: string): Lease | undefined
  /** The same for a write: one that was lost in the meantime is one under which nothing is written. */
  heldOrLost(cluster: string): Lease
  /** A cluster that this process does not derive has changed: perhaps nobody derives it yet. */
  note(cluster: string): void
  /** Clusters that this process derives since the last call. */
  takeGained(): readonly string[]
  /** Whether this process does what one does for the whole fleet: counts of the day, derived series. */
  readonly isFirst: boolean
}
