import type { Selectable } from 'kysely'
import type { Audited } from '../../model/audit.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { Silence } from '../../model/silence.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import { ENDS_TURN, inTurn, listed } from './row-values.ts'
import type { SilenceTable } from './schema.ts'

export class SqlSilences extends FactsTables {
  async list(): Promise<readonly Silence[]> {
    const rows = await this.run('reading silences', (db) =>
      db.selectFrom('silence').selectAll().orderBy('id').execute(),
    )
    return rows.map(silenceOf)
  }

  async find(id: string): Promise<Silence | undefined> {
    const row = await this.run('reading a silence', (db) =>
      db.selectFrom('silence').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row && silenceOf(row)
  }

  /**
   * Adds or replaces by id, with the entries of the audit, in one transaction; durable when it resolves. Of several processes
   * that expire one, the first does: returns those that had expired at the time of the change, which it leaves as they are.
   */
  async write(changes: readonly Audited<Silence>[]): Promise<readonly Silence[]> {
    return this.transact('writing silences', async (transaction) => {
      await inTurn(transaction, ENDS_TURN)
      const atMs = new Map(changes.map(({ value }) => [value.id, value.updatedAtMs]))
      const rows = await transaction
        .selectFrom('silence')
        .selectAll()
        .where('id', 'in', listed(transaction, [...atMs.keys()]))
        .execute()
      const expired = rows.filter((row) => row.ends_at_ms <= atMs.get(row.id)!).map(silenceOf)
      const isExpired = new Set(expired.map(({ id }) => id))
      const written = changes.filter(({ value }) => !isExpired.has(value.id))
      await replaceRows(transaction, 'silence', written.map(({ value }) => rowOf(value))) // prettier-ignore
      for (const { audited } of written) await insertAudit(transaction, audited)
      return expired
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
