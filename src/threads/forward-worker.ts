/**
 * The wiring of the thread that forwards samples: it reads the log through a connection of its own, so that decoding,
 * compression and HTTP delay neither acknowledgements nor requests. Main stores its progress.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../base/clock.ts'
import { invariant } from '../base/invariant.ts'
import { readHeadersFile, type MetricsStore } from '../config/metrics-store.ts'
import type { ForwardEvent, ForwardStatus } from '../forward/forward-status.ts'
import { Forwarder } from '../forward/forwarder.ts'
import { createRemoteHttp } from '../forward/remote-http.ts'
import { openSampleLog } from '../store/log/sample-log.ts'
import { beat, beatWith, type Pulsing } from './pulse.ts'
import { carry, serve } from './rpc.ts'
import type { ThreadHello } from './start-thread.ts'

export interface ForwardWorkerData {
  readonly dir: string
  readonly store: MetricsStore
}

/** What main calls. */
export type ForwardServices = {
  readonly forward: {
    status(): ForwardStatus
    takeEvents(): readonly ForwardEvent[]
    /** Resolves when everything is acknowledged, or requests fail, or after this time. */
    drained(withinMs: number): Promise<void>
    close(): void
  }
}

invariant(parentPort !== null, 'forwarding runs in a thread')
const data = workerData as ForwardWorkerData & Pulsing
try {
  const { store } = data
  const { headersFile } = store
  const source = openSampleLog(data.dir)
  const http = createRemoteHttp({
    ...store,
    readHeaders: () => (headersFile === undefined ? {} : readHeadersFile(headersFile)),
  })
  // The time of the requests, which are real; samples have their own.
  const forwarder = new Forwarder({ options: store, source, http, clock: systemClock, random: Math.random })
  forwarder.start()
  serve(parentPort, {
    forward: {
      status: () => forwarder.status(),
      takeEvents: () => forwarder.takeEvents(),
      drained: (withinMs) => forwarder.drained(withinMs),
      close: () => {
        forwarder.stop()
      },
    },
  } satisfies ForwardServices)
  beat(data.pulse)
  beatWith(data.pulse, parentPort)
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
