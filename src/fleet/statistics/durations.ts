/**
 * How long things took, some of them not finished: what survival estimates are made of. Seconds. A run that was lost at
 * the very moment another one finished was there until then (the usual convention).
 */
export interface Durations {
  /** Of finished runs, rising. */
  readonly finished: Float64Array
  /** How long the others were seen, rising. */
  readonly censored: Float64Array
}

export function durationsOf(finished: Iterable<number>, censored: Iterable<number>): Durations {
  return { finished: Float64Array.from(finished).sort(), censored: Float64Array.from(censored).sort() }
}
