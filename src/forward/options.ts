/** Options of forwarding. The addresses, headers and limits are those of `store.metrics`. */
export interface ForwardOptions {
  readonly kind: 'prometheus' | 'victoriametrics-cluster' | 'mimir' | 'thanos'
  readonly writeUrl: string
  readonly queryUrl: string
  /** Requests at the same time; a series always uses the same one of them. */
  readonly connections: number
  /** What was acknowledged is sent again when the remote side restarts within this time after it. */
  readonly resendWindowMs: number
}
