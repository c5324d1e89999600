/**
 * What people say of clusters that were switched off for good: changed one after the other, kept before it counts, with who
 * did it. Whether a cluster is gone follows from it (gone.ts).
 */
import { createSerialQueue } from '../../base/serial-queue.ts'
import type { AuditAction, AuditedAction } from '../../model/audit.ts'
import type { Decommission } from '../../model/decommission.ts'

/** Keeps them; each call is durable when it resolves. */
export interface DecommissionStore {
  /** All there ever were, as they were said. */
  list(): Promise<readonly Decommission[]>
  /** Adds or replaces by id, with the entries of the audit, all or nothing. */
  write(changed: readonly Decommission[], deeds: readonly AuditedAction[]): Promise<void>
}

export interface DecommissionWish {
  readonly cluster: string
  readonly sinceMs: number
}

/** A cluster that was heard again after it was said to be gone. */
export interface ReturnedCluster {
  /** Of what was said. */
  readonly id: string
  readonly heardMs: number
}

export interface Decommissions {
  get(id: string): Decommission | undefined
  /** As they were said. */
  all(): readonly Decommission[]
  /** What was said of the same clusters before is taken back with it. All of them or, when it rejects, none. */
  declare(
    wishes: readonly DecommissionWish[],
    reason: string,
    by: string,
    nowMs: number,
  ): Promise<readonly Decommission[]>
  /** Takes one back; one that has ended stays as it is. `undefined` when there is none. */
  withdraw(id: string, by: string, nowMs: number): Promise<Decommission | undefined>
  /** Ends those of clusters that were heard again. */
  endReturned(returned: readonly ReturnedCluster[], nowMs: number): Promise<void>
}

/** In the audit, for what nobody did. */
const BY_ITSELF = 'daytwo'

/**
 * Reads what is kept.
 * @param newId a UUID
 * @param told what was written is taken into account; awaited, so that whoever asks next sees it
 */
export async function createDecommissions(
  store: DecommissionStore,
  newId: () => string,
  told: () => Promise<void>,
): Promise<Decommissions> {
  const kept = new Map((await store.list()).map((one) => [one.id, one]))
  const inOrder = createSerialQueue()
  const write = async (changed: readonly Decommission[], deeds: readonly AuditedAction[]): Promise<void> => {
    await store.write(changed, deeds)
    for (const one of changed) kept.set(one.id, one)
    await told()
  }
  const withdrawn = (one: Decommission, by: string, nowMs: number): Decommission => {
    return { ...one, end: { kind: 'withdrawn', atMs: nowMs, by } }
  }
  return {
    get: (id) => kept.get(id),
    all: () => [...kept.values()],
    declare: (wishes, reason, by, nowMs) =>
      inOrder(async () => {
        const named = new Set(wishes.map(({ cluster }) => cluster))
        const replaced = [...kept.values()]
          .filter(({ cluster, end }) => end === undefined && named.has(cluster))
          .map((one) => withdrawn(one, by, nowMs))
        const made = wishes.map(({ cluster, sinceMs }): Decommission => {
          return { id: newId(), cluster, sinceMs, by, reason, saidMs: nowMs }
        })
        await write(
          [...replaced, ...made],
          [
            ...replaced.map((one) => deedOf('cluster.decommission.withdraw', one, by, nowMs)),
            ...made.map((one) => deedOf('cluster.decommission', one, by, nowMs)),
          ],
        )
        return made
      }),
    withdraw: (id, by, nowMs) =>
      inOrder(async () => {
        const known = kept.get(id)
        if (known === undefined || known.end !== undefined) return known
        const ended = withdrawn(known, by, nowMs)
        await write([ended], [deedOf('cluster.decommission.withdraw', ended, by, nowMs)])
        return ended
      }),
    endReturned: (returned, nowMs) =>
      inOrder(async () => {
        const ended = returned.flatMap(({ id, heardMs }): Decommission[] => {
          const known = kept.get(id)
          if (known === undefined || known.end !== undefined) return []
          return [{ ...known, end: { kind: 'returned', atMs: heardMs, by: BY_ITSELF } }]
        })
        if (ended.length === 0) return
        await write(
          ended,
          ended.map((one) => deedOf('cluster.return', one, BY_ITSELF, nowMs)),
        )
      }),
  }
}

function deedOf(action: AuditAction, one: Decommission, by: string, atMs: number): AuditedAction {
  return { atMs, by, action, subject: one.cluster, detail: JSON.stringify(one) }
}
