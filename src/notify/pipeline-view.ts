/**
 * What the pipeline takes and what it shows; `pipeline.ts` lists its stages. All alerts go in at each evaluation cycle, of the
 * rules and of others alike; messages to receivers come out, and for each alert and receiver the reason of the last decision
 * is retained. Without a configuration there is one route without a receiver, so that groups and marks still exist.
 */
import type { Alert } from '../model/alert.ts'
import type { Labels } from '../model/labels.ts'
import type { ExpectedMark } from './ports.ts'

/** One alert as the pipeline takes it. Of equal fingerprints what fires wins; pending ones are never sent. */
export interface PipelineAlert extends Alert {
  /** Where it comes from, for users: our page of its expression, or what the sender of an external alert says. */
  readonly generatorUrl: string
  /** What its value is compared with, as the rule writes it: `> 0.9`. */
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

/** What stands between one alert and a page; the shape of the contract's `AlertMarks` without what users wrote. */
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
  /** Firing ones, and resolved ones that were not notified yet; by labels. */
  readonly alerts: readonly PipelineAlert[]
  /** Names of the time intervals that mute it now. */
  readonly mutedBy: readonly string[]
  readonly nextFlushMs: number
}

/** The pipeline as the API reads it. Answers at once, from memory. */
export interface PipelineView {
  /** Of an alert that no cycle has brought yet: what would hold for it now, with no decisions. */
  marksOf(alert: Alert, nowMs: number): PipelineMarks
  /** Whether a cycle has brought it: Alertmanager calls an alert `unprocessed` before. */
  hasSeen(fingerprint: string): boolean
  /** By receiver and labels. */
  groups(nowMs: number): readonly AlertGroup[]
  /** Names of all receivers, as the file has them. */
  receivers(): readonly string[]
  /** The configuration file with its secrets replaced by `<secret>`; Alertmanager's form, so that amtool can read it. */
  configText(): string
}
