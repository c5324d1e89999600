/**
 * The wiring of the query worker, which reads the store. PromQL and rules run here and read the head through shared
 * memory and SQLite through their own connection. Rules send their samples directly to the ingest worker. Each call
 * carries the time; only durations are measured here.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { createQueryParser, type QueryParser } from '../api/prometheus/query-parser.ts'
import { createRequestServices, type RequestServiceParts, type RequestServices } from '../api/scope/query-services.ts'
import { FleetError } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import { aheadOfRequests, inSlices, ownTurn, startTurn } from '../base/thread-slices.ts'
import { OwnedLeases, type LeaseNews, type LeaseUpdate } from '../deployment/owned-leases.ts'
import { AdoptionIndex } from '../fleet/adoption/adoption-index.ts'
import { EXPECTED_OPERATORS } from '../fleet/adoption/cube-of-day.ts'
import {
  fillFleetIndex,
  rereadBaseline,
  rereadClusters,
  rereadDecommissions,
} from '../fleet/clusters/fill-fleet-index.ts'
import { createFleetIndex } from '../fleet/clusters/fleet-index.ts'
import { createUpdateGraphs } from '../fleet/graph/update-graphs.ts'
import type { FleetView } from '../fleet/fleet-view.ts'
import type { FleetMoment } from '../fleet/fleet-views.ts'
import type { FleetLoop } from '../fleet/loop/fleet-loop.ts'
import { POSITION_KEY } from '../fleet/loop/loop-state.ts'
import { runsOfSamples } from '../fleet/signals/signal-runs.ts'
import { createClusterScopes, type ScopeNames } from '../fleet/scope/cluster-scopes.ts'
import { FactHistory } from '../fleet/series/fact-history.ts'
import { factsOnly } from '../fleet/series/facts-only.ts'
import { withFacts } from '../fleet/series/with-facts.ts'
import type { AlertStateStore } from '../model/alert.ts'
import type { ClusterReport } from '../model/cluster-report.ts'
import type { AppendDerived } from '../model/appender.ts'
import type { ClusterSelectors, ScopeAddress } from '../model/cluster-scope.ts'
import type { ObservationReader } from '../model/fleet-facts.ts'
import type { RiskAlert } from '../model/readiness.ts'
import type { RolloutPolicy } from '../model/rollout-verdict.ts'
import type { LocalEngine } from '../promql/engine.ts'
import type { EngineOptions } from '../promql/engine-options.ts'
import { partsOf, type AlertUpdatePart } from '../rules/alert-update.ts'
import { createRuleEngine, type RuleEngine } from '../rules/engine.ts'
import type { ReplayPorts } from '../rules/replay.ts'
import { replayRules } from '../rules/replay-request.ts'
import { loadRuleFiles } from '../rules/rule-file.ts'
import { groupKeyOf } from '../rules/rule.ts'
import type { EvaluationSummary, RuleGroupStatus } from '../rules/rule-status.ts'
import { SharedGroupStatus, type GroupEvaluationStatus } from '../rules/shared-status.ts'
import { SCHEMA_VERSION } from '../store/migrations.ts'
import { VERSION } from '../config/version.ts'
import { openClusterReports } from '../store/erasure/cluster-report.ts'
import {
  openFactsForReading,
  openFactsIn,
  type Facts,
  type FactsReader,
  type SharedFacts,
} from '../store/facts/facts.ts'
import type { ReaderShare } from '../store/head/share.ts'
import { openLogsForReading } from '../store/observations/log-record-reader.ts'
import { openObservationsForReading } from '../store/observations/observation-reader.ts'
import type { StoreOptions } from '../store/options.ts'
import type { PostgresOptions } from '../store/postgres/options.ts'
import { openSharedStore } from '../store/shipping/shared-store.ts'
import { openReader, type StoreReader } from '../store/reader.ts'
import { openSpansForReading } from '../store/spans/span-reader.ts'
import { createDerivedSender } from './derived-lane.ts'
import { openFleetLoop } from './fleet-loop-wiring.ts'
import type { DerivedServices } from './ingest-worker.ts'
import { beat, beatWith, type Pulsing } from './pulse.ts'
import {
  createQueryEngines,
  type MetricsStoreServices,
  type QueryEngines,
  type RemoteQueryData,
} from './query-engines.ts'
import { carry, createCaller, serve, type Remote } from './rpc.ts'
import { sharedStopwatchMs } from './shared-stopwatch.ts'
import { firstMessage, type ThreadHello } from './start-thread.ts'

export interface QueryWorkerData {
  readonly store: StoreOptions
  /** Where facts are; `undefined`: in the data directory. */
  readonly postgres: PostgresOptions | undefined
  /** Of this process among those that share PostgreSQL. */
  readonly processName: string
  readonly engine: EngineOptions
  /** Present: a metrics store answers PromQL. */
  readonly remote?: RemoteQueryData
  /** Of requests: memory of their queries together, and bytes of one response. */
  readonly requests: { readonly memoryBytesMax: number; readonly responseBytesMax: number }
  /** A cluster without a report for longer is gone; `Infinity`: only a declaration makes it so. */
  readonly goneAfterMs: number
  /** How rollouts are judged. */
  readonly verdictPolicy: RolloutPolicy
  readonly rules: {
    /** Already checked by main, so they load. */
    readonly files: readonly { readonly path: string; readonly text: string }[]
    readonly intervalMs: number
    readonly externalUrl: string
    /** Restores the alerts before the worker is ready, as of this time; absent: main calls `rules.restore`. */
    readonly restoreAtMs?: number
  }
  /** From the ingest worker: one message, the `ReaderShare`. */
  readonly sharePort: MessagePort
  /** To the ingest worker: derived series and alert states. */
  readonly writerPort: MessagePort
}

/** What main calls. */
export type QueryServices = {
  readonly parser: QueryParser
  readonly series: Pick<StoreReader, 'cardinality' | 'status'>
  readonly rules: RuleServices
  readonly observations: Pick<ObservationReader, 'changes'>
  readonly scopes: {
    /** The names of the clusters of a scope; `undefined`: those of the revision that is known. */
    names(clusters: ClusterSelectors, known?: string): Promise<ScopeNames | undefined>
  }
  readonly decommissions: {
    /** Applies changed declarations about clusters; they are in effect when this resolves. */
    reread(nowMs: number): Promise<void>
  }
  readonly readiness: {
    /** Applies changed acceptances of risks; they are in effect when this resolves. */
    reread(): Promise<void>
    /** Replaces the firing alerts that are risks of upgrades. */
    setAlerts(alerts: readonly RiskAlert[]): Promise<void>
  }
  readonly baseline: {
    /** Applies a changed choice of the baseline cluster; it is in effect when this resolves. */
    reread(): Promise<void>
  }
  readonly graphs: {
    /** Reads the imported catalogs and graphs again; they are in use when this resolves. */
    reread(): Promise<void>
  }
  readonly rollouts: {
    /** Applies another policy; it is in use when this resolves. */
    usePolicy(policy: RolloutPolicy): void
  }
  readonly leases: {
    /** `undefined`: no other process shares the facts. */
    exchange(update: LeaseUpdate): LeaseNews | undefined
  }
  readonly clusters: {
    /** Reads the facts of clusters again that other processes derive; absent: of all clusters. */
    reread(names?: readonly string[]): Promise<void>
    /** Removes clusters that are erased from memory. */
    forget(names: readonly string[]): Promise<void>
    /** `undefined`: nothing is stored of a cluster of this name. */
    report(cluster: string): Promise<ClusterReport | undefined>
  }
  readonly fleetLoop: Pick<FleetLoop, 'runCycle'>
  /** The fleet at a moment. */
  readonly fleet: (moment: FleetMoment & ScopeAddress) => Promise<FleetView>
  readonly metricsStore: MetricsStoreServices
  readonly thread: { close(): Promise<void> }
} & { readonly [N in ScopedService]: (scope: ScopeAddress) => Promise<RequestServices[N]> }

/** What is read of all clusters, or of a scope. */
type ScopedService = Exclude<keyof RequestServices, 'fleet'>

interface RuleServices extends Omit<RuleEngine, 'evaluate' | 'reload' | 'groups' | 'alerts' | 'alertUpdate'> {
  /** Of groups that another process evaluates, as that one knows them. */
  groups(): Promise<readonly RuleGroupStatus[]>
  evaluate(nowMs: number): Promise<EvaluationSummary>
  /** The next part of the update of alerts; after the last part, the first one of the next update. */
  alertUpdatePart(): AlertUpdatePart
  /** The files are already checked by main, so they load. */
  reload(files: QueryWorkerData['rules']['files']): Promise<void>
}

/** Rules of the evaluation cycle, and what replays one of them. */
interface WorkerRules {
  readonly services: RuleServices
  readonly replay: RequestServiceParts['replay']
}

/** Monotonic milliseconds, for durations and time limits, never for the time of day. */
const stopwatchMs = (): number => performance.now()

/** Services of the evaluation cycle. Calls of all others, which serve requests, start in turn. */
const CYCLE_SERVICES: ReadonlySet<string> = new Set<keyof QueryServices>([
  'rules',
  'fleetLoop',
  'decommissions',
  'readiness',
  'graphs',
  'rollouts',
  'leases',
  'scopes',
  'metricsStore',
  'thread',
])

/** The query worker's access to the ingest worker: one caller and one lane for all writes. */
interface Writing {
  readonly writer: Remote<DerivedServices>
  /** Where facts are written: by the ingest worker, or in PostgreSQL. */
  readonly facts: Pick<Remote<Facts>, 'alertStates' | 'fleet' | 'adoption'>
  /** Where several processes share the facts. */
  readonly leases: OwnedLeases | undefined
  readonly groupStatus: SharedFacts['groupStatus'] | undefined
  readonly appendDerived: AppendDerived
}

function ruleServicesOf(
  { engine: language, rules: { files, intervalMs, externalUrl } }: QueryWorkerData,
  reader: StoreReader,
  query: LocalEngine,
  { facts: written, leases, groupStatus, appendDerived }: Writing,
  { useRecordedNames, isComplete }: Pick<QueryEngines, 'useRecordedNames' | 'isComplete'>,
): WorkerRules {
  const groupsOf = (ruleFiles: typeof files) => {
    const loaded = loadRuleFiles(ruleFiles, { intervalMs, language }).groups
    const recording = loaded.flatMap(({ rules: all }) => all.filter(({ kind }) => kind === 'recording'))
    useRecordedNames([...new Set(recording.map(({ name }) => name))])
    return loaded
  }
  let groups = groupsOf(files)
  let parts: AlertUpdatePart[] = []
  const rules = createRuleEngine({
    groups,
    query: (expr, timeMs) => query.instant({ expr, timeMs }),
    appendDerived,
    states: leases === undefined ? written.alertStates : statesUnder(leases, written.alertStates),
    ...(leases && { isOwn: (key: string) => leases.lease('rules', key) !== undefined }),
    externalUrl,
    stopwatchMs,
    isReady: isComplete,
  })
  const shared = groupStatus && new SharedGroupStatus(sharedStatusParts(groupStatus, leases))
  const services: RuleServices = {
    restore: (nowMs) => rules.restore(nowMs),
    gain: (groupKeys) => {
      rules.gain(groupKeys)
    },
    reread: (groupKeys, nowMs) => rules.reread(groupKeys, nowMs),
    groupKeys: () => rules.groupKeys(),
    evaluate: async (nowMs) => {
      reader.recordGrowth(nowMs)
      const { transitions, ...report } = await aheadOfRequests(() => rules.evaluate(nowMs))
      void shared?.write(rules.groups())
      return { ...report, hasTransitions: transitions.length > 0 }
    },
    reload: (changed) => {
      groups = groupsOf(changed)
      return rules.reload(groups)
    },
    groups: async () => shared?.complete(rules.groups()) ?? rules.groups(),
    alertUpdatePart: () => {
      if (parts.length === 0) parts = partsOf(rules.alertUpdate())
      return parts.shift()!
    },
  }
  return {
    services,
    replay: (engine, request, signal) => {
      const ports: ReplayPorts = {
        range: (asked, left) => engine.range(asked, left),
        instant: (asked, left) => engine.instant(asked, left),
        externalUrl,
        language,
      }
      return replayRules(request, groups, ports, signal)
    },
  }
}

function sharedStatusParts(
  stored: SharedFacts['groupStatus'],
  leases: OwnedLeases | undefined,
): ConstructorParameters<typeof SharedGroupStatus>[0] {
  return {
    keyOf: groupKeyOf,
    fenceOf: (key) => leases?.lease('rules', key)?.fence,
    store: {
      write: (statuses) => stored.write(statuses.map((one) => ({ ...one, status: JSON.stringify(one.status) }))),
      read: async (keys) =>
        (await stored.read(keys)).map((one) => ({ ...one, status: JSON.parse(one.status) as GroupEvaluationStatus })),
    },
  }
}

/** Alert states that are written only under the lease of their group. */
function statesUnder(leases: OwnedLeases, states: Remote<Facts>['alertStates']): AlertStateStore {
  return {
    load: (groupKeys) => states.load(groupKeys),
    replaceGroup: (key, records) => {
      const lease = leases.lease('rules', key)
      if (lease !== undefined) return states.replaceGroup(key, records, lease)
      return Promise.reject(new FleetError('not_ready', `another process evaluates ${key}`))
    },
  }
}

invariant(parentPort !== null, 'the query worker runs in a thread')
const data = workerData as QueryWorkerData & Pulsing
// From the start, which waits for the writer: a hang is noticed then too.
beat(data.pulse)
try {
  const { remote: writer } = createCaller<DerivedServices>(data.writerPort)
  const reader = openReader(data.store, await firstMessage<ReaderShare>(data.sharePort), (found) => {
    // Best effort: the scrub finds it too.
    writer.derived.damage(found).catch(() => undefined)
  })
  const sharedFacts = data.postgres === undefined ? undefined : await openFactsIn(data.postgres)
  const leases = sharedFacts === undefined ? undefined : new OwnedLeases(sharedStopwatchMs)
  const facts: FactsReader = sharedFacts ?? openFactsForReading(data.store.dir)
  const shared =
    data.postgres === undefined ? undefined : await openSharedStore(data.postgres, data.store.dir, runsOfSamples)
  const own = {
    spans: openSpansForReading(data.store.dir),
    observations: openObservationsForReading(data.store.dir),
    logs: openLogsForReading(data.store.dir),
  }
  const { spans, observations, logs } = shared ?? own
  const reports = openClusterReports(data.store.dir, (names) => reader.seriesNamed(data.store.clusterLabels, names))
  const clusterScopes = createClusterScopes(createFleetIndex(data.goneAfterMs))
  const history = new FactHistory(clusterScopes.fleet)
  const fleetIndex = fillFleetIndex(
    history.following(clusterScopes.fleet),
    facts.fleet,
    facts.decommissions,
    facts.acceptedRisks,
  ).then(async (index) => {
    await rereadBaseline(index, facts.configurationBaseline)
    return index
  })
  let isFilled = false
  fleetIndex.then(() => (isFilled = true)).catch(() => undefined)
  const factsNow = (): FactHistory | undefined => (isFilled ? history : undefined)
  const store = withFacts(reader, factsNow)
  // Each caller gets the failure, but there may be no caller.
  fleetIndex.catch(() => undefined)
  const adoptionIndex = new AdoptionIndex(facts.adoption)
  // In the background, after the index that the first cycle needs; each caller gets the failure again.
  fleetIndex.then(() => adoptionIndex.warm(EXPECTED_OPERATORS)).catch(() => undefined)
  const { memoryBytesMax, responseBytesMax } = data.requests
  const engines = createQueryEngines({
    ...{ remote: data.remote, options: data.engine, memoryBytesMax, nowMs: stopwatchMs },
    rulesIntervalMs: data.rules.intervalMs,
    ...{ store, stored: reader, facts: factsOnly(factsNow) },
  })
  const query = engines.ofRules
  const writing: Writing = {
    writer,
    facts: sharedFacts ?? writer,
    leases,
    groupStatus: sharedFacts?.groupStatus,
    appendDerived: createDerivedSender((batch) => writer.derived.samples(batch)),
  }
  const fleetLoop = openFleetLoop({
    store: data.store,
    reader,
    observations,
    spans,
    own: own.observations,
    shared,
    writer,
    appendDerived: writing.appendDerived,
    facts,
    factsWriter: writing.facts,
    leases,
    positionKey: data.postgres === undefined ? POSITION_KEY : `${POSITION_KEY} ${data.processName}`,
    index: fleetIndex,
    query,
    rollouts: async (operator, nowMs) => (await (await servicesOf({})).fleet({ nowMs }).rollouts(operator)).rollouts,
    graphs: () => graphs,
    stopwatchMs,
  })
  const { services: rules, replay } = ruleServicesOf(data, reader, query, writing, engines)
  const scopes = fleetIndex.then(() => clusterScopes)
  // Each caller gets the failure, but there may be no caller.
  scopes.catch(() => undefined)
  const readGraphs = async () => createUpdateGraphs(await facts.updateGraphs.list())
  let graphs = readGraphs()
  // Each caller gets the failure, but there may be no caller.
  graphs.catch(() => undefined)
  let verdictPolicy = data.verdictPolicy
  const servicesOf = createRequestServices({
    rolloutPolicy: () => verdictPolicy,
    graphs: () => graphs,
    ...{ scopes, engineOf: engines.ofRequests, responseBytesMax },
    ...{ facts, spans, logs, replay, adoption: adoptionIndex },
    objects: observations,
    versions: { daytwo: VERSION, schema: SCHEMA_VERSION },
    progress: (clusters) => fleetLoop.progress(clusters),
  })
  const scoped =
    <N extends ScopedService>(name: N) =>
    async (scope: ScopeAddress): Promise<RequestServices[N]> =>
      (await servicesOf(scope))[name]
  const services: QueryServices = {
    promql: scoped('promql'),
    answers: scoped('answers'),
    federate: scoped('federate'),
    bundles: scoped('bundles'),
    replay: scoped('replay'),
    alertRuns: scoped('alertRuns'),
    audit: scoped('audit'),
    deliveries: scoped('deliveries'),
    runbookWork: scoped('runbookWork'),
    traces: scoped('traces'),
    logs: scoped('logs'),
    adoption: scoped('adoption'),
    fleet: async ({ clusters, ...moment }) =>
      (await servicesOf(clusters === undefined ? {} : { clusters })).fleet(moment),
    scopes: {
      names: async (clusters, known) => {
        const names = (await scopes).scope(clusters).names()
        return names.revision === known ? undefined : names
      },
    },
    parser: createQueryParser(data.engine),
    series: {
      cardinality: (request) => reader.cardinality(request),
      status: (top) => reader.status(top),
    },
    rules,
    observations,
    decommissions: {
      reread: async (nowMs) => {
        const fromMs = await rereadDecommissions(await fleetIndex, facts.decommissions)
        if (fromMs !== undefined) fleetLoop.recountDays(fromMs, nowMs)
      },
    },
    readiness: {
      reread: async () => {
        ;(await fleetIndex).readiness.accept(await facts.acceptedRisks.list())
      },
      setAlerts: async (alerts) => {
        ;(await fleetIndex).readiness.setAlerts(alerts)
      },
    },
    baseline: {
      reread: async () => {
        await rereadBaseline(await fleetIndex, facts.configurationBaseline)
      },
    },
    graphs: {
      reread: async () => {
        const fresh = await readGraphs()
        graphs = Promise.resolve(fresh)
      },
    },
    rollouts: {
      usePolicy: (policy) => {
        verdictPolicy = policy
      },
    },
    leases: {
      exchange: (update) => {
        const news = leases?.apply(update, rules.groupKeys())
        rules.gain(leases?.takeGained('rules') ?? [])
        return news
      },
    },
    clusters: {
      reread: async (names) => {
        await rereadClusters(await fleetIndex, facts.fleet, names)
      },
      forget: async (names) => {
        const index = await fleetIndex
        for (const name of names) index.remove(name)
      },
      report: async (cluster) => {
        const report = await reports.report(cluster)
        return shared === undefined ? report : shared.withShipped(cluster, report)
      },
    },
    fleetLoop: {
      runCycle: async (nowMs) => {
        const report = await aheadOfRequests(() => fleetLoop.runCycle(nowMs))
        await inSlices(history.advance(nowMs), ownTurn)
        return report
      },
    },
    metricsStore: engines.metricsStore,
    thread: {
      close: async () => {
        engines.close()
        await facts.close()
        await shared?.close()
        for (const reader of Object.values(own)) reader.close()
        reports.close()
        reader.close()
      },
    },
  }
  serve(parentPort, services, (service) => (CYCLE_SERVICES.has(service) ? undefined : startTurn()))
  if (data.rules.restoreAtMs !== undefined) await rules.restore(data.rules.restoreAtMs)
  beatWith(data.pulse, parentPort, data.writerPort)
  parentPort.postMessage({ ready: true } satisfies ThreadHello)
} catch (thrown) {
  parentPort.postMessage({ failed: carry(thrown) } satisfies ThreadHello)
}
