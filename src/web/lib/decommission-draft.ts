import type { DecommissionRequest } from '../../contract/decommissions.ts'
import { fromFieldTime, type Zone } from './format-time.ts'

export type DecommissionKind = NonNullable<DecommissionRequest['kind']>

/** A declaration that clusters are decommissioned, while it is edited. Pure: the present is an argument. */
export interface DecommissionDraft {
  readonly clusters: readonly string[]
  readonly reason: string
  /** The value of the date field, in the reader's zone; empty: now. */
  readonly since: string
  readonly kind: DecommissionKind
}

/** Why the declaration cannot be sent, or `undefined`. */
export function decommissionFault({ reason, since }: DecommissionDraft, nowMs: number, zone: Zone): string | undefined {
  const atMs = fromFieldTime(since, zone)
  if (atMs === undefined && since !== '') return 'Enter a complete time, or leave the field empty.'
  if (atMs !== undefined && atMs > nowMs) return 'The time must not be in the future.'
  if (reason.trim() === '') return 'Enter a reason.'
  return undefined
}

/** @param by left out when empty */
export function decommissionRequest(
  { clusters, reason, since, kind }: DecommissionDraft,
  by: string,
  zone: Zone,
): DecommissionRequest {
  const atMs = fromFieldTime(since, zone)
  return {
    clusters: [...clusters],
    reason: reason.trim(),
    ...(kind === 'decommissioned' ? {} : { kind }),
    ...(atMs === undefined ? {} : { since: new Date(atMs).toISOString() }),
    ...(by.trim() === '' ? {} : { by: by.trim() }),
  }
}
