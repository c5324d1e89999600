/** Telling Alertmanagers, wired: which alerts, how often, and counted. A slow receiver never holds up a beat. */
import type { Clock } from './base/clock.ts'
import { messageOf } from './base/errors.ts'
import type { Log } from './base/log.ts'
import type { OwnMetrics } from './base/metrics.ts'
import type { Config } from './config.ts'
import { createAlertmanagerNotifier } from './notify/alertmanager.ts'
import { createFetchPost } from './notify/http-post.ts'
import type { NotifiableAlert } from './notify/notification.ts'

export interface Notifications {
  /** Queues what is news and starts sending; calling it each beat is also what makes retries happen. */
  tell(alerts: () => Promise<readonly NotifiableAlert[]>, nowMs: number): Promise<void>
  /** Resolves when nothing is being sent any more. */
  stop(): Promise<void>
}

export function createNotifications(config: Config, clock: Clock, metrics: OwnMetrics, log: Log): Notifications {
  const urls = config.alertmanager
  const notifier = createAlertmanagerNotifier({
    urls,
    post: createFetchPost(clock),
    externalUrl: config['external.url'],
    resendDelayMs: config['alertmanager.resend-delay'],
  })
  const sending = new Set<Promise<void>>()

  const send = async (nowMs: number): Promise<void> => {
    for (const { url, outcome, status } of await notifier.deliver(nowMs)) {
      metrics.notifications.inc({ receiver: url, outcome })
      if (outcome !== 'delivered') log.warn({ url, outcome, status }, 'alerts could not be handed to an Alertmanager')
    }
  }
  return {
    tell: async (alerts, nowMs) => {
      if (urls.length === 0) return
      notifier.offer(await alerts(), nowMs)
      const sent = send(nowMs).catch((thrown: unknown) => {
        log.error({ error: messageOf(thrown) }, 'sending notifications failed')
      })
      sending.add(sent)
      void sent.then(() => sending.delete(sent))
    },
    stop: async () => {
      await Promise.all(sending)
    },
  }
}
