/** Ships observations to PostgreSQL in the background, and applies retention and erasures there. Pauses while it is away. */
import type { AppThreads } from '../threads/app-threads.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { OwnReport } from './own-report.ts'
import type { ShippingData, ShippingServices } from '../threads/shipping-worker.ts'
import { startThread, type Thread } from '../threads/start-thread.ts'

/** Of one tick: a tick is due each second. */
const STEPS_MAX = 20
/** After a failure, and at most after several in a row. */
const PAUSE_MIN_MS = 1000
const PAUSE_MAX_MS = 60_000
const RETAIN_EVERY_MS = 3_600_000
/** While a cluster is being erased, others still ship about it. */
const ERASE_EVERY_MS = 60_000

export type ShippingThread = Pick<Thread<ShippingServices>, 'remote' | 'terminate'>

export interface ShippingParts {
  readonly start: () => Promise<ShippingThread>
  readonly ingest: {
    readonly store: Pick<AppThreads['ingest']['store'], 'removeShipped'>
    readonly erasures: Pick<AppThreads['ingest']['erasures'], 'list'>
  }
  readonly metrics: Pick<
    OwnMetrics,
    'shippedRows' | 'shippingRefused' | 'shippingFailures' | 'shippingChanges' | 'shippingLagSeconds'
  >
  readonly log: Log
  readonly report: Pick<OwnReport, 'noteShipping'>
}

export interface ShippingSchedule {
  /** Call it each second. Resolves when its steps are done; a call while they run does nothing. Never rejects. */
  tick(nowMs: number): Promise<void>
  /** Ships all that is stored at the call. Resolves earlier when PostgreSQL fails. */
  flush(nowMs: number): Promise<void>
  /** Ships what remains, as far as that takes one tick, and ends the thread. */
  stop(nowMs: number): Promise<void>
}

export function createShippingSchedule({ start, ingest, metrics, log, report }: ShippingParts): ShippingSchedule {
  let thread: ShippingThread | undefined
  let underWay: Promise<void> | undefined
  let pauseMs = 0
  let nextMs = -Infinity
  let completeMs: number | undefined
  /** The last step left nothing. */
  let isComplete = false
  let refusedCount = 0
  let pendingCommits = 0
  let [retainMs, eraseMs] = [-Infinity, -Infinity]

  const end = async (): Promise<void> => {
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }
  const ship = async (nowMs: number): Promise<void> => {
    thread ??= await start()
    const { shipping } = thread.remote
    for (let steps = 0; steps < STEPS_MAX; steps++) {
      const { shipped, refused, changesLeft, shippedSeq } = await shipping.step(nowMs)
      metrics.shippedRows.inc(shipped)
      metrics.shippingRefused.inc(Math.max(0, refused - refusedCount))
      refusedCount = refused
      pendingCommits = changesLeft ?? 0
      metrics.shippingChanges.set(pendingCommits)
      while (await ingest.store.removeShipped(shippedSeq)) continue
      if (changesLeft !== 0) continue
      completeMs = nowMs
      isComplete = true
      break
    }
    if (nowMs >= eraseMs) {
      eraseMs = nowMs + ERASE_EVERY_MS
      for (const { names } of await ingest.erasures.list()) if (names !== undefined) await shipping.erase(names)
    }
    if (nowMs >= retainMs && !(await shipping.retain(nowMs))) retainMs = nowMs + RETAIN_EVERY_MS
  }
  const run = async (nowMs: number): Promise<void> => {
    // Until the first rows are complete, the lag is that of this process.
    completeMs ??= nowMs
    isComplete = false
    try {
      await ship(nowMs)
      pauseMs = 0
    } catch (thrown) {
      pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_MIN_MS, pauseMs * 2))
      nextMs = nowMs + pauseMs
      metrics.shippingFailures.inc()
      log.warn({ error: messageOf(thrown), retryAfterMs: pauseMs }, 'shipping to PostgreSQL failed; the server retries')
      // The thread may have ended; the next one counts from zero.
      refusedCount = 0
      await end()
    }
    const lagSeconds = (nowMs - completeMs) / 1000
    metrics.shippingLagSeconds.set(lagSeconds)
    report.noteShipping({ lagSeconds, pendingCommits })
  }
  const tick = async (nowMs: number): Promise<void> => {
    if (underWay !== undefined || nowMs < nextMs) return
    underWay = run(nowMs)
    await underWay
    underWay = undefined
  }
  return {
    tick,
    flush: async (nowMs) => {
      do {
        // What is under way may have begun before the call.
        await underWay
        await tick(nowMs)
      } while (!isComplete && pauseMs === 0 && nowMs >= nextMs)
    },
    stop: async (nowMs) => {
      await underWay
      if (pauseMs === 0) await tick(nowMs)
      await thread?.remote.shipping.close().catch(() => undefined)
      await end()
    },
  }
}

export function shippingThread(data: ShippingData, log: Log): () => Promise<ShippingThread> {
  return () =>
    startThread<ShippingServices>({
      file: 'shipping-worker',
      workerData: data,
      log,
      // The pending step rejects with the cause.
      onDeath: () => undefined,
    })
}
