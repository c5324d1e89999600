/**
 * Risks that users accept. Changes run one after the other; each is stored, with its entries of the audit, before it takes
 * effect. Whether an acceptance is in effect at a moment is decided by accepted.ts.
 */
import { FleetError } from '../../base/errors.ts'
import { createSerialQueue } from '../../base/serial-queue.ts'
import type { AuditAction, AuditedAction } from '../../model/audit.ts'
import type { AcceptedRisk, HazardId } from '../../model/readiness.ts'
import { isInEffect } from './accepted.ts'
import { DAY_MS } from './hazard.ts'

/** Stores accepted risks; each call is durable when it resolves. */
export interface AcceptanceStore {
  /** In the order in which they were accepted. */
  list(): Promise<readonly AcceptedRisk[]>
  write(changed: readonly AcceptedRisk[], actions: readonly AuditedAction[], endedBeforeMs: number): Promise<void>
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
  const stored = new Map((await store.list()).map((one) => [keyOf(one), one]))
  const inOrder = createSerialQueue()
  const write = async (
    changed: readonly AcceptedRisk[],
    actions: readonly AuditedAction[],
    nowMs: number,
  ): Promise<void> => {
    const endedBeforeMs = nowMs - ENDED_KEPT_MS
    await store.write(changed, actions, endedBeforeMs)
    for (const one of changed) stored.set(keyOf(one), one)
    for (const [key, { expiresMs, withdrawn }] of stored) {
      if (Math.min(expiresMs, withdrawn?.atMs ?? Infinity) < endedBeforeMs) stored.delete(key)
    }
    await notifyChanged()
  }
  return {
    all: () => [...stored.values()],
    accept: ({ hazard, clusters, reason, expiresMs }, by, nowMs) =>
      inOrder(async () => {
        const named = new Set(clusters)
        const inEffect = [...stored.values()].filter((one) => isInEffect(one, nowMs))
        const replaced = inEffect
          .filter((one) => one.hazard === hazard && named.has(one.cluster))
          .map((one) => ({ ...one, withdrawn: { atMs: nowMs, by } }))
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
        await write(
          [...replaced, ...made],
          [
            ...replaced.map((one) => auditOf('risk.withdraw', one, by, nowMs)),
            ...made.map((one) => auditOf('risk.accept', one, by, nowMs)),
          ],
          nowMs,
        )
        return made
      }),
    withdraw: (id, by, nowMs, isIncluded = () => true) =>
      inOrder(async () => {
        const known = [...stored.values()].filter((one) => one.id === id && isIncluded(one.cluster))
        const ended = known
          .filter((one) => isInEffect(one, nowMs))
          .map((one) => ({ ...one, withdrawn: { atMs: nowMs, by } }))
        if (ended.length > 0) {
          await write(
            ended,
            ended.map((one) => auditOf('risk.withdraw', one, by, nowMs)),
            nowMs,
          )
        }
        return known.map((one) => stored.get(keyOf(one)) ?? one)
      }),
    reread: () =>
      inOrder(async () => {
        const all = await store.list()
        stored.clear()
        for (const one of all) stored.set(keyOf(one), one)
        await notifyChanged()
      }),
  }
}

function keyOf({ id, cluster }: AcceptedRisk): string {
  return `${id} ${cluster}`
}

function auditOf(action: AuditAction, one: AcceptedRisk, by: string, atMs: number): AuditedAction {
  return { atMs, by, action, subject: one.cluster, detail: JSON.stringify(one) }
}
