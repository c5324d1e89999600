/** What another process has changed in the facts. */

/** `cluster`: the subject is its name. `alert_state`: the key of a group of rules. Others are read again as a whole. */
export const CHANGE_TOPICS = [
  ...(['silence', 'acknowledgement', 'external_alert', 'decommission', 'accepted_risk'] as const),
  ...(['configuration_baseline', 'update_graph', 'runbook_work'] as const),
  ...(['token', 'session', 'cluster', 'alert_state'] as const),
] as const
export type ChangeTopic = (typeof CHANGE_TOPICS)[number]

/** A changed subject of a topic; absent: any of them may have changed. */
export interface StoredChange {
  readonly topic: ChangeTopic
  readonly subject?: string
}

/** Listens to the changes of other processes on a connection of its own. */
export interface ChangeListener {
  /** Whether the connection answers; when it does not, it ends. */
  check(): Promise<void>
  stop(): Promise<void>
}

export interface ChangeListening {
  /** Called in the order of the commits. Changes of this process are left out. */
  readonly onChange: (change: StoredChange) => void
  /** It listens from now on: what changed before may have been missed, and is read again. */
  readonly onListening: () => void
  /** Once, when the connection has ended. */
  readonly onEnd: () => void
}
