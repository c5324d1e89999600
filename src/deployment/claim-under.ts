import type { Lease } from '../model/lease.ts'
import { CLAIM_FOR_MS, type NotificationClaim, type NotificationClaims } from '../model/notification-log.ts'

/** What is to be claimed: see `NotificationClaims`. */
interface Claimed {
  readonly logEntry: { readonly key: string; readonly atMs: number }
  readonly afterMs?: number
}

interface ClaimUnder {
  claim(notification: Claimed): Promise<NotificationClaim>
  /** After an attempt that has failed. Never rejects: a claim also ends by itself. */
  release(notification: Claimed): Promise<void>
}

/**
 * Claims notifications under the lease of all notifications. Nothing is sent without an answer, or with one that came so late
 * that others may send it by now.
 */
export function claimUnder(
  claims: NotificationClaims,
  lease: () => Lease | undefined,
  stopwatchMs: () => number,
): ClaimUnder {
  return {
    claim: async ({ logEntry, afterMs }) => {
      const under = lease()
      if (under === undefined) return { kind: 'done' }
      const startedMs = stopwatchMs()
      const claim = await claims.claim(logEntry, afterMs, under).catch(() => ({ kind: 'busy' }) as const)
      return stopwatchMs() - startedMs < CLAIM_FOR_MS / 2 ? claim : { kind: 'busy' }
    },
    release: ({ logEntry }) => claims.release(logEntry.key).catch(() => undefined),
  }
}
