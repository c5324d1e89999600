/**
 * What each process that shares the facts reports about itself with its heartbeat. Others read it for answers, alerts and
 * pages, also when the process has stopped.
 */
import { ownValue } from '../base/own-value.ts'

export interface ProcessReport {
  /** Samples that it received and the metrics store has not acknowledged; absent: it forwards none. */
  readonly forward?: ForwardReport
  /** What is durable in its data folder and not in PostgreSQL; absent: it ships nothing. */
  readonly shipping?: { readonly lagSeconds: number; readonly pendingCommits: number }
  /** Number of leases, by kind. */
  readonly leases: Readonly<Record<string, number>>
  /** What does not work, as sentences without a full stop. */
  readonly faults: readonly string[]
}

export interface ForwardReport {
  /** The metrics store took the last request, is the process that took those before, or has got again what it lost. */
  readonly isComplete: boolean
  /** When the newest process of the metrics store that was seen started, in seconds; absent: it does not say. */
  readonly storeStart?: number
  readonly lagSamples: number
  /** Age of the oldest of them; 0: there are none. */
  readonly lagSeconds: number
  /** Samples that the metrics store refused since the start, by reason. */
  readonly refused: Readonly<Record<string, number>>
}

export const NOTHING_REPORTED: ProcessReport = { leases: {}, faults: [] }

/** Texts are shown on pages and in alerts. */
const TEXT_CHARS_MAX = 300
const FAULTS_MAX = 10

/** @param instance of the process: a report of an earlier start is not read */
export function formatReport(report: ProcessReport, instance: string): string {
  const faults = report.faults.slice(0, FAULTS_MAX).map((fault) => fault.slice(0, TEXT_CHARS_MAX))
  return JSON.stringify({ ...report, faults, instance })
}

/** `undefined`: of an earlier start, or of a release that reports nothing. What a later release adds is ignored. */
export function parseReport(text: string, instance: string): ProcessReport | undefined {
  const parsed = recordOf(JSON.parse(text))
  if (ownValue(parsed, 'instance') !== instance) return undefined
  const [forward, shipping, faults] = ['forward', 'shipping', 'faults'].map((name) => ownValue(parsed, name))
  return {
    ...(forward !== undefined && {
      forward: {
        // A release that does not report it.
        isComplete: ownValue(recordOf(forward), 'isComplete') !== false,
        ...(ownValue(recordOf(forward), 'storeStart') !== undefined && { storeStart: countIn(forward, 'storeStart') }),
        lagSamples: countIn(forward, 'lagSamples'),
        lagSeconds: countIn(forward, 'lagSeconds'),
        refused: countsOf(ownValue(recordOf(forward), 'refused')),
      },
    }),
    ...(shipping !== undefined && {
      shipping: { lagSeconds: countIn(shipping, 'lagSeconds'), pendingCommits: countIn(shipping, 'pendingCommits') },
    }),
    leases: countsOf(ownValue(parsed, 'leases')),
    faults: Array.isArray(faults) ? faults.filter((fault) => typeof fault === 'string') : [],
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function countIn(record: unknown, name: string): number {
  const value = ownValue(recordOf(record), name)
  return typeof value === 'number' ? value : 0
}

function countsOf(record: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.keys(recordOf(record)).map((name) => [name, countIn(record, name)]))
}
