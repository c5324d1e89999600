import { minorOf } from '../version-order.ts'

/** How far clusters are behind the newest version that any of them runs. */
export interface Behind {
  readonly newest: string
  /** Clusters by how many minors they are behind, from 0; the last counts are not zero. */
  readonly byMinors: readonly number[]
  /** Clusters by how many releases they are behind, of the releases that this fleet runs or ran. */
  readonly byReleases: readonly number[]
  readonly telling: number
}

/**
 * @param counts reporting clusters by version
 * @param releases all known versions, in any order, including those in `counts`
 * @param compare older first
 */
export function behindOf(
  counts: ReadonlyMap<string, number>,
  releases: readonly string[],
  compare: (a: string, b: string) => number,
): Behind | undefined {
  const present = [...counts.keys()].filter((version) => counts.get(version)! > 0).sort(compare)
  const newest = present.at(-1)
  if (newest === undefined) return undefined
  const known = [...new Set([...releases, ...present])].filter((one) => compare(one, newest) <= 0).sort(compare)
  const minors = [...new Set(known.map(minorOf))]
  const byMinors: number[] = []
  const byReleases: number[] = []
  for (const version of present) {
    const clusters = counts.get(version)!
    count(byMinors, minors.length - 1 - minors.indexOf(minorOf(version)), clusters)
    count(byReleases, known.length - 1 - known.indexOf(version), clusters)
  }
  return { newest, byMinors, byReleases, telling: present.reduce((sum, one) => sum + counts.get(one)!, 0) }
}

function count(counts: number[], place: number, clusters: number): void {
  while (counts.length <= place) counts.push(0)
  counts[place]! += clusters
}
