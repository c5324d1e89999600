/** The two worker threads, started in order: the writer first, because the reader reads what it shares. */
import { engineOptionsOf, ingestOptionsOf, otlpOptionsOf, storeOptionsOf } from './app-options.ts'
import type { Log } from './base/log.ts'
import type { Config } from './config.ts'
import type { IngestWorkerCalls, IngestWorkerData } from './ingest-worker.ts'
import type { QueryWorkerCalls, QueryWorkerData } from './query-worker.ts'
import type { Remote } from './rpc.ts'
import { portPair, startThread } from './threads.ts'

export interface AppThreads {
  readonly ingest: Remote<IngestWorkerCalls>
  readonly query: Remote<QueryWorkerCalls>
  /** Resolves with a sentence when one of them died. */
  readonly died: Promise<string>
  /** Writes what was received, then ends both. */
  stop(): Promise<void>
}

export interface ThreadParts {
  readonly config: Config
  readonly ruleFiles: readonly { readonly path: string; readonly text: string }[]
  readonly nowMs: number
  readonly log: Log
}

export async function startThreads({ config, ruleFiles, nowMs, log }: ThreadParts): Promise<AppThreads> {
  const store = storeOptionsOf(config)
  const share = portPair()
  const derived = portPair()
  let tellDeath: (sentence: string) => void = () => undefined
  const died = new Promise<string>((resolve) => {
    tellDeath = resolve
  })
  const onDeath = (cause: Error): void => {
    tellDeath(cause.message)
  }

  const ingestData: IngestWorkerData = {
    store,
    ingest: ingestOptionsOf(config),
    otlp: otlpOptionsOf(config),
    nowMs,
    queryPort: derived.near,
    sharePort: share.near,
  }
  const ingest = await startThread<IngestWorkerCalls>({
    file: 'ingest-worker',
    workerData: ingestData,
    transfer: [derived.near, share.near],
    log,
    onDeath,
  })
  const queryData: QueryWorkerData = {
    store,
    engine: engineOptionsOf(config),
    rules: { files: ruleFiles, intervalMs: config['rules.interval'], externalUrl: config['external.url'] },
    sharePort: share.far,
    writerPort: derived.far,
  }
  try {
    const query = await startThread<QueryWorkerCalls>({
      file: 'query-worker',
      workerData: queryData,
      transfer: [share.far, derived.far],
      log,
      onDeath,
    })
    return {
      ingest: ingest.remote,
      query: query.remote,
      died,
      stop: async () => {
        await query.remote.close().catch(() => undefined) // a dead thread has nothing to close
        await query.terminate()
        await ingest.remote.close()
        await ingest.terminate()
      },
    }
  } catch (thrown) {
    await ingest.remote.close()
    await ingest.terminate()
    throw thrown
  }
}
