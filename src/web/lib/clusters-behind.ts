import type { ShareAnswer } from '../../contract/adoption.ts'
import { lastCountedDay } from './share-bands.ts'

/** Clusters that run something older than a version, as an answer by version tells. Pure. */
export interface ClustersBehind {
  readonly version: string
  /** The last counted day, which the counts are of. */
  readonly day: string
  readonly clusters: number
  readonly telling: number
  readonly known: number
  /** Those that they run, newest first, with how many do. */
  readonly versions: readonly { readonly version: string; readonly clusters: number }[]
  /** `null` on days that nobody counted. */
  readonly byDay: readonly (number | null)[]
  readonly tellingByDay: readonly number[]
}

/** @param version one of the answer's, which are newest first */
export function clustersBehind(answer: ShareAnswer, version: string): ClustersBehind | undefined {
  const { series, days, known, telling } = answer
  const at = series.findIndex(({ value }) => value === version)
  const last = lastCountedDay(answer)
  if (at === -1 || last === undefined) return undefined
  const older = series.slice(at + 1)
  const countAt = (day: number): number => older.reduce((sum, { clusters }) => sum + clusters[day]!, 0)
  return {
    version,
    day: days[last]!,
    clusters: countAt(last),
    telling: telling[last]!,
    known: known[last]!,
    versions: older.flatMap(({ value, clusters }) =>
      clusters[last]! > 0 ? [{ version: value, clusters: clusters[last]! }] : [],
    ),
    byDay: days.map((_, day) => (telling[day] === 0 ? null : countAt(day))),
    tellingByDay: telling,
  }
}
