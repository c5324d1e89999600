/**
 * What the pipeline takes and what it shows; `pipeline-core.ts` does the work. One list of alerts each beat goes in, from
 * rules and from outside alike; messages to receivers come out, and for each alert and receiver the reason of the last
 * decision is kept. Without a configuration there is one route to nobody, so that groups and marks still exist.
 */
import type { Alert } from '../model/alert.ts'
import type { Labels } from '../model/labels.ts'
import type { ExpectedMark } from './ports.ts'

/** One alert as the pipeline takes it. Of equal fingerprints what fires wins; pending ones tell nobody. */
export interface PipelineAlert extends Alert {
  /** Where it comes from, for people: our page of its expression, or what the sender of an external alert says. */
  readonly generatorUrl: string
  /** What its value is compared with, as the rule writes it: `> 0.9`. */
  readonly threshold?: string
}

/**
 * Why somebody is told, or is not. The first four send. `cleared`: all has resolved, and this receiver does not want to
 * hear of it. `only_resolved`: it was over before anybody was told. `waits_for_group`: its group has not been looked at
 * since it came.
 */
export const DECISION_REASONS = [
  'first',
  'new_alerts',
  'resolved',
  'repeat_due',
  'cleared',
  'nothing_new',
  'only_resolved',
  'waits_for_group',
  'silenced_by',
  'inhibited_by',
  'muted_by',
  'expected_in_upgrade',
  'no_receiver',
] as const
export type DecisionReason = (typeof DECISION_REASONS)[number]

/** The last decision about one alert and one receiver. */
export interface Decision {
  readonly receiver: string
  readonly sends: boolean
  /** For people and programs: a `DecisionReason`, with what did it after a colon where something did: `silenced_by: <id>`. */
  readonly reason: string
  readonly atMs: number
}

/** What stands between one alert and a page; the shape of the contract's `AlertMarks` without what people wrote. */
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
  /** Firing ones, and resolved ones that nobody was told of yet; by labels. */
  readonly alerts: readonly PipelineAlert[]
  /** Names of the time intervals that keep it quiet now. */
  readonly mutedBy: readonly string[]
  readonly nextFlushMs: number
}

/** The pipeline as the API reads it. Answers at once, from memory. */
export interface PipelineView {
  /** Of an alert that no beat has brought yet: what would hold for it now is still said, with no decisions. */
  marksOf(alert: Alert, nowMs: number): PipelineMarks
  /** Whether a beat has brought it: Alertmanager calls an alert `unprocessed` before. */
  hasSeen(fingerprint: string): boolean
  /** By receiver and labels. */
  groups(nowMs: number): readonly AlertGroup[]
  /** Names of all receivers, as the file has them. */
  receivers(): readonly string[]
  /** The configuration file with its secrets replaced by `<secret>`; Alertmanager's form, so that amtool can read it. */
  configText(): string
}
