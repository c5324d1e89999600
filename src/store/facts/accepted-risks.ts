import type { Kysely, Selectable } from 'kysely'
import type { Audited } from '../../model/audit.ts'
import { HAZARD_IDS, type AcceptedRisk } from '../../model/readiness.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import { ENDS_TURN, inTurn, listed } from './row-values.ts'
import type { AcceptedRiskTable, FactsSchema } from './schema.ts'

/** Risks of upgrades that users accept. The audit keeps what is removed here. */
export class SqlAcceptedRisks extends FactsTables {
  /** In the order of acceptance. Those of hazards that this program does not know are left out, and stay stored. */
  async list(): Promise<readonly AcceptedRisk[]> {
    const rows = await this.run('reading accepted risks', (db) =>
      db.selectFrom('accepted_risk').selectAll().orderBy('accepted_at_ms').orderBy('id').orderBy('cluster').execute(),
    )
    return rows.flatMap(acceptedRiskOf)
  }

  async find(id: string): Promise<readonly AcceptedRisk[]> {
    const rows = await this.run('reading an accepted risk', (db) =>
      db.selectFrom('accepted_risk').selectAll().where('id', '=', id).orderBy('cluster').execute(),
    )
    return rows.flatMap(acceptedRiskOf)
  }

  /**
   * Adds or replaces by id and cluster, with the entries of the audit, in one transaction; durable when it resolves. Returns
   * what another process had stored before: of several that withdraw one, the first does, and the others leave it as it is;
   * where a risk is accepted that has another acceptance in effect, nothing is written.
   * @param endedBeforeMs those that expired or were withdrawn before are removed
   */
  async write(changes: readonly Audited<AcceptedRisk>[], endedBeforeMs: number): Promise<readonly AcceptedRisk[]> {
    return this.transact('writing accepted risks', async (transaction) => {
      await inTurn(transaction, ENDS_TURN)
      await transaction
        .deleteFrom('accepted_risk')
        .where((where) =>
          where.or([where('expires_at_ms', '<', endedBeforeMs), where('withdrawn_at_ms', '<', endedBeforeMs)]),
        )
        .execute()
      const ids = [...new Set(changes.map(({ value }) => value.id))]
      const rows = await transaction
        .selectFrom('accepted_risk')
        .selectAll()
        .where('id', 'in', listed(transaction, ids))
        .where('withdrawn_at_ms', 'is not', null)
        .execute()
      const others = await inEffectBeside(transaction, changes.map(({ value }) => value)) // prettier-ignore
      if (others.length > 0) return others
      const isWithdrawn = new Set(rows.map(keyOf))
      const written = changes.filter(({ value }) => !isWithdrawn.has(keyOf(value)))
      await replaceRows(transaction, 'accepted_risk', written.map(({ value }) => rowOf(value))) // prettier-ignore
      for (const { audited } of written) await insertAudit(transaction, audited)
      return rows.flatMap(acceptedRiskOf)
    })
  }
}

/** Other acceptances, in effect, of the risks that are accepted; those accepted at once are of one hazard. */
async function inEffectBeside(
  db: Kysely<FactsSchema>,
  values: readonly AcceptedRisk[],
): Promise<readonly AcceptedRisk[]> {
  const accepted = values.filter(({ withdrawn }) => withdrawn === undefined)
  const [first] = accepted
  if (first === undefined) return []
  const rows = await db
    .selectFrom('accepted_risk')
    .selectAll()
    .where(
      'cluster',
      'in',
      listed(
        db,
        accepted.map(({ cluster }) => cluster),
      ),
    ) // prettier-ignore
    .where('hazard', '=', first.hazard)
    .where(
      'id',
      'not in',
      listed(
        db,
        values.map(({ id }) => id),
      ),
    ) // prettier-ignore
    .where('withdrawn_at_ms', 'is', null)
    .where('expires_at_ms', '>', first.acceptedMs)
    .execute()
  return rows.flatMap(acceptedRiskOf)
}

function keyOf({ id, cluster }: Pick<AcceptedRisk, 'id' | 'cluster'>): string {
  return `${id} ${cluster}`
}

function rowOf(risk: AcceptedRisk): AcceptedRiskTable {
  const { id, cluster, hazard, reason, by, acceptedMs, expiresMs, withdrawn } = risk
  return {
    ...{ id, cluster, hazard, reason, by },
    accepted_at_ms: acceptedMs,
    expires_at_ms: expiresMs,
    withdrawn_at_ms: withdrawn?.atMs ?? null,
    withdrawn_by: withdrawn?.by ?? null,
  }
}

function acceptedRiskOf(row: Selectable<AcceptedRiskTable>): readonly AcceptedRisk[] {
  const { id, cluster, reason, by, accepted_at_ms: acceptedMs, expires_at_ms: expiresMs } = row
  const { withdrawn_at_ms: withdrawnMs, withdrawn_by: withdrawnBy } = row
  const hazard = HAZARD_IDS.find((known) => known === row.hazard)
  if (hazard === undefined) return []
  const isWithdrawn = withdrawnMs !== null && withdrawnBy !== null
  const withdrawn = isWithdrawn ? { withdrawn: { atMs: withdrawnMs, by: withdrawnBy } } : {}
  return [{ id, cluster, hazard, reason, by, acceptedMs, expiresMs, ...withdrawn }]
}
