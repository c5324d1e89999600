/**
 * Telling people and Alertmanagers, wired: which alerts, how often, counted, kept. Two ways side by side: the pipeline of
 * the configuration file, and `--alertmanager`, which hands every alert over as Prometheus does. A slow receiver never
 * holds up a beat.
 */
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { Config } from '../config/config.ts'
import type { DeliveryRecord, DeliveryStore } from '../model/delivery.ts'
import type { NotificationLogStore } from '../model/notification-log.ts'
import { readNotifyConfig } from '../notify/config/read-config.ts'
import { NOTIFY_DEFAULTS, createAlertmanagerNotifier } from '../notify/alertmanager.ts'
import { createHttpClient } from '../notify/http-client.ts'
import { createFetchPost } from '../notify/http-post.ts'
import { generatorUrl } from '../notify/notification.ts'
import type { NotifiableAlert } from '../notify/notification.ts'
import { Notifier } from '../notify/notifier.ts'
import type { PipelineAlert } from '../notify/pipeline.ts'
import type { SilenceReader } from '../notify/ports.ts'
import { thresholdOf } from '../promql/threshold.ts'
import type { Reloadable } from './reload.ts'
import type { UpgradeMarks } from './upgrade-marks.ts'

export interface Notifications {
  /** Decides, queues what is news and starts sending; calling it each beat is also what makes retries happen. */
  tell(alerts: () => Promise<readonly ToldAlert[]>, nowMs: number): Promise<void>
  readonly notifier: Notifier
  readonly reloadable: Reloadable
  /** Resolves when nothing is being sent any more. */
  stop(): Promise<void>
}

/** A rule's alert, or one of others, which says where it comes from. */
export type ToldAlert = NotifiableAlert & { readonly external?: { readonly generatorUrl: string } }

export interface NotificationsParts {
  readonly config: Config
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly store: { readonly notificationLog: NotificationLogStore; readonly deliveries: Pick<DeliveryStore, 'add'> }
  readonly silences: SilenceReader
  readonly upgrades: UpgradeMarks
}

/** Old entries of the notification log are looked for this often. */
const PRUNE_EVERY_MS = 10 * 60_000

/** Rejects with FleetError `config_invalid` when the configuration cannot be used. */
export async function createNotifications(parts: NotificationsParts): Promise<Notifications> {
  const { config, clock, metrics, log, store, upgrades } = parts
  const path = config['notify.config']
  const deliveries: DeliveryRecord[] = []
  const notifier = new Notifier({
    config: readNotifyConfig(path, log),
    silences: parts.silences,
    upgrades,
    externalUrl: config['external.url'],
    told: await store.notificationLog.load(),
    http: createHttpClient(clock),
    stopwatchMs: () => performance.now(),
    timeoutMs: NOTIFY_DEFAULTS.timeoutMs,
    note: (delivery) => {
      deliveries.push(delivery)
      countDelivery(delivery, metrics, log)
    },
    remember: (entries) => store.notificationLog.put(entries),
    clock,
  })
  const handOver = createHandOver(config, clock, metrics, log)
  const pipelineAlert = pipelineAlertMaker(config['external.url'])
  const sending = new Set<Promise<void>>()
  let prunedAtMs = -Infinity

  const deliver = async (nowMs: number): Promise<void> => {
    await notifier.deliver(nowMs)
    await store.deliveries.add(deliveries.splice(0))
    if (Math.abs(nowMs - prunedAtMs) < PRUNE_EVERY_MS) return
    prunedAtMs = nowMs
    await store.notificationLog.prune(nowMs)
  }
  const start = (work: Promise<void>): void => {
    const done = work.catch((thrown: unknown) => {
      log.error({ error: messageOf(thrown) }, 'sending notifications failed')
    })
    sending.add(done)
    void done.then(() => sending.delete(done))
  }
  return {
    notifier,
    reloadable: {
      name: 'notifications',
      places: path === '' ? [] : [path],
      read: () => {
        const next = readNotifyConfig(path, log)
        return () => notifier.use(next)
      },
    },
    tell: async (read, nowMs) => {
      const alerts = await read()
      await upgrades.refresh(alerts, nowMs)
      await notifier.beat(alerts.map(pipelineAlert), nowMs)
      start(deliver(nowMs))
      if (handOver !== undefined) start(handOver(alerts, nowMs))
    },
    stop: async () => {
      await Promise.all(sending)
      await store.deliveries.add(deliveries.splice(0))
    },
  }
}

const ATTEMPTS_BEFORE_WARNING = 3

function countDelivery(delivery: DeliveryRecord, metrics: OwnMetrics, log: Log): void {
  const { receiver, integration, outcome, target, status, error, latencyMs, attempt, retryAtMs } = delivery
  metrics.notifications.inc({ receiver, integration, outcome })
  metrics.notificationSeconds.observe({ integration }, latencyMs / 1000)
  if (outcome === 'delivered') return
  // A service that is busy once is no news, and the delivery log has it; one that stays away is.
  const level = outcome === 'failed' && attempt < ATTEMPTS_BEFORE_WARNING ? 'info' : 'warn'
  log[level](
    { receiver, integration, target, outcome, status, error, attempt, retryAtMs },
    'a notification was not delivered',
  )
}

/** `undefined` without Alertmanagers. */
function createHandOver(
  config: Config,
  clock: Clock,
  metrics: OwnMetrics,
  log: Log,
): ((alerts: readonly ToldAlert[], nowMs: number) => Promise<void>) | undefined {
  const urls = config.alertmanager
  if (urls.length === 0) return undefined
  const notifier = createAlertmanagerNotifier({
    urls,
    post: createFetchPost(clock),
    externalUrl: config['external.url'],
    resendDelayMs: config['alertmanager.resend-delay'],
  })
  return async (alerts, nowMs) => {
    // What others posted they can post there themselves.
    notifier.offer(
      alerts.filter(({ external }) => external === undefined),
      nowMs,
    )
    for (const { url, outcome, status } of await notifier.deliver(nowMs)) {
      metrics.notifications.inc({ receiver: url, integration: 'alertmanager', outcome })
      if (outcome !== 'delivered') log.warn({ url, outcome, status }, 'alerts could not be handed to an Alertmanager')
    }
  }
}

/** Values rarely change from beat to beat: what they were compared with is worked out once. */
function pipelineAlertMaker(externalUrl: string): (alert: ToldAlert) => PipelineAlert {
  const thresholds = new Map<string, string | undefined>()
  return (alert) => {
    const { external, rule } = alert
    if (external !== undefined) return { ...alert, generatorUrl: external.generatorUrl }
    const { expr } = rule
    const key = `${alert.value} ${expr}`
    if (!thresholds.has(key)) {
      if (thresholds.size >= THRESHOLDS_MAX) thresholds.clear()
      thresholds.set(key, thresholdText(expr, alert.value))
    }
    const threshold = thresholds.get(key)
    return {
      ...alert,
      generatorUrl: generatorUrl(externalUrl, expr),
      ...(threshold === undefined ? {} : { threshold }),
    }
  }
}

const THRESHOLDS_MAX = 10_000

function thresholdText(expr: string, value: number): string | undefined {
  const found = thresholdOf(expr, value)
  return found === undefined ? undefined : `${found.operator} ${found.threshold}`
}
