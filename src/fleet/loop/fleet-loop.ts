/**
 * Keeps the facts of the fleet up to date with what clusters send. One cycle runs before the rules: metrics become
 * observations, each cluster with something new is derived again, and what follows from its facts is written: traces,
 * series of this server, the counts of the day. Runs on the query worker, next to the data; the ingest worker writes.
 *
 * Work is bounded: what does not fit into a cycle waits for the next ones, the oldest first, and queries run between any
 * two clusters. A failure of one cluster is reported and does not stop the others. The position up to which facts are
 * derived is stored with them, so a restart continues there; deriving a cluster twice changes nothing.
 */
import { inSlices, ownTurn } from '../../base/thread-slices.ts'
import type { CountingPorts } from '../adoption/count-days.ts'
import type { FleetIndex } from '../clusters/fleet-index.ts'
import type { ReturnedCluster } from '../clusters/decommissions.ts'
import { graphValues } from '../graph/graph-values.ts'
import type { UpdateGraphs } from '../graph/update-graphs.ts'
import type { DerivedValue } from '../series/derived-metrics.ts'
import { DERIVED_EVERY_MS } from '../series/derived-series.ts'
import type { SignalWatch } from '../signals/signal-watch.ts'
import type { FiredAlertReader } from '../../model/alert-run.ts'
import type { ObservationReader } from '../../model/fleet-facts.ts'
import { AlertTraces } from './alert-traces.ts'
import { collectChanges, type ChangeStageParts } from './change-stage.ts'
import type { ChangedFacts } from './change-watch.ts'
import { derivePending, type DerivationStageParts, type DroppedFacts } from './derivation-stage.ts'
import { StartedCycle, type CycleFailure } from './loop-cycle.ts'
import { createLoopState } from './loop-state.ts'
import {
  DayCountStage,
  Schedule,
  SeriesStage,
  updateLastSeen,
  type HeartbeatParts,
  type SeriesStageParts,
} from './periodic-stages.ts'
import { RolloutWatch, type RolloutReader } from './rollout-watch.ts'
import { readSignals, type SignalStageParts } from './signal-stage.ts'
import { TraitStage, type TraitStageParts } from './trait-stage.ts'

type StageParts = SignalStageParts & ChangeStageParts & DerivationStageParts & SeriesStageParts

export interface FleetLoopParts extends Omit<StageParts, 'alertTraces' | 'signals' | 'observations' | 'spans'> {
  readonly signals: SignalWatch
  readonly observations: ObservationReader
  readonly shareSeen?: HeartbeatParts['shareSeen']
  readonly spans: DerivationStageParts['spans'] & ChangeStageParts['spans']
  /** Alerts that fired on clusters: traces of upgrades contain them. */
  readonly alerts: FiredAlertReader
  readonly counting: CountingPorts
  readonly rollouts: RolloutReader
  readonly graphs: () => Promise<Pick<UpdateGraphs, 'graph'>>
  readonly traitsAt: TraitStageParts['traitsAt']
  /** Resolves when it holds all stored facts. */
  readonly index: Promise<
    Pick<
      FleetIndex,
      | 'active'
      | 'known'
      | 'put'
      | 'remove'
      | 'markSeen'
      | 'describe'
      | 'returned'
      | 'coverage'
      | 'verdicts'
      | 'restoreSeries'
      | 'series'
    > & { readonly edges: Pick<FleetIndex['edges'], 'estimateNext'> }
  >
  /** Milliseconds that only rise. */
  readonly stopwatchMs: () => number
}

export interface FleetReport {
  /** Clusters whose metrics were read, and those that were derived. */
  readonly read: number
  readonly derived: number
  /** Clusters that wait for the next cycle. */
  readonly waiting: number
  readonly failures: readonly CycleFailure[]
  /** Of the clusters that were derived; absent: none. */
  readonly dropped?: DroppedFacts
  readonly tookMs: number
  readonly returned: readonly ReturnedCluster[]
  /** Topics of pages that changed. */
  readonly changed: readonly ChangedFacts[]
}

/** How far what was received is derived. */
export interface FleetProgress {
  /** All that was received until then is derived; absent: not yet since the start. */
  readonly caughtUpMs?: number
  /** Clusters with something that is not derived. */
  readonly waiting: number
  /** Days of adoption that are not counted yet, or have to be counted again. */
  readonly daysLeft: number
}

export interface FleetLoop {
  runCycle(nowMs: number): Promise<FleetReport>
  /** @param clusters counts only these among those that wait; absent: all */
  progress(clusters?: Iterable<string>): FleetProgress
  /** Decommissions changed from `fromMs` on: days from then on are counted again. */
  recountDays(fromMs: number, nowMs: number): void
}

const EDGES_BUDGET_MS = 300
const HEARTBEAT_EVERY_MS = 10_000

export function createFleetLoop(given: FleetLoopParts): FleetLoop {
  const parts = { ...given, alertTraces: new AlertTraces(given) }
  const { signals, alertTraces, stopwatchMs } = parts
  const state = createLoopState()
  const { pending, changedFacts } = state
  const derivedSeries = new SeriesStage(parts)
  const rollouts = new RolloutWatch(parts.rollouts)
  const dayCounts = new DayCountStage(parts.counting, state)
  const traits = new TraitStage(parts)
  const [heartbeats, graphs] = [new Schedule(), new Schedule()]
  let ofGraphs: readonly DerivedValue[] = []
  let caughtUpMs: number | undefined
  let isStarting = true

  /** Clusters that are not read or not derived, each once. */
  const waitingCount = (): number => {
    const underived = new Set(pending.clusters())
    return signals.waiting + [...underived].filter((cluster) => !signals.isWaiting(cluster)).length
  }
  const waitingOf = (clusters: Iterable<string>): number => {
    const underived = new Set(pending.clusters())
    return [...clusters].filter((cluster) => underived.has(cluster) || signals.isWaiting(cluster)).length
  }

  return {
    runCycle: async (nowMs) => {
      const cycle = new StartedCycle(nowMs, stopwatchMs)
      const index = await parts.index
      const read = await cycle.run('metrics', () => readSignals(parts, state, cycle))
      await cycle.run('changes', () => collectChanges(parts, state, nowMs))
      await cycle.run('alerts in traces', () => alertTraces.write(cycle))
      const facts = await cycle.run('facts', () => derivePending(parts, state, index, cycle))
      await cycle.run('heartbeats', async () => {
        // Reading a cluster after the start shows its newest sample.
        if (isStarting && !signals.hasUntried) heartbeats.reset()
        isStarting = signals.hasUntried
        if (heartbeats.isDue(HEARTBEAT_EVERY_MS, nowMs)) await updateLastSeen(parts, state, index, nowMs)
      })
      await cycle.run('upgrade paths', () =>
        cycle.within(EDGES_BUDGET_MS, () => Promise.resolve(index.edges.estimateNext())),
      )
      await cycle.run('traits', () => traits.run(index, cycle))
      if (parts.leases?.isFirst !== false) {
        await cycle.run('rollouts', () => rollouts.advance(nowMs))
        await cycle.run('update graphs', async () => {
          if (!graphs.isDue(DERIVED_EVERY_MS, nowMs)) return
          ofGraphs = await inSlices(graphValues(await parts.graphs(), [...index.active(nowMs)], nowMs), ownTurn)
        })
        await cycle.run('derived series', () => derivedSeries.run(index, nowMs, [...rollouts.values, ...ofGraphs]))
        await cycle.run('day counts', () => dayCounts.run(!signals.hasUntried && !pending.hasUntried, nowMs))
      }
      const untilMs = Math.min(state.collectedUntilMs, signals.readUntilMs, pending.oldestMs)
      if (read !== undefined && facts !== undefined && untilMs > -Infinity) caughtUpMs = untilMs
      changedFacts.setPending(waitingCount())
      return {
        read: read ?? 0,
        derived: facts?.derived ?? 0,
        waiting: waitingCount() + alertTraces.waiting,
        failures: cycle.failures,
        ...(facts?.dropped && { dropped: facts.dropped }),
        tookMs: cycle.tookMs,
        returned: index.returned(),
        changed: changedFacts.take(),
      }
    },
    progress: (clusters) => ({
      ...(caughtUpMs !== undefined && { caughtUpMs }),
      waiting: clusters === undefined ? waitingCount() : waitingOf(clusters),
      daysLeft: dayCounts.daysLeft,
    }),
    recountDays: (fromMs, nowMs) => {
      dayCounts.recount(fromMs, nowMs)
    },
  }
}
