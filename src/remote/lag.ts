/** What was received and is not in the metrics store yet. */
export interface Lag {
  /** Of the collector that is behind most; 0: nothing is. */
  readonly seconds: number
  /** That are behind. */
  readonly collectors: number
  /** When this was measured, in milliseconds since the epoch. */
  readonly atMs: number
  /** Without this process, whose buffer can be read here. Absent: the same. */
  readonly others?: { readonly seconds: number; readonly collectors: number }
}

/** Supplied by the forwarder. */
export type LagOf = () => Lag

/** A shorter lag is not reported: samples are scraped less often. */
export const LAG_SHOWN_SECONDS = 5

/**
 * The warning for an answer that needs samples up to `toMs`; `undefined`: all are in it.
 * @param hasBuffer samples of this process are in the answer, however new
 */
export function lagWarning(lag: Lag, toMs: number, hasBuffer: boolean): string | undefined {
  const { seconds, collectors } = hasBuffer && lag.others !== undefined ? lag.others : lag
  if (collectors === 0 || seconds < LAG_SHOWN_SECONDS || toMs <= lag.atMs - seconds * 1000) return undefined
  const of = collectors === 1 ? '1 collector' : `${collectors} collectors`
  return `samples of the last ${Math.ceil(seconds)} s of ${of} are not in the metrics store yet`
}

/** The oldest time of which a sample may be in this process alone; `undefined`: none is. */
export function bufferFromMs({ seconds, collectors, atMs }: Lag): number | undefined {
  return collectors === 0 ? undefined : atMs - seconds * 1000 - MARGIN_MS
}

/** Samples are late by this much at most, beyond the lag: reading some twice is harmless. */
const MARGIN_MS = 60_000
