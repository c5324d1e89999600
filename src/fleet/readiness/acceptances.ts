/**
 * Risks that users accept. Changes run one after the other; each is stored, with its entries of the audit, before it takes
 * effect. Whether an acceptance is in effect at a moment is decided by accepted.ts.
 */
import { FleetError } from '../../base/errors.ts'
import { createSerialQueue } from '../../base/serial-queue.ts'
import { withAudit, type Audited } from '../../model/audit.ts'
import type { AcceptedRisk, HazardId } from '../../model/readiness.ts'
import { isInEffect } from './accepted.ts'
import { DAY_MS } from './hazard.ts'

/** Stores accepted risks; each call is durable when it resolves. */
export interface AcceptanceStore {
  /** In the order in which they were accepted. */
  list(): Promise<readonly AcceptedRisk[]>
  /** Those of one acceptance, one for each of its clusters; empty: unknown id. */
  find(id: string): Promise<readonly AcceptedRisk[]>
  /**
   * Writes changes with their entries of the audit, all or nothing, except those that were withdrawn: it returns these. Where a
   * risk is accepted that has another acceptance in effect, it writes nothing, and returns that one.
   */
  write(changes: readonly Audited<AcceptedRisk>[], endedBeforeMs: number): Promise<readonly AcceptedRisk[]>
}

export interface AcceptanceWish {
  readonly hazard: HazardId
  /** Each once. */
  readonly clusters: readonly string[]
  readonly reason: string
  readonly expiresMs: number
}

export interface Acceptances {
  /** In the order in which they were accepted, with those that ended lately. */
  all(): readonly AcceptedRisk[]
  /** For all clusters or, when it rejects, for none. Replaces earlier acceptances of the same hazard on the clusters. */
  accept(wish: AcceptanceWish, by: string, nowMs: number): Promise<readonly AcceptedRisk[]>
  /**
   * Withdraws an acceptance on all of its clusters, or on some. Returns what it was; empty: unknown id.
   * @param isIncluded absent: all clusters
   */
  withdraw(
    id: string,
    by: string,
    nowMs: number,
    isIncluded?: (cluster: string) => boolean,
  ): Promise<readonly AcceptedRisk[]>
  /** Takes what other processes have stored. */
  reread(): Promise<void>
}

/** Acceptances in effect, of all clusters together. */
export const ACCEPTED_MAX = 50_000
/** Each fails only because another process has stored one of the same risk within milliseconds. */
const ACCEPT_TRIES = 5
/** What ended longer ago is in the audit only. */
const ENDED_KEPT_MS = 90 * DAY_MS

/**
 * Reads the stored acceptances.
 * @param newId a UUID
 * @param notifyChanged called after each write and awaited, so that the next query has the change
 */
export async function createAcceptances(
  store: AcceptanceStore,
  newId: () => string,
  notifyChanged: () => Promise<void>,
): Promise<Acceptances> {
  const stored = new Map<string, AcceptedRisk>()
  const inOrder = createSerialQueue()
  /** Takes what is stored, also by other processes. */
  const take = async (): Promise<void> => {
    const all = await store.list()
    stored.clear()
    for (const one of all) stored.set(keyOf(one), one)
  }
  const withdrawn = (one: AcceptedRisk, by: string, nowMs: number): Audited<AcceptedRisk> =>
    withAudit('risk.withdraw', one.cluster, { ...one, withdrawn: { atMs: nowMs, by } }, by, nowMs)
  /** False, and nothing is written: another process has just accepted the same risk. */
  const write = async (changes: readonly Audited<AcceptedRisk>[], nowMs: number): Promise<boolean> => {
    const endedBeforeMs = nowMs - ENDED_KEPT_MS
    const earlier = await store.write(changes, endedBeforeMs)
    if (earlier.some(({ withdrawn }) => withdrawn === undefined)) return false
    for (const { value } of changes) stored.set(keyOf(value), value)
    for (const one of earlier) stored.set(keyOf(one), one)
    for (const [key, { expiresMs, withdrawn }] of stored) {
      if (Math.min(expiresMs, withdrawn?.atMs ?? Infinity) < endedBeforeMs) stored.delete(key)
    }
    await notifyChanged()
    return true
  }
  await take()
  return {
    all: () => [...stored.values()],
    accept: ({ hazard, clusters, reason, expiresMs }, by, nowMs) =>
      inOrder(async () => {
        const named = new Set(clusters)
        const id = newId()
        const made = clusters.map((cluster): AcceptedRisk => {
          return { id, cluster, hazard, reason, by, acceptedMs: nowMs, expiresMs }
        })
        const accepted = made.map((one) => withAudit('risk.accept', one.cluster, one, by, nowMs))
        for (let left = ACCEPT_TRIES; left > 0; left--) {
          // Another process may have stored one within the last second.
          await take()
          const inEffect = [...stored.values()].filter((one) => isInEffect(one, nowMs))
          const replaced = inEffect
            .filter((one) => one.hazard === hazard && named.has(one.cluster))
            .map((one) => withdrawn(one, by, nowMs))
          const count = inEffect.length - replaced.length + clusters.length
          if (count > ACCEPTED_MAX) {
            throw new FleetError('bad_request', `got ${count} accepted risks in effect, want at most ${ACCEPTED_MAX}`, {
              hint: 'withdraw acceptances that are no longer needed, or accept the risk for fewer clusters',
            })
          }
          if (await write([...replaced, ...accepted], nowMs)) return made
        }
        throw new FleetError('conflict', 'other processes accept the same risk at this moment', { hint: 'try again' })
      }),
    withdraw: (id, by, nowMs, isIncluded = () => true) =>
      inOrder(async () => {
        const inMemory = [...stored.values()].filter((one) => one.id === id)
        // Another process may have stored one within the last second.
        const all = inMemory.length > 0 ? inMemory : await store.find(id)
        const known = all.filter(({ cluster }) => isIncluded(cluster))
        const ended = known.filter((one) => isInEffect(one, nowMs)).map((one) => withdrawn(one, by, nowMs))
        if (ended.length > 0) await write(ended, nowMs)
        return known.map((one) => stored.get(keyOf(one)) ?? one)
      }),
    reread: () =>
      inOrder(async () => {
        await take()
        await notifyChanged()
      }),
  }
}

function keyOf({ id, cluster }: AcceptedRisk): string {
  return `${id} ${cluster}`
}
