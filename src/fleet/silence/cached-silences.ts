/**
 * The silences of an index, computed when they are queried and anything changed: a page, a series and the landing page query
 * them at nearly the same time.
 */
import type { ClusterIndex, Silences, VerdictOf } from '../clusters/cluster-index.ts'
import { silencesOf } from './silences.ts'

/** A silence starts some seconds late: the limits of the sources are minutes. */
const CACHED_MS = 5000

/** @param unusedAfterMs one of two sources that stopped longer ago was removed */
export function cachedSilences(
  index: Pick<ClusterIndex, 'known' | 'goneAt' | 'openOf' | 'revision'>,
  verdictAt: (nowMs: number) => VerdictOf,
  unusedAfterMs: number,
): (nowMs: number) => Silences {
  let last: { readonly atMs: number; readonly revision: number; readonly silences: Silences } | undefined
  return (nowMs) => {
    const revision = index.revision()
    if (last?.revision === revision && Math.abs(nowMs - last.atMs) < CACHED_MS) return last.silences
    const verdictOf = verdictAt(nowMs)
    const silences = silencesOf(
      {
        clusters: index.known(),
        goneOf: ({ cluster }) => index.goneAt(cluster, nowMs),
        openOf: (cluster) => index.openOf(cluster).map((record) => ({ record, verdict: verdictOf(record) })),
        unusedAfterMs,
      },
      nowMs,
    )
    last = { atMs: nowMs, revision, silences }
    return silences
  }
}
