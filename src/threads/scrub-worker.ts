/**
 * The wiring of the thread that verifies what is stored. It is started for one pass and ended after it; main asks for each
 * step, so that a pass takes as long as it should.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../base/invariant.ts'
import { Scrub, type ScrubStep } from '../store/integrity/scrub.ts'
import { carry, serve } from './rpc.ts'
import type { ThreadHello } from './start-thread.ts'

export interface ScrubData {
  readonly dir: string
}

/** What main calls. */
export type ScrubServices = {
  readonly scrub: {
    step(): ScrubStep
    close(): void
  }
}

invariant(parentPort !== null, 'the scrub runs in a thread')
try {
  const scrub = new Scrub((workerData as ScrubData).dir)
  serve(parentPort, { scrub } satisfies ScrubServices)
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
