/**
 * Alerts in the traces of upgrades: an alert that begins to fire changes no fact, and is told in the trace of the upgrade
 * during which it fired. Where something fired waits here until the traces of that cluster were looked at.
 */
import { alertedTraces, type AlertedTrace } from './derivation.ts'
import type { FiredAlertReader } from '../../model/alert-run.ts'
import type { FleetFactsReader } from '../../model/fleet-facts.ts'
import type { DerivedTrace } from '../../model/span.ts'

export interface AlertTraceParts {
  readonly facts: Pick<FleetFactsReader, 'cluster'>
  readonly alerts: FiredAlertReader
  readonly writer: { replaceSpans(traces: readonly DerivedTrace[], nowMs: number): Promise<void> }
}

export interface AlertTraces {
  /** Clusters that wait. */
  readonly waiting: number
  /** Takes note of where something fired, and of what failed before. Answers the position up to where that is all. */
  take(position: number): Promise<number>
  /** Looks at one cluster; false when none waits. Rejects with what failed for it, and it waits for the next `take`. */
  next(nowMs: number): Promise<boolean>
}

/** Traces of which it is remembered what they tell; beyond it some are written again as they are. */
const TOLD_MAX = 20_000

export function createAlertTraces({ facts, alerts, writer }: AlertTraceParts): AlertTraces {
  const waiting = new Set<string>()
  const failed = new Set<string>()
  /** One that fires again and again on a cluster is no news to the older upgrades of the cluster. */
  const told = new Map<string, string>()
  const textOf = (trace: AlertedTrace): string => JSON.stringify(trace.alerts)

  const tell = async (cluster: string, nowMs: number): Promise<void> => {
    const known = await facts.cluster(cluster)
    const traces = known === undefined ? [] : await alertedTraces(known, alerts)
    const fresh = traces.filter((trace) => told.get(trace.traceId) !== textOf(trace))
    if (fresh.length === 0) return
    await writer.replaceSpans(fresh, nowMs)
    if (told.size >= TOLD_MAX) told.clear()
    for (const trace of fresh) told.set(trace.traceId, textOf(trace))
  }
  return {
    get waiting() {
      return waiting.size + failed.size
    },
    take: async (position) => {
      const fired = await alerts.firedSince(position)
      for (const cluster of [...failed, ...fired.clusters]) waiting.add(cluster)
      failed.clear()
      return fired.position
    },
    next: async (nowMs) => {
      const [cluster] = waiting
      if (cluster === undefined) return false
      waiting.delete(cluster)
      try {
        await tell(cluster, nowMs)
      } catch (thrown) {
        failed.add(cluster)
        throw thrown
      }
      return true
    },
  }
}
