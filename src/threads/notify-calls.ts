/** What the ingest worker does for notifications: each is durable when it answers. */
import type { DeliveryRecord } from '../model/delivery.ts'
import type { NotificationLogEntry } from '../model/notification-log.ts'
import type { Facts } from '../store/facts/facts.ts'

export type NotifyCalls = {
  notificationLog(): Promise<readonly NotificationLogEntry[]>
  rememberNotifications(entries: readonly NotificationLogEntry[]): Promise<void>
  pruneNotificationLog(expiredBeforeMs: number): Promise<void>
  addDeliveries(deliveries: readonly DeliveryRecord[]): Promise<void>
}

export function notifyCalls({ notificationLog, deliveries }: Facts): NotifyCalls {
  return {
    notificationLog: () => notificationLog.load(),
    rememberNotifications: (entries) => notificationLog.put(entries),
    pruneNotificationLog: (expiredBeforeMs) => notificationLog.prune(expiredBeforeMs),
    addDeliveries: (records) => deliveries.add(records),
  }
}
