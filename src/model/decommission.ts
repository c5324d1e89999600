/** Somebody says that a cluster was switched off for good. */
export interface Decommission {
  /** A UUID. */
  readonly id: string
  readonly cluster: string
  /** From this moment on it is gone; nothing was heard of it after, when it was said. */
  readonly sinceMs: number
  readonly by: string
  readonly reason: string
  /** When it was said. */
  readonly saidMs: number
  /** Absent: it stands, as long as nothing is heard of the cluster after `sinceMs`. */
  readonly end?: DecommissionEnd
}

/** `withdrawn`: by somebody, and then it never held. `returned`: the cluster was heard again at `atMs`, and it held until then. */
export interface DecommissionEnd {
  readonly kind: (typeof DECOMMISSION_ENDS)[number]
  readonly atMs: number
  /** Who took it back; `daytwo` for what ends by itself. */
  readonly by: string
}

export const DECOMMISSION_ENDS = ['withdrawn', 'returned'] as const
