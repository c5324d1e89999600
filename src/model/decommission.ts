/** A declaration that a cluster was decommissioned, or that its owner opted out of sending data. */
export interface Decommission {
  /** A UUID. */
  readonly id: string
  readonly cluster: string
  /** The cluster runs, and its owner does not want it to send; absent: it was decommissioned. Both count alike. */
  readonly kind?: 'opted_out'
  /** The moment from which it is gone; at the declaration, no report was newer. */
  readonly sinceMs: number
  readonly by: string
  readonly reason: string
  /** The time of the declaration. */
  readonly saidMs: number
  /** Absent: in effect, as long as the cluster does not report after `sinceMs`. */
  readonly end?: DecommissionEnd
}

/** `withdrawn`: reverted, as if never declared. `returned`: the cluster reported at `atMs`; in effect until then. */
export interface DecommissionEnd {
  readonly kind: (typeof DECOMMISSION_ENDS)[number]
  readonly atMs: number
  /** Who withdrew it; `daytwo`: ended automatically. */
  readonly by: string
}

export const DECOMMISSION_ENDS = ['withdrawn', 'returned'] as const
