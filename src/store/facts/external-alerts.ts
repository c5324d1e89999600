import type { Selectable } from 'kysely'
import type { ExternalAlertRecord } from '../../model/external-alert.ts'
import { Labels } from '../../model/labels.ts'
import type { RunFacts } from './run-facts.ts'
import type { ExternalAlertTable } from './schema.ts'

/** Alerts that others POSTed, by fingerprint. */
export interface ExternalAlertStore {
  list(): Promise<readonly ExternalAlertRecord[]>
  /** Adds or replaces, in one transaction; durable when it resolves. */
  put(alerts: readonly ExternalAlertRecord[]): Promise<void>
  /** Removes those that ended before a time. */
  prune(endedBeforeMs: number): Promise<void>
}

/** Rows of one INSERT: databases limit the number of parameters. */
const ROWS_PER_INSERT = 500

export class SqlExternalAlerts implements ExternalAlertStore {
  readonly #run: RunFacts

  constructor(run: RunFacts) {
    this.#run = run
  }

  async list(): Promise<readonly ExternalAlertRecord[]> {
    const rows = await this.#run('reading external alerts', (db) =>
      db.selectFrom('external_alert').selectAll().orderBy('fingerprint').execute(),
    )
    return rows.map(recordOf)
  }

  async put(alerts: readonly ExternalAlertRecord[]): Promise<void> {
    await this.#run('writing external alerts', (db) =>
      db.transaction().execute(async (transaction) => {
        for (let from = 0; from < alerts.length; from += ROWS_PER_INSERT) {
          await transaction
            .replaceInto('external_alert')
            .values(alerts.slice(from, from + ROWS_PER_INSERT).map(rowOf))
            .execute()
        }
      }),
    )
  }

  async prune(endedBeforeMs: number): Promise<void> {
    await this.#run('removing ended external alerts', (db) =>
      db.deleteFrom('external_alert').where('ends_at_ms', '<', endedBeforeMs).execute(),
    )
  }
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
  }
}

function recordOf(row: Selectable<ExternalAlertTable>): ExternalAlertRecord {
  return {
    fingerprint: row.fingerprint,
    // Written by `rowOf`, and by nobody else.
    labels: Labels.fromFlat(JSON.parse(row.labels) as string[]),
    annotations: JSON.parse(row.annotations) as Record<string, string>,
    startsAtMs: row.starts_at_ms,
    endsAtMs: row.ends_at_ms,
    updatedAtMs: row.updated_at_ms,
    receivedAtMs: row.received_at_ms,
    isTimeout: row.is_timeout === 1,
    generatorUrl: row.generator_url,
  }
}
