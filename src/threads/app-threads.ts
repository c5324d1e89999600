/**
 * The worker threads, supervised: ingest and query, and the one that forwards samples where `store.metrics` is set. The first two
 * start in parallel: the reader waits for the memory that the writer shares.
 */
import { randomUUID } from 'node:crypto'
import { engineOptionsOf, ingestOptionsOf, otlpOptionsOf, storeOptionsOf } from '../config/folder-options.ts'
import type { Clock } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { ownMetricNames, type OwnMetrics } from '../base/metrics.ts'
import type { Config } from '../config/config.ts'
import { VERSION } from '../config/version.ts'
import type { DeploymentParts } from '../deployment/deployment.ts'
import type { ElectionStore } from '../model/ha-election.ts'
import type { LeaseStore } from '../model/lease.ts'
import type { NotificationClaims } from '../model/notification-log.ts'
import { factsStoreOf, processNameOf } from '../config/facts-store.ts'
import { metricsQueryOf } from '../config/metrics-query.ts'
import { readPrivacyRules } from '../config/privacy-file.ts'
import { readVerdictPolicy } from '../config/verdict-policy.ts'
import type { ThreadFault } from '../model/server-fault.ts'
import { listenForChanges } from '../store/postgres/change-listener.ts'
import { openFactsIn, type Facts, type SharedFacts } from '../store/facts/facts.ts'
import { metricsStoreOf, type MetricsStore } from '../config/metrics-store.ts'
import type { ForwardServices, ForwardWorkerData } from './forward-worker.ts'
import type { IngestServices, IngestWorkerData, NextQueryWorker, QueryWorkerPorts } from './ingest-worker.ts'
import type { QueryServices, QueryWorkerData } from './query-worker.ts'
import { remoteOf, type Remote } from './rpc.ts'
import { portPair, startThread, type Thread } from './start-thread.ts'
import { ABORT_FACTOR, Supervisor } from './supervisor.ts'
import { LANE_BYTES, createWriteLane, type WriteLane } from './write-lane.ts'

export interface AppThreads {
  /** Calls wait while a worker is started again, and reject as `not_ready` when that takes long. */
  readonly ingest: Remote<IngestServices>
  /** Those of the ingest worker, or in PostgreSQL. */
  readonly facts: Remote<Facts>
  /** Where facts are in PostgreSQL: what processes that share them tell each other. */
  readonly shared:
    | {
        readonly leases: LeaseStore
        readonly claims: NotificationClaims
        readonly elections: ElectionStore
        readonly erasures: SharedFacts['erasures']
        /** Removes facts about clusters of these names; returns how many rows. */
        erase(names: readonly string[]): Promise<number>
        readonly listen: DeploymentParts['listen']
      }
    | undefined
  readonly query: Remote<QueryServices>
  /** Undefined: nothing is forwarded. */
  readonly forward: Remote<ForwardServices>['forward'] | undefined
  /** Carries remote write requests to the ingest worker. Has no room while that is started again. */
  readonly lane: Pick<WriteLane, 'write'>
  /** Workers that do not serve, or fail again and again. */
  faults(): readonly ThreadFault[]
  /** @param listener called when `faults` has changed */
  onFaults(listener: () => void): void
  /** Writes the received data, then ends all. */
  stop(): Promise<void>
}

interface ThreadParts {
  readonly config: Config
  /** Called while the writer starts, because both take equally long. An exception ends both threads. */
  readonly ruleFiles: () => readonly { readonly path: string; readonly text: string }[]
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
}

/** Far longer than a large log takes to read. */
const RESTART_WITHIN_MS = 10 * 60_000

export async function startThreads({ config, ruleFiles, clock, metrics, log }: ThreadParts): Promise<AppThreads> {
  const store = storeOptionsOf(config)
  const instance = randomUUID()
  const postgres = factsStoreOf(config, instance)
  const processName = processNameOf(config)
  const { remote } = metricsQueryOf(config)
  const serverMetrics = ownMetricNames(metrics)
  let lane: WriteLane | undefined
  let isFirst = true
  const privacyNow = lastGood('privacy rules', () => readPrivacyRules(config['privacy.config']), log)
  const verdictPolicyNow = lastGood('policy of verdicts', () => readVerdictPolicy(config['verdict.policy']), log)

  let ingestEnd = new AbortController()

  const startIngest = async (ports: QueryWorkerPorts): Promise<Thread<IngestServices>> => {
    const end = new AbortController()
    ingestEnd = end
    const lanePorts = portPair()
    // New memory: the thread before may have left anything in the old one.
    const laneMemory = new SharedArrayBuffer(LANE_BYTES)
    const started = createWriteLane(lanePorts.near, laneMemory, () => clock.nowMs())
    const workerData: IngestWorkerData = {
      store,
      ingest: ingestOptionsOf(config),
      otlp: otlpOptionsOf(config),
      privacy: privacyNow(),
      nowMs: clock.nowMs(),
      ...ports,
      lanePort: lanePorts.far,
      laneMemory,
    }
    const thread = await startThread<IngestServices>({
      file: 'ingest-worker',
      workerData,
      transfer: [ports.queryPort, ports.sharePort, lanePorts.far],
      startWithinMs: isFirst ? undefined : RESTART_WITHIN_MS,
      log,
      onEnd: (cause) => {
        end.abort()
        started.fail(cause)
        lanePorts.near.close()
      },
      onDeath: (cause) => {
        supervisor.died('ingest-worker', cause)
      },
    })
    lane = started
    return thread
  }
  const startQuery = (ports: Pick<QueryWorkerData, 'sharePort' | 'writerPort'>): Promise<Thread<QueryServices>> => {
    const rules = { files: ruleFiles(), intervalMs: config['rules.interval'], externalUrl: config['external.url'] }
    const workerData: QueryWorkerData = {
      ...{ store, postgres, processName },
      engine: engineOptionsOf(config),
      ...(remote && { remote: { ...remote, serverMetrics } }),
      requests: {
        memoryBytesMax: config['query.memory-bytes-max'],
        responseBytesMax: config['query.response-bytes-max'],
      },
      goneAfterMs: config['fleet.gone-after'],
      verdictPolicy: verdictPolicyNow(),
      rules: isFirst ? rules : { ...rules, restoreAtMs: clock.nowMs() },
      ...ports,
    }
    return startThread<QueryServices>({
      file: 'query-worker',
      workerData,
      transfer: [ports.sharePort, ports.writerPort],
      waitsFor: ingestEnd.signal,
      startWithinMs: isFirst ? undefined : RESTART_WITHIN_MS,
      startSilentMsMax: config['watchdog.hung-after'] * ABORT_FACTOR,
      log,
      onDeath: (cause) => {
        supervisor.died('query-worker', cause)
      },
    })
  }
  /** The ends of the two ports between the workers. */
  const portsBetween = () => {
    const [share, derived] = [portPair(), portPair()]
    return {
      ofIngest: { sharePort: share.near, queryPort: derived.near },
      ofQuery: { sharePort: share.far, writerPort: derived.far },
    }
  }
  const metricsStore = metricsStoreOf(config)
  const startForward = (forwarded: MetricsStore) => (): Promise<Thread<ForwardServices>> =>
    startThread<ForwardServices>({
      file: 'forward-worker',
      workerData: { dir: store.dir, store: forwarded } satisfies ForwardWorkerData,
      startWithinMs: RESTART_WITHIN_MS,
      log,
      onDeath: (cause) => {
        supervisor.died('forward-worker', cause)
      },
    })
  const supervisor = new Supervisor({
    starts: {
      both: async () => {
        const { ofIngest, ofQuery } = portsBetween()
        const starting = startIngest(ofIngest)
        const [ingest, query] = await Promise.allSettled([starting, (async () => startQuery(ofQuery))()])
        isFirst = false
        if (ingest.status === 'fulfilled' && query.status === 'fulfilled') {
          return { 'ingest-worker': ingest.value, 'query-worker': query.value }
        }
        if (ingest.status === 'fulfilled') {
          await ingest.value.remote.store.close().catch(() => undefined)
          await ingest.value.terminate()
        }
        if (query.status === 'fulfilled') await query.value.terminate()
        // Without the writer the reader fails too, so the writer's failure is the cause.
        throw ingest.status === 'rejected' ? ingest.reason : (query as PromiseRejectedResult).reason
      },
      query: (ingest) => {
        const { ofIngest, ofQuery } = portsBetween()
        ingest.post({ next: ofIngest } satisfies NextQueryWorker, [ofIngest.sharePort, ofIngest.queryPort])
        return startQuery(ofQuery)
      },
      ...(metricsStore === undefined ? {} : { forward: startForward(metricsStore) }),
    },
    options: { hungAfterMs: config['watchdog.hung-after'], stableAfterMs: config['watchdog.stable-after'] },
    abort: () => {
      process.abort()
    },
    clock,
    stopwatchMs: () => performance.now(),
    metrics,
    log,
  })
  const ingest = remoteOf<IngestServices>(supervisor.callOf('ingest-worker'))
  const query = remoteOf<QueryServices>(supervisor.callOf('query-worker'))
  const { forward } = remoteOf<ForwardServices>(supervisor.callOf('forward-worker'))
  // First, because the query worker uses what this makes.
  const shared = postgres === undefined ? undefined : await openFactsIn(postgres)
  try {
    await supervisor.start()
  } catch (thrown) {
    await shared?.close()
    throw thrown
  }
  return {
    ingest,
    facts: shared ?? ingest,
    shared: shared &&
      postgres && {
        leases: shared.leasesOf({
          ...{ name: processName, instance, version: VERSION, startedMs: clock.nowMs() },
          roles: config.roles,
        }),
        claims: shared.claimsOf(instance),
        elections: shared.elections,
        erasures: shared.erasures,
        erase: (names) => shared.erase({ names: new Set(names), labels: new Set(store.clusterLabels) }),
        listen: (listening) => listenForChanges({ options: postgres, ...listening }),
      },
    query,
    forward: metricsStore === undefined ? undefined : forward,
    lane: {
      write: (body, cluster, protocol) =>
        supervisor.isUp('ingest-worker') ? lane?.write(body, cluster, protocol) : undefined,
    },
    faults: () => supervisor.faults(),
    onFaults: (listener) => {
      supervisor.onChange(listener)
    },
    stop: async () => {
      await supervisor.stopRestarts()
      if (supervisor.isUp('forward-worker')) await forward.close().catch(() => undefined)
      await supervisor.end('forward-worker')
      await query.thread.close().catch(() => undefined) // a dead thread has nothing to close
      await supervisor.end('query-worker')
      try {
        if (supervisor.isUp('ingest-worker')) await ingest.store.close()
      } finally {
        await supervisor.end('ingest-worker')
        await shared?.close()
      }
    },
  }
}

/** For a thread that is started again: of a file that is broken by then, what it had before. Throws when it is broken at the start. */
function lastGood<T>(what: string, read: () => T, log: Log): () => T {
  let last = read()
  return () => {
    try {
      last = read()
    } catch (thrown) {
      log.error({ error: messageOf(thrown), file: what }, 'a file cannot be read: what it had before stays in use')
    }
    return last
  }
}
