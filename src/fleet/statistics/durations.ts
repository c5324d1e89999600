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

export function durationsOf(finished: readonly number[], censored: readonly number[]): Durations {
  // The constructor copies an array of numbers at once; `from` would go through its iterator.
  return { finished: new Float64Array(finished).sort(), censored: new Float64Array(censored).sort() }
}
