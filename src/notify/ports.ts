/** What the pipeline asks of others: silences of people, and upgrades of the fleet. Both answer at once, from memory. */
import type { Alert } from '../model/alert.ts'
import type { Labels } from '../model/labels.ts'

export interface SilenceReader {
  /** Ids of the silences that are active at this time and match. */
  silencedBy(labels: Labels, nowMs: number): readonly string[]
}

/** Why a healthy upgrade is expected to raise an alert. */
export interface ExpectedMark {
  /** Id of the upgrade. */
  readonly upgrade: string
  /** The upgrade as people call it: `east from 1.16.0 to 1.17.0`. */
  readonly title: string
  readonly phase: string
  /** A sentence for people. */
  readonly reason: string
}

export interface UpgradeReader {
  /** `undefined` when the alert's cluster is not upgrading, the phase does not raise this alert, or the phase is stuck. */
  expectedFor(alert: Alert, nowMs: number): ExpectedMark | undefined
}
