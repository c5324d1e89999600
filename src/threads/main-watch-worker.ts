/** The thread that watches the main thread. It calls nothing of main: whatever main does, this goes on. */
import { writeSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../base/invariant.ts'
import { createLog } from '../base/log.ts'
import type { MainWatchData } from './main-watch.ts'
import { BEAT_EVERY_MS, PulseWatch } from './pulse.ts'
import type { ThreadHello } from './start-thread.ts'
import { ABORT_FACTOR } from './supervisor.ts'
import { lookAtMain, lookText } from './thread-stack.ts'

/** To the same place as main's log. `process.stdout` of a thread is written by main. */
const output = {
  write: (line: string): void => {
    try {
      writeSync(1, line)
    } catch {
      // A pipe that is full or closed: nobody reads it.
    }
  },
}

invariant(parentPort !== null, 'main is watched from a thread')
const { watched, hungAfterMs, logLevel } = workerData as MainWatchData
const log = createLog(logLevel, output)
const watch = new PulseWatch(watched)
let isHung = false

async function report(silentMs: number): Promise<void> {
  const stack = lookText(await lookAtMain())
  log.error({ thread: 'main', silentSeconds: silentMs / 1000, stack }, 'the main thread does not answer')
}

setInterval(() => {
  const silentMs = watch.silentMs(performance.now())
  if (silentMs >= hungAfterMs && !isHung) {
    Atomics.add(watched, 1, 1)
    void report(silentMs)
  }
  isHung = silentMs >= hungAfterMs
  if (silentMs < hungAfterMs * (ABORT_FACTOR + 1)) return
  log.error({ thread: 'main' }, 'the main thread cannot be restarted: the process exits to be restarted')
  process.kill(process.pid, 'SIGABRT')
}, BEAT_EVERY_MS)
parentPort.postMessage({ ready: true } satisfies ThreadHello)
