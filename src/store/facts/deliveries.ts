import type { Selectable } from 'kysely'
import {
  DELIVERY_OUTCOMES,
  type DeliveryQuery,
  type DeliveryRecord,
  type DeliveryStore,
  type StoredDelivery,
} from '../../model/delivery.ts'
import { FactsTables } from './facts-tables.ts'
import { insertBatches, oneOf, textsOf } from './row-values.ts'
import type { DeliveryTable } from './schema.ts'

/** Number of retained deliveries; the newest. */
export const DELIVERIES_MAX = 10_000
/** Room that is made at once when there are too many, so that not every attempt removes one. */
const SLACK = 500
export class SqlDeliveries extends FactsTables implements DeliveryStore {
  async add(deliveries: readonly DeliveryRecord[]): Promise<void> {
    if (deliveries.length === 0) return
    await this.transact('writing deliveries', async (transaction) => {
      let newest = 0
      for (const rows of insertBatches(deliveries.map(rowOf))) {
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
    })
  }

  async list({ receiver, outcome, fingerprint, limit, before }: DeliveryQuery): Promise<readonly StoredDelivery[]> {
    const rows = await this.run('reading deliveries', (db) => {
      let query = db
        .selectFrom('delivery')
        .select([...SHORT])
        .orderBy('id', 'desc')
        .limit(limit)
      if (receiver !== undefined) query = query.where('receiver', '=', receiver)
      if (outcome !== undefined) query = query.where('outcome', '=', outcome)
      // Fingerprints are hexadecimal digits in a JSON list: a match with quotes is a complete fingerprint.
      if (fingerprint !== undefined) query = query.where('fingerprints', 'like', `%"${fingerprint}"%`)
      if (before !== undefined) query = query.where('id', '<', before)
      return query.execute()
    })
    return rows.map((row) => keptOf({ ...row, payload: '', answer: null }))
  }

  async get(id: number): Promise<StoredDelivery | undefined> {
    const row = await this.run('reading a delivery', (db) =>
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

function keptOf(row: Selectable<DeliveryTable>): StoredDelivery {
  return {
    id: row.id,
    atMs: row.at_ms,
    receiver: row.receiver,
    integration: row.integration,
    target: row.target,
    groupKey: row.group_key,
    alertnames: textsOf(row.alertnames),
    fingerprints: textsOf(row.fingerprints),
    reason: row.reason,
    outcome: oneOf(DELIVERY_OUTCOMES, row.outcome),
    attempt: row.attempt,
    ...(row.status === null ? {} : { status: row.status }),
    latencyMs: row.latency_ms,
    ...(row.error === null ? {} : { error: row.error }),
    ...(row.retry_at_ms === null ? {} : { retryAtMs: row.retry_at_ms }),
    payload: row.payload,
    ...(row.answer === null ? {} : { answer: row.answer }),
  }
}
