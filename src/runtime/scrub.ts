/** Verifies what is stored, in the background: one pass a day, one step a second. */
import type { AppThreads } from '../threads/app-threads.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { ScrubData, ScrubServices } from '../threads/scrub-worker.ts'
import { startThread, type Thread } from '../threads/start-thread.ts'

/** A start has other work to do. */
const FIRST_AFTER_MS = 10 * 60_000
/** From the start of a pass to the start of the next. */
const EVERY_MS = 24 * 3_600_000
/** After a failure. */
const RETRY_AFTER_MS = 3_600_000

export type ScrubThread = Pick<Thread<ScrubServices>, 'remote' | 'terminate'>

interface ScrubParts {
  readonly start: () => Promise<ScrubThread>
  readonly store: Pick<AppThreads['ingest']['store'], 'reportDamage'>
  readonly metrics: Pick<OwnMetrics, 'storeScrubLastSeconds'>
  readonly log: Log
}

export interface ScrubSchedule {
  /** Call it each second. Resolves when its step is done; a call while a step runs does nothing. Never rejects. */
  tick(nowMs: number): Promise<void>
  stop(): Promise<void>
}

export function createScrubSchedule({ start, store, metrics, log }: ScrubParts): ScrubSchedule {
  let nextMs: number | undefined
  let thread: ScrubThread | undefined
  let underWay: Promise<void> | undefined

  const end = async (): Promise<void> => {
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }
  const run = async (nowMs: number): Promise<void> => {
    if (thread === undefined) nextMs = nowMs + EVERY_MS
    thread ??= await start()
    const { found, isPassEnd } = await thread.remote.scrub.step()
    for (const one of found) log.error({ damage: one }, 'stored data is damaged')
    if (found.length > 0 || isPassEnd) await store.reportDamage(found, isPassEnd)
    if (!isPassEnd) return
    metrics.storeScrubLastSeconds.set(nowMs / 1000)
    await thread.remote.scrub.close()
    await end()
  }
  return {
    tick: async (nowMs) => {
      nextMs ??= nowMs + FIRST_AFTER_MS
      if (underWay !== undefined || (thread === undefined && nowMs < nextMs)) return
      underWay = run(nowMs).catch(async (thrown: unknown) => {
        log.error({ error: messageOf(thrown) }, 'the scrub of the store failed; the server retries')
        nextMs = nowMs + RETRY_AFTER_MS
        await end()
      })
      await underWay
      underWay = undefined
    },
    stop: async () => {
      // A step on a large table may take long, and only reads.
      await end()
      await underWay
    },
  }
}

export function scrubThread(data: ScrubData, log: Log): () => Promise<ScrubThread> {
  return () =>
    startThread<ScrubServices>({
      file: 'scrub-worker',
      workerData: data,
      log,
      // The pending step rejects with the cause.
      onDeath: () => undefined,
    })
}
