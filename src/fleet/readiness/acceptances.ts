/**
 * Risks that users accept. Changes run one after the other; each is stored, with its entries of the audit, before it takes
 * effect. Whether an acceptance is in effect at a moment is decided by accepted.ts.
 */
import { FleetError } from '../../base/errors.ts'
import { createSerialQueue } from '../../base/serial-queue.ts'
import type { AuditAction, Audited } from '../../model/audit.ts'
import type { AcceptedRisk, HazardId } from '../../model/readiness.ts'
import { isInEffect } from './accepted.ts'
import { DAY_MS } from './hazard.ts'

/** Stores accepted risks; each call is durable when it resolves. */
export interface AcceptanceStore {
  /** In the order in which they were accepted. */
  list(): Promise<readonly AcceptedRisk[]>
  /** Writes changes with their entries of the audit, all or nothing, except those that were withdrawn: it returns these. */
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
    audited('risk.withdraw', { ...one, withdrawn: { atMs: nowMs, by } }, by, nowMs)
  const write = async (changes: readonly Audited<AcceptedRisk>[], nowMs: number): Promise<void> => {
    const endedBeforeMs = nowMs - ENDED_KEPT_MS
    const ended = await store.write(changes, endedBeforeMs)
    for (const { value } of changes) stored.set(keyOf(value), value)
    for (const one of ended) stored.set(keyOf(one), one)
    for (const [key, { expiresMs, withdrawn }] of stored) {
      if (Math.min(expiresMs, withdrawn?.atMs ?? Infinity) < endedBeforeMs) stored.delete(key)
    }
    await notifyChanged()
  }
  await take()
  return {
    all: () => [...stored.values()],
    accept: ({ hazard, clusters, reason, expiresMs }, by, nowMs) =>
      inOrder(async () => {
        // Another process may have stored one within the last second.
        await take()
        const named = new Set(clusters)
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
        const id = newId()
        const made = clusters.map((cluster): AcceptedRisk => {
          return { id, cluster, hazard, reason, by, acceptedMs: nowMs, expiresMs }
        })
        await write([...replaced, ...made.map((one) => audited('risk.accept', one, by, nowMs))], nowMs)
        return made
      }),
    withdraw: (id, by, nowMs, isIncluded = () => true) =>
      inOrder(async () => {
        const find = (): readonly AcceptedRisk[] => [...stored.values()].filter((one) => one.id === id)
        if (find().length === 0) await take()
        const known = find().filter(({ cluster }) => isIncluded(cluster))
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

function audited(action: AuditAction, value: AcceptedRisk, by: string, atMs: number): Audited<AcceptedRisk> {
  return { value, audited: { atMs, by, action, subject: value.cluster, detail: JSON.stringify(value) } }
}
