import type { NotificationLogEntry, NotificationLogStore } from '../../model/notification-log.ts'
import type { RunFacts } from './run-facts.ts'

/** Rows of one INSERT: databases limit the number of parameters. */
const ROWS_PER_INSERT = 500

export class SqlNotificationLog implements NotificationLogStore {
  readonly #run: RunFacts

  constructor(run: RunFacts) {
    this.#run = run
  }

  async load(): Promise<readonly NotificationLogEntry[]> {
    const rows = await this.#run('reading the notification log', (db) =>
      db.selectFrom('notification_log').selectAll().orderBy('key').execute(),
    )
    return rows.map(({ key, at_ms: atMs, firing, resolved, expires_at_ms: expiresAtMs }) => ({
      key,
      atMs,
      // Written by `put`, and by nobody else.
      firing: JSON.parse(firing) as string[],
      resolved: JSON.parse(resolved) as string[],
      expiresAtMs,
    }))
  }

  async put(entries: readonly NotificationLogEntry[]): Promise<void> {
    await this.#run('writing the notification log', (db) =>
      db.transaction().execute(async (transaction) => {
        for (let from = 0; from < entries.length; from += ROWS_PER_INSERT) {
          const rows = entries.slice(from, from + ROWS_PER_INSERT).map((entry) => ({
            key: entry.key,
            at_ms: entry.atMs,
            firing: JSON.stringify(entry.firing),
            resolved: JSON.stringify(entry.resolved),
            expires_at_ms: entry.expiresAtMs,
          }))
          await transaction.replaceInto('notification_log').values(rows).execute()
        }
      }),
    )
  }

  async prune(expiredBeforeMs: number): Promise<void> {
    await this.#run('removing old entries of the notification log', (db) =>
      db.deleteFrom('notification_log').where('expires_at_ms', '<', expiredBeforeMs).execute(),
    )
  }
}
