import fastifyCompress from '@fastify/compress'
import Fastify, { type FastifyInstance } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import { Server as TlsServer, type SecureContextOptions } from 'node:tls'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { NO_TRACING, type Tracing } from '../../base/tracing.ts'
import type { LintedCatalog } from '../../catalog/lint-catalog.ts'
import type { ServerFaults } from '../../model/server-fault.ts'
import type { NamePattern } from '../../model/client-certificate.ts'
import type { Access, Authenticated } from '../../model/token.ts'
import { STABLE_LANGUAGE, type ParseOptions } from '../../promql/parse-options.ts'
import { installAccess, stillAllowed, tryAccess } from './access.ts'
import { createCertificateReader } from './client-certificate.ts'
import { createIdentify, type IdentifyOptions } from './identify.ts'
import { registerAdoption } from '../fleet/adoption.ts'
import { registerAdmin } from './admin.ts'
import { registerAlertHistory } from '../fleet/alert-history.ts'
import { registerAlertmanagerAlerts } from '../alertmanager/alerts.ts'
import { useAlertmanagerFormat } from '../alertmanager/http.ts'
import { registerAlertmanagerSilences } from '../alertmanager/silences.ts'
import { registerAlertmanagerStatus } from '../alertmanager/status.ts'
import { registerExternalAlerts } from '../fleet/external-alerts.ts'
import { registerAlertDetail } from '../fleet/alert-detail.ts'
import { registerAlerts } from '../fleet/alerts.ts'
import { registerAcceptances } from '../fleet/acceptances.ts'
import { registerReadiness } from '../fleet/readiness.ts'
import { registerDecommissions } from '../fleet/decommissions.ts'
import { registerBaselineReplay } from '../fleet/baseline-replay.ts'
import { registerFleetConfiguration } from '../fleet/configuration.ts'
import { registerFleetKvmStack } from '../fleet/kvm-stack.ts'
import { registerClusterReport } from '../fleet/cluster-report.ts'
import { registerProcesses, type ForgetProcess } from '../fleet/processes.ts'
import { registerErasures } from '../fleet/erasures.ts'
import { registerDeliveries } from '../fleet/deliveries.ts'
import { registerDocs } from '../docs/docs.ts'
import { BodyAdmission, installBodyAdmission } from './body-admission.ts'
import type { RecordRefusal } from './body-limit.ts'
import { limitConnections } from './connection-limits.ts'
import { installCors, installSecurityHeaders } from './security-headers.ts'
import { installErrorHandler } from './error-handler.ts'
import { registerDashboards, type DashboardCatalog } from '../fleet/dashboards.ts'
import { registerDebugProcesses, type ReadDeployment } from '../debug/processes.ts'
import { registerDebugForward, type ReadForwardState } from '../debug/forward.ts'
import { registerDebugIngest, type ReadIngestReport } from '../debug/ingest.ts'
import { registerDebugRules, type ReadReload } from '../debug/rules.ts'
import { registerDebugSeries, type ReadCardinality } from '../debug/series.ts'
import type { EventFeed } from './event-feed.ts'
import { registerEvents } from './events.ts'
import { registerSeriesRoutes } from '../prometheus/series.ts'
import { registerQueryRoutes } from '../prometheus/query.ts'
import { registerFaro, type FaroOptions, type StoreLogs } from '../ingest/faro.ts'
import { registerFeatures } from '../prometheus/features.ts'
import { registerFleetChanges } from '../fleet/changes.ts'
import { registerFleetClusters } from '../fleet/clusters.ts'
import { registerFleetEdges } from '../fleet/edges.ts'
import { registerFleetLogs } from '../fleet/logs.ts'
import { registerFleetGates } from '../fleet/gates.ts'
import { registerFleetModifications } from '../fleet/modifications.ts'
import { registerFleetPatches } from '../fleet/patches.ts'
import { registerFleetPlans } from '../fleet/plans.ts'
import { registerFleetStranded } from '../fleet/stranded.ts'
import { registerGraphImports } from '../fleet/graph-imports.ts'
import { registerServedGraph } from '../cincinnati/graph.ts'
import { registerBundles } from '../bundle/bundles.ts'
import type { RedactionPolicy } from '../../model/redaction.ts'
import { registerUpdateGraph } from '../fleet/update-graph.ts'
import { registerRollouts } from '../fleet/rollouts.ts'
import { registerFleetUnjoined } from '../fleet/unjoined.ts'
import { registerFleetUpgrades } from '../fleet/upgrades.ts'
import { registerFederate } from '../prometheus/federate.ts'
import { registerJaegerLegacy } from '../jaeger/legacy.ts'
import { registerJaegerV3 } from '../jaeger/v3.ts'
import { registerLint } from '../fleet/lint.ts'
import { registerMetricCatalog } from '../fleet/metric-catalog.ts'
import { registerNow } from '../fleet/now.ts'
import { installOpenApi, registerOpenApi } from './openapi.ts'
import { registerOtlp, type OtlpWrites } from '../ingest/otlp.ts'
import { acceptForms } from '../prometheus/params.ts'
import { plainWrites } from '../ingest/plain-writes.ts'
import { registerPrometheusStatus, type ProcessFacts, type ReadStoreStatus } from '../prometheus/status.ts'
import { createQueryParser, type QueryParser } from '../prometheus/query-parser.ts'
import { registerRemoteWrite, type Write } from '../ingest/remote-write.ts'
import type { FleetPorts, Scopes } from '../scope/fleet-ports.ts'
import { createPortsOf } from '../scope/ports.ts'
import { registerReplay } from '../fleet/replay.ts'
import { acceptJson, checkQueryStrings } from './request-text.ts'
import { installRequestMetrics, installRequestTraces } from './observe-requests.ts'
import { answerWrongMethods, installRouteTable } from './route-config.ts'
import { registerRuleTests, type RunRuleTests } from '../fleet/rule-tests.ts'
import { registerRuleRoutes } from '../prometheus/rules.ts'
import { registerRunbookLink } from '../fleet/runbook-link.ts'
import { registerReviews } from '../fleet/reviews.ts'
import { registerRunbookOutcomes } from '../fleet/runbook-outcomes.ts'
import { registerRunbookWork } from '../fleet/runbook-work.ts'
import { registerRunbooks, type RunbookCatalog } from '../fleet/runbooks.ts'
import { createFastPathServer } from './fast-path.ts'
import { createRequestLog } from './request-log.ts'
import { installSessionRotation, registerSignIn, sessionReader, type SignInOptions } from './sign-in.ts'
import { registerSilences } from '../fleet/silences.ts'
import { installQueryLanes } from './query-lanes.ts'
import type { QueueLimits } from './query-queue.ts'
import { registerStatusRoutes } from './status.ts'
import { registerTargets } from '../prometheus/targets.ts'
import { createProxyReader, type TrustedProxyOptions } from './trusted-proxy.ts'
import { registerWeb } from './web.ts'

/** The dependencies of the HTTP routes, as functions and ports: no threads, no SQL. `FleetPorts` are of all clusters. */
export interface ApiDeps extends FleetPorts {
  /** The ports of principals with a scope; absent: there are none. */
  readonly scopes?: Scopes
  /** Parses the PromQL of requests; on this thread when absent. */
  readonly parser?: QueryParser
  /** The PromQL language for parsing and checks; the stable language when absent. */
  readonly language?: ParseOptions
  readonly write: Write
  readonly ingestReport: ReadIngestReport
  readonly forwardState: ReadForwardState
  readonly deployment: ReadDeployment
  readonly forgetProcess: ForgetProcess
  readonly recordRefusal: RecordRefusal
  readonly writeOtlp: OtlpWrites
  readonly cardinality: ReadCardinality
  readonly storeStatus: ReadStoreStatus
  readonly process: () => ProcessFacts
  readonly ruleTests: RunRuleTests
  /** How long an external alert without an end stays active. */
  readonly resolveTimeoutMs: () => number
  readonly catalog: RunbookCatalog & LintedCatalog & DashboardCatalog
  /** Reloads rules, runbooks, dashboards and routing; rejects, without a change, when they are invalid. */
  readonly reload: () => Promise<void>
  readonly reloadStatus: ReadReload
  /** What evidence bundles leave out or replace. */
  readonly redaction: () => RedactionPolicy
  /** Change events. */
  readonly events: Pick<EventFeed, 'listen' | 'stop'>
  /** Current faults of this server. */
  readonly faults: () => ServerFaults
  readonly authenticate: (token: string) => Promise<Authenticated>
  /** False only on loopback without tokens and without sign-in. */
  readonly requiresToken: boolean
  /** People sign in at an identity provider; absent: they have tokens. */
  readonly signIn?: SignInOptions
  /** A proxy that signs people in. */
  readonly proxy?: TrustedProxyOptions
  /** Serves https; http when absent. */
  readonly tls?: ServerTls
  /** Stores the log records of browser telemetry. */
  readonly storeLogs: StoreLogs
  /** Absent: browser telemetry is off. */
  readonly faro?: FaroOptions
  readonly metrics: OwnMetrics
  /** Own traces; off when absent. */
  readonly tracing?: Tracing
  /** Selects requests that are not traced, by their headers. */
  readonly isMuted?: (headers: IncomingHttpHeaders) => boolean
  readonly log: Log
  readonly clock: Clock
  /** Folder of the built UI. */
  readonly webRoot: string
  /** Folder of the documentation. */
  readonly docsDir: string
  /** `ready`, or one sentence with the reason why requests cannot be served. */
  /** `ready`, or why the server does not answer; with an access, why it does not answer such requests. */
  readonly readiness: (access?: Access) => string
  readonly settings: ApiSettings
}

export interface ServerTls {
  /** The certificate, its key and, for clients, their authority. */
  readonly context: SecureContextOptions
  /** Called for each server that listens: a renewed certificate is set on it. */
  attach(server: TlsServer): void
  /** Absent: clients are not asked for a certificate. */
  readonly clients?: {
    /** Which names of a certificate stand for which cluster. */
    readonly names: readonly NamePattern[]
    /** Tokens of senders count only with a certificate. */
    readonly isRequired: boolean
  }
}

interface ApiSettings {
  readonly version: string
  readonly startedAtMs: number
  /** Effective options by name, as texts, without secrets. */
  readonly options: Readonly<Record<string, string>>
  /** Addresses without secrets and without a slash at the end. */
  readonly alertmanagers: readonly string[]
  /** How far back an instant selector looks, and `/federate` with it. */
  readonly lookbackMs: number
  readonly isDemo: boolean
  /** Without a slash at the end. */
  readonly externalUrl: string
  /** The host it listens on, without a port. */
  readonly listenHost: string
  /** See `web.cors-origins`. */
  readonly corsOrigins: readonly string[]
  readonly connectionsMax: number
  /** Of one remote address. */
  readonly addressConnectionsMax: number
  /** Of all requests with a body that are in flight. */
  readonly requestBytesMax: number
  /** Of a write request as sent, compressed. */
  readonly bodyBytesMax: number
  /** Of a write request after decompression. */
  readonly decodedBytesMax: number
  /** Of requests that the query worker serves. */
  readonly queue: QueueLimits
}

/** Longer than the pauses of senders (Prometheus 5 s, scrapes 60 s), so a reused connection is never closed. */
const KEEP_ALIVE_MS = 72_000
/** The time limit for receiving the headers, of up to 1 MB: no client holds a connection with one byte a second. */
const HEADERS_ARRIVE_MS = 15_000
/** The time limit for receiving a request: no client holds a connection with one byte a minute. */
const REQUEST_ARRIVES_MS = 120_000
const PARAM_CHARS_MAX = 4096

/** The HTTP server, ready to `listen` or `inject`. Throws when a route does not declare its access. */
export async function createServer(given: ApiDeps): Promise<FastifyInstance> {
  const deps = { ...given, log: createRequestLog(given.log, given.clock, given.metrics) }
  const { settings, metrics, clock, log, language = STABLE_LANGUAGE } = deps
  const { parser = createQueryParser(language) } = deps
  const { requiresToken, signIn, tls } = deps
  const access = {
    ...{ ...settings, requiresToken, identify: createIdentify(identifyOptionsOf(deps)) },
    ...(deps.scopes && { resolveScope: deps.scopes.resolve }),
  }
  const ports = createPortsOf(deps, deps.scopes)
  const { bodyBytesMax, requestBytesMax } = settings
  const admission = new BodyAdmission({ bytesMax: requestBytesMax, bodyBytesMax, clock, metrics })
  const app = Fastify({
    serverFactory: (handler) => {
      const fastPath = plainWrites({
        ...{ ...settings, ...deps, admission, tryAccess: tryAccess(access, 'ingest') },
        readiness: () => deps.readiness('ingest'),
      })
      const server = createFastPathServer(handler, fastPath, {
        keepAliveMs: KEEP_ALIVE_MS,
        headersArriveMs: HEADERS_ARRIVE_MS,
        requestArrivesMs: REQUEST_ARRIVES_MS,
        ...(tls === undefined ? {} : { tls: { ...tls.context, requestCert: tls.clients !== undefined } }),
      })
      if (server instanceof TlsServer) tls?.attach(server)
      limitConnections(server, settings, metrics)
      return server
    },
    logger: false, // Failures are logged by the error handler, requests are counted by metrics.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: PARAM_CHARS_MAX },
    // A path that is not a valid URL (`/%ff`). Written to the raw response, because the types here lack our decorations.
    frameworkErrors: (error, _request, reply) => {
      reply.hijack()
      reply.raw.writeHead(error.statusCode ?? 400, { 'content-type': 'text/plain; charset=utf-8' })
      reply.raw.end(`${error.message}\n`)
    },
  })

  installRouteTable(app)
  await installOpenApi(app, settings.version)
  installErrorHandler(app, log, signIn?.provider.name)
  installRequestMetrics(app, metrics)
  installRequestTraces(app, deps.tracing ?? NO_TRACING, deps.isMuted ?? (() => false))
  installSecurityHeaders(app, tls !== undefined)
  // Only responses: the routes that accept compressed requests decompress them with their own limit.
  await app.register(fastifyCompress, { globalDecompression: false, encodings: ['gzip', 'deflate'], threshold: 1024 })
  installCors(app, settings.corsOrigins)
  installAccess(app, access)
  if (signIn !== undefined) installSessionRotation(app, signIn)
  installBodyAdmission(app, admission)
  checkQueryStrings(app)
  acceptJson(app)
  app.addHook('onRequest', (request, _reply, done) => {
    const isCall = /^\/(api\/|v1\/|federate\b)/.test(request.url)
    const readiness = isCall ? deps.readiness(request.routeOptions.config.access) : 'ready'
    done(readiness === 'ready' ? undefined : new FleetError('not_ready', readiness))
  })
  installQueryLanes(app, { limits: settings.queue, clock, metrics })

  await registerRemoteWrite(app, { ...deps, bodyBytesMax: settings.bodyBytesMax })
  await registerOtlp(app, { ...settings, ...deps })
  await app.register((scope, _options, done) => {
    acceptForms(scope)
    registerQueryRoutes(scope, { ports, clock, parser })
    registerSeriesRoutes(scope, ports, parser)
    registerRuleRoutes(scope, ports, parser)
    registerTargets(scope, ports, parser, clock)
    registerPrometheusStatus(scope, { ...settings, ...deps })
    registerFeatures(scope, language)
    registerAdmin(scope, deps.reload, deps.people, clock)
    done()
  })
  const ui = {
    version: settings.version,
    isDemo: settings.isDemo,
    externalUrl: settings.externalUrl,
    ...(deps.faro === undefined ? {} : { faroUrl: '/collect' }),
  }
  registerStatusRoutes(app, {
    metrics,
    readiness: deps.readiness,
    faults: deps.faults,
    nowMs: () => clock.nowMs(),
    ports,
    ui,
  })
  registerFederate(app, { clock, lookbackMs: settings.lookbackMs, ports, parser })
  registerDebugIngest(app, deps.ingestReport, clock)
  registerDebugForward(app, deps.forwardState, deps.deployment, clock)
  registerDebugProcesses(app, deps.deployment, clock)
  registerDebugSeries(app, deps.cardinality, clock)
  registerRuleTests(app, deps.ruleTests)
  registerDebugRules(app, deps.rules, deps.reloadStatus, clock)
  registerNow(app, { ports, faults: deps.faults, clock })
  registerEvents(app, { feed: deps.events, clock, isStillAllowed: stillAllowed(access, 'viewer') })
  registerFleetClusters(app, ports, clock)
  registerDecommissions(app, ports, clock)
  registerReadiness(app, ports, clock)
  registerAcceptances(app, ports, clock)
  registerErasures(app, ports, clock)
  registerProcesses(app, ports, deps.forgetProcess, clock)
  registerClusterReport(app, ports, settings.options, clock)
  registerFleetChanges(app, ports, clock)
  registerFleetLogs(app, ports, clock)
  registerFleetUpgrades(app, ports, clock)
  registerFleetEdges(app, ports, clock)
  registerFleetModifications(app, ports, clock)
  registerFleetStranded(app, ports, clock)
  registerFleetPlans(app, ports, clock)
  registerUpdateGraph(app, ports, clock)
  registerGraphImports(app, ports, clock)
  registerServedGraph(app, ports, clock)
  registerRollouts(app, ports, clock)
  registerFleetUnjoined(app, ports, clock)
  registerFleetGates(app, ports, clock)
  registerFleetPatches(app, ports, clock)
  registerFleetConfiguration(app, ports, clock)
  registerBaselineReplay(app, ports, clock)
  registerFleetKvmStack(app, ports, clock)
  registerJaegerLegacy(app, ports, clock)
  registerJaegerV3(app, ports)
  registerAdoption(app, ports, clock)
  registerAlerts(app, { ...deps, ports })
  registerAlertDetail(app, { ...deps, ports })
  registerExternalAlerts(app, { ...deps, ports })
  registerAlertHistory(app, ports, clock)
  registerSilences(app, ports, clock)
  registerDeliveries(app, ports, deps.notify.configFile, clock)
  await app.register((scope, _options, done) => {
    useAlertmanagerFormat(scope, settings.bodyBytesMax)
    registerAlertmanagerAlerts(scope, { ...settings, ...deps, ports })
    registerAlertmanagerSilences(scope, ports, clock)
    registerAlertmanagerStatus(scope, { ...settings, ports })
    done()
  })
  registerRunbooks(app, {
    catalog: deps.catalog,
    ports,
    language,
    clock,
    log,
  })
  registerBundles(app, { ...deps, ports, language, externalUrl: settings.externalUrl })
  registerRunbookWork(app, { catalog: deps.catalog, ports, clock })
  registerRunbookOutcomes(app, { catalog: deps.catalog, ports, clock })
  registerReviews(app, { catalog: deps.catalog, ports, clock, externalUrl: settings.externalUrl })
  registerDashboards(app, { catalog: deps.catalog, ports, language })
  registerMetricCatalog(app, { catalog: deps.catalog, ownMetrics: metrics.registry, language })
  if (deps.faro !== undefined) await registerFaro(app, { ...deps, options: deps.faro })
  await registerWeb(app, { webRoot: deps.webRoot })
  registerDocs(app, deps.docsDir)
  registerSignIn(app, { requiresToken, signIn })
  registerReplay(app, ports)
  registerLint(app, {
    catalog: deps.catalog,
    ownMetrics: metrics.registry,
    language,
    clock,
  })
  registerOpenApi(app)
  registerRunbookLink(app, deps.catalog, ports, deps.webRoot)
  answerWrongMethods(app)
  await app.ready()
  return app
}

/** Each way to be recognised that is configured. */
function identifyOptionsOf({ authenticate, signIn, proxy, tls, clock }: ApiDeps): IdentifyOptions {
  return {
    authenticate,
    ...(signIn && { session: sessionReader(signIn) }),
    ...(proxy && { proxy: createProxyReader(proxy) }),
    ...(tls?.clients && {
      certificate: createCertificateReader(tls.clients.names, clock),
      needsCertificate: tls.clients.isRequired,
    }),
  }
}
