/** Forwarding as main sees it: stores its progress in the buffer once a second, and shows its state as metrics and in the log. */
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import { FaultThrottle } from '../base/fault-throttle.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { ForwardState } from '../contract/debug-forward.ts'
import type { AppThreads } from '../threads/app-threads.ts'
import { setTotals } from './totals.ts'

const EVERY_MS = 1000

type Lag = Parameters<AppThreads['query']['metricsStore']['reportLag']>[0]
type Status = Awaited<ReturnType<NonNullable<AppThreads['forward']>['status']>>

interface ForwardingParts {
  readonly threads: Pick<AppThreads, 'forward'> & {
    readonly ingest: { readonly store: Pick<AppThreads['ingest']['store'], 'forwarded' | 'stats'> }
    readonly query: { readonly metricsStore: Pick<AppThreads['query']['metricsStore'], 'reportLag'> }
  }
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
}

/** Returns the function that ends it, which stores the last progress. */
export function startForwarding({ threads, clock, metrics, log }: ForwardingParts): () => Promise<void> {
  const { forward, ingest, query } = threads
  if (forward === undefined) return () => Promise.resolve()
  const throttle = new FaultThrottle()
  let isStopped = false
  let underWay = Promise.resolve()
  let cancel: () => void = () => undefined

  const run = async (): Promise<void> => {
    const status = await forward.status()
    await ingest.store.forwarded(status.progress)
    show(status, metrics)
    await query.metricsStore.reportLag(lagOf(status, clock.nowMs()))
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
  plan()
  return async () => {
    isStopped = true
    cancel()
    await underWay
    await run().catch(report)
  }
}

/** For answers of the metrics store. What this process received and did not send can be read here. */
function lagOf({ lagSamples, lagSeconds }: Status, atMs: number): Lag {
  return { seconds: lagSeconds, collectors: lagSamples > 0 ? 1 : 0, atMs, others: { seconds: 0, collectors: 0 } }
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
