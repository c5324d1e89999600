import type { Labels } from './labels.ts'
import type { Matcher } from './matcher.ts'
import type { TimeRange } from './time-range.ts'

/**
 * One run of an alert that fired: from the moment its expression held until it resolved. Its key is (fingerprint,
 * `activeAtMs`), so that whoever writes it twice writes it once.
 */
export interface AlertRunRecord {
  readonly fingerprint: string
  readonly labels: Labels
  /** Of the moment it fired. */
  readonly annotations: Readonly<Record<string, string>>
  readonly activeAtMs: number
  readonly firedAtMs: number
  /** Absent while it fires. */
  readonly resolvedAtMs?: number
}

/** What names a run. */
export interface AlertRunKey {
  readonly fingerprint: string
  readonly activeAtMs: number
}

/** As a key of a map. */
export function runKeyOf({ fingerprint, activeAtMs }: AlertRunKey): string {
  return `${fingerprint} ${activeAtMs}`
}

/** A run as it is read again. */
export interface StoredAlertRun extends AlertRunRecord {
  /** Who looked after it last. */
  readonly acknowledgedBy?: string
  /** What they wrote down then; absent when nothing. */
  readonly acknowledgedNote?: string
}

/** Runs that fired at some time of [fromMs, toMs), newest first. */
export interface AlertRunQuery {
  readonly fromMs: number
  readonly toMs: number
  readonly alertname?: string
  readonly cluster?: string
  readonly fingerprint?: string
  readonly limit: number
  /** Only runs after this one in the order of the answer. */
  readonly after?: AlertRunPlace
}

/** A place in the order: fired last first, then by key. */
export interface AlertRunPlace extends AlertRunKey {
  readonly firedAtMs: number
}

/** When runs of some alerts fired, for drawing. `toMs` is absent while one fires. */
export interface AlertRunSpan {
  readonly fingerprint: string
  readonly firedAtMs: number
  readonly resolvedAtMs?: number
}

/** Runs that some matchers would have hidden, by name. */
export interface MatchedRuns {
  readonly alertname: string
  readonly runs: number
  readonly clusters: number
  readonly lastFiredAtMs: number
}

/** That an alert began to fire on a cluster. */
export interface FiredAlert {
  readonly alertname: string
  /** Empty: it has none. */
  readonly severity: string
  readonly firedAtMs: number
}

/** What fired on single clusters, for those who follow one. Implemented by `store`. */
export interface FiredAlertReader {
  /** Clusters of which runs were written after a position, and the position up to where that is all. 0: from the beginning. */
  firedSince(position: number): Promise<{ readonly clusters: readonly string[]; readonly position: number }>
  /**
   * Runs of a cluster that began to fire in [fromMs, toMs], oldest first, at most `limit`. What fired at one moment under
   * one name and severity is one.
   */
  firedOn(cluster: string, range: TimeRange, limit: number): Promise<readonly FiredAlert[]>
}

/** Reads the stored alert history, on the query worker. Implemented by `store`. */
export interface AlertRunReader {
  page(query: AlertRunQuery): Promise<readonly StoredAlertRun[]>
  /** Runs that fired at some time of [fromMs, toMs). */
  spans(fingerprints: readonly string[], fromMs: number, toMs: number): Promise<readonly AlertRunSpan[]>
  /** Counts runs that fired at some time of [fromMs, toMs) and that all matchers match; the most frequent first. */
  matching(matchers: readonly Matcher[], fromMs: number, toMs: number): Promise<readonly MatchedRuns[]>
}
