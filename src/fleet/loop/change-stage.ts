/** Collects the clusters that have new observations, spans or alerts, and up to which position of the store that is all. */
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { AlertTraces } from './alert-traces.ts'
import type { ClusterLeases } from './cluster-leases.ts'
import type { FleetLoopState, LoopPosition } from './loop-state.ts'

export interface ChangeStageParts {
  readonly observations: Pick<ObservationReader, 'changedSince' | 'joins'>
  readonly spans: Pick<ObservationReader, 'changedSince'>
  /** The position stored with the facts. */
  readonly position: () => Promise<string | undefined>
  readonly alertTraces: Pick<AlertTraces, 'collect'>
  readonly leases?: ClusterLeases
}

export async function collectChanges(
  { observations, spans, position, alertTraces, leases }: ChangeStageParts,
  state: FleetLoopState,
  nowMs: number,
): Promise<void> {
  state.collected ??= positionOf((state.storedPosition = await position()))
  const observed = await observations.changedSince(state.collected.observations)
  const sent = await spans.changedSince(state.collected.spans)
  const alerts = await alertTraces.collect(state.collected.alerts)
  const names = [...observed.clusters, ...sent.clusters]
  state.gained.push(...(leases?.takeGained() ?? []))
  const joins = names.length + state.gained.length === 0 ? NO_JOINS : await observations.joins()
  const add = (cluster: string, sinceMs: number): void => {
    if (leases === undefined || leases.lease(cluster) !== undefined) state.pending.add({ cluster, sinceMs })
    else leases.note(cluster)
  }
  for (const name of state.gained.splice(0)) {
    const cluster = joins.get(name)
    if (cluster === undefined) state.pending.add({ cluster: name, sinceMs: nowMs })
    else add(cluster, nowMs)
  }
  for (const name of names) {
    add(joins.get(name) ?? name, Math.min(state.collectedUntilMs, state.runsWritten.get(name) ?? Infinity))
  }
  state.pending.retry(nowMs)
  state.collected = { observations: observed.position, spans: sent.position, alerts }
  state.pending.addedUpTo(state.collected)
  state.collectedUntilMs = nowMs
  state.runsWritten.clear()
}

const NO_JOINS: ReadonlyMap<string, string> = new Map()

/** Absent, or of a form that is not ours: from the beginning. */
function positionOf(text: string | undefined): LoopPosition {
  const start = { observations: 0, spans: 0, alerts: 0 }
  if (text === undefined) return start
  try {
    const { observations, spans, alerts = 0 } = JSON.parse(text) as Partial<LoopPosition>
    return typeof observations === 'number' && typeof spans === 'number' ? { observations, spans, alerts } : start
  } catch {
    return start
  }
}
