/** A webhook, version 4 of Alertmanager's message. */
import { inSlices, mapInSteps, ownTurn, type Steps } from '../../base/thread-slices.ts'
import type { WebhookConfig } from '../config/receiver-config.ts'
import { commonPairs, quotedReceiver, statusOf, type Message } from '../message.ts'
import { postableAlert } from './alertmanager.ts'
import { postJson, type Attempt, type Sending } from './attempt.ts'

export async function sendWebhook(config: WebhookConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { url, http, maxAlerts, timeout: timeoutMs } = config
  const body = await inSlices(webhookText(message, maxAlerts), ownTurn)
  return postJson(sending, { url, hidesPath: true, http, timeoutMs, body })
}

/** As JSON. @param maxAlerts 0 for all; common labels are those of the alerts shown */
export function* webhookText(message: Message, maxAlerts: number): Steps<string> {
  const { alerts } = message
  const shown = maxAlerts === 0 ? alerts : alerts.slice(0, maxAlerts)
  const posted = yield* mapInSteps(shown, (alert) => postableAlert(alert, alert.endsAtMs))
  const texts = yield* mapInSteps(shown.keys(), (i) => {
    const { status, fingerprint } = shown[i]!
    return JSON.stringify({ status, ...posted[i]!, fingerprint })
  })
  const head = JSON.stringify({ receiver: quotedReceiver(message.receiver), status: statusOf(shown) })
  const rest = JSON.stringify({
    groupLabels: message.groupLabels.toObject(),
    commonLabels: yield* commonPairs(posted.map(({ labels }) => labels)),
    commonAnnotations: yield* commonPairs(posted.map(({ annotations }) => annotations)),
    externalURL: message.externalUrl,
    version: '4',
    groupKey: message.groupKey,
    truncatedAlerts: alerts.length - shown.length + message.truncatedAlerts,
  })
  return `${head.slice(0, -1)},"alerts":[${texts.join(',')}],${rest.slice(1)}`
}
