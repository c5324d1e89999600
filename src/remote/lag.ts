/** What processes received and the metrics store does not have yet: a warning beside each answer that needs it. */
import { formatDuration } from '../model/duration.ts'

/** What is known of all processes, by the forwarder of this one and the heartbeats of the others. */
export interface Lag {
  /** When this was measured, in milliseconds since the epoch. */
  readonly atMs: number
  /** Processes with samples that the metrics store has not acknowledged. */
  readonly behind: readonly ProcessLag[]
  /** How long the lags of other processes have been unknown; absent: they are known. */
  readonly unknownSeconds?: number
  /** Processes whose samples no answer of this one contains, because there is no metrics store; absent: none. */
  readonly apart?: readonly string[]
  /** What the metrics store lacks: it is unavailable, or a running process sends what it missed or lost; absent: nothing. */
  readonly gap?: 'away' | 'behind'
}

export interface ProcessLag {
  /** Empty: there are no others. */
  readonly name: string
  /** Its buffer can be read here. */
  readonly isOwn: boolean
  /** 0: unknown; the last seconds of a process whose heartbeats stopped. */
  readonly samples: number
  /** Age of the oldest sample at `atMs`. */
  readonly seconds: number
  /** Since it stopped: then its samples wait in its data folder. Absent: it runs. */
  readonly stoppedSeconds?: number
}

/** Supplied by the forwarder. */
export type LagOf = () => Lag

export const NO_LAG: Lag = { atMs: 0, behind: [] }

/** A shorter lag is not reported: samples are scraped less often. */
export const LAG_SHOWN_SECONDS = 5
/** Names in one sentence. */
const NAMES_MAX = 5

/**
 * The warnings for an answer that needs samples up to `toMs`; none: all are in it.
 * @param hasBuffer samples of this process are in the answer, however new
 */
export function lagWarnings({ atMs, behind, unknownSeconds }: Lag, toMs: number, hasBuffer: boolean): string[] {
  const missing = behind.filter(({ isOwn, seconds }) => !(isOwn && hasBuffer) && toMs > atMs - seconds * 1000)
  const running = missing.filter(
    ({ stoppedSeconds, seconds }) => stoppedSeconds === undefined && seconds >= LAG_SHOWN_SECONDS,
  )
  const stopped = missing.filter(({ stoppedSeconds }) => stoppedSeconds !== undefined)
  const warnings = stopped.slice(0, NAMES_MAX).map(stoppedWarning)
  if (running.length > 0) {
    const seconds = Math.max(...running.map((one) => one.seconds))
    const names = namesOf(running.flatMap(({ name }) => (name === '' ? [] : [name])))
    const of = names === '' ? '' : ` of ${names}`
    warnings.unshift(`samples of the last ${Math.ceil(seconds)} s${of} are not in the metrics store yet`)
  }
  if (unknownSeconds !== undefined && toMs > atMs - unknownSeconds * 1000) {
    const since = textOf(unknownSeconds)
    warnings.push(`how far other processes have forwarded has been unknown for ${since}: PostgreSQL does not answer`)
  }
  return warnings
}

function stoppedWarning({ name, samples, stoppedSeconds = 0 }: ProcessLag): string {
  const what = samples === 0 ? 'the last seconds' : `${samples} samples`
  return `${what} of ${name} may be missing: it stopped ${textOf(stoppedSeconds)} ago, and its data folder has them until it runs again`
}

/** The warning for every answer of a process that shares the facts with others, and not the samples. */
export function apartWarning({ apart = [] }: Lag): string | undefined {
  if (apart.length === 0) return undefined
  return `samples that only ${namesOf(apart)} received are not in this answer: several processes need store.metrics`
}

function namesOf(names: readonly string[]): string {
  const more = names.length - NAMES_MAX
  return more > 0 ? `${names.slice(0, NAMES_MAX).join(', ')} and ${more} more` : names.join(', ')
}

function textOf(seconds: number): string {
  return formatDuration(Math.max(1, Math.round(seconds)) * 1000)
}

/** The oldest time of which a sample may be in this process alone; `undefined`: none is. */
export function bufferFromMs({ atMs, behind }: Lag): number | undefined {
  const own = behind.find(({ isOwn }) => isOwn)
  return own === undefined ? undefined : atMs - own.seconds * 1000 - MARGIN_MS
}

/** Samples are late by this much at most, beyond the lag: reading some twice is harmless. */
const MARGIN_MS = 60_000
