import type { Queryable } from '../model/queryable.ts'

/** Queries that need nothing stored, such as the `1+1` by which clients ask whether anybody is there. */

/** Longer ones are no question of a client whether we live, and may take a while. */
const CHARS_MAX = 200
const NUMBERS_ONLY = /^(?:[\d\s+\-*/%^().<>=!]|time\(\)|pi\(\)|vector\()*$/

/** Whether a text is arithmetic of numbers and times and nothing else. It may still not parse. */
export function isConstant(text: string): boolean {
  return text.length <= CHARS_MAX && NUMBERS_ONLY.test(text)
}

/** What such queries are evaluated over. */
export const NOTHING_STORED: Queryable = {
  select: () => [],
  series: () => [],
  labelNames: () => [],
  labelValues: () => [],
}
