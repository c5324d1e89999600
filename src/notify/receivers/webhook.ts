/** A webhook, version 4 of Alertmanager's message. */
import type { WebhookConfig } from '../config/receiver-config.ts'
import { commonPairs, quotedReceiver, statusOf, type Message } from '../message.ts'
import { postableAlert } from './alertmanager.ts'
import { postJson, type Attempt, type Sending } from './attempt.ts'

export function sendWebhook(config: WebhookConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { url, http, maxAlerts, timeout: timeoutMs } = config
  return postJson(sending, { url, hidesPath: true, http, timeoutMs, body: webhookBody(message, maxAlerts) })
}

/** @param maxAlerts 0 for all; common labels are those of the alerts shown */
export function webhookBody(message: Message, maxAlerts: number): unknown {
  const { alerts } = message
  const shown = maxAlerts === 0 ? alerts : alerts.slice(0, maxAlerts)
  return {
    receiver: quotedReceiver(message.receiver),
    status: statusOf(shown),
    alerts: shown.map((alert) => ({
      status: alert.status,
      ...postableAlert(alert, alert.endsAtMs),
      fingerprint: alert.fingerprint,
    })),
    groupLabels: message.groupLabels.toObject(),
    commonLabels: commonPairs(shown.map(({ labels }) => labels.toObject())),
    commonAnnotations: commonPairs(shown.map(({ annotations }) => annotations)),
    externalURL: message.externalUrl,
    version: '4',
    groupKey: message.groupKey,
    truncatedAlerts: alerts.length - shown.length + message.truncatedAlerts,
  }
}
