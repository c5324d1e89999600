/** What a query read, for its explanation: the store adds to the tally of a request, per portion, never per sample. */
export interface ReadTally {
  /** The series of the matchers were known from an earlier request. Undefined: the store does not count. */
  isMatchKnown: boolean | undefined
  /** Runs from the head, or newest samples. */
  headRuns: number
  packRuns: number
  /** Packs looked into, once a portion. */
  packs: number
  /** Of those, packs that were in memory. */
  packsKept: number
  /** Bytes read for the others, as they are stored. */
  packBytes: number
  /** Buckets of rollups by their stored width; 0: computed from samples during the query. */
  readonly buckets: Map<number, number>
}

export function emptyTally(): ReadTally {
  return { isMatchKnown: undefined, headRuns: 0, packRuns: 0, packs: 0, packsKept: 0, packBytes: 0, buckets: new Map() }
}

export function addBuckets({ buckets }: ReadTally, widthMs: number, count: number): void {
  buckets.set(widthMs, (buckets.get(widthMs) ?? 0) + count)
}
