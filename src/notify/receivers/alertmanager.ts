/** Alertmanager's API v2: alerts as Prometheus posts them. For `alertmanager_configs` and for the hand-over. */
import type { AlertmanagerConfig } from '../config/receiver-config.ts'
import { goTimeText, type Message, type MessageAlert } from '../message.ts'
import { postJson, type Attempt, type Posting, type Sending } from './attempt.ts'

/** An alert ends after this many missed repetitions, so that a single lost message resolves nothing. */
export const REPEATS_UNTIL_END = 4

/** Alertmanager's `postableAlert`. Times are RFC 3339. */
export interface PostableAlert {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  readonly startsAt: string
  readonly endsAt: string
  readonly generatorURL: string
}

/** Of one request: a text of megabytes would take the thread. */
const ALERTS_PER_REQUEST = 2000

/** In one request after the other. An Alertmanager that has an alert already takes it again. */
export async function sendAlertmanager(
  config: AlertmanagerConfig,
  message: Message,
  sending: Sending,
): Promise<Attempt> {
  const { alerts, nowMs, repeatIntervalMs } = message
  const endMs = nowMs + REPEATS_UNTIL_END * repeatIntervalMs
  for (let from = 0; ; from += ALERTS_PER_REQUEST) {
    const part = alerts.slice(from, from + ALERTS_PER_REQUEST)
    const posted = part.map((alert) => postableAlert(alert, alert.status === 'firing' ? endMs : alert.endsAtMs))
    const attempt = await postAlerts(config, posted, sending)
    if (attempt.outcome !== 'delivered' || from + ALERTS_PER_REQUEST >= alerts.length) return attempt
  }
}

export function postAlerts(
  { url, http, timeout: timeoutMs }: Omit<AlertmanagerConfig, 'kind' | 'sendResolved'>,
  alerts: readonly PostableAlert[],
  sending: Posting,
): Promise<Attempt> {
  const api = { kind: 'text', value: `${url}/api/v2/alerts` } as const
  return postJson(sending, { url: api, hidesPath: false, http, timeoutMs, body: alerts })
}

export function postableAlert(
  alert: Pick<MessageAlert, 'labels' | 'annotations' | 'startsAtMs' | 'generatorUrl'>,
  endsAtMs: number,
): PostableAlert {
  return {
    labels: alert.labels.toObject(),
    annotations: alert.annotations,
    startsAt: goTimeText(alert.startsAtMs),
    endsAt: goTimeText(endsAtMs),
    generatorURL: alert.generatorUrl,
  }
}
