/**
 * The pipeline as one thing: decides, sends, remembers. The configuration can be exchanged while it runs; what was told
 * stays known, and messages on their way arrive.
 */
import type { DeliveryRecord } from '../model/delivery.ts'
import type { NotificationLogEntry } from '../model/notification-log.ts'
import type { Alert } from '../model/alert.ts'
import type { NotifyConfig } from './config/config-file.ts'
import { Courier } from './courier.ts'
import type { IntegrationHealth } from './courier.ts'
import type { HttpClient } from './http-client.ts'
import { PipelineCore } from './pipeline-core.ts'
import type { Notice } from './pipeline-core.ts'
import type { AlertGroup, PipelineAlert, PipelineMarks, PipelineView } from './pipeline.ts'
import type { SilenceReader, UpgradeReader } from './ports.ts'
import { send, targetOf } from './receivers/send.ts'
import type { Route } from './route.ts'
import { routesFor } from './route.ts'
import type { Labels } from '../model/labels.ts'

export interface NotifierParts {
  readonly config: NotifyConfig
  readonly silences: SilenceReader
  readonly upgrades: UpgradeReader
  /** Without a slash at the end. */
  readonly externalUrl: string
  readonly told: readonly NotificationLogEntry[]
  readonly http: HttpClient
  /** For latencies. */
  readonly stopwatchMs: () => number
  /** How long a receiver may take, unless the file says so. */
  readonly timeoutMs: number
  /** After each attempt. */
  readonly note: (delivery: DeliveryRecord) => void
  /** Durable when it resolves. When it rejects, the message is told again, which is better than never. */
  readonly remember: (entries: readonly NotificationLogEntry[]) => Promise<void>
  readonly clock: { nowMs(): number }
}

export interface ReceiverHealth {
  readonly name: string
  readonly integrations: readonly (IntegrationHealth & { readonly integration: string; readonly target: string })[]
}

export class Notifier implements PipelineView {
  readonly #parts: NotifierParts
  readonly #courier: Courier
  #config: NotifyConfig
  #core: PipelineCore

  constructor(parts: NotifierParts) {
    this.#parts = parts
    this.#config = parts.config
    this.#core = this.#coreOf(parts.config, parts.told)
    this.#courier = new Courier({
      send: ({ integration, message }) =>
        send(integration, message, {
          http: parts.http,
          templates: this.#config.templates,
          secrets: this.#config.secrets,
          timeoutMs: parts.timeoutMs,
          stopwatchMs: parts.stopwatchMs,
        }),
      note: parts.note,
      settle: (notice, isTold) => this.#settle(notice, isTold),
    })
  }

  /** Decides what is due, and remembers what needs no message. `deliver` sends. */
  async beat(alerts: readonly PipelineAlert[], nowMs: number): Promise<void> {
    const { notices, logged } = this.#core.beat(alerts, nowMs)
    this.#courier.offer(notices, nowMs)
    if (logged.length > 0) await this.#parts.remember(logged)
  }

  /** Resolves when all that is due has an answer. Call it often, and do not wait for it. */
  deliver(nowMs: number): Promise<void> {
    return this.#courier.run(nowMs)
  }

  /** From now on by this configuration; groups are made anew of the alerts that the next beat brings. */
  async use(config: NotifyConfig): Promise<void> {
    this.#core = this.#coreOf(config, [...this.#core.told()])
    this.#config = config
    await this.#courier.clear()
  }

  get route(): Route {
    return this.#config.route
  }

  /** The file's `global.resolve_timeout`: how long an alert of others is believed that names no end. */
  get resolveTimeoutMs(): number {
    return this.#config.global.resolveTimeoutMs
  }

  routesOf(labels: Labels): readonly Route[] {
    return routesFor(this.#config.route, labels)
  }

  health(): readonly ReceiverHealth[] {
    return [...this.#config.receivers.values()].map(({ name, integrations }) => ({
      name,
      integrations: integrations.map((integration, index) => ({
        integration: integration.kind,
        target: targetOf(integration),
        ...this.#courier.health(name, index),
      })),
    }))
  }

  marksOf(alert: Alert, nowMs: number): PipelineMarks {
    return this.#core.marksOf(alert, nowMs)
  }

  hasSeen(fingerprint: string): boolean {
    return this.#core.hasSeen(fingerprint)
  }

  groups(nowMs: number): readonly AlertGroup[] {
    return this.#core.groups(nowMs)
  }

  receivers(): readonly string[] {
    return this.#core.receivers()
  }

  configText(): string {
    return this.#core.configText()
  }

  #coreOf(config: NotifyConfig, told: Iterable<NotificationLogEntry>): PipelineCore {
    const { silences, upgrades, externalUrl } = this.#parts
    return new PipelineCore({ config, silences, upgrades, externalUrl, told })
  }

  async #settle(notice: Notice, isTold: boolean): Promise<void> {
    const nowMs = this.#parts.clock.nowMs()
    // First in memory: the group must not wait for ever because the disk is full.
    if (notice.core === this.#core) this.#core.settle(notice, isTold, nowMs)
    else if (isTold) this.#core.remember(notice.logEntry)
    if (isTold) await this.#parts.remember([notice.logEntry])
  }
}
