/**
 * Whether a cluster is gone at a moment: declared decommissioned, or not seen for longer than `goneAfterMs`. Only this file
 * decides it; other code calls the ClusterIndex, which calls this. Pure. A decommission never hides a live cluster: it ends
 * when the cluster is seen after the declared moment.
 */
import type { Decommission } from '../../model/decommission.ts'
import type { StuckVerdict } from '../../model/stuck.ts'

export interface Gone {
  readonly sinceMs: number
  readonly why:
    | { readonly kind: 'declared'; readonly decommission: Decommission }
    | { readonly kind: 'unheard'; readonly afterMs: number }
}

export interface GoneEvidence {
  /** `undefined`: unknown. */
  readonly lastSeenMs: number | undefined
  /** All decommissions ever declared of it, in any order. */
  readonly decommissions: readonly Decommission[]
  /** `Infinity`: only a declaration makes a cluster gone. */
  readonly goneAfterMs: number
}

export function goneAt({ lastSeenMs, decommissions, goneAfterMs }: GoneEvidence, atMs: number): Gone | undefined {
  const decommission = decommissions.findLast((one) => holdsAt(one, lastSeenMs, atMs))
  if (decommission !== undefined) return { sinceMs: decommission.sinceMs, why: { kind: 'declared', decommission } }
  const sinceMs = (lastSeenMs ?? Infinity) + goneAfterMs
  return atMs > sinceMs ? { sinceMs, why: { kind: 'unheard', afterMs: goneAfterMs } } : undefined
}

function holdsAt({ sinceMs, end }: Decommission, lastSeenMs = -Infinity, atMs: number): boolean {
  if (atMs < sinceMs) return false
  if (end === undefined) return lastSeenMs <= sinceMs
  return end.kind === 'returned' && atMs < end.atMs
}

/** The decommission is active although the cluster was seen again: it is to be ended. */
export function isReturned({ sinceMs, end }: Decommission, lastSeenMs: number | undefined): boolean {
  return end === undefined && lastSeenMs !== undefined && lastSeenMs > sinceMs
}

/** Decommissions as they were at a moment, without later changes. */
export function decommissionsAt(all: readonly Decommission[], atMs: number): readonly Decommission[] {
  return all.flatMap(({ end, ...one }): Decommission[] => {
    if (one.sinceMs > atMs) return []
    if (end === undefined || end.atMs <= atMs) return [end === undefined ? one : { ...one, end }]
    return end.kind === 'withdrawn' ? [] : [one]
  })
}

/** An upgrade of a cluster that is gone keeps its phase and is not stuck. */
export function verdictOfGone({ stalledSinceMs, ...verdict }: StuckVerdict): StuckVerdict {
  const silentSinceMs = verdict.silentSinceMs ?? stalledSinceMs
  return { ...verdict, isStuck: false, causes: [], ...(silentSinceMs === undefined ? {} : { silentSinceMs }) }
}
