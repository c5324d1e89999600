/** A real Alertmanager: the group's alerts as Prometheus would post them (API v2). It groups and silences on its own. */
import type { AlertmanagerConfig } from '../config/integration-config.ts'
import { goTimeText } from '../message.ts'
import type { Message } from '../message.ts'
import { postJson } from './attempt.ts'
import type { Attempt, Sending } from './attempt.ts'

/** An alert nobody repeats ends after this many repetitions, so that one lost message resolves nothing. */
const REPEATS_UNTIL_END = 4

export function sendAlertmanager(config: AlertmanagerConfig, message: Message, sending: Sending): Promise<Attempt> {
  const { url, http, timeoutMs } = config
  const endMs = message.nowMs + REPEATS_UNTIL_END * message.toldEveryMs
  const body = message.alerts.map((alert) => ({
    labels: alert.labels.toObject(),
    annotations: alert.annotations,
    startsAt: goTimeText(alert.startsAtMs),
    endsAt: goTimeText(alert.status === 'firing' ? endMs : alert.endsAtMs),
    generatorURL: alert.generatorUrl,
  }))
  return postJson(sending, {
    url: { kind: 'text', value: `${url}/api/v2/alerts` },
    hidesPath: false,
    http,
    timeoutMs,
    body,
  })
}
