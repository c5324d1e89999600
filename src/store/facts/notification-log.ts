import type { NotificationLogEntry, NotificationLogStore } from '../../model/notification-log.ts'
import { endClaims } from '../postgres/notification-claims.ts'
import { FactsTables } from './facts-tables.ts'
import { replaceRows } from './replace-rows.ts'
import { logEntryOf } from './row-values.ts'
import type { NotificationLogTable } from './schema.ts'

export class SqlNotificationLog extends FactsTables implements NotificationLogStore {
  async load(): Promise<readonly NotificationLogEntry[]> {
    const rows = await this.run('reading the notification log', (db) =>
      db.selectFrom('notification_log').selectAll().orderBy('key').execute(),
    )
    return rows.map(logEntryOf)
  }

  async put(entries: readonly NotificationLogEntry[]): Promise<void> {
    await this.transact('writing the notification log', async (transaction) => {
      await replaceRows(transaction, 'notification_log', entries.map(rowOf))
      await endClaims(
        transaction,
        entries.map(({ key }) => key),
      )
    })
  }

  async prune(expiredBeforeMs: number): Promise<void> {
    await this.run('removing old entries of the notification log', (db) =>
      db.deleteFrom('notification_log').where('expires_at_ms', '<', expiredBeforeMs).execute(),
    )
  }
}

function rowOf({ key, atMs, firing, resolved, expiresAtMs }: NotificationLogEntry): NotificationLogTable {
  return {
    key,
    at_ms: atMs,
    firing: JSON.stringify(firing),
    resolved: JSON.stringify(resolved),
    expires_at_ms: expiresAtMs,
  }
}
