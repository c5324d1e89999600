/**
 * Notifications of all alerts, counted and stored: by the pipeline of the configuration file, and by the hand-over to
 * `--alertmanager`, as in Prometheus. A slow receiver never delays an evaluation cycle.
 */
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import { inSlices, mapInSteps, ownTurn } from '../base/thread-slices.ts'
import type { DeliveryRecord, DeliveryStore } from '../model/delivery.ts'
import type { NotificationLogStore } from '../model/notification-log.ts'
import { readNotifyConfig } from './config/read-config.ts'
import { HandOver } from './hand-over.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { generatorUrl } from './message.ts'
import { Pipeline, type DeliveryClaims } from './pipeline.ts'
import type { PipelineAlert } from './pipeline-state.ts'
import type { NotifiableAlert, SilenceReader } from './ports.ts'
import type { UpgradeMarks } from './upgrade-marks.ts'

export interface Notifications {
  /** Decides, queues messages and starts sending; each call also retries what is due. */
  cycle(nowMs: number): Promise<void>
  readonly pipeline: Pipeline
  /** Reloads the configuration file: `read` checks it and returns the function that applies it. */
  readonly reloadable: {
    readonly name: string
    readonly places: readonly string[]
    read(): () => Promise<void>
  }
  /** Before the first cycle after one of another process: goes on from the stored log. Rejects when the store does. */
  takeOver(): Promise<void>
  /** Another process goes on: what waits is dropped. */
  handOn(): Promise<void>
  /** Resolves when nothing is being sent. */
  stop(): Promise<void>
}

/** An alert of a rule, or an external alert with the URL of its sender. */
export type NotifiedAlert = NotifiableAlert & { readonly external?: { readonly generatorUrl: string } }

export interface NotificationOptions {
  /** Path of the configuration file; empty for none. */
  readonly configPath: string
  /** Without a trailing slash. */
  readonly externalUrl: string
  /** Alertmanagers that receive every alert. */
  readonly alertmanagerUrls: readonly string[]
  readonly resendDelayMs: number
}

export interface NotificationsParts {
  readonly options: NotificationOptions
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly alerts: { toNotify(nowMs: number): Promise<readonly NotifiedAlert[]> }
  readonly store: { readonly notificationLog: NotificationLogStore; readonly deliveries: Pick<DeliveryStore, 'add'> }
  /** Where several processes notify. */
  readonly claims?: DeliveryClaims | undefined
  readonly silences: SilenceReader
  readonly upgrades: UpgradeMarks
  readonly thresholdTexts: ThresholdTexts
}

/** Of a rule's expression: the comparison that a value passed, as written: `> 0.9`. */
export type ThresholdTexts = (expr: string) => (value: number) => string | undefined

/** Timeout of a receiver, unless the configuration has one. */
const RECEIVER_TIMEOUT_MS = 10_000
/** Interval of the removal of expired entries of the notification log. */
const PRUNE_EVERY_MS = 10 * 60_000

/** Rejects with FleetError `config_invalid` when the configuration cannot be used. */
export async function createNotifications(parts: NotificationsParts): Promise<Notifications> {
  const { options, clock, metrics, log, store, upgrades } = parts
  const path = options.configPath
  const deliveries: DeliveryRecord[] = []
  const http = createHttpClient(clock)
  const pipeline = new Pipeline({
    config: readNotifyConfig(path, log),
    silences: parts.silences,
    upgrades,
    externalUrl: options.externalUrl,
    notified: await store.notificationLog.load(),
    http,
    stopwatchMs: () => performance.now(),
    timeoutMs: RECEIVER_TIMEOUT_MS,
    claims: parts.claims,
    onAttempt: (delivery) => {
      deliveries.push(delivery)
      countDelivery(delivery, metrics, log)
    },
    remember: (entries) => store.notificationLog.put(entries),
    clock,
  })
  const handOver = createHandOver(options, http, metrics, log)
  const pipelineAlert = pipelineAlertMaker(options.externalUrl, parts.thresholdTexts)
  const sending = new Set<Promise<void>>()
  let prunedAtMs = -Infinity

  const deliver = async (nowMs: number): Promise<void> => {
    await pipeline.deliver(nowMs)
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
    pipeline,
    reloadable: {
      name: 'notifications',
      places: path === '' ? [] : [path],
      read: () => {
        const next = readNotifyConfig(path, log)
        return () => pipeline.use(next)
      },
    },
    cycle: async (nowMs) => {
      const alerts = await parts.alerts.toNotify(nowMs)
      await upgrades.refresh(alerts, nowMs)
      await pipeline.cycle(await inSlices(mapInSteps(alerts, pipelineAlert), ownTurn), nowMs)
      start(deliver(nowMs))
      if (handOver === undefined) return
      await handOver.offer(alerts, nowMs)
      start(handOver.deliver(nowMs))
    },
    takeOver: async () => {
      await pipeline.restart(await store.notificationLog.load())
    },
    handOn: () => pipeline.restart([]),
    stop: async () => {
      await Promise.all(sending)
      // A disk that cannot be written does not keep the server from starting again.
      await store.deliveries.add(deliveries.splice(0)).catch((thrown: unknown) => {
        log.error({ error: messageOf(thrown) }, 'the last deliveries could not be stored')
      })
    },
  }
}

const ATTEMPTS_BEFORE_WARNING = 3

function countDelivery(delivery: DeliveryRecord, metrics: OwnMetrics, log: Log): void {
  const { receiver, integration, outcome, target, status, error, latencyMs, attempt, retryAtMs } = delivery
  metrics.notifications.inc({ receiver, integration, outcome })
  metrics.notificationSeconds.observe({ integration }, latencyMs / 1000)
  if (outcome === 'delivered') return
  // A single failure is in the delivery log; repeated failures are worth a warning.
  const level = outcome === 'failed' && attempt < ATTEMPTS_BEFORE_WARNING ? 'info' : 'warn'
  const fields = { receiver, integration, target, outcome, status, error, attempt, retryAtMs }
  log[level](fields, 'a notification was not delivered')
}

/** `undefined` without Alertmanagers. */
function createHandOver(
  options: NotificationOptions,
  http: HttpClient,
  metrics: OwnMetrics,
  log: Log,
):
  | { offer(alerts: readonly NotifiedAlert[], nowMs: number): Promise<void>; deliver(nowMs: number): Promise<void> }
  | undefined {
  const urls = options.alertmanagerUrls
  if (urls.length === 0) return undefined
  const { externalUrl, resendDelayMs } = options
  const handOver = new HandOver({ urls, http, externalUrl, resendDelayMs })
  return {
    offer: async (alerts, nowMs) => {
      // Senders of external alerts can post them there themselves.
      const ofRules = alerts.filter(({ external }) => external === undefined)
      await inSlices(handOver.offer(ofRules, nowMs), ownTurn)
    },
    deliver: async (nowMs) => {
      for (const { url, outcome, status } of await handOver.deliver(nowMs)) {
        metrics.notifications.inc({ receiver: url, integration: 'alertmanager', outcome })
        if (outcome !== 'delivered') log.warn({ url, outcome, status }, 'alerts could not be handed to an Alertmanager')
      }
    },
  }
}

/** What follows from an expression alone is made once: all alerts of a rule share it. */
function pipelineAlertMaker(
  externalUrl: string,
  thresholdTexts: ThresholdTexts,
): (alert: NotifiedAlert) => PipelineAlert {
  const ofExpr = new Map<
    string,
    { readonly generatorUrl: string; readonly thresholdText: (value: number) => string | undefined }
  >()
  return (alert) => {
    const { external, rule } = alert
    if (external !== undefined) return { ...alert, generatorUrl: external.generatorUrl }
    const { expr } = rule
    let known = ofExpr.get(expr)
    if (known === undefined) {
      if (ofExpr.size >= EXPRESSIONS_MAX) ofExpr.clear()
      known = { generatorUrl: generatorUrl(externalUrl, expr), thresholdText: thresholdTexts(expr) }
      ofExpr.set(expr, known)
    }
    const threshold = known.thresholdText(alert.value)
    return {
      ...alert,
      generatorUrl: known.generatorUrl,
      ...(threshold === undefined ? {} : { threshold }),
    }
  }
}

/** More than rules have; expressions change with a reload. */
const EXPRESSIONS_MAX = 2000
