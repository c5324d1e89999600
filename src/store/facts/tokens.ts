import type { Selectable } from 'kysely'
import type { AuditedAction } from '../../model/audit.ts'
import { formatSelectors, parseSelectors } from '../../model/cluster-scope.ts'
import { ROLES, type TokenRecord } from '../../model/token.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { oneOf } from './row-values.ts'
import type { TokenTable } from './schema.ts'

/** Tokens by the hash of their secret; the secret itself is nowhere. */
export class SqlTokens extends FactsTables {
  /** By rising id. */
  async list(): Promise<readonly TokenRecord[]> {
    const rows = await this.run('reading tokens', (db) => db.selectFrom('token').selectAll().orderBy('id').execute())
    return rows.map(recordOf)
  }

  /** With its entry of the audit, whose subject is the new id; durable when it resolves. The hash must be new. */
  async add(record: Omit<TokenRecord, 'id'>, audited: Omit<AuditedAction, 'subject'>): Promise<TokenRecord> {
    const { hash, role, name, cluster, clusters, createdAtMs, expiresAtMs } = record
    const row = await this.transact('writing a token', async (transaction) => {
      const added = await transaction
        .insertInto('token')
        .values({
          ...{ hash, role, name, cluster: cluster ?? null, created_at_ms: createdAtMs },
          expires_at_ms: expiresAtMs ?? null,
          clusters: clusters === undefined ? null : formatSelectors(clusters),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await insertAudit(transaction, { ...audited, subject: String(added.id) })
      return added
    })
    return recordOf(row)
  }

  /** False, and nothing in the audit, when there is no such token. An id is never given out again. */
  async remove(id: number, audited: AuditedAction): Promise<boolean> {
    return this.transact('removing a token', async (transaction) => {
      const { numDeletedRows } = await transaction.deleteFrom('token').where('id', '=', id).executeTakeFirst()
      if (numDeletedRows > 0n) await insertAudit(transaction, audited)
      return numDeletedRows > 0n
    })
  }

  /** Stores when tokens were last used. */
  async touch(uses: readonly (readonly [id: number, lastUsedMs: number])[]): Promise<void> {
    await this.transact('writing the use of tokens', async (transaction) => {
      for (const [id, lastUsedMs] of uses) {
        await transaction.updateTable('token').set({ last_used_ms: lastUsedMs }).where('id', '=', id).execute()
      }
    })
  }
}

function recordOf(row: Selectable<TokenTable>): TokenRecord {
  const {
    id,
    hash,
    name,
    cluster,
    clusters,
    created_at_ms: createdAtMs,
    expires_at_ms: expiresAtMs,
    last_used_ms: lastUsedMs,
  } = row
  return {
    ...{ id, hash, role: oneOf(ROLES, row.role), name, createdAtMs },
    ...(cluster === null ? {} : { cluster }),
    // A text that cannot be read, as of a later version, selects no cluster.
    ...(clusters === null ? {} : { clusters: parseSelectors(clusters) ?? [] }),
    ...(expiresAtMs === null ? {} : { expiresAtMs }),
    ...(lastUsedMs === null ? {} : { lastUsedMs }),
  }
}
