/**
 * Watches the main thread from a small thread of its own (`main-watch-worker.ts`), which logs the stack of a main thread that
 * does not answer and ends the process when that stays so. Main itself measures for how long it answered nothing.
 */
import type { Log, LogLevel } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import { beat, BEAT_EVERY_MS } from './pulse.ts'
import { startThread } from './start-thread.ts'

export interface MainWatchData {
  /** The pulse of main, then how often it was found to be hung. */
  readonly watched: Int32Array
  readonly hungAfterMs: number
  readonly logLevel: LogLevel
}

interface MainWatchParts {
  /** `Infinity`: it is not watched, only measured. */
  readonly hungAfterMs: number
  readonly logLevel: LogLevel
  readonly metrics: OwnMetrics
  readonly log: Log
}

/** How often main measures since when it could not. */
const RESOLUTION_MS = 10
/** Beats of which the longest block is shown: no scrape of a minute misses one. */
const BEATS_SHOWN = 60

/** Returns the function that ends the watch. */
export function watchMain({ hungAfterMs, logLevel, metrics, log }: MainWatchParts): () => Promise<void> {
  const watched = new Int32Array(new SharedArrayBuffer(8))
  const blocksMs: number[] = []
  // No `monitorEventLoopDelay`: after a reset it misses a block that begins at once, as those do that a timer of the same time starts.
  let measuredMs = performance.now()
  let blockMs = 0
  const measure = (): void => {
    const nowMs = performance.now()
    blockMs = Math.max(blockMs, nowMs - measuredMs - RESOLUTION_MS)
    measuredMs = nowMs
  }
  const measuring = setInterval(measure, RESOLUTION_MS).unref()
  let hungBefore = 0
  const timer = setInterval(() => {
    measure()
    blocksMs.push(blockMs)
    blockMs = 0
    if (blocksMs.length > BEATS_SHOWN) blocksMs.shift()
    metrics.mainBlockedSeconds.set(Math.max(...blocksMs) / 1000)
    const hung = Atomics.load(watched, 1)
    if (hung === hungBefore) return
    hungBefore = hung
    metrics.threadFailures.inc({ thread: 'main', reason: 'hung' })
    log.error({ thread: 'main', blockedSeconds: (blocksMs.at(-1) ?? 0) / 1000 }, 'the main thread answers again')
  }, BEAT_EVERY_MS).unref()
  const stopBeat = beat(watched)
  const data: MainWatchData = { watched, hungAfterMs, logLevel }
  // Best effort: without it the server runs as well, and its death is in the log.
  const watching =
    hungAfterMs === Infinity
      ? undefined
      : startThread({ file: 'main-watch-worker', workerData: data, log, onDeath: () => undefined }).catch(
          () => undefined,
        )
  return async () => {
    clearInterval(timer)
    stopBeat()
    clearInterval(measuring)
    await (await watching)?.terminate()
  }
}
