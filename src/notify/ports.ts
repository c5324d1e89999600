/** The interfaces that notify requires: alerts, silences of users, upgrades of the fleet. */
import type { Alert } from '../model/alert.ts'
import type { Labels } from '../model/labels.ts'

/** The rules' alerts and external ones are of this shape. */
export interface NotifiableAlert extends Alert {
  readonly rule: {
    readonly expr: string
    /** Evaluation interval of the alert. */
    readonly intervalMs: number
  }
}

/** Synchronous, from memory. */
export interface SilenceReader {
  /** Ids of the silences that are active at this time and match. */
  silencedBy(labels: Labels, nowMs: number): readonly string[]
}

/** Why a healthy upgrade is expected to raise an alert. */
export interface ExpectedMark {
  /** Id of the upgrade. */
  readonly upgrade: string
  /** The upgrade for users: `east from 1.16.0 to 1.17.0`. */
  readonly title: string
  readonly phase: string
  /** A sentence for users. */
  readonly reason: string
}

/** Synchronous, from memory. */
export interface UpgradeReader {
  /** `undefined` when the alert's cluster is not upgrading, the phase does not raise this alert, or the phase is stuck. */
  expectedFor(alert: Alert, nowMs: number): ExpectedMark | undefined
}
