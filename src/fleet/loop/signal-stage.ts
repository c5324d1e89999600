/** Metrics to observations: reads clusters with new samples, the oldest first, and writes the runs that changed. */
import type { ObservationReader } from '../../model/fleet-facts.ts'
import type { SampledGroup } from '../../model/signal-samples.ts'
import type { ClusterSignals, RunChange, SignalWatch } from '../signals/signal-watch.ts'
import type { LoopCycle } from './loop-cycle.ts'
import type { FleetLoopState } from './loop-state.ts'
import { WriteBehind } from './write-behind.ts'

export interface SignalStageParts {
  readonly signals: SignalWatch
  /** The runs that this process stored of the samples it received. */
  readonly ownRuns: Pick<ObservationReader, 'runs'>
  /** Shares the samples of signals with other processes, which received others. */
  readonly shareSamples?: (samples: readonly SampledGroup[]) => Promise<void>
  readonly writer: { readonly derived: { runs(changes: readonly RunChange[]): Promise<void> } }
}

interface ReadCluster extends ClusterSignals {
  readonly cluster: string
  readonly sinceMs: number
}

const BUDGET_MS = 700
const BATCH = 50

export async function readSignals(
  { signals, ownRuns, shareSamples, writer }: SignalStageParts,
  { runsWritten }: Pick<FleetLoopState, 'runsWritten'>,
  cycle: LoopCycle,
): Promise<number> {
  const writes = new WriteBehind<ReadCluster>(BATCH, async (batch) => {
    if (batch.length === 0) return
    try {
      // First: what is stored is not read again.
      await shareSamples?.(batch.flatMap(({ samples }) => samples))
      const changes = batch.flatMap(({ change }) => (change === undefined ? [] : [change]))
      if (changes.length > 0) await writer.derived.runs(changes)
    } catch (thrown) {
      for (const { cluster, sinceMs } of batch) signals.again(cluster, sinceMs)
      throw thrown
    }
    for (const { cluster, sinceMs } of batch) {
      runsWritten.set(cluster, Math.min(sinceMs, runsWritten.get(cluster) ?? Infinity))
    }
  })
  signals.look(cycle.nowMs)
  const due = signals.due(cycle.nowMs).values()
  let read = 0
  const readNext = async (): Promise<boolean> => {
    const { value: cluster } = due.next()
    if (cluster === undefined) return false
    let found: ClusterSignals | undefined
    const sinceMs = signals.sinceMs(cluster)
    try {
      found = signals.read(cluster, await ownRuns.runs(cluster), cycle.nowMs)
      read++
    } catch (thrown) {
      cycle.fail(cluster, thrown)
      signals.postpone(cluster)
    }
    const isWritten = found?.change !== undefined || shareSamples !== undefined
    if (found !== undefined && isWritten) await writes.add({ ...found, cluster, sinceMs })
    return true
  }
  try {
    await cycle.within(BUDGET_MS, readNext)
    await writes.flush()
  } catch (thrown) {
    for (const { cluster, sinceMs } of writes.take()) signals.again(cluster, sinceMs)
    throw thrown
  }
  return read
}
