/** The audited actions. An entry is written in the same transaction as the effect of the action. */
export const AUDIT_ACTIONS = [
  'silence.create',
  'silence.update',
  'silence.expire',
  'alert.acknowledge',
  'alert.unacknowledge',
  'alert.remove',
  'cluster.decommission',
  'cluster.decommission.withdraw',
  'cluster.return',
  'risk.accept',
  'risk.withdraw',
  'cluster.erase',
  'cluster.erase.allow',
  'graph.import',
  'graph.remove',
  'configuration.baseline.choose',
  'configuration.baseline.remove',
  'runbook.step',
  'runbook.note',
  'runbook.outcome',
  'process.remove',
  'bundle.make',
  'rules.reload',
  'token.add',
  'token.remove',
  'session.start',
  'session.end',
] as const
export type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** One action of a user, or of the server itself. */
export interface AuditedAction {
  readonly atMs: number
  /** The token's name; on an open server the declared name; `daytwo` for automatic actions. */
  readonly by: string
  readonly action: AuditAction
  /** Id of the silence, fingerprint of the alert, name of the cluster, of the import or of the sender, or of what was reloaded. */
  readonly subject: string
  /** The change as JSON. */
  readonly detail: string
}

/** A change with its entry of the audit: both are written, or none. */
export interface Audited<T> {
  readonly value: T
  readonly audited: AuditedAction
}

export function withAudit<T>(action: AuditAction, subject: string, value: T, by: string, atMs: number): Audited<T> {
  return { value, audited: { atMs, by, action, subject, detail: JSON.stringify(value) } }
}

export interface AuditEntry extends AuditedAction {
  /** Rises by one with each entry. */
  readonly id: number
  /** Of this entry and the one before it; empty for entries from before the chain. */
  readonly hash: string
}
