/** Starts the two worker threads in parallel: the reader waits for the memory that the writer shares. */
import { engineOptionsOf, ingestOptionsOf, otlpOptionsOf, storeOptionsOf } from '../config/folder-options.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import { readPrivacyRules } from '../config/privacy-file.ts'
import type { IngestServices, IngestWorkerData } from './ingest-worker.ts'
import type { QueryServices, QueryWorkerData } from './query-worker.ts'
import type { Remote } from './rpc.ts'
import { portPair, startThread, type Thread } from './start-thread.ts'
import { LANE_BYTES, createWriteLane, type WriteLane } from './write-lane.ts'

export interface AppThreads {
  readonly ingest: Remote<IngestServices>
  readonly query: Remote<QueryServices>
  /** Carries remote write requests to the ingest worker. */
  readonly lane: WriteLane
  /** Resolves with a sentence when one of them died. */
  readonly died: Promise<string>
  /** Writes the received data, then ends both. */
  stop(): Promise<void>
}

interface ThreadParts {
  readonly config: Config
  /** Called while the writer starts, because both take equally long. An exception ends both threads. */
  readonly ruleFiles: () => readonly { readonly path: string; readonly text: string }[]
  readonly clock: Clock
  readonly log: Log
}

export async function startThreads({ config, ruleFiles, clock, log }: ThreadParts): Promise<AppThreads> {
  const store = storeOptionsOf(config)
  const share = portPair()
  const derived = portPair()
  const lanePorts = portPair()
  const laneMemory = new SharedArrayBuffer(LANE_BYTES)
  const lane = createWriteLane(lanePorts.near, laneMemory, () => clock.nowMs())
  let reportDeath: (sentence: string) => void = () => undefined
  const died = new Promise<string>((resolve) => {
    reportDeath = resolve
  })
  const onDeath = (cause: Error): void => {
    lane.fail(cause)
    reportDeath(cause.message)
  }

  const ingestData: IngestWorkerData = {
    store,
    ingest: ingestOptionsOf(config),
    otlp: otlpOptionsOf(config),
    privacy: readPrivacyRules(config['privacy.config']),
    nowMs: clock.nowMs(),
    queryPort: derived.near,
    sharePort: share.near,
    lanePort: lanePorts.far,
    laneMemory,
  }
  const ingestStarts = startThread<IngestServices>({
    file: 'ingest-worker',
    workerData: ingestData,
    transfer: [derived.near, share.near, lanePorts.far],
    log,
    onDeath,
  })
  const queryStarts = (async () => {
    const queryData: QueryWorkerData = {
      store,
      engine: engineOptionsOf(config),
      requests: {
        memoryBytesMax: config['query.memory-bytes-max'],
        responseBytesMax: config['query.response-bytes-max'],
      },
      goneAfterMs: config['fleet.gone-after'],
      rules: { files: ruleFiles(), intervalMs: config['rules.interval'], externalUrl: config['external.url'] },
      sharePort: share.far,
      writerPort: derived.far,
    }
    return startThread<QueryServices>({
      file: 'query-worker',
      workerData: queryData,
      transfer: [share.far, derived.far],
      log,
      onDeath,
    })
  })()
  const stopIngest = async (ingest: Thread<IngestServices>): Promise<void> => {
    await ingest.remote.store.close()
    lanePorts.near.close()
    await ingest.terminate()
  }
  const [ingest, query] = await Promise.allSettled([ingestStarts, queryStarts])
  if (ingest.status === 'fulfilled' && query.status === 'fulfilled') {
    return {
      ingest: ingest.value.remote,
      query: query.value.remote,
      lane,
      died,
      stop: async () => {
        await query.value.remote.thread.close().catch(() => undefined) // a dead thread has nothing to close
        await query.value.terminate()
        await stopIngest(ingest.value)
      },
    }
  }
  if (ingest.status === 'fulfilled') await stopIngest(ingest.value)
  if (query.status === 'fulfilled') await query.value.terminate()
  // Without the writer the reader fails too, so the writer's failure is the cause.
  throw ingest.status === 'rejected' ? ingest.reason : (query as PromiseRejectedResult).reason
}
