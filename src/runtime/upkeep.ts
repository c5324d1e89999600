/** Background work outside the evaluation cycle: the store's flush and retention, and their gauges. */
import type { AppThreads } from '../threads/app-threads.ts'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { PublishChange } from './change-events.ts'
import { measureDisk, type DiskRoom } from './disk-room.ts'
import { eachInSteps, inSlices, ownTurn } from '../base/thread-slices.ts'
import type { FaultWatch } from './fault-watch.ts'
import type { RemoteRules } from './remote-rules.ts'
import type { ScrubSchedule } from './scrub.ts'
import type { ShippingSchedule } from './shipping.ts'
import { ALERT_STATES, type Alert, type AlertState } from '../model/alert.ts'
import { OWN_SERIES_EVERY_MS, ownSeries } from './own-series.ts'
import { setTotals } from './totals.ts'
import type { RemoteStatus } from '../remote/remote-store.ts'
import type { StoreStats } from '../store/writer.ts'

const EVERY_MS = 1000
/** When the disk cannot be measured. */
const NO_ROOM_KNOWN: DiskRoom = { freeBytes: 0, sizeBytes: 0 }

interface Upkeep {
  /** Resolves with a sentence when a data directory that was read-only at the start can be written. */
  readonly writable: Promise<string>
  /** Resolves when the current run is done; no further run starts. */
  stop(): Promise<void>
}

interface UpkeepParts {
  readonly clock: Clock
  readonly threads: AppThreads
  /** Tokens and sessions; elections of replicas that other processes share. */
  readonly access: readonly { upkeep(): Promise<void> }[]
  readonly rules: Pick<RemoteRules, 'alerts'>
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly faults: FaultWatch
  readonly headShares: { see(usedBytes: number, nowMs: number): void }
  readonly publish: PublishChange
  /** The folder of the store, whose disk is measured. */
  readonly folder: string
  /** The `instance` label of Daytwo's own series; absent: they are not stored. */
  readonly instance: string | undefined
  readonly scrub: ScrubSchedule
  /** Queries are answered by a metrics store. */
  readonly hasMetricsStore: boolean
  /** Absent: nothing is shipped. */
  readonly shipping?: ShippingSchedule
}

export function startUpkeep(parts: UpkeepParts): Upkeep {
  const {
    clock,
    threads,
    access,
    rules,
    metrics,
    log,
    faults,
    headShares,
    publish,
    folder,
    instance,
    scrub,
    shipping,
  } = parts
  let isStopped = false
  let underWay = Promise.resolve()
  let cancel: () => void = () => undefined
  const throttle = new FaultThrottle()
  let storedAtMs = -Infinity
  let reportWritable: (sentence: string) => void = () => undefined
  const writable = new Promise<string>((resolve) => {
    reportWritable = resolve
  })

  const run = async (): Promise<void> => {
    const nowMs = clock.nowMs()
    const report = (thrown: unknown): void => {
      if (!throttle.admits('upkeep', nowMs)) return
      log.error({ error: messageOf(thrown) }, 'upkeep of the store failed; the server retries')
    }
    await threads.ingest.store.maintain(nowMs).catch(report)
    for (const part of access) await part.upkeep().catch(report)
    if (parts.hasMetricsStore) {
      const status = await threads.query.metricsStore.status().catch(report)
      if (status !== undefined) {
        showMetricsStore(status, metrics)
        faults.seeMetricsStore(status.fault)
      }
    }
    const stats = await measure(threads, rules.alerts(), metrics).catch(report)
    // The ingest worker is being started again.
    if (stats === undefined) return
    void scrub.tick(nowMs)
    void shipping?.tick(nowMs)
    if (stats.isWritableAgain) reportWritable('the data directory can be written again')
    const room = await measureDisk(folder, metrics).catch(report)
    // While writes fail, alerts no longer change: their pages show the fault.
    if (faults.seeStore(stats, room ?? NO_ROOM_KNOWN, nowMs)) publish(['alerts'])
    if (instance === undefined || nowMs - storedAtMs < OWN_SERIES_EVERY_MS) return
    storedAtMs = nowMs
    // Not awaited: a commit that waits for disk space must not block the retention that frees it.
    void threads.ingest.writes.ownSeries(await ownSeries(metrics, instance, nowMs)).catch(report)
  }
  const plan = (): void => {
    if (isStopped) return
    cancel = clock.after(EVERY_MS, () => {
      underWay = run().then(plan, (cause: unknown) => {
        if (!isStopped) log.error({ error: messageOf(cause) }, 'upkeep stopped')
      })
    })
  }
  // By itself: `maintain` may take longer than the head takes to fill.
  let cancelWatch: () => void = () => undefined
  const watchHead = (): void => {
    if (isStopped) return
    cancelWatch = clock.after(EVERY_MS, () => {
      const see = threads.ingest.store.stats().then(({ headBytes }) => {
        headShares.see(headBytes, clock.nowMs())
      })
      // The ingest worker is being started again: seen a second later.
      void see.catch(() => undefined).then(watchHead)
    })
  }
  plan()
  watchHead()
  return {
    writable,
    stop: async () => {
      isStopped = true
      cancel()
      cancelWatch()
      await underWay
      await scrub.stop()
      await shipping?.stop(clock.nowMs())
    },
  }
}

async function measure(threads: AppThreads, alerts: readonly Alert[], metrics: OwnMetrics): Promise<StoreStats> {
  const stats = await threads.ingest.store.stats()
  metrics.storeHeadSeries.set(stats.seriesCount)
  metrics.storeColdSeries.set(stats.coldSeries)
  metrics.storeHeadSamples.set(stats.headSamples)
  metrics.storeHeadBytes.set(stats.headBytes)
  metrics.storeLogBytes.set(stats.logBytes)
  setTotals(metrics.storeObjectStatesEvicted, undefined, { all: stats.objectStatesEvicted })
  setTotals(metrics.storeCommits, 'outcome', { ok: stats.commitsDone, failed: stats.commitsFailed })
  setTotals(metrics.storeFlushes, 'outcome', { ok: stats.flushesDone, failed: stats.flushesFailed })
  setTotals(metrics.clusterNamesRefused, 'reason', await threads.ingest.refusals.names())
  if (stats.lastFlushMs !== undefined) metrics.storeLastFlushSeconds.set(stats.lastFlushMs / 1000)
  const { rollups } = stats
  metrics.storeRollupBacklog.set(rollups.backlogBlocks)
  if (rollups.lastProgressMs !== undefined) metrics.storeRollupLastSeconds.set(rollups.lastProgressMs / 1000)
  const { backlogBlocks, lastProgressMs } = stats.compaction
  metrics.storeCompactionBacklog.set(backlogBlocks)
  if (lastProgressMs !== undefined) metrics.storeCompactionLastSeconds.set(lastProgressMs / 1000)
  metrics.storeDamagedItems.set(stats.damage?.count ?? 0)
  const counts: Record<AlertState, number> = { pending: 0, firing: 0, resolved: 0 }
  const count = eachInSteps(alerts, ({ state }) => {
    counts[state]++
  })
  await inSlices(count, ownTurn)
  for (const state of ALERT_STATES) metrics.alerts.set({ state }, counts[state])
  return stats
}

/** What the query worker counted of the metrics store. */
function showMetricsStore({ fault, running, waiting, totals }: RemoteStatus, metrics: OwnMetrics): void {
  metrics.metricsStoreUp.set(fault === undefined ? 1 : 0)
  metrics.metricsStoreRequestsRunning.set(running)
  metrics.metricsStoreRequestsWaiting.set(waiting)
  setTotals(metrics.metricsStoreRequests, 'outcome', totals.requests)
  setTotals(metrics.metricsStoreQueries, 'way', totals.queries)
  setTotals(metrics.metricsStoreRequestSeconds, undefined, { all: totals.requestSeconds })
  setTotals(metrics.metricsStoreReadBytes, undefined, { all: totals.bytesRead })
  setTotals(metrics.metricsStoreSamplesFetched, undefined, { all: totals.samplesFetched })
}
