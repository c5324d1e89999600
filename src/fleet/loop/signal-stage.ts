/** Metrics to observations: reads clusters with new samples, the oldest first, and writes the runs that changed. */
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { RunChange, SignalWatch } from '../signals/signal-watch.ts'
import type { LoopCycle } from './loop-cycle.ts'
import type { FleetLoopState } from './loop-state.ts'

export interface SignalStageParts {
  readonly signals: SignalWatch
  readonly observations: Pick<ObservationReader, 'runs'>
  readonly writer: { readonly derived: { runs(changes: readonly RunChange[]): Promise<void> } }
}

const BUDGET_MS = 700
const BATCH = 50

export async function readSignals(
  { signals, observations, writer }: SignalStageParts,
  { runsWritten }: Pick<FleetLoopState, 'runsWritten'>,
  cycle: LoopCycle,
): Promise<number> {
  let batch: { readonly change: RunChange; readonly sinceMs: number }[] = []
  const write = async (): Promise<void> => {
    const written = batch
    batch = []
    if (written.length === 0) return
    try {
      await writer.derived.runs(written.map(({ change }) => change))
    } catch (thrown) {
      for (const { change, sinceMs } of written) signals.again(change.cluster, sinceMs)
      throw thrown
    }
    for (const { change, sinceMs } of written) {
      runsWritten.set(change.cluster, Math.min(sinceMs, runsWritten.get(change.cluster) ?? Infinity))
    }
  }
  signals.look(cycle.nowMs)
  const due = signals.due(cycle.nowMs).values()
  let read = 0
  await cycle.within(BUDGET_MS, async () => {
    const { value: cluster } = due.next()
    if (cluster === undefined) return false
    try {
      const sinceMs = signals.sinceMs(cluster)
      const change = signals.read(cluster, await observations.runs(cluster), cycle.nowMs)
      read++
      if (change !== undefined) batch.push({ change, sinceMs })
    } catch (thrown) {
      cycle.fail(cluster, thrown)
      signals.postpone(cluster)
    }
    if (batch.length >= BATCH) await write()
    return true
  })
  await write()
  return read
}
