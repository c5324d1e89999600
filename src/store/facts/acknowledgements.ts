import type { Selectable } from 'kysely'
import type { AlertRunKey } from '../../model/alert-run.ts'
import type { AuditedAction } from '../../model/audit.ts'
import type { Acknowledgement } from '../../model/silence.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import type { AcknowledgementTable } from './schema.ts'

export class SqlAcknowledgements extends FactsTables {
  /** Those whose alert has not resolved. */
  async listOpen(): Promise<readonly Acknowledgement[]> {
    const rows = await this.run('reading acknowledgements', (db) =>
      db
        .selectFrom('acknowledgement as a')
        // A run that never fired has no row, and may still be waiting.
        .leftJoin('alert_run as r', (join) =>
          join.onRef('r.fingerprint', '=', 'a.fingerprint').onRef('r.active_at_ms', '=', 'a.active_at_ms'),
        )
        .where('r.resolved_at_ms', 'is', null)
        .select(['a.fingerprint', 'a.active_at_ms', 'a.by', 'a.at_ms', 'a.note'])
        .orderBy('a.fingerprint')
        .execute(),
    )
    return rows.map(acknowledgementOf)
  }

  /** Replaces the one of the same run. In one transaction with the entry of the audit; durable when it resolves. */
  async put({ fingerprint, activeAtMs, by, atMs, note }: Acknowledgement, audited: AuditedAction): Promise<void> {
    await this.transact('writing an acknowledgement', async (transaction) => {
      await replaceRows(transaction, 'acknowledgement', [
        { fingerprint, active_at_ms: activeAtMs, by, at_ms: atMs, note },
      ])
      await insertAudit(transaction, audited)
    })
  }

  /** False, and nothing in the audit, when there is none. Its content is the detail of the entry. */
  async remove({ fingerprint, activeAtMs }: AlertRunKey, audited: Omit<AuditedAction, 'detail'>): Promise<boolean> {
    return this.transact('taking an acknowledgement back', async (transaction) => {
      const removed = await transaction
        .deleteFrom('acknowledgement')
        .where('fingerprint', '=', fingerprint)
        .where('active_at_ms', '=', activeAtMs)
        .returningAll()
        .executeTakeFirst()
      if (removed === undefined) return false
      await insertAudit(transaction, { ...audited, detail: JSON.stringify(acknowledgementOf(removed)) })
      return true
    })
  }
}

function acknowledgementOf(row: Selectable<AcknowledgementTable>): Acknowledgement {
  const { fingerprint, by, note, active_at_ms: activeAtMs, at_ms: atMs } = row
  return { fingerprint, activeAtMs, by, atMs, note }
}
