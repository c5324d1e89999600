import type { Labels } from './labels.ts'
import type { Matcher } from './matcher.ts'
import type { TimeRange } from './time-range.ts'

/** One occurrence of an alert that fired, from its expression becoming true until it resolved. */
export interface AlertRunRecord {
  readonly fingerprint: string
  readonly labels: Labels
  /** When it fired. */
  readonly annotations: Readonly<Record<string, string>>
  readonly activeAtMs: number
  readonly firedAtMs: number
  /** Absent while it fires. */
  readonly resolvedAtMs?: number
}

export type AlertRunKey = Pick<AlertRunRecord, 'fingerprint' | 'activeAtMs'>

export function runKeyOf({ fingerprint, activeAtMs }: AlertRunKey): string {
  return `${fingerprint} ${activeAtMs}`
}

export interface StoredAlertRun extends AlertRunRecord {
  /** The last acknowledgement. */
  readonly acknowledgedBy?: string
  readonly acknowledgedNote?: string
  readonly acknowledgedAtMs?: number
}

/** Occurrences that fired in [fromMs, toMs), newest first. */
export interface AlertRunQuery {
  readonly fromMs: number
  readonly toMs: number
  readonly alertname?: string
  readonly cluster?: string
  readonly fingerprint?: string
  readonly limit: number
  readonly after?: AlertRunPlace
}

/** A place in the order of a query: fired last first, then by key. */
export type AlertRunPlace = Pick<AlertRunRecord, 'fingerprint' | 'activeAtMs' | 'firedAtMs'>

/** When an occurrence fired, for drawing. */
export type AlertRunSpan = Pick<AlertRunRecord, 'fingerprint' | 'firedAtMs' | 'resolvedAtMs'>

/** Occurrences that some matchers match, by name. */
export interface MatchedRuns {
  readonly alertname: string
  readonly runs: number
  readonly clusters: number
  readonly lastFiredAtMs: number
}

/** An alert that started to fire on a cluster. */
export interface FiredAlert {
  readonly alertname: string
  /** Empty: it has none. */
  readonly severity: string
  readonly firedAtMs: number
}

/** Reads the alerts of single clusters. Implemented by `store`. */
export interface FiredAlertReader {
  /** Clusters with occurrences that were written after a position, and the newest position. 0: from the beginning. */
  firedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }>
  /** Alerts that started to fire in [fromMs, toMs], oldest first, at most `limit`; one per time, name and severity. */
  firedOn(cluster: string, range: TimeRange, limit: number): Promise<readonly FiredAlert[]>
}

/** Reads the stored alert history, on the query worker. Implemented by `store`. */
export interface AlertRunReader {
  /** `undefined`: no such occurrence is stored. */
  one(key: AlertRunKey): Promise<StoredAlertRun | undefined>
  page(query: AlertRunQuery): Promise<readonly StoredAlertRun[]>
  /** Occurrences that fired in [fromMs, toMs). */
  spans(fingerprints: readonly string[], fromMs: number, toMs: number): Promise<readonly AlertRunSpan[]>
  /** The cluster of each alert of which an occurrence is stored. */
  clustersOf(fingerprints: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Counts occurrences that fired in [fromMs, toMs) and that all matchers match; the most frequent first. */
  matching(matchers: readonly Matcher[], fromMs: number, toMs: number): Promise<readonly MatchedRuns[]>
}
