import type { Selectable } from 'kysely'
import type { Audited } from '../../model/audit.ts'
import { DECOMMISSION_ENDS, type Decommission, type DecommissionEnd } from '../../model/decommission.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import { ENDS_TURN, inTurn, listed, oneOf } from './row-values.ts'
import type { DecommissionTable } from './schema.ts'

/** Clusters declared as decommissioned; never expires, because past views need it. */
export class SqlDecommissions extends FactsTables {
  /** In the order of declaration. */
  async list(): Promise<readonly Decommission[]> {
    const rows = await this.run('reading decommissioned clusters', (db) =>
      db.selectFrom('decommission').selectAll().orderBy('said_at_ms').orderBy('id').execute(),
    )
    return rows.map(decommissionOf)
  }

  async find(id: string): Promise<Decommission | undefined> {
    const row = await this.run('reading a decommissioned cluster', (db) =>
      db.selectFrom('decommission').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row && decommissionOf(row)
  }

  /**
   * Adds or replaces by id, with the entries of the audit, in one transaction; durable when it resolves. Returns what another
   * process had stored before: of several that end one, the first does, and the others leave it as it is; where a cluster is
   * declared that has another one without an end, nothing is written.
   */
  async write(changes: readonly Audited<Decommission>[]): Promise<readonly Decommission[]> {
    return this.transact('writing decommissioned clusters', async (transaction) => {
      await inTurn(transaction, ENDS_TURN)
      const ids = changes.map(({ value }) => value.id)
      const rows = await transaction
        .selectFrom('decommission')
        .selectAll()
        .where('id', 'in', listed(transaction, ids))
        .where('ended_at_ms', 'is not', null)
        .execute()
      const declared = changes.flatMap(({ value }) => (value.end === undefined ? [value.cluster] : []))
      const others = await transaction
        .selectFrom('decommission')
        .selectAll()
        .where('cluster', 'in', listed(transaction, declared))
        .where('id', 'not in', listed(transaction, ids))
        .where('ended_at_ms', 'is', null)
        .execute()
      if (others.length > 0) return others.map(decommissionOf)
      const ended = new Map(rows.map((row) => [row.id, decommissionOf(row)]))
      const written = changes.filter(({ value }) => !ended.has(value.id))
      await replaceRows(transaction, 'decommission', written.map(({ value }) => rowOf(value))) // prettier-ignore
      for (const { audited } of written) await insertAudit(transaction, audited)
      return [...ended.values()]
    })
  }
}

function rowOf({ id, cluster, sinceMs, by, reason, saidMs, end, kind }: Decommission): DecommissionTable {
  return {
    id,
    cluster,
    since_ms: sinceMs,
    by,
    reason,
    said_at_ms: saidMs,
    end_kind: end?.kind ?? null,
    ended_at_ms: end?.atMs ?? null,
    ended_by: end?.by ?? null,
    kind: kind ?? null,
  }
}

function decommissionOf(row: Selectable<DecommissionTable>): Decommission {
  const { id, cluster, by, reason, since_ms: sinceMs, said_at_ms: saidMs } = row
  const end = endOf(row)
  const isOptedOut = row.kind === 'opted_out'
  return {
    id,
    cluster,
    ...(isOptedOut ? { kind: 'opted_out' } : {}),
    sinceMs,
    by,
    reason,
    saidMs,
    ...(end === undefined ? {} : { end }),
  }
}

function endOf(row: Selectable<DecommissionTable>): DecommissionEnd | undefined {
  const { end_kind: text, ended_at_ms: atMs, ended_by: by } = row
  if (text === null || atMs === null || by === null) return undefined
  return { kind: oneOf(DECOMMISSION_ENDS, text), atMs, by }
}
