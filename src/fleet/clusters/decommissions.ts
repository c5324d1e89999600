/**
 * Declared decommissions. Changes run one after the other; each is stored, with its audit entry, before it takes effect.
 * gone.ts decides whether a cluster is gone.
 */
import { FleetError } from '../../base/errors.ts'
import { createSerialQueue } from '../../base/serial-queue.ts'
import { withAudit, type Audited } from '../../model/audit.ts'
import type { Decommission } from '../../model/decommission.ts'

/** Stores decommissions; each call is durable when it resolves. */
export interface DecommissionStore {
  /** All decommissions ever, in the order in which they were declared. */
  list(): Promise<readonly Decommission[]>
  find(id: string): Promise<Decommission | undefined>
  /**
   * Adds or replaces by id, with the entries of the audit, all or nothing, except those that had ended: it returns these. Where a
   * cluster is declared that has another one without an end, it writes nothing, and returns that one.
   */
  write(changes: readonly Audited<Decommission>[]): Promise<readonly Decommission[]>
}

export type DecommissionWish = Pick<Decommission, 'cluster' | 'sinceMs' | 'kind'>

/** A cluster that was seen again after it was declared decommissioned. */
export interface ReturnedCluster {
  readonly id: string
  readonly lastSeenMs: number
}

export interface Decommissions {
  /** In the order in which they were declared. */
  all(): readonly Decommission[]
  /** Withdraws earlier decommissions of the same clusters. All or, when it rejects, none. */
  declare(
    wishes: readonly DecommissionWish[],
    reason: string,
    by: string,
    nowMs: number,
  ): Promise<readonly Decommission[]>
  /**
   * Withdraws one; one that has ended stays unchanged. `undefined`: unknown id.
   * @param isIncluded absent: all clusters
   */
  withdraw(
    id: string,
    by: string,
    nowMs: number,
    isIncluded?: (cluster: string) => boolean,
  ): Promise<Decommission | undefined>
  /** Ends the decommissions of clusters that were seen again. */
  endReturned(returned: readonly ReturnedCluster[], nowMs: number): Promise<void>
  /** Takes what other processes have stored. */
  reread(): Promise<void>
}

/** Each fails only because another process has stored one of the same cluster within milliseconds. */
const DECLARE_TRIES = 5
/** The actor in the audit when the server itself ends a decommission. */
const BY_ITSELF = 'daytwo'

/**
 * Reads the stored decommissions.
 * @param newId a UUID
 * @param notifyChanged called after each write and awaited, so that the next query sees the change
 */
export async function createDecommissions(
  store: DecommissionStore,
  newId: () => string,
  notifyChanged: () => Promise<void>,
): Promise<Decommissions> {
  const stored = new Map<string, Decommission>()
  const inOrder = createSerialQueue()
  /** Takes what is stored, also by other processes. */
  const take = async (): Promise<void> => {
    const all = await store.list()
    stored.clear()
    for (const one of all) stored.set(one.id, one)
  }
  /** False, and nothing is written: another process has just declared one of the same cluster. */
  const write = async (changes: readonly Audited<Decommission>[]): Promise<boolean> => {
    const earlier = await store.write(changes)
    if (earlier.some(({ end }) => end === undefined)) return false
    for (const { value } of changes) stored.set(value.id, value)
    for (const one of earlier) stored.set(one.id, one)
    await notifyChanged()
    return true
  }
  const withdrawn = (one: Decommission, by: string, nowMs: number): Audited<Decommission> => {
    const ended = { ...one, end: { kind: 'withdrawn', atMs: nowMs, by } } as const
    return withAudit('cluster.decommission.withdraw', one.cluster, ended, by, nowMs)
  }
  await take()
  return {
    all: () => [...stored.values()],
    declare: (wishes, reason, by, nowMs) =>
      inOrder(async () => {
        const named = new Set(wishes.map(({ cluster }) => cluster))
        const made = wishes.map((wish): Decommission => {
          return { id: newId(), ...wish, by, reason, saidMs: nowMs }
        })
        const declared = made.map((one) => withAudit('cluster.decommission', one.cluster, one, by, nowMs))
        for (let left = DECLARE_TRIES; left > 0; left--) {
          // Another process may have stored one within the last second.
          await take()
          const replaced = [...stored.values()]
            .filter(({ cluster, end }) => end === undefined && named.has(cluster))
            .map((one) => withdrawn(one, by, nowMs))
          if (await write([...replaced, ...declared])) return made
        }
        throw new FleetError('conflict', 'other processes declare the same clusters at this moment', {
          hint: 'try again',
        })
      }),
    withdraw: (id, by, nowMs, isIncluded = () => true) =>
      inOrder(async () => {
        // Another process may have stored one within the last second.
        const known = stored.get(id) ?? (await store.find(id))
        if (known === undefined || !isIncluded(known.cluster)) return undefined
        if (known.end === undefined) await write([withdrawn(known, by, nowMs)])
        return stored.get(id) ?? known
      }),
    reread: () =>
      inOrder(async () => {
        await take()
        await notifyChanged()
      }),
    endReturned: (returned, nowMs) =>
      inOrder(async () => {
        const ended = returned.flatMap(({ id, lastSeenMs }): Audited<Decommission>[] => {
          const known = stored.get(id)
          if (known === undefined || known.end !== undefined) return []
          const end = { kind: 'returned', atMs: lastSeenMs, by: BY_ITSELF } as const
          return [withAudit('cluster.return', known.cluster, { ...known, end }, BY_ITSELF, nowMs)]
        })
        if (ended.length > 0) await write(ended)
      }),
  }
}
