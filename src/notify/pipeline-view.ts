/**
 * The input of the pipeline and what the API shows of it. Each evaluation cycle passes all alerts, of rules and external ones.
 * The reason of the last decision about each alert and receiver is retained. Without a configuration there is one route
 * without a receiver, so that groups and marks exist.
 */
import type { Alert } from '../model/alert.ts'
import type { Labels } from '../model/labels.ts'
import type { ExpectedMark } from './ports.ts'

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
  /** Firing alerts, and resolved ones that are not notified yet; sorted by labels. */
  readonly alerts: readonly PipelineAlert[]
  /** Names of the time intervals that mute the group now. */
  readonly mutedBy: readonly string[]
  readonly nextFlushMs: number
}
