/** An alert whose condition holds, on a cluster that reports. */
export interface TruthAlert {
  readonly cluster: string
  readonly alertname: string
  readonly severity: 'critical' | 'warning' | 'info'
  readonly healthImpact: 'critical' | 'warning' | 'none'
  /** What tells it from others of its name in the cluster: `component_name`, `annotation_name`, ... */
  readonly labels: Readonly<Record<string, string>>
  /** Since when the condition holds. */
  readonly sinceMs: number
  /** `pending` until it held for as long as its rule asks. */
  readonly state: 'pending' | 'firing'
}

/** What holds, and how long its rule asks it to. */
export type Condition = Omit<TruthAlert, 'cluster' | 'state'> & { readonly forMs: number }
