/**
 * The wiring of HTTP: connects the routes to the parts of the program, which `app.ts` creates.
 */
import type { FastifyInstance } from 'fastify'
import { availableParallelism, hostname } from 'node:os'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import type { EventFeed } from './api/server/event-feed.ts'
import { deliveryItem } from './api/fleet/deliveries.ts'
import type { RunbookWork } from './api/fleet/people.ts'
import { fleetReaderOf } from './api/fleet/reader.ts'
import type { QueryPorts } from './api/scope/fleet-ports.ts'
import { DEFAULT_FARO_OPTIONS } from './api/ingest/faro.ts'
import type * as api from './api/server/server.ts'
import { engineOptionsOf } from './config/folder-options.ts'
import type { Access } from './model/token.ts'
import type { AppThreads } from './threads/app-threads.ts'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import type { OwnMetrics } from './base/metrics.ts'
import type { Catalog } from './catalog/catalog.ts'
import { configTexts, withoutPasswords, type Config } from './config/config.ts'
import type { ScopeAddress } from './model/cluster-scope.ts'
import type { DeploymentView } from './model/lease.ts'
import type { RedactionPolicy } from './model/redaction.ts'
import type { ServerFaults } from './model/server-fault.ts'
import { readChanges } from './fleet/alerts/alert-changes.ts'
import type { FaultWatch } from './runtime/fault-watch.ts'
import type { HeadShares } from './ingest/head-shares.ts'
import { readInventory } from './fleet/clusters/inventory.ts'
import { readSharedTraits } from './fleet/clusters/shared-traits.ts'
import type { MeasuredQueries } from './runtime/measured-query.ts'
import { createScopes } from './runtime/scopes.ts'
import type { Notifications } from './notify/notifications.ts'
import { OWN_TRACES_HEADER, type OwnTraces } from './runtime/own-traces.ts'
import { createReceivedWrites } from './threads/received-writes.ts'
import type { Alerts } from './notify/alerts.ts'
import type { UserActions } from './notify/user-actions.ts'
import type { Erasures } from './fleet/clusters/erasures.ts'
import { readForwardState } from './runtime/forwarding.ts'
import type { Acceptances } from './fleet/readiness/acceptances.ts'
import type { Decommissions } from './fleet/clusters/decommissions.ts'
import { readRequestedApis } from './fleet/configuration/deprecated-apis.ts'
import { readMachineTypes } from './fleet/configuration/machine-types.ts'
import type { BaselineChoice } from './fleet/configuration/baseline.ts'
import type { GraphImports } from './fleet/graph/imports.ts'
import type { Reloader } from './runtime/reload.ts'
import type { PeopleSignIn } from './runtime/people-sign-in.ts'
import type { RemoteRules } from './runtime/remote-rules.ts'
import type { ServerCertificate } from './runtime/server-certificate.ts'
import { createRuleTests, ruleTestThread } from './runtime/rule-tests.ts'
import { PAGE_BYTES } from './store/head/head-memory.ts'
import type { TokenIndex } from './runtime/token-index.ts'
import { PROJECT_ROOT } from './config/project-root.ts'
import { VERSION } from './config/version.ts'

/** The parts that the routes call. */
export interface ServerParts {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly isDemo: boolean
  readonly catalog: Catalog
  readonly metrics: OwnMetrics
  readonly threads: AppThreads
  readonly tokens: TokenIndex
  readonly queryOf: MeasuredQueries
  readonly rules: RemoteRules
  readonly userActions: UserActions
  readonly alerts: Alerts
  readonly decommissions: Decommissions
  readonly acceptances: Acceptances
  readonly baseline: BaselineChoice
  readonly runbookWork: RunbookWork
  readonly graphImports: GraphImports
  readonly erasures: Erasures
  readonly notifications: Notifications
  readonly events: EventFeed
  readonly faults: FaultWatch
  /** Of this process, and of what it shares with others. */
  readonly allFaults: () => ServerFaults
  readonly deploymentView: () => DeploymentView
  readonly forgetProcess: (name: string) => Promise<boolean>
  readonly headShares: HeadShares
  readonly reloader: Reloader
  readonly redaction: () => RedactionPolicy
  readonly ownTraces: OwnTraces
  readonly people: PeopleSignIn
  readonly certificate: ServerCertificate | undefined
  readonly readiness: (access?: Access) => string
}

export function createApiServer(createServer: typeof api.createServer, parts: ServerParts): Promise<FastifyInstance> {
  const { config, clock, log, catalog, metrics, threads, tokens } = parts
  const { notifications, reloader, ownTraces, people, certificate } = parts
  const { tracing } = ownTraces
  const writes = createReceivedWrites({
    threads,
    tracing,
    clock,
    waitMsMax: config['ingest.wait-max'],
    headShares: parts.headShares,
    onRefused: (reason, owner) => {
      metrics.requestsRefused.inc({ reason, owner })
    },
  })
  const whole = queryPorts(parts, {})
  const reader = fleetReaderOf(parts.queryOf({}))
  return createServer({
    ...whole,
    scopes: {
      resolve: createScopes(threads.query.scopes),
      readers: (scope) => ({
        ...queryPorts(parts, scope),
        alertRuns: threads.query.alertRuns(addressOf(scope)),
        audit: threads.query.audit(addressOf(scope)),
        deliveries: threads.query.deliveries(addressOf(scope)),
        runbookWork: threads.query.runbookWork(addressOf(scope)),
      }),
    },
    parser: threads.query.parser,
    language: engineOptionsOf(config),
    write: writes.remoteWrite,
    writeOtlp: writes.otlp,
    objectChanges: (cluster, range) => threads.query.observations.changes(cluster, range),
    ingestReport: (nowMs, top) => threads.ingest.refusals.report(nowMs, top),
    forwardState: () => readForwardState(threads),
    deployment: parts.deploymentView,
    forgetProcess: parts.forgetProcess,
    recordRefusal: (refusal, cluster) => {
      // Best effort: the death of the thread is reported elsewhere.
      threads.ingest.refusals.record(refusal, cluster, clock.nowMs()).catch(() => undefined)
    },
    cardinality: (request) => threads.query.series.cardinality(request),
    storeStatus: async (top) => {
      const [status, { headBytes }] = await Promise.all([
        threads.query.series.status(top),
        threads.ingest.store.stats(),
      ])
      return { ...status, headPages: headBytes / PAGE_BYTES }
    },
    process: () => ({
      folder: process.cwd(),
      hostname: hostname(),
      threads: THREADS,
      processors: availableParallelism(),
      heapBytesMax: getHeapStatistics().heap_size_limit,
    }),
    rules: parts.rules,
    people: {
      ...parts.userActions,
      ...parts.alerts,
      decommissions: parts.decommissions,
      acceptances: parts.acceptances,
      baseline: parts.baseline,
      runbookWork: parts.runbookWork,
    },
    pipeline: notifications.pipeline,
    resolveTimeoutMs: () => notifications.pipeline.resolveTimeoutMs,
    notify: {
      pipeline: notifications.pipeline,
      deliveries: threads.query.deliveries({}),
      configFile: config['notify.config'] === '' ? undefined : config['notify.config'],
    },
    catalog,
    ruleTests: createRuleTests(
      ruleTestThread({ rulesDir: config.rules, language: engineOptionsOf(config) }, { clock, metrics, log }),
      catalog,
    ),
    reload: async () => {
      certificate?.reload()
      await reloader.reload('request')
    },
    reloadStatus: () => reloader.status(),
    inventory: async (cluster, nowMs) => {
      const known = cluster === '' ? undefined : await threads.query.fleet({ nowMs }).cluster(cluster)
      return readInventory(reader, known?.view.record, nowMs)
    },
    authenticate: async (token) => ownTraces.authenticate(token) ?? tokens.authenticate(token),
    tracing,
    isMuted: (headers) => headers[OWN_TRACES_HEADER] !== undefined,
    redaction: parts.redaction,
    erasures: parts.erasures,
    graphImports: parts.graphImports,
    clusterReport: (cluster) => threads.query.clusters.report(cluster),
    events: parts.events,
    faults: parts.allFaults,
    requiresToken: tokens.hasTokens || needsSignIn(parts),
    ...(people.provider && { signIn: people.provider }),
    ...(people.proxy && { proxy: people.proxy }),
    ...(certificate && { tls: tlsOf(certificate, config) }),
    storeLogs: (records) => threads.ingest.writes.logs(records),
    ...(config.faro ? { faro: DEFAULT_FARO_OPTIONS } : {}),
    metrics,
    log,
    clock,
    webRoot: join(PROJECT_ROOT, 'dist/web'),
    docsDir: join(PROJECT_ROOT, 'docs'),
    readiness: parts.readiness,
    settings: {
      version: VERSION,
      startedAtMs: clock.nowMs(),
      options: configTexts(config),
      lookbackMs: config['query.lookback'],
      alertmanagers: config.alertmanager.map(withoutPasswords),
      isDemo: parts.isDemo,
      externalUrl: config['external.url'],
      listenHost: config.listen.host,
      corsOrigins: config['web.cors-origins'],
      connectionsMax: config['web.connections-max'],
      addressConnectionsMax: config['web.address-connections-max'],
      requestBytesMax: config['web.request-bytes-max'],
      bodyBytesMax: config['web.body-bytes-max'],
      decodedBytesMax: config['ingest.decompressed-bytes-max'],
      queue: {
        concurrencyMax: Math.max(1, config['query.concurrency-max']),
        waitingMax: config['query.waiting-max'],
        ownerWaitingMax: config['query.owner-waiting-max'],
        waitMsMax: config['query.wait-max'],
      },
    },
  })
}

/** What the query worker answers, of all clusters or of a scope. */
function queryPorts({ threads, queryOf }: Pick<ServerParts, 'threads' | 'queryOf'>, scope: ScopeAddress): QueryPorts {
  const address = addressOf(scope)
  const query = queryOf(address)
  const reader = fleetReaderOf(query)
  const deliveries = threads.query.deliveries(address)
  return {
    query,
    answers: query.answers,
    explain: (request, signal) => query.explain(request, signal),
    replay: (request, signal) => threads.query.replay(address).run(request, signal),
    traces: threads.query.traces(address),
    logRecords: threads.query.logs(address),
    federate: threads.query.federate(address).newest,
    bundles: (wish, signal) => threads.query.bundles(address).make(wish, signal),
    context: {
      changes: (cluster, untilMs) => readChanges(reader, cluster, untilMs),
      shared: (clusters, nowMs) => readSharedTraits(reader, clusters, nowMs),
      deliveries: async (fingerprint, limit) => (await deliveries.list({ fingerprint, limit })).map(deliveryItem),
    },
    fleet: (moment) => threads.query.fleet({ ...moment, ...address }),
    adoption: threads.query.adoption(address),
    usage: {
      machineTypes: (timeMs) => readMachineTypes(reader, timeMs),
      requestedApis: (timeMs) => readRequestedApis(reader, timeMs),
    },
  }
}

/** Without what cannot cross threads. */
function addressOf({ clusters }: ScopeAddress): ScopeAddress {
  return clusters === undefined ? {} : { clusters }
}

/** Whether requests must be authenticated although there is no token: sign-in or client certificates are configured. */
function needsSignIn({ people, config }: ServerParts): boolean {
  return people.provider !== undefined || people.proxy !== undefined || config['tls.client-auth'] === 'required'
}

function tlsOf(certificate: ServerCertificate, config: Config): api.ServerTls {
  const isRequired = config['tls.client-auth'] === 'required'
  const clients = { names: config['tls.client-names'], isRequired }
  return {
    context: certificate.context,
    attach: (server) => {
      certificate.attach(server)
    },
    ...(config['tls.client-ca'] !== '' && { clients }),
  }
}

/** Main, the ingest worker, the query worker, and the one that watches main. */
const THREADS = 4
