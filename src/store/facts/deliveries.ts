import type { Selectable } from 'kysely'
import { invariant } from '../../base/invariant.ts'
import { DELIVERY_OUTCOMES } from '../../model/delivery.ts'
import type { DeliveryQuery, DeliveryRecord, DeliveryStore, KeptDelivery } from '../../model/delivery.ts'
import type { RunFacts } from './run-facts.ts'
import type { DeliveryTable } from './schema.ts'

/** The newest so many are kept. */
export const DELIVERIES_MAX = 10_000
/** Room that is made at once when there are too many, so that not every attempt removes one. */
const SLACK = 500
const ROWS_PER_INSERT = 200

export class SqlDeliveries implements DeliveryStore {
  readonly #run: RunFacts

  constructor(run: RunFacts) {
    this.#run = run
  }

  async add(deliveries: readonly DeliveryRecord[]): Promise<void> {
    if (deliveries.length === 0) return
    await this.#run('writing deliveries', (db) =>
      db.transaction().execute(async (transaction) => {
        let newest = 0
        for (let from = 0; from < deliveries.length; from += ROWS_PER_INSERT) {
          const rows = deliveries.slice(from, from + ROWS_PER_INSERT).map(rowOf)
          const ids = await transaction.insertInto('delivery').values(rows).returning('id').execute()
          newest = Math.max(newest, ...ids.map(({ id }) => id))
        }
        const oldest = await transaction.selectFrom('delivery').select('id').orderBy('id').limit(1).executeTakeFirst()
        if (oldest !== undefined && newest - oldest.id >= DELIVERIES_MAX + SLACK) {
          await transaction
            .deleteFrom('delivery')
            .where('id', '<=', newest - DELIVERIES_MAX)
            .execute()
        }
      }),
    )
  }

  async list({ receiver, outcome, fingerprint, limit, before }: DeliveryQuery): Promise<readonly KeptDelivery[]> {
    const rows = await this.#run('reading deliveries', (db) => {
      let query = db
        .selectFrom('delivery')
        .select([...SHORT])
        .orderBy('id', 'desc')
        .limit(limit)
      if (receiver !== undefined) query = query.where('receiver', '=', receiver)
      if (outcome !== undefined) query = query.where('outcome', '=', outcome)
      // Fingerprints are hexadecimal digits in a list of JSON: what stands in quotes is a whole one.
      if (fingerprint !== undefined) query = query.where('fingerprints', 'like', `%"${fingerprint}"%`)
      if (before !== undefined) query = query.where('id', '<', before)
      return query.execute()
    })
    return rows.map((row) => keptOf({ ...row, payload: '', answer: null }))
  }

  async get(id: number): Promise<KeptDelivery | undefined> {
    const row = await this.#run('reading a delivery', (db) =>
      db.selectFrom('delivery').selectAll().where('id', '=', id).executeTakeFirst(),
    )
    return row === undefined ? undefined : keptOf(row)
  }
}

const SHORT = [
  'id',
  'at_ms',
  'receiver',
  'integration',
  'target',
  'group_key',
  'alertnames',
  'fingerprints',
  'reason',
  'outcome',
  'attempt',
  'status',
  'latency_ms',
  'error',
  'retry_at_ms',
] as const

function rowOf(record: DeliveryRecord): Omit<DeliveryTable, 'id'> {
  return {
    at_ms: record.atMs,
    receiver: record.receiver,
    integration: record.integration,
    target: record.target,
    group_key: record.groupKey,
    alertnames: JSON.stringify(record.alertnames),
    fingerprints: JSON.stringify(record.fingerprints),
    reason: record.reason,
    outcome: record.outcome,
    attempt: record.attempt,
    status: record.status ?? null,
    latency_ms: record.latencyMs,
    error: record.error ?? null,
    retry_at_ms: record.retryAtMs ?? null,
    payload: record.payload,
    answer: record.answer ?? null,
  }
}

function keptOf(row: Selectable<DeliveryTable>): KeptDelivery {
  const outcome = DELIVERY_OUTCOMES.find((known) => known === row.outcome)
  invariant(outcome !== undefined, 'only known outcomes are written')
  return {
    id: row.id,
    atMs: row.at_ms,
    receiver: row.receiver,
    integration: row.integration,
    target: row.target,
    groupKey: row.group_key,
    // Written by `rowOf`, and by nobody else.
    alertnames: JSON.parse(row.alertnames) as string[],
    fingerprints: JSON.parse(row.fingerprints) as string[],
    reason: row.reason,
    outcome,
    attempt: row.attempt,
    ...(row.status === null ? {} : { status: row.status }),
    latencyMs: row.latency_ms,
    ...(row.error === null ? {} : { error: row.error }),
    ...(row.retry_at_ms === null ? {} : { retryAtMs: row.retry_at_ms }),
    payload: row.payload,
    ...(row.answer === null ? {} : { answer: row.answer }),
  }
}
