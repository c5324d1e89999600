/**
 * The state of the pipeline between evaluation cycles, the data that the stages of one cycle pass on, and what the API shows
 * of them. Plain data: the stages (`pipeline.ts` lists them) are functions over it, and time is an argument. Without a
 * configuration there is one route without a receiver, so that groups and marks exist.
 */
import type { Steps } from '../base/thread-slices.ts'
import type { Alert } from '../model/alert.ts'
import type { Labels } from '../model/labels.ts'
import type { NotificationLogEntry } from '../model/notification-log.ts'
import type { NotifyConfig } from './config/config-file.ts'
import type { IntegrationConfig } from './config/receiver-config.ts'
import { Inhibitor } from './inhibitor.ts'
import type { Message } from './message.ts'
import type { ExpectedMark, SilenceReader, UpgradeReader } from './ports.ts'
import type { Route } from './route.ts'

export interface PipelineParts {
  readonly config: NotifyConfig
  readonly silences: SilenceReader
  readonly upgrades: UpgradeReader
  /** Without a trailing slash. */
  readonly externalUrl: string
  /** The notification log at the start. */
  readonly notified: Iterable<NotificationLogEntry>
}

export interface PipelineState extends Omit<PipelineParts, 'notified'> {
  /** By fingerprint; firing alerts are sources of inhibition. */
  readonly alerts: Map<string, AlertEntry>
  readonly inhibitor: Inhibitor
  /** By id. */
  readonly groups: Map<string, Group>
  /** The notification log by key: the last notification of each group to each receiver. */
  readonly notified: Map<string, NotificationLogEntry>
}

export interface AlertEntry {
  /** Firing or resolved, never pending. */
  alert: PipelineAlert
  isPresent: boolean
  /** Labels never change, so neither do the groups. */
  readonly places: readonly GroupPlace[]
  /** By receiver. */
  readonly decisions: Map<string, Decision>
  /** Groups in which this resolution is settled: group id to `resolvedAtMs`. */
  readonly settled: Map<string, number>
  /** The occurrence (`activeAtMs`) that an upgrade explained, while no receiver is notified of it. */
  expectedRunMs?: number | undefined
}

/** The group of a route for alerts with the same values of its `group_by` labels. */
export interface GroupPlace {
  readonly id: string
  readonly route: Route
  readonly labels: Labels
}

export interface Group extends GroupPlace {
  /** Alertmanager's group key. */
  readonly key: string
  readonly alerts: Map<string, PipelineAlert>
  nextFlushMs: number
  hasFlushed: boolean
  /** Notifications of the last flush that are not settled, and whether one of them failed. */
  waiting: number
  hasFailed: boolean
  /** The alerts of the last flush. */
  flushed: readonly PipelineAlert[]
  emptySinceMs: number | undefined
}

/** One evaluation cycle; each stage adds to it or removes from it. */
export interface Cycle {
  readonly nowMs: number
  readonly alerts: readonly PipelineAlert[]
  /** Groups that are due. */
  readonly flushes: Flush[]
  /** Messages to send. */
  readonly notifications: Notification[]
  /** Entries of the notification log without a message. */
  readonly logged: NotificationLogEntry[]
}

export interface Flush {
  readonly group: Group
  /** Alerts of the group that no stage has held back. */
  passing: readonly PipelineAlert[]
}

/** In steps: there may be 100,000 alerts. */
export type Stage = (state: PipelineState, cycle: Cycle) => Steps<void>

/** A message to send, and the log entry for its delivery. */
export interface Notification {
  /** The state that decided it; after a change of the configuration another state is in use. */
  readonly state: PipelineState
  readonly groupId: string
  readonly receiver: string
  /** Place of the integration in its receiver. */
  readonly index: number
  readonly integration: IntegrationConfig
  readonly message: Message
  readonly reason: NotifyReason
  readonly logEntry: NotificationLogEntry
  /** The time of the entry that it follows; absent: there was none. */
  readonly afterMs?: number
  /** After this time the group decides anew. */
  readonly expiresAtMs: number
}

export function createPipelineState(parts: PipelineParts): PipelineState {
  const { config, silences, upgrades, externalUrl, notified } = parts
  return {
    config,
    silences,
    upgrades,
    externalUrl,
    alerts: new Map(),
    inhibitor: new Inhibitor(config.inhibitRules),
    groups: new Map(),
    notified: new Map([...notified].map((entry) => [entry.key, entry])),
  }
}

/** Records the last decision about an alert and a receiver. */
export function decide(state: PipelineState, fingerprint: string, decision: Decision): void {
  state.alerts.get(fingerprint)?.decisions.set(decision.receiver, decision)
}

/** One alert. Of alerts with one fingerprint the firing one counts; pending alerts are never sent. */
export interface PipelineAlert extends Alert {
  /** The page of its expression on this server, or the URL of the sender of an external alert. */
  readonly generatorUrl: string
  /** The comparison of the rule as written: `> 0.9`. */
  readonly threshold?: string
}

/** The last decision about one alert and one receiver. */
export interface Decision {
  readonly receiver: string
  readonly sends: boolean
  /** A `NotifyReason`, with its cause after a colon where it has one: `silenced_by: <id>`. */
  readonly reason: string
  readonly atMs: number
}

/** Why an alert is not sent, and its receivers; the contract's `AlertMarks` without acknowledgements and comments. */
export interface PipelineMarks {
  readonly silencedBy: readonly string[]
  readonly inhibitedBy: readonly string[]
  readonly mutedBy: readonly string[]
  readonly expected?: ExpectedMark
  /** In the order of the routes, each once. */
  readonly receivers: readonly string[]
  readonly decisions: readonly Decision[]
}

/** Alerts of one route with the same values of its `group_by` labels. */
export interface AlertGroup {
  /** Alertmanager's: the matchers down to the route, a colon, the group's labels. */
  readonly groupKey: string
  readonly receiver: string
  readonly labels: Labels
  /** Firing alerts, and resolved ones that are not notified yet; in no order. */
  readonly alerts: readonly PipelineAlert[]
  /** Names of the time intervals that mute the group now. */
  readonly mutedBy: readonly string[]
  readonly nextFlushMs: number
}

/**
 * Why a receiver is notified of an alert, or not: one list for the pipeline (`/debug/notify`, `/api/fleet/v1/deliveries`) and
 * for the hand-over to Alertmanagers. Every decision has one of these.
 */
export type NotifyReason =
  // Notified.
  | 'first'
  | 'new_alerts'
  | 'resolved'
  | 'repeat_due'
  // Nothing to send: no change since the last message; all resolved, and the receiver takes no resolved alerts; resolved
  // before it was notified; the group has not been due since the alert came; the route has no receiver.
  | 'nothing_new'
  | 'cleared'
  | 'only_resolved'
  | 'waits_for_group'
  | 'no_receiver'
  // Held back by a stage of the pipeline.
  | 'inhibited_by'
  | 'expected_in_upgrade'
  | 'muted_by'
  | 'silenced_by'
  // Not handed over to Alertmanagers.
  | 'pending'
  | 'resolved_long_ago'
  | 'same_labels'
