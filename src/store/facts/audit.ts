import type { Kysely, Selectable } from 'kysely'
import { AUDIT_ACTIONS, type AuditedAction, type AuditEntry } from '../../model/audit.ts'
import { FactsTables } from './facts-tables.ts'
import { oneOf } from './row-values.ts'
import type { AuditTable, FactsSchema } from './schema.ts'

/** Writes the entry in the transaction `db`. */
export async function insertAudit(db: Kysely<FactsSchema>, audited: AuditedAction): Promise<void> {
  const { atMs, by, action, subject, detail } = audited
  await db.insertInto('audit').values({ at_ms: atMs, by, action, subject, detail }).execute()
}

/** The audit log. Actions that change other facts write their entry themselves, in their own transaction. */
export class SqlAudit extends FactsTables {
  /** Records an action that changes no fact. */
  async add(audited: AuditedAction): Promise<void> {
    await this.run('writing the audit', (db) => insertAudit(db, audited))
  }

  /** Newest first; only entries with a smaller id than `before`. */
  async list(limit: number, before?: number): Promise<readonly AuditEntry[]> {
    const rows = await this.run('reading the audit', (db) => {
      const newest = db.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit)
      return (before === undefined ? newest : newest.where('id', '<', before)).execute()
    })
    return rows.map(entryOf)
  }

  /** Removes entries from before a time. */
  async prune(beforeMs: number): Promise<void> {
    await this.run('removing old entries of the audit', (db) =>
      db.deleteFrom('audit').where('at_ms', '<', beforeMs).execute(),
    )
  }
}

function entryOf(row: Selectable<AuditTable>): AuditEntry {
  const { id, by, subject, detail, at_ms: atMs } = row
  return { id, atMs, by, action: oneOf(AUDIT_ACTIONS, row.action), subject, detail }
}
