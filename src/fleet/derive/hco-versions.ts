/** What HyperConverged reported over time: its version, and whether it existed. */
import { firstIndexWhere } from '../../base/first-index.ts'
import { remembered } from '../../base/remembered.ts'
import type { ClusterHistory } from './cluster-history.ts'

interface Reported {
  readonly atMs: number
  readonly version: string
}

/** In the order of time. */
const reportedVersions = remembered((history: ClusterHistory): readonly Reported[] =>
  history
    .of('hyperconvergeds')
    .flatMap(({ states }) =>
      states.flatMap(({ atMs, facts: { operatorVersion: version } }) =>
        version === undefined ? [] : [{ atMs, version }],
      ),
    )
    .sort((a, b) => a.atMs - b.atMs),
)

function firstAfter(versions: readonly Reported[], timeMs: number): number {
  return firstIndexWhere(versions, ({ atMs }) => atMs > timeMs)
}

/** The version that HCO reported in the newest state until a time. */
export function hcoVersionAt(history: ClusterHistory, timeMs: number): string | undefined {
  const versions = reportedVersions(history)
  return versions[firstAfter(versions, timeMs) - 1]?.version
}

/** The first version that HCO reports after a time. @param untilMs exclusive */
export function hcoVersionAfter(history: ClusterHistory, timeMs: number, untilMs: number): string | undefined {
  const versions = reportedVersions(history)
  const first = versions[firstAfter(versions, timeMs)]
  return first !== undefined && first.atMs < untilMs ? first.version : undefined
}

/** Of a HyperConverged that reported a version, and of all that did so before. */
interface Run {
  /** The first report. */
  readonly ranMs: number
  /** When the last of them was deleted, and when it last existed; Infinity: it exists. */
  readonly goneMs: number
  readonly sinceMs: number
}

/** In the order of their first reports. */
const hcoRuns = remembered((history: ClusterHistory): readonly Run[] => {
  const runs = history.of('hyperconvergeds').flatMap(({ states, gone }): Run[] => {
    const ranMs = states.reduce((first, { atMs, facts }) => {
      return facts.operatorVersion === undefined ? first : Math.min(first, atMs)
    }, Infinity)
    return ranMs === Infinity ? [] : [{ ranMs, goneMs: gone?.atMs ?? Infinity, sinceMs: gone?.sinceMs ?? Infinity }]
  })
  let [goneMs, sinceMs] = [-Infinity, -Infinity]
  return runs
    .sort((a, b) => a.ranMs - b.ranMs)
    .map((run) => {
      goneMs = Math.max(goneMs, run.goneMs)
      sinceMs = Math.max(sinceMs, run.sinceMs)
      return { ranMs: run.ranMs, goneMs, sinceMs }
    })
})

/**
 * Whether each HyperConverged that had reported a version by this time was deleted by then, and there was one.
 *
 * @param isReplaced a new object proves that one that was last seen before is gone
 */
export function wasHcoDeleted(history: ClusterHistory, timeMs: number, isReplaced: boolean): boolean {
  const runs = hcoRuns(history)
  const last = runs[firstIndexWhere(runs, ({ ranMs }) => ranMs > timeMs) - 1]
  return last !== undefined && (isReplaced ? last.sinceMs : last.goneMs) <= timeMs
}

/** The first and the last creation; empty: not reported. */
export const hcoCreations = remembered(
  (history: ClusterHistory): { readonly firstMs?: number; readonly lastMs?: number } => {
    const created = history
      .of('hyperconvergeds')
      .flatMap(({ createdMs }) => createdMs ?? [])
      .sort((a, b) => a - b)
    return created.length === 0 ? {} : { firstMs: created[0]!, lastMs: created.at(-1)! }
  },
)
