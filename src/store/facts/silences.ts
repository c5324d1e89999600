import type { Selectable } from 'kysely'
import type { AuditedAction } from '../../model/audit.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { Silence } from '../../model/silence.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import type { SilenceTable } from './schema.ts'

export class SqlSilences extends FactsTables {
  async list(): Promise<readonly Silence[]> {
    const rows = await this.run('reading silences', (db) =>
      db.selectFrom('silence').selectAll().orderBy('id').execute(),
    )
    return rows.map(silenceOf)
  }

  /** Adds or replaces by id, with the entries of the audit, in one transaction; durable when it resolves. */
  async write(silences: readonly Silence[], actions: readonly AuditedAction[]): Promise<void> {
    await this.transact('writing silences', async (transaction) => {
      await replaceRows(transaction, 'silence', silences.map(rowOf))
      for (const audited of actions) await insertAudit(transaction, audited)
    })
  }

  /** Removes silences that ended before a time. */
  async prune(endedBeforeMs: number): Promise<void> {
    await this.run('removing old silences', (db) =>
      db.deleteFrom('silence').where('ends_at_ms', '<', endedBeforeMs).execute(),
    )
  }
}

function rowOf(silence: Silence): SilenceTable {
  return {
    id: silence.id,
    matchers: JSON.stringify(silence.matchers),
    starts_at_ms: silence.startsAtMs,
    ends_at_ms: silence.endsAtMs,
    updated_at_ms: silence.updatedAtMs,
    created_by: silence.createdBy,
    comment: silence.comment,
    until_resolved: silence.untilResolved ? 1 : 0,
  }
}

function silenceOf(row: Selectable<SilenceTable>): Silence {
  return {
    id: row.id,
    // Only `rowOf` writes this column.
    matchers: JSON.parse(row.matchers) as Matcher[],
    startsAtMs: row.starts_at_ms,
    endsAtMs: row.ends_at_ms,
    updatedAtMs: row.updated_at_ms,
    createdBy: row.created_by,
    comment: row.comment,
    untilResolved: row.until_resolved === 1,
  }
}
