/**
 * From alerts to messages: a list of stages, as in Alertmanager, which run once in each evaluation cycle over explicit state
 * (`pipeline-state.ts`); then deliveries with retries. The configuration can be replaced at run time: the notification log
 * is retained, and messages that are being sent are not canceled.
 */
import { inSlices, ownTurn, type Steps } from '../base/thread-slices.ts'
import type { Alert } from '../model/alert.ts'
import type { DeliveryRecord } from '../model/delivery.ts'
import { compareLabels, type Labels } from '../model/labels.ts'
import type { NotificationClaim, NotificationLogEntry } from '../model/notification-log.ts'
import type { NotifyConfig } from './config/config-file.ts'
import { DeliveryQueue, type IntegrationHealth } from './delivery-queue.ts'
import { due, grouped, indexed, settle, settled } from './dispatch.ts'
import { expectedInUpgrade, expectedMark, inhibited, muted, mutedBy, silenced } from './hold-back.ts'
import type { HttpClient } from './http-client.ts'
import { deduplicated } from './notification-log.ts'
import {
  createPipelineState,
  type Cycle,
  type Notification,
  type PipelineParts,
  type PipelineState,
  type Stage,
  type AlertGroup,
  type PipelineAlert,
  type PipelineMarks,
} from './pipeline-state.ts'
import { send, targetOf } from './receivers/send.ts'
import { routesFor, type Route } from './route.ts'

/** In this order. Deliveries follow: `delivery-queue.ts` sends, retries, and reports the outcome of each message. */
export const STAGES: readonly Stage[] = [
  indexed,
  grouped,
  due,
  inhibited,
  expectedInUpgrade,
  muted,
  silenced,
  deduplicated,
  settled,
]

/** Runs all stages for the alerts of a cycle. The result has the messages to send and the log entries to store. */
export function* runStages(state: PipelineState, alerts: readonly PipelineAlert[], nowMs: number): Steps<Cycle> {
  const cycle: Cycle = { nowMs, alerts, flushes: [], notifications: [], logged: [] }
  for (const stage of STAGES) yield* stage(state, cycle)
  return cycle
}

/** Where several processes notify: see `DeliveryQueueParts`. */
export interface DeliveryClaims {
  claim(notification: Notification): Promise<NotificationClaim>
  release(notification: Notification): Promise<void>
}

export interface PipelineOptions extends PipelineParts {
  readonly http: HttpClient
  /** For durations only. */
  readonly stopwatchMs: () => number
  /** Timeout of a receiver, unless the configuration has one. */
  readonly timeoutMs: number
  readonly claims?: DeliveryClaims | undefined
  /** After each attempt. */
  readonly onAttempt: (delivery: DeliveryRecord) => void
  /** Durable when it resolves. When it rejects, it is called again with the next `deliver`; until then a restart repeats the message. */
  readonly remember: (entries: readonly NotificationLogEntry[]) => Promise<void>
  readonly clock: { nowMs(): number }
}

export interface ReceiverHealth {
  readonly name: string
  readonly integrations: readonly (IntegrationHealth & { readonly integration: string; readonly target: string })[]
}

/** The pipeline as the API reads it: synchronous, from memory. */
export type PipelineView = Pick<Pipeline, 'marksOf' | 'hasSeen' | 'groups' | 'receivers' | 'configText'>

export class Pipeline {
  readonly #options: PipelineOptions
  readonly #deliveries: DeliveryQueue
  /** Entries of the log that could not be stored, by key: each `deliver` tries again. */
  readonly #unstored = new Map<string, NotificationLogEntry>()
  #state: PipelineState

  constructor(options: PipelineOptions) {
    this.#options = options
    this.#state = createPipelineState(options)
    const { http, timeoutMs, stopwatchMs, claims, onAttempt } = options
    this.#deliveries = new DeliveryQueue({
      claim:
        claims &&
        (async (notification) => {
          const outcome = await claims.claim(notification)
          // By what another process has sent the next cycle decides.
          if (outcome.kind === 'done' && outcome.entry !== undefined) {
            this.#state.notified.set(outcome.entry.key, outcome.entry)
          }
          return outcome
        }),
      release: claims && ((notification) => claims.release(notification)),
      send: ({ integration, message }) => {
        const { templates, secrets } = this.#state.config
        return send(integration, message, { http, templates, secrets, timeoutMs, stopwatchMs })
      },
      onAttempt,
      settle: (notification, isNotified) => this.#settle(notification, isNotified),
    })
  }

  /** Decides what is due, and stores log entries without a message. `deliver` sends. */
  async cycle(alerts: readonly PipelineAlert[], nowMs: number): Promise<void> {
    const state = this.#state
    const { notifications, logged } = await inSlices(runStages(state, alerts, nowMs), ownTurn)
    // The configuration changed meanwhile: the next cycle decides by the new one.
    if (state !== this.#state) return
    this.#deliveries.add(notifications, nowMs)
    if (logged.length > 0) await this.#remember(logged)
  }

  /** Resolves when every due message has a response. Call it often, without waiting for it. */
  async deliver(nowMs: number): Promise<void> {
    await this.#deliveries.run(nowMs)
    // The failure was reported when it began.
    if (this.#unstored.size > 0) await this.#remember([]).catch(() => undefined)
  }

  /** Replaces the configuration; the next cycle creates the groups from its alerts. */
  async use(config: NotifyConfig): Promise<void> {
    this.#state = createPipelineState({ ...this.#options, config, notified: this.#state.notified.values() })
    await this.#deliveries.clear()
  }

  /** Forgets its groups and what waits, as a restart does. @param notified the stored log */
  async restart(notified: Iterable<NotificationLogEntry>): Promise<void> {
    this.#state = createPipelineState({ ...this.#options, config: this.#state.config, notified })
    this.#unstored.clear()
    await this.#deliveries.clear()
  }

  get route(): Route {
    return this.#state.config.route
  }

  /** The file's `global.resolve_timeout`: how long an external alert without an end is considered firing. */
  get resolveTimeoutMs(): number {
    return this.#state.config.global.resolveTimeout
  }

  routesOf(labels: Labels): readonly Route[] {
    return routesFor(this.route, labels)
  }

  health(): readonly ReceiverHealth[] {
    return [...this.#state.config.receivers.values()].map(({ name, integrations }) => ({
      name,
      integrations: integrations.map((integration, index) => ({
        integration: integration.kind,
        target: targetOf(integration),
        ...this.#deliveries.health(name, index),
      })),
    }))
  }

  /** For an alert that no cycle has passed yet: what would apply to it now, without decisions. */
  marksOf(alert: Alert, nowMs: number): PipelineMarks {
    return marksOf(this.#state, alert, nowMs)
  }

  /** Whether a cycle has passed the alert; Alertmanager's state of other alerts is `unprocessed`. */
  hasSeen(fingerprint: string): boolean {
    return this.#state.alerts.has(fingerprint)
  }

  groups(nowMs: number): readonly AlertGroup[] {
    return alertGroups(this.#state, nowMs)
  }

  receivers(): readonly string[] {
    return [...this.#state.config.receivers.keys()]
  }

  /** The configuration file with `<secret>` for each secret: Alertmanager's form, which amtool reads. */
  configText(): string {
    return this.#state.config.shownText
  }

  async #settle(notification: Notification, isNotified: boolean): Promise<void> {
    const { state, logEntry } = notification
    // In memory first: the group must not wait forever when the disk is full.
    await inSlices(settle(notification, isNotified, this.#options.clock.nowMs()), ownTurn)
    if (!isNotified) return
    // The configuration changed while the message was being sent.
    if (state !== this.#state) this.#state.notified.set(logEntry.key, logEntry)
    await this.#remember([logEntry])
  }

  async #remember(entries: readonly NotificationLogEntry[]): Promise<void> {
    for (const entry of entries) this.#unstored.set(entry.key, entry)
    const unstored = [...this.#unstored.values()]
    await this.#options.remember(unstored)
    for (const entry of unstored) if (this.#unstored.get(entry.key) === entry) this.#unstored.delete(entry.key)
  }
}

/** The marks that the stages would set on an alert now, and their last decisions. */
export function marksOf(state: PipelineState, alert: Alert, nowMs: number): PipelineMarks {
  const { labels, fingerprint } = alert
  const routes = routesFor(state.config.route, labels)
  const expected = expectedMark(state, alert, nowMs)
  return {
    silencedBy: state.silences.silencedBy(labels, nowMs),
    inhibitedBy: state.inhibitor.inhibitedBy(labels),
    mutedBy: [...new Set(routes.flatMap((route) => mutedBy(state, route, nowMs)))],
    ...(expected === undefined ? {} : { expected }),
    receivers: [...new Set(routes.map(({ receiver }) => receiver))].filter((name) => name !== ''),
    decisions: [...(state.alerts.get(fingerprint)?.decisions.values() ?? [])],
  }
}

export function alertGroups(state: PipelineState, nowMs: number): readonly AlertGroup[] {
  return [...state.groups.values()]
    .filter(({ alerts }) => alerts.size > 0)
    .map(({ key, route, labels, alerts, nextFlushMs }) => ({
      groupKey: key,
      receiver: route.receiver,
      labels,
      alerts: [...alerts.values()],
      mutedBy: mutedBy(state, route, nowMs),
      nextFlushMs,
    }))
    .sort((a, b) => compareLabels(a.labels, b.labels) || (a.receiver < b.receiver ? -1 : 1))
}
