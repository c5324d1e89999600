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

/** Faults of what several processes share. */
export interface DeploymentFaults {
  /** PostgreSQL does not take the heartbeats of this process. */
  readonly postgres?: { readonly message: string; readonly unheardMs: number }
  /** Processes whose heartbeats stopped. */
  readonly silentProcesses?: readonly {
    readonly name: string
    readonly silentMs: number
    /** That were not in the metrics store at the last heartbeat; `undefined`: unknown, or there is no such store. */
    readonly lagSamples: number | undefined
  }[]
  /** Processes whose samples this one does not have, because there is no metrics store. */
  readonly apart?: readonly string[]
}

/** Current faults of the server: its answers may be outdated or incomplete. */
export interface ServerFaults extends DeploymentFaults {
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

/** What does not work although the server is ready, one sentence each. */
export function faultTexts(faults: Omit<ServerFaults, 'threads' | 'failingRules' | 'damage'>): readonly string[] {
  const { storage, metricsStore, postgres, silentProcesses = [], apart = [] } = faults
  return [
    ...(storage ? [`No data is stored since ${new Date(storage.sinceMs).toISOString()}: ${storage.message}`] : []),
    ...(metricsStore === undefined ? [] : [`PromQL queries and rules fail: ${metricsStore}`]),
    ...(postgres ? [`Facts are not written, and no rule is evaluated: ${postgres.message}`] : []),
    ...silentProcesses.map(({ name, silentMs, lagSamples }) => {
      const samples = lagSamples === undefined ? '' : `, ${lagSamples} samples were not forwarded`
      return `Process ${name} has sent no heartbeat for ${secondsOf(silentMs)}${samples}`
    }),
    ...(apart.length === 0
      ? []
      : [`Queries and rules do not read the samples of ${apart.join(', ')}: several processes need store.metrics`]),
  ]
}

function secondsOf(ms: number): string {
  return formatDuration(Math.max(0, Math.round(ms / 1000) * 1000))
}
