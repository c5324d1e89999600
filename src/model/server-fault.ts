import { formatDuration } from './duration.ts'

/** Input cannot be written: it is refused until then, and senders retry. */
interface StorageFault {
  /** When it was first seen; the failed write may be a second older. */
  readonly sinceMs: number
  readonly code: 'storage_full' | 'storage_failed'
  /** The message of the operating system or SQLite. */
  readonly message: string
  /** Of the disk that the store is on. */
  readonly freeBytes: number
  readonly sizeBytes: number
}

/** A part of what is stored cannot be read: it is left out. */
interface DamageFault {
  readonly count: number
  /** The oldest and the newest time of samples that may be missing; undefined: none are, as far as known. */
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
  /** What is damaged, and how it shows: of the first one. */
  readonly kind: string
  readonly message: string
}

export const THREAD_FAULT_STATES = ['hung', 'restarting', 'crash_loop'] as const
export const SUPERVISED_THREADS = ['ingest-worker', 'query-worker', 'forward-worker'] as const

/** A worker that does not serve, or one that fails again and again and serves in between. */
export interface ThreadFault {
  readonly thread: (typeof SUPERVISED_THREADS)[number]
  readonly state: (typeof THREAD_FAULT_STATES)[number]
  readonly isServing: boolean
  /** Since when it does not serve, or does again. */
  readonly sinceMs: number
  /** In a row. */
  readonly failures: number
  /** The last failure, as a clause: `it did not answer for 15 s`. */
  readonly cause: string
  /** When it is started the next time; absent: now, or it is running. */
  readonly nextStartMs?: number
}

/** Current faults of the server: its answers may be outdated or incomplete. */
export interface ServerFaults {
  readonly storage: StorageFault | undefined
  readonly damage: DamageFault | undefined
  /** The number of rules whose last evaluation failed; their alerts are unchanged since. */
  readonly failingRules: number
  readonly threads: readonly ThreadFault[]
  /** Why the metrics store answers no queries, which fail at once meanwhile; absent: it answers, or there is none. */
  readonly metricsStore?: string
}

/** In one clause, for probes and for callers. */
export function threadFaultText(fault: ThreadFault, nowMs: number): string {
  const { thread, state, isServing, sinceMs, failures, cause, nextStartMs } = fault
  const name = `the ${thread.replace('-', ' ')}`
  if (state === 'hung') return `${name} has not answered for ${secondsOf(nowMs - sinceMs)}`
  if (state === 'restarting') return `${name} is being restarted: ${cause}`
  const loop = `${name} is in a crash loop (${failures} failures; ${cause})`
  if (isServing) return `${loop} and runs again`
  return nextStartMs === undefined ? loop : `${loop} and is restarted in ${secondsOf(nextStartMs - nowMs)}`
}

function secondsOf(ms: number): string {
  return formatDuration(Math.max(0, Math.round(ms / 1000) * 1000))
}
