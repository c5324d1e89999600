/**
 * Whether a cluster is gone at a moment: switched off for good, by somebody's word or because it was not seen for
 * longer than `goneAfterMs`. The one place that decides it; everybody else asks the index of clusters, which asks here.
 * Pure. A word never hides a living cluster: what is seen after the moment it names ends it.
 */
import type { Decommission } from '../../model/decommission.ts'
import type { StuckVerdict } from '../../model/stuck.ts'

export interface Gone {
  readonly sinceMs: number
  readonly why:
    | { readonly kind: 'declared'; readonly decommission: Decommission }
    /** It was not seen for so long. */
    | { readonly kind: 'unheard'; readonly afterMs: number }
}

export interface GoneEvidence {
  /** When the cluster was last seen; absent: nobody knows. */
  readonly lastSeenMs: number | undefined
  /** All that was ever said of it, in any order. */
  readonly told: readonly Decommission[]
  /** `Infinity`: never by time alone. */
  readonly goneAfterMs: number
}

export function goneAt({ lastSeenMs, told, goneAfterMs }: GoneEvidence, atMs: number): Gone | undefined {
  const decommission = told.findLast((one) => holdsAt(one, lastSeenMs, atMs))
  if (decommission !== undefined) return { sinceMs: decommission.sinceMs, why: { kind: 'declared', decommission } }
  const sinceMs = (lastSeenMs ?? Infinity) + goneAfterMs
  return atMs > sinceMs ? { sinceMs, why: { kind: 'unheard', afterMs: goneAfterMs } } : undefined
}

function holdsAt({ sinceMs, end }: Decommission, lastSeenMs = -Infinity, atMs: number): boolean {
  if (atMs < sinceMs) return false
  if (end === undefined) return lastSeenMs <= sinceMs
  return end.kind === 'returned' && atMs < end.atMs
}

/** It stands, and the cluster was seen again: whoever keeps it should end it. */
export function isOverheard({ sinceMs, end }: Decommission, lastSeenMs: number | undefined): boolean {
  return end === undefined && lastSeenMs !== undefined && lastSeenMs > sinceMs
}

/** What was said, as far as it holds at a moment: nothing later is in it. */
export function toldAt(told: readonly Decommission[], atMs: number): readonly Decommission[] {
  return told.flatMap(({ end, ...one }): Decommission[] => {
    if (one.sinceMs > atMs) return []
    if (end === undefined || end.atMs <= atMs) return [end === undefined ? one : { ...one, end }]
    return end.kind === 'withdrawn' ? [] : [one]
  })
}

/** Nobody waits for an upgrade of a gone cluster: it is where it was, and not stuck. */
export function verdictOfGone({ stalledSinceMs, ...verdict }: StuckVerdict): StuckVerdict {
  const silentSinceMs = verdict.silentSinceMs ?? stalledSinceMs
  return { ...verdict, isStuck: false, causes: [], ...(silentSinceMs === undefined ? {} : { silentSinceMs }) }
}
