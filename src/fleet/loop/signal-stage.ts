/** Metrics to observations: reads clusters with new samples, the oldest first, and writes the runs that changed. */
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { RunChange, SignalWatch } from '../signals/signal-watch.ts'
import type { LoopCycle } from './loop-cycle.ts'
import type { FleetLoopState } from './loop-state.ts'
import { WriteBehind } from './write-behind.ts'

export interface SignalStageParts {
  readonly signals: SignalWatch
  readonly observations: Pick<ObservationReader, 'runs'>
  readonly writer: { readonly derived: { runs(changes: readonly RunChange[]): Promise<void> } }
}

interface ReadCluster {
  readonly change: RunChange
  readonly sinceMs: number
}

const BUDGET_MS = 700
const BATCH = 50

export async function readSignals(
  { signals, observations, writer }: SignalStageParts,
  { runsWritten }: Pick<FleetLoopState, 'runsWritten'>,
  cycle: LoopCycle,
): Promise<number> {
  const writes = new WriteBehind<ReadCluster>(BATCH, async (batch) => {
    if (batch.length === 0) return
    try {
      await writer.derived.runs(batch.map(({ change }) => change))
    } catch (thrown) {
      for (const { change, sinceMs } of batch) signals.again(change.cluster, sinceMs)
      throw thrown
    }
    for (const { change, sinceMs } of batch) {
      runsWritten.set(change.cluster, Math.min(sinceMs, runsWritten.get(change.cluster) ?? Infinity))
    }
  })
  signals.look(cycle.nowMs)
  const due = signals.due(cycle.nowMs).values()
  let read = 0
  const readNext = async (): Promise<boolean> => {
    const { value: cluster } = due.next()
    if (cluster === undefined) return false
    let change: RunChange | undefined
    const sinceMs = signals.sinceMs(cluster)
    try {
      change = signals.read(cluster, await observations.runs(cluster), cycle.nowMs)
      read++
    } catch (thrown) {
      cycle.fail(cluster, thrown)
      signals.postpone(cluster)
    }
    if (change !== undefined) await writes.add({ change, sinceMs })
    return true
  }
  try {
    await cycle.within(BUDGET_MS, readNext)
    await writes.flush()
  } catch (thrown) {
    for (const { change, sinceMs } of writes.take()) signals.again(change.cluster, sinceMs)
    throw thrown
  }
  return read
}
