/** Forwarding as main sees it: stores its progress in the buffer once a second, and shows its state as metrics and in the log. */
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { ForwardState } from '../contract/debug-forward.ts'
import type { DeploymentView } from '../model/lease.ts'
import type { ForwardReport } from '../model/process-report.ts'
import type { Lag } from '../remote/lag.ts'
import type { AppThreads } from '../threads/app-threads.ts'
import { lagOf } from './deployment-lag.ts'
import type { OwnReport } from './own-report.ts'
import { setTotals } from './totals.ts'

const EVERY_MS = 1000

type Status = Awaited<ReturnType<NonNullable<AppThreads['forward']>['status']>>

interface ForwardingParts {
  readonly threads: Pick<AppThreads, 'forward'> & {
    readonly ingest: { readonly store: Pick<AppThreads['ingest']['store'], 'forwarded' | 'stats'> }
    readonly query: { readonly metricsStore: Pick<AppThreads['query']['metricsStore'], 'reportLag'> }
  }
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly report: Pick<OwnReport, 'noteForward'>
  /** What is known of other processes; `undefined`: none share the facts. */
  readonly deployment: () => DeploymentView | undefined
}

export interface Forwarding {
  /** Resolves when the metrics store has all that is stored at the call, or after some seconds. */
  flush(): Promise<void>
  /** Stores the last progress, and ends. Resolves with whether the metrics store has everything, or there is none. */
  stop(): Promise<boolean>
}

/** Resolves when queries and other processes can know what is not forwarded yet. */
export async function startForwarding(parts: ForwardingParts): Promise<Forwarding> {
  const { threads, clock, metrics, log, report: ownReport, deployment } = parts
  const { forward, ingest, query } = threads
  const throttle = new FaultThrottle()
  let isStopped = false
  let underWay = Promise.resolve()
  let cancel: () => void = () => undefined

  /** Of the last run. */
  let gap: Lag['gap']
  let isComplete = forward === undefined

  const run = async (): Promise<void> => {
    if (forward === undefined) {
      await query.metricsStore.reportLag(lagOf(undefined, deployment(), clock.nowMs()))
      return
    }
    const status = await forward.status()
    isComplete = status.lagSamples === 0
    const own = reportOf(status)
    ownReport.noteForward(own)
    await ingest.store.forwarded(status.progress)
    show(status, metrics)
    const lag = lagOf({ ...own, isFailing: status.isFailing }, deployment(), clock.nowMs())
    if (lag.gap !== gap) log.info({}, GAP_TEXTS[lag.gap ?? 'none'])
    gap = lag.gap
    metrics.forwardComplete.set(gap === undefined ? 1 : 0)
    await query.metricsStore.reportLag(lag)
    const { forwardBuffer } = await ingest.store.stats()
    if (forwardBuffer !== undefined) {
      metrics.forwardBufferBytes.set(forwardBuffer.usedBytes)
      metrics.forwardBufferBytesMax.set(forwardBuffer.maxBytes)
      setTotals(metrics.forwardBufferRefused, undefined, { all: forwardBuffer.refused })
    }
    for (const { level, fields, message } of await forward.takeEvents()) log[level](fields, message)
  }
  const report = (thrown: unknown): void => {
    // A thread is being started again.
    if (throttle.admits('forwarding', clock.nowMs())) {
      log.warn({ error: messageOf(thrown) }, 'the state of forwarding is not available; the server retries')
    }
  }
  const plan = (): void => {
    if (isStopped) return
    cancel = clock.after(EVERY_MS, () => {
      underWay = run().catch(report).then(plan)
    })
  }
  const flush = async (): Promise<void> => {
    await underWay
    isComplete = forward === undefined
    await forward?.drained(DRAIN_WITHIN_MS).catch(report)
    await run().catch(report)
  }
  await run().catch(report)
  plan()
  return {
    flush,
    stop: async () => {
      isStopped = true
      cancel()
      await flush()
      return isComplete
    },
  }
}

const GAP_TEXTS = {
  away: 'the metrics store is unavailable: rules wait, up to 30 s',
  behind: 'the metrics store lacks samples that are being sent: rules wait, up to 30 s',
  none: 'the metrics store has all samples',
} as const

/** To send what was received last: at the end, a process that starts again elsewhere leaves nothing behind. */
const DRAIN_WITHIN_MS = 5000

function reportOf({ isComplete, lagSamples, lagSeconds, progress, totals }: Status): ForwardReport {
  const { remoteStarts } = progress
  const storeStart = remoteStarts.length === 0 ? {} : { storeStart: Math.max(...remoteStarts) }
  return { isComplete, ...storeStart, lagSamples, lagSeconds, refused: totals.refused }
}

function show({ remote, totals, lagSamples, lagSeconds }: Status, metrics: OwnMetrics): void {
  metrics.forwardLagSamples.set(lagSamples)
  metrics.forwardLagSeconds.set(lagSeconds)
  setTotals(metrics.forwardSamples, undefined, { all: totals.samples })
  setTotals(metrics.forwardExemplars, undefined, { all: totals.exemplars })
  setTotals(metrics.forwardRequests, undefined, { all: totals.requests })
  setTotals(metrics.forwardBytes, undefined, { all: totals.bytes })
  setTotals(metrics.forwardResent, undefined, { all: totals.resentSamples })
  setTotals(metrics.forwardRestarts, undefined, { all: totals.restarts })
  setTotals(metrics.forwardRetries, 'cause', totals.retries)
  setTotals(metrics.forwardRefused, 'reason', totals.refused)
  setTotals(metrics.forwardOmitted, 'reason', {
    repeated: totals.repeatedSamples,
    native_histogram: totals.skippedHistograms,
    erased: totals.erasedSamples,
  })
  metrics.forwardUp.set(remote === undefined ? 0 : 1)
}

/** For `/debug/forward`; undefined: nothing is forwarded. */
export async function readForwardState(threads: ForwardingParts['threads']): Promise<ForwardState | undefined> {
  if (threads.forward === undefined) return undefined
  const [status, { forwardBuffer }] = await Promise.all([threads.forward.status(), threads.ingest.store.stats()])
  const { remote, progress, newestRow, lastAcknowledgedMs, lastError, ...rest } = status
  return {
    ...rest,
    ...(remote && { remote }),
    rows: { newest: newestRow, acknowledged: progress.row, released: progress.releasedRow },
    ...(lastAcknowledgedMs !== undefined && { lastAcknowledgedMs }),
    ...(lastError && { lastError }),
    buffer: forwardBuffer ?? { usedBytes: 0, maxBytes: 0, refused: 0 },
  }
}
