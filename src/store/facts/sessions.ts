import type { Selectable } from 'kysely'
import type { Audited } from '../../model/audit.ts'
import type { SessionRecord } from '../../model/session.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { insertBatches, listed, textsOf } from './row-values.ts'
import type { SessionTable } from './schema.ts'

/** Sessions of people by the hash of their cookie; the cookie itself is nowhere. */
export class SqlSessions extends FactsTables {
  async list(): Promise<readonly SessionRecord[]> {
    const rows = await this.run('reading sessions', (db) => db.selectFrom('session').selectAll().execute())
    return rows.map(recordOf)
  }

  /**
   * Adds sessions and removes others, with the entries of the audit, in one transaction. Of several processes that end one,
   * the first does; returns how many were ended.
   */
  async write(started: readonly Audited<SessionRecord>[], ended: readonly Audited<SessionRecord>[]): Promise<number> {
    return this.transact('writing sessions', async (transaction) => {
      const ids = ended.map(({ value }) => value.id)
      const removed = await transaction.deleteFrom('session').where('id', 'in', listed(transaction, ids)).returning('id').execute() // prettier-ignore
      const isRemoved = new Set(removed.map(({ id }) => id))
      const added = started.map(({ value }) => rowOf(value))
      for (const rows of insertBatches(added)) await transaction.insertInto('session').values(rows).execute()
      const written = [...ended.filter(({ value }) => isRemoved.has(value.id)), ...started]
      for (const { audited } of written) await insertAudit(transaction, audited)
      return removed.length
    })
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.run('removing sessions', (db) => db.deleteFrom('session').where('id', 'in', listed(db, ids)).execute())
  }

  /** False when the session was removed in the meantime: it stays removed. */
  async update(session: SessionRecord): Promise<boolean> {
    const { id, ...changed } = rowOf(session)
    return this.transact('writing a session', async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('session')
        .set(changed)
        .where('id', '=', id)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    })
  }
}

function rowOf({ groups, ...session }: SessionRecord): SessionTable {
  const { id, hash, nextHash, key, name, startedAtMs, rotatedAtMs, lastSeenMs } = session
  return {
    ...{ id, hash, name, person: key, groups: JSON.stringify(groups), next_hash: nextHash ?? null },
    ...{ started_at_ms: startedAtMs, rotated_at_ms: rotatedAtMs, last_seen_ms: lastSeenMs },
  }
}

function recordOf(row: Selectable<SessionTable>): SessionRecord {
  const { id, hash, next_hash: nextHash, person: key, name, groups } = row
  const { started_at_ms: startedAtMs, rotated_at_ms: rotatedAtMs, last_seen_ms: lastSeenMs } = row
  return {
    ...{ id, hash, key, name, groups: textsOf(groups), startedAtMs, rotatedAtMs, lastSeenMs },
    ...(nextHash === null ? {} : { nextHash }),
  }
}
