/**
 * Declared decommissions. Changes run one after the other; each is stored, with its audit entry, before it takes effect.
 * gone.ts decides whether a cluster is gone.
 */
import { createSerialQueue } from '../../base/serial-queue.ts'
import type { AuditAction, AuditedAction } from '../../model/audit.ts'
import type { Decommission } from '../../model/decommission.ts'

/** Stores decommissions; each call is durable when it resolves. */
export interface DecommissionStore {
  /** All decommissions ever, in the order in which they were declared. */
  list(): Promise<readonly Decommission[]>
  /** Adds or replaces by id, with the entries of the audit, all or nothing. */
  write(changed: readonly Decommission[], actions: readonly AuditedAction[]): Promise<void>
}

export type DecommissionWish = Pick<Decommission, 'cluster' | 'sinceMs' | 'kind'>

/** A cluster that was seen again after it was declared decommissioned. */
export interface ReturnedCluster {
  readonly id: string
  readonly lastSeenMs: number
}

export interface Decommissions {
  get(id: string): Decommission | undefined
  /** In the order in which they were declared. */
  all(): readonly Decommission[]
  /** Withdraws earlier decommissions of the same clusters. All or, when it rejects, none. */
  declare(
    wishes: readonly DecommissionWish[],
    reason: string,
    by: string,
    nowMs: number,
  ): Promise<readonly Decommission[]>
  /** Withdraws one; one that has ended stays unchanged. `undefined`: unknown id. */
  withdraw(id: string, by: string, nowMs: number): Promise<Decommission | undefined>
  /** Ends the decommissions of clusters that were seen again. */
  endReturned(returned: readonly ReturnedCluster[], nowMs: number): Promise<void>
  /** Takes what other processes have stored. */
  reread(): Promise<void>
}

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
  const stored = new Map((await store.list()).map((one) => [one.id, one]))
  const inOrder = createSerialQueue()
  const write = async (changed: readonly Decommission[], actions: readonly AuditedAction[]): Promise<void> => {
    await store.write(changed, actions)
    for (const one of changed) stored.set(one.id, one)
    await notifyChanged()
  }
  const withdrawn = (one: Decommission, by: string, nowMs: number): Decommission => {
    return { ...one, end: { kind: 'withdrawn', atMs: nowMs, by } }
  }
  return {
    get: (id) => stored.get(id),
    all: () => [...stored.values()],
    declare: (wishes, reason, by, nowMs) =>
      inOrder(async () => {
        const named = new Set(wishes.map(({ cluster }) => cluster))
        const replaced = [...stored.values()]
          .filter(({ cluster, end }) => end === undefined && named.has(cluster))
          .map((one) => withdrawn(one, by, nowMs))
        const made = wishes.map((wish): Decommission => {
          return { id: newId(), ...wish, by, reason, saidMs: nowMs }
        })
        await write(
          [...replaced, ...made],
          [
            ...replaced.map((one) => auditOf('cluster.decommission.withdraw', one, by, nowMs)),
            ...made.map((one) => auditOf('cluster.decommission', one, by, nowMs)),
          ],
        )
        return made
      }),
    withdraw: (id, by, nowMs) =>
      inOrder(async () => {
        const known = stored.get(id)
        if (known === undefined || known.end !== undefined) return known
        const ended = withdrawn(known, by, nowMs)
        await write([ended], [auditOf('cluster.decommission.withdraw', ended, by, nowMs)])
        return ended
      }),
    reread: () =>
      inOrder(async () => {
        for (const one of await store.list()) stored.set(one.id, one)
        await notifyChanged()
      }),
    endReturned: (returned, nowMs) =>
      inOrder(async () => {
        const ended = returned.flatMap(({ id, lastSeenMs }): Decommission[] => {
          const known = stored.get(id)
          if (known === undefined || known.end !== undefined) return []
          return [{ ...known, end: { kind: 'returned', atMs: lastSeenMs, by: BY_ITSELF } }]
        })
        if (ended.length === 0) return
        await write(
          ended,
          ended.map((one) => auditOf('cluster.return', one, BY_ITSELF, nowMs)),
        )
      }),
  }
}

function auditOf(action: AuditAction, one: Decommission, by: string, atMs: number): AuditedAction {
  return { atMs, by, action, subject: one.cluster, detail: JSON.stringify(one) }
}
