import type { Selectable } from 'kysely'
import type { AuditedAction } from '../../model/audit.ts'
import type { SessionRecord } from '../../model/session.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { insertBatches, textsOf } from './row-values.ts'
import type { SessionTable } from './schema.ts'

/** Sessions of people by the hash of their cookie; the cookie itself is nowhere. */
export class SqlSessions extends FactsTables {
  async list(): Promise<readonly SessionRecord[]> {
    const rows = await this.run('reading sessions', (db) => db.selectFrom('session').selectAll().execute())
    return rows.map(recordOf)
  }

  /** Adds or replaces by id and removes others, with the entries of the audit, in one transaction. */
  async write(
    changed: readonly SessionRecord[],
    removed: readonly string[],
    actions: readonly AuditedAction[],
  ): Promise<void> {
    await this.transact('writing sessions', async (transaction) => {
      for (const ids of insertBatches(removed)) await transaction.deleteFrom('session').where('id', 'in', ids).execute()
      for (const rows of insertBatches(changed.map(rowOf)))
        await transaction.replaceInto('session').values(rows).execute()
      for (const audited of actions) await insertAudit(transaction, audited)
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
