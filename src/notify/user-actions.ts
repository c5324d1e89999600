/**
 * What users do about alerts: silences and acknowledgements, and the audit of every action. Answered from memory; each
 * write is durable before it counts.
 */
import { randomUUID } from 'node:crypto'
import type { AuditedAction, AuditEntry } from '../model/audit.ts'
import { createAcknowledgements, type AcknowledgementStore, type Acknowledgements } from './acknowledgements.ts'
import { createSilences, type SilenceStore, type Silences } from './silences.ts'

export interface UserActions {
  readonly silences: Silences
  readonly acknowledgements: Acknowledgements
  /** Newest first; only entries with a smaller id than `before`. */
  audit(limit: number, before?: number): Promise<readonly AuditEntry[]>
  /** Adds to the audit an action that changes no stored object, such as a reload. */
  record(action: AuditedAction): Promise<void>
}

/** Each write is durable when it resolves. */
export interface UserActionStore {
  readonly silences: SilenceStore
  readonly acknowledgements: AcknowledgementStore
  readonly audit: { add(action: AuditedAction): Promise<void>; prune(beforeMs: number): Promise<void> }
}

export interface AuditReader {
  list(limit: number, before?: number): Promise<readonly AuditEntry[]>
}

/** Reads what is stored. Rejects when the store does. */
export async function createUserActions(store: UserActionStore, audit: AuditReader): Promise<UserActions> {
  const [silences, acknowledgements] = await Promise.all([
    createSilences(store.silences, randomUUID),
    createAcknowledgements(store.acknowledgements),
  ])
  return {
    silences,
    acknowledgements,
    audit: (limit, before) => audit.list(limit, before),
    record: (action) => store.audit.add(action),
  }
}
