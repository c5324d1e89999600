import type { Portions } from '../../src/model/queryable.ts'

/** All items of names or values that are read in portions, sorted and without repeats. */
export function listed(portions: Portions<string>): readonly string[] {
  return [...new Set([...portions].flat())].sort()
}
