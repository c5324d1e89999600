/**
 * Notification timelines as text: a configuration, and for each moment which alerts fire, resolve or are gone. What was
 * sent is written as `30s hook first: A B, resolved C`.
 */
import { Labels } from '../../src/model/labels.ts'
import { fingerprintOf, type Alert } from '../../src/model/alert.ts'
import { parseDuration } from '../../src/model/duration.ts'
import type { NotificationLogEntry } from '../../src/model/notification-log.ts'
import { loadConfig, type NotifyConfig } from '../../src/notify/config/config-file.ts'
import { settle } from '../../src/notify/dispatch.ts'
import { alertGroups, marksOf, runStages } from '../../src/notify/pipeline.ts'
import {
  createPipelineState,
  type Notification,
  type PipelineState,
  type AlertGroup,
  type PipelineAlert,
  type PipelineMarks,
} from '../../src/notify/pipeline-state.ts'
import type { ExpectedMark } from '../../src/notify/ports.ts'
import { atOnce } from '../support/at-once.ts'

/** A Monday. */
export const START_MS = Date.UTC(2026, 2, 2, 10)

export function configOf(text: string): NotifyConfig {
  const { config, diagnostics } = loadConfig('am.yml', text, () => [])
  if (config === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return config
}

/** `A severity=critical cluster=east`: the first word is the alert's name. */
export function labelsOf(text: string): Labels {
  const [name = '', ...pairs] = text.split(' ')
  return Labels.fromPairs([['alertname', name], ...pairs.map((pair) => pair.split('=') as [string, string])])
}

export function alertOf(text: string, state: Alert['state'], activeAtMs: number, resolvedAtMs?: number): PipelineAlert {
  const labels = labelsOf(text)
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: {},
    state,
    activeAtMs,
    ...(state === 'pending' ? {} : { firedAtMs: activeAtMs }),
    ...(resolvedAtMs === undefined ? {} : { resolvedAtMs }),
    lastHeldAtMs: activeAtMs,
    value: 1,
    generatorUrl: 'http://daytwo/graph',
  }
}

export interface TimelineOptions {
  /** Alert names that are silenced, by the id of the silence. */
  readonly silenced?: Map<string, string>
  /** Alert names that an upgrade explains now. */
  readonly expected?: Map<string, ExpectedMark>
  readonly notified?: readonly NotificationLogEntry[]
  /** Whether a message arrives. */
  readonly arrives?: (notification: Notification) => boolean
}

export class Timeline {
  readonly state: PipelineState
  readonly sent: string[] = []
  readonly logged: NotificationLogEntry[] = []
  readonly notifications: Notification[] = []
  readonly #options: TimelineOptions
  readonly #alerts = new Map<string, PipelineAlert>()
  nowMs = START_MS

  constructor(config: NotifyConfig, options: TimelineOptions = {}) {
    this.#options = options
    const { silenced, expected, notified = [] } = options
    const nameOf = (labels: Labels): string => labels.get('alertname')
    this.state = createPipelineState({
      config,
      silences: { silencedBy: (labels) => [silenced?.get(nameOf(labels)) ?? []].flat() },
      upgrades: { expectedFor: ({ labels }) => expected?.get(nameOf(labels)) },
      externalUrl: 'http://daytwo',
      notified,
    })
  }

  fire(...texts: readonly string[]): this {
    return this.#set('firing', texts)
  }

  resolve(...texts: readonly string[]): this {
    return this.#set('resolved', texts)
  }

  wait(...texts: readonly string[]): this {
    return this.#set('pending', texts)
  }

  /** Nobody speaks of it any more. */
  vanish(...texts: readonly string[]): this {
    for (const text of texts) this.#alerts.delete(text)
    return this
  }

  /** Runs a cycle each second until `text` after the present, the end inclusive. */
  run(text: string): this {
    const endMs = this.nowMs + parseDuration(text)!
    for (; this.nowMs < endMs;) {
      this.nowMs += 1000
      this.cycle()
    }
    return this
  }

  cycle(): this {
    const { notifications, logged } = atOnce(runStages(this.state, [...this.#alerts.values()], this.nowMs))
    this.logged.push(...logged)
    for (const notification of notifications) {
      this.notifications.push(notification)
      const isNotified = this.#options.arrives?.(notification) ?? true
      this.sent.push(`${this.#time()} ${lineOf(notification)}${isNotified ? '' : ' (lost)'}`)
      if (isNotified) this.logged.push(notification.logEntry)
      atOnce(settle(notification, isNotified, this.nowMs))
    }
    return this
  }

  reasonOf(text: string): string {
    const alert = this.#alerts.get(text)!
    return this.marksOf(alert)
      .decisions.map(({ receiver, sends, reason }) => `${receiver} ${sends ? 'sends' : 'holds'} ${reason}`)
      .join('; ')
  }

  marksOf(alert: Alert): PipelineMarks {
    return marksOf(this.state, alert, this.nowMs)
  }

  groups(): readonly AlertGroup[] {
    return alertGroups(this.state, this.nowMs)
  }

  #time(): string {
    const seconds = (this.nowMs - START_MS) / 1000
    return `${seconds}s`
  }

  #set(state: Alert['state'], texts: readonly string[]): this {
    for (const text of texts) {
      const before = this.#alerts.get(text)
      const isSameRun = before !== undefined && before.state !== 'resolved'
      const activeAtMs = isSameRun || (state === 'resolved' && before !== undefined) ? before.activeAtMs : this.nowMs
      this.#alerts.set(text, alertOf(text, state, activeAtMs, state === 'resolved' ? this.nowMs : undefined))
    }
    return this
  }
}

function lineOf({ receiver, integration, reason, message }: Notification): string {
  const names = (status: string): string =>
    message.alerts
      .filter((alert) => alert.status === status)
      .map(({ labels }) => labels.get('alertname'))
      .join(' ')
  const resolved = names('resolved')
  const parts = [names('firing'), resolved === '' ? '' : `resolved ${resolved}`].filter((part) => part !== '')
  return `${receiver}/${integration.kind} ${reason}: ${parts.join(', ')}`
}
