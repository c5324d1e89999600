import type { ShareAnswer } from '../../contract/adoption.ts'
import { lastCountedDay } from './share-bands.ts'

/** Clusters behind a version, from an answer of shares by version. Pure. */
export interface ClustersBehind {
  readonly version: string
  /** The last counted day; `clusters`, `telling` and `known` are of this day. */
  readonly day: string
  readonly clusters: number
  readonly telling: number
  readonly known: number
  /** Older versions in use with their clusters, newest first. */
  readonly versions: readonly { readonly version: string; readonly clusters: number }[]
  /** `null` on days that were not counted. */
  readonly byDay: readonly (number | null)[]
  readonly tellingByDay: readonly number[]
}

/** @param version a version of the answer */
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
