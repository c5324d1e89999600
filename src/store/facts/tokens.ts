import type { Selectable } from 'kysely'
import { ROLES, type TokenRecord } from '../../model/token.ts'
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

  /** Durable when it resolves. The hash must be new. */
  async add(record: Omit<TokenRecord, 'id'>): Promise<TokenRecord> {
    const { hash, role, name, cluster, createdAtMs } = record
    const row = await this.run('writing a token', (db) =>
      db
        .insertInto('token')
        .values({ hash, role, name, cluster: cluster ?? null, created_at_ms: createdAtMs })
        .returningAll()
        .executeTakeFirstOrThrow(),
    )
    return recordOf(row)
  }

  /** False when there is no such token. An id is never given out again. */
  async remove(id: number): Promise<boolean> {
    const result = await this.run('removing a token', (db) =>
      db.deleteFrom('token').where('id', '=', id).executeTakeFirst(),
    )
    return result.numDeletedRows > 0n
  }
}

function recordOf(row: Selectable<TokenTable>): TokenRecord {
  const { id, hash, name, cluster, created_at_ms: createdAtMs } = row
  return { id, hash, role: oneOf(ROLES, row.role), name, createdAtMs, ...(cluster === null ? {} : { cluster }) }
}
