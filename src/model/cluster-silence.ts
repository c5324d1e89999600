/** The causes of the silence of a cluster, in the order in which a page lists them; `unknown`: no evidence decides. */
export const SILENCE_CAUSES = [
  'collector_stopped',
  'remote_write_broken',
  'network',
  'upgrade',
  'decommissioned',
  'opted_out',
  'unknown',
] as const
export type SilenceCause = (typeof SILENCE_CAUSES)[number]

export const SILENT_SOURCES = ['objects', 'metrics'] as const
export type SilentSource = (typeof SILENT_SOURCES)[number]

/** The silence of a cluster: one of its data sources, or all of them, sent nothing for longer than its limit. */
export interface ClusterSilence {
  /** The sources that stopped. */
  readonly sources: readonly SilentSource[]
  /** No source sends: the cluster has the state `silent`, or is gone. */
  readonly isTotal: boolean
  /** The last report of the source that stopped last. */
  readonly sinceMs: number
  readonly cause: SilenceCause
  /** For the cause; of `unknown`: for the causes that were considered. At least one when the cause is known. */
  readonly evidence: readonly SilenceEvidence[]
  /** What would decide; of a known cause what may still change it. */
  readonly missing: readonly string[]
  readonly nextStep: string
}

export interface SilenceEvidence {
  /** Which cause it supports. */
  readonly cause: SilenceCause
  readonly text: string
  readonly atMs?: number
  /** Clusters that fell silent, of those that could; `elsewhere`: the same of all other clusters. */
  readonly share?: SilenceShare & { readonly elsewhere: SilenceShare }
}

export interface SilenceShare {
  readonly silent: number
  readonly of: number
}
