import type { Kysely, Selectable } from 'kysely'
import type { AuditedAction } from '../../model/audit.ts'
import type { ExternalAlertRecord, RemovalFilter } from '../../model/external-alert.ts'
import { insertAudit } from './audit.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import { annotationsOf, labelsOf, listed } from './row-values.ts'
import type { ExternalAlertTable, FactsSchema } from './schema.ts'

/** Alerts that others POSTed, by fingerprint. */
export class SqlExternalAlerts extends FactsTables {
  async list(): Promise<readonly ExternalAlertRecord[]> {
    const rows = await this.run('reading external alerts', (db) =>
      db.selectFrom('external_alert').selectAll().orderBy('fingerprint').execute(),
    )
    return rows.map(recordOf)
  }

  /** Adds or replaces, and removes others by fingerprint, in one transaction; durable when it resolves. */
  async write(alerts: readonly ExternalAlertRecord[], removed: readonly string[]): Promise<void> {
    await this.transact('writing external alerts', async (transaction) => {
      await deleteAlerts(transaction, removed)
      await replaceRows(transaction, 'external_alert', alerts.map(rowOf))
    })
  }

  /**
   * Removes alerts by fingerprint, with an entry of the audit in the same transaction, which has the filter and how many there
   * were. Of several processes that remove one, the first does.
   */
  async remove(
    removed: readonly string[],
    filter: RemovalFilter,
    action: Omit<AuditedAction, 'detail'>,
  ): Promise<number> {
    return this.transact('removing external alerts', async (transaction) => {
      const count = await deleteAlerts(transaction, removed)
      if (count > 0) await insertAudit(transaction, { ...action, detail: JSON.stringify({ ...filter, alerts: count }) })
      return count
    })
  }
}

/** Returns how many there were. */
async function deleteAlerts(db: Kysely<FactsSchema>, removed: readonly string[]): Promise<number> {
  const alerts = db.deleteFrom('external_alert').where('fingerprint', 'in', listed(db, removed))
  return Number((await alerts.executeTakeFirst()).numDeletedRows)
}

function rowOf(alert: ExternalAlertRecord): ExternalAlertTable {
  return {
    fingerprint: alert.fingerprint,
    labels: JSON.stringify(alert.labels.flat),
    annotations: JSON.stringify(alert.annotations),
    starts_at_ms: alert.startsAtMs,
    ends_at_ms: alert.endsAtMs,
    updated_at_ms: alert.updatedAtMs,
    received_at_ms: alert.receivedAtMs,
    is_timeout: alert.isTimeout ? 1 : 0,
    generator_url: alert.generatorUrl,
    sender: alert.sender,
  }
}

function recordOf(row: Selectable<ExternalAlertTable>): ExternalAlertRecord {
  return {
    fingerprint: row.fingerprint,
    labels: labelsOf(row.labels),
    annotations: annotationsOf(row.annotations),
    startsAtMs: row.starts_at_ms,
    endsAtMs: row.ends_at_ms,
    updatedAtMs: row.updated_at_ms,
    receivedAtMs: row.received_at_ms,
    isTimeout: row.is_timeout === 1,
    generatorUrl: row.generator_url,
    sender: row.sender,
  }
}
