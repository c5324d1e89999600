/**
 * The wiring, top-down in the order in which data flows: content, the two worker threads, fleet facts, HTTP (its routes are
 * connected in `app-server.ts`), the evaluation cycle. It creates every part, and is the only one that hands out the time. One file,
 * however long: the order of its statements is the order in which parts need each other.
 */
import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { createEventFeed } from './api/server/event-feed.ts'
import type * as api from './api/server/server.ts'
import { factsStoreOf } from './config/facts-store.ts'
import { externalAlertOptionsOf, isLoopback, storeOptionsOf } from './config/folder-options.ts'
import { reservePort } from './runtime/reserve-port.ts'
import { createApiServer, type ServerParts } from './app-server.ts'
import { startThreads, type AppThreads } from './threads/app-threads.ts'
import { watchMain } from './threads/main-watch.ts'
import type { Clock } from './base/clock.ts'
import { FleetError, messageOf } from './base/errors.ts'
import type { Log } from './base/log.ts'
import { createOwnMetrics, type OwnMetrics } from './base/metrics.ts'
import { createEvaluationCycle, type CycleStep } from './runtime/evaluation-cycle.ts'
import type { Catalog } from './catalog/catalog.ts'
import {
  changedByRules,
  createSilenceWatch,
  withWriteEvents,
  withReloadEvents,
  type PublishChange,
} from './runtime/change-events.ts'
import { schemeOf, urlOf, type Config } from './config/config.ts'
import { metricsStoreOf } from './config/metrics-store.ts'
import { metricsQueryOf } from './config/metrics-query.ts'
import { certificateFilesOf } from './config/sign-in-options.ts'
import { createContent, type Content } from './runtime/content.ts'
import { startOwnTraces, type OwnTraces } from './runtime/own-traces.ts'
import { derivationOutcome, evaluationOutcome, tracedStep } from './runtime/traced-cycle.ts'
import { FaultWatch } from './runtime/fault-watch.ts'
import { watchFiles } from './runtime/file-watch.ts'
import { createFactsStep } from './runtime/facts-step.ts'
import { createErasures, type Erasures } from './fleet/clusters/erasures.ts'
import { createDecommissions } from './fleet/clusters/decommissions.ts'
import { createAcceptances } from './fleet/readiness/acceptances.ts'
import { createRiskAlertFeed } from './fleet/readiness/risk-alerts.ts'
import { createBaselineChoice } from './fleet/configuration/baseline.ts'
import { createGraphImports } from './fleet/graph/imports.ts'
import { expectedAlertsOf } from './fleet/alerts/expected-alerts.ts'
import { CLUSTER_LABEL } from './model/cluster-identity.ts'
import { thresholdTexts } from './promql/threshold.ts'
import { measuredQueries } from './runtime/measured-query.ts'
import { createAlerts } from './notify/alerts.ts'
import { createNotifications } from './notify/notifications.ts'
import { sharedStopwatchMs } from './threads/shared-stopwatch.ts'
import { claimUnder } from './deployment/claim-under.ts'
import { Deployment } from './deployment/deployment.ts'
import type { DeploymentView } from './model/lease.ts'
import type { ProcessReport } from './model/process-report.ts'
import type { RedactionPolicy } from './model/redaction.ts'
import { faultTexts, type ServerFaults } from './model/server-fault.ts'
import type { ChangeTopic } from './model/stored-change.ts'
import type { Access } from './model/token.ts'
import { processNameOf } from './config/facts-store.ts'
import type { EventTopic } from './contract/events.ts'
import { createUserActions } from './notify/user-actions.ts'
import { createRemoteRules, type RemoteRules } from './runtime/remote-rules.ts'
import { createPeopleSignIn, type PeopleSignIn } from './runtime/people-sign-in.ts'
import { readPrivacyRules } from './config/privacy-file.ts'
import { readVerdictPolicy } from './config/verdict-policy.ts'
import { readRedactionPolicy } from './config/redaction-file.ts'
import { createRunbookWork, recordRevisions, withRevisions } from './runtime/runbook-work.ts'
import { createReloader, type Reloadable, type ReloadCause } from './runtime/reload.ts'
import { countEvaluation, forgetGroups } from './runtime/rule-metrics.ts'
import { createTokenIndex, type TokenIndex } from './runtime/token-index.ts'
import { HeadShares } from './ingest/head-shares.ts'
import { createUpgradeMarks } from './notify/upgrade-marks.ts'
import { createScrubSchedule, scrubThread } from './runtime/scrub.ts'
import { createShippingSchedule, shippingThread } from './runtime/shipping.ts'
import { createServerCertificate } from './runtime/server-certificate.ts'
import { faultsOf } from './runtime/deployment-lag.ts'
import { startForwarding } from './runtime/forwarding.ts'
import { createEraseMetrics } from './runtime/erase-metrics.ts'
import { createMetricsErasure, createSharedErasures, type SharedErasures } from './runtime/shared-erasures.ts'
import { OwnReport } from './runtime/own-report.ts'
import { startUpkeep } from './runtime/upkeep.ts'
import { VERSION } from './config/version.ts'

export interface AppParts {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  /** Data is simulated, and the pages say so. */
  readonly isDemo: boolean
}

export interface App {
  /** Where it listens, with the port it really got. */
  readonly url: string
  /** Resolves with a sentence when it should be stopped and started again in this process: only then it can write. */
  readonly writable: Promise<string>
  /** Evaluation cycles run by themselves from now on. Until then the server receives and answers, but evaluates no rules. */
  startCycles(): void
  /** One evaluation cycle at the clock's present time: facts, rules, notifications. */
  runCycle(): Promise<void>
  /**
   * Resolves when the stores that processes share have what was received before, as far as they answer, and the leases of this
   * process are as they are after the next heartbeat. Without such stores at once.
   */
  share(): Promise<void>
  /** Before `startCycles`: facts from what was received, as far as one cycle gets. */
  deriveFacts(): Promise<DerivedRound>
  /** Reads rules, runbooks, dashboards and routing again. Rejects, and changes nothing, when they cannot be used. */
  reload(cause: ReloadCause): Promise<void>
  /** Before `startCycles`: evaluates the rules as they would have been at each step of the past, both ends inclusive. */
  replayRules(range: { readonly fromMs: number; readonly toMs: number; readonly stepMs: number }): Promise<void>
  /** Answers what is under way, writes what was received, and ends. */
  stop(): Promise<void>
}

/** Clusters that one cycle derived, and those that wait for the next; none do when the cycle found nothing to do. */
export interface DerivedRound {
  readonly derived: number
  readonly waiting: number
}

/** The pages that show what another process has changed. */
const PAGES_OF: Readonly<Record<ChangeTopic, readonly EventTopic[]>> = {
  silence: ['silences', 'alerts'],
  acknowledgement: ['alerts'],
  external_alert: ['alerts'],
  decommission: [],
  accepted_risk: [],
  runbook_work: ['work'],
  configuration_baseline: ['clusters'],
  update_graph: [],
  token: [],
  session: [],
  cluster: ['clusters', 'upgrades'],
  alert_state: ['alerts'],
}

/** Starts everything. Throws FleetError for what the user can mend: content, address, data directory, tokens. */
export async function startApp(asked: AppParts): Promise<App> {
  const parts = { ...asked, config: await withPort(asked.config) }
  const { config, clock, log } = parts
  const metrics = createOwnMetrics(VERSION)
  const content = createContent(config, log)
  const starting = startThreads({ config, ruleFiles: () => content.catalog.ruleFiles, clock, metrics, log })
  // By far the largest part of the program: it is loaded while the workers start and the log is read.
  const loading = import('./api/server/server.ts')
  const tracing = startOwnTraces(config, VERSION, clock, log)
  const threads = await starting
  const watch = { hungAfterMs: config['watchdog.hung-after'], logLevel: config['log.level'], metrics, log }
  const stopWatch = watchMain(watch)
  try {
    const app = await serve(parts, content, metrics, threads, await tracing, (await loading).createServer)
    return { ...app, stop: () => app.stop().finally(stopWatch) }
  } catch (thrown) {
    await (await tracing).stop()
    await threads.stop()
    await stopWatch()
    throw thrown
  }
}

async function serve(
  parts: AppParts,
  content: Content,
  metrics: OwnMetrics,
  threads: AppThreads,
  ownTraces: OwnTraces,
  createServer: typeof api.createServer,
): Promise<App> {
  const { config, clock, log } = parts
  const { catalog } = content
  const startedMs = clock.nowMs()
  const tokens = await createTokenIndex(threads.facts.tokens, clock, metrics)
  const people = await createPeopleSignIn(config, { store: threads.facts.sessions, clock, metrics, log })
  checkAccess(config, tokens, people)
  const files = certificateFilesOf(config)
  const certificate = files && createServerCertificate(files, clock, metrics, log)
  const queryOf = measuredQueries(threads.query, metrics, ownTraces.tracing)
  const events = createEventFeed({ clock, metrics, listenersMax: config['web.listeners-max'] })
  const publish: PublishChange = (topics) => {
    events.publish(topics)
  }
  const canonicalName = (name: string): string => catalog.aliases.get(name) ?? name
  const faults = new FaultWatch()
  const headShares = new HeadShares({
    bytesMax: config['store.head-bytes-max'],
    halfLifeMs: config['ingest.out-of-order'] / 2,
  })
  threads.onFaults(() => {
    publish(['alerts'])
  })
  const rules = createRemoteRules(threads.query.rules)
  const store = withWriteEvents(threads.facts, publish)
  const userActions = await createUserActions(store, threads.query.audit({}))
  const alerts = await createAlerts({
    store,
    runs: threads.query.alertRuns({}),
    rules,
    userActions,
    canonicalName,
    options: {
      external: externalAlertOptionsOf(config),
      silenceRetentionMs: config['retention.silences'],
      alertRetentionMs: config['retention.alerts'],
    },
    clock,
    log,
  })
  const decommissions = await createDecommissions(threads.facts.decommissions, randomUUID, async () => {
    await threads.query.decommissions.reread(clock.nowMs())
    publish(['clusters', 'upgrades'])
  })
  const acceptances = await createAcceptances(threads.facts.acceptedRisks, randomUUID, async () => {
    await threads.query.readiness.reread()
    publish(['clusters'])
  })
  const baseline = createBaselineChoice(threads.facts.configurationBaseline, async () => {
    await threads.query.baseline.reread()
    publish(['clusters'])
  })
  const runbookWork = createRunbookWork(threads.query.runbookWork({}), threads.facts.runbookWork, metrics, publish)
  const graphImports = createGraphImports(threads.facts.updateGraphs, () => threads.query.graphs.reread())
  const eraseShared = everySoOften((names: readonly string[]) => threads.shared?.erase(names) ?? Promise.resolve())
  const metricsStore = metricsStoreOf(config)
  const eraseMetrics = metricsStore && createEraseMetrics(metricsStore, storeOptionsOf(config).clusterLabels)
  const sharedErasures =
    threads.shared &&
    createSharedErasures({
      ...{ local: threads.ingest.erasures, shared: threads.shared.erasures, process: processNameOf(config) },
      processes: () => deployment?.view.processes ?? [],
      isFirst: () => deployment?.first !== undefined,
      eraseMetrics,
      isKnown: async (cluster) => (await threads.query.clusters.report(cluster)) !== undefined,
      audit: (action) => threads.facts.audit.add(action),
    })
  const ownErasures = eraseMetrics && createMetricsErasure(threads.ingest.erasures, eraseMetrics)
  const erasures = await createErasures(
    sharedErasures ?? threads.ingest.erasures,
    randomUUID,
    async (names, by, nowMs) => {
      await threads.query.clusters.forget(names)
      await eraseShared(names, nowMs)
      for (const cluster of names) await alerts.external.remove({ cluster }, by, nowMs)
      for (const { id, matchers } of userActions.silences.all()) {
        const isAbout = matchers.some(
          ({ name, op, value }) => name === CLUSTER_LABEL && op === '=' && names.includes(value),
        )
        if (isAbout) await userActions.silences.expire(id, by, nowMs)
      }
    },
  )
  const notifications = await createNotifications({
    options: {
      configPath: config['notify.config'],
      externalUrl: config['external.url'],
      alertmanagerUrls: config.alertmanager,
      resendDelayMs: config['alertmanager.resend-delay'],
    },
    clock,
    metrics,
    log,
    alerts,
    store: threads.facts,
    ...(threads.shared && { claims: claimUnder(threads.shared.claims, () => deployment?.first, sharedStopwatchMs) }),
    silences: userActions.silences,
    upgrades: createUpgradeMarks({
      expectedAlerts: expectedAlertsOf((nowMs) => threads.query.fleet({ nowMs }).healthy()),
      canonicalName,
      log,
    }),
    thresholdTexts,
  })
  /** Where several processes share the facts. */
  const createDeployment = ({ leases, listen }: NonNullable<AppThreads['shared']>): Deployment => {
    const reread: Readonly<Record<ChangeTopic, (subjects: readonly string[] | undefined) => Promise<unknown>>> = {
      silence: () => userActions.silences.reread(),
      acknowledgement: () => userActions.acknowledgements.reread(),
      external_alert: () => alerts.external.reread(),
      decommission: () => decommissions.reread(),
      accepted_risk: () => acceptances.reread(),
      // Read from the store by each request.
      runbook_work: () => Promise.resolve(),
      configuration_baseline: () => baseline.reread(),
      update_graph: () => graphImports.reread(),
      token: () => tokens.reread(),
      session: () => people.reread(),
      cluster: (names) => threads.query.clusters.reread(names),
      alert_state: (groups) => rules.reread(groups, clock.nowMs()),
    }
    return new Deployment({
      ...{ leases, listen, roles: config.roles, report: () => ownReport.report },
      exchange: (update) => threads.query.leases.exchange(update),
      reread: async (topic, subjects) => {
        await reread[topic](subjects)
        publish(PAGES_OF[topic])
      },
      takeOver: async () => {
        await rules.reread(undefined, clock.nowMs())
        await userActions.silences.reread()
        await userActions.acknowledgements.reread()
        await alerts.external.reread()
        await alerts.takeOver()
        await notifications.takeOver()
      },
      handOn: () => notifications.handOn(),
      onReplaced: () => {
        log.error(
          { process: processNameOf(config) },
          'another process of this name has started: this one does nothing alone',
        )
      },
      ...{ clock, log, metrics, stopwatchMs: sharedStopwatchMs },
    })
  }
  const redaction = redactionPolicy(config['bundle.redaction'])
  // What stands in files: SIGHUP, `/-/reload` and a changed file read all of it again.
  const recordUsed = (): Promise<void> =>
    recordRevisions({
      ...{ catalog, clock, log },
      store: threads.facts.runbookWork,
      retentionMs: config['retention.alerts'],
    })
  const reloader = withRevisions(
    withReloadEvents(
      createReloader({
        reloadables: [
          content.reloadable((files) => useRules(files, rules, metrics, faults)),
          notifications.reloadable,
          privacyRules(config['privacy.config'], threads),
          verdictPolicy(config['verdict.policy'], threads),
          redaction.reloadable,
        ],
        clock,
        metrics,
        log,
      }),
      publish,
      (cause) =>
        userActions.record({
          ...{ atMs: clock.nowMs(), by: 'daytwo', action: 'rules.reload', subject: 'content' },
          detail: JSON.stringify({ cause }),
        }),
    ),
    recordUsed,
  )
  const deployment = threads.shared && createDeployment(threads.shared)
  const hasMetricsStore = metricsQueryOf(config).remote !== undefined
  const allFaults = (): ServerFaults => ({
    ...faults.faults,
    ...faultsOf(deployment?.view, hasMetricsStore),
    threads: threads.faults(),
  })
  const ownReport = new OwnReport(() => faultTexts(faults.faults))
  let readiness = 'rules are being restored'
  const wired = {
    ...{
      catalog,
      metrics,
      threads,
      tokens,
      queryOf,
      rules,
      userActions,
      alerts,
      decommissions,
      acceptances,
      baseline,
      runbookWork,
      graphImports,
      erasures,
      notifications,
    },
    ...{ events, faults, headShares, reloader, ownTraces, people, certificate, allFaults },
    redaction: redaction.current,
    forgetProcess: (name: string) => deployment?.forget(name) ?? Promise.resolve(false),
    deploymentView: () => deployment?.view ?? aloneView(config, startedMs, ownReport.report),
  }
  const server = await createApiServer(createServer, {
    ...parts,
    ...wired,
    readiness: (access) => (readiness === 'ready' ? roleReadiness(config, access) : readiness),
  })
  const url = await listen(server, config)
  await rules.restore(clock.nowMs())
  // Before the first heartbeat, which tells the others what this process has not forwarded yet.
  const forwarding = await startForwarding({
    ...{ threads, clock, metrics, log, report: ownReport },
    deployment: () => deployment?.view,
  })
  await recordUsed()
  await deployment?.start()
  readiness = 'ready'

  const cycle = createEvaluationCycle(clock, cycleSteps({ ...wired, deployment }, publish, log), log)
  metrics.storeHeadBytesMax.set(config['store.head-bytes-max'])
  const instance = config['own-metrics'] ? instanceOf(config) : undefined
  const scrub = createScrubSchedule({
    start: scrubThread({ dir: config.data }, log),
    store: threads.ingest.store,
    metrics,
    log,
  })
  const postgres = factsStoreOf(config)
  const shipping =
    postgres === undefined
      ? undefined
      : createShippingSchedule({
          start: shippingThread({ ...storeOptionsOf(config), postgres }, log),
          ...{ ingest: threads.ingest, metrics, log, report: ownReport },
        })
  const upkeep = startUpkeep({
    ...(shipping && { shipping }),
    ...{ clock, threads, rules, metrics, log, faults, headShares, publish, folder: config.data, instance, scrub },
    access: [
      tokens,
      people,
      ...(threads.shared ? [electionExchange(threads, config['ha.failover-after'], clock)] : []),
      erasureSteps(sharedErasures ?? ownErasures, erasures, clock),
    ],
    hasMetricsStore,
  })
  const watched = config['content.watch']
    ? watchFiles(reloader.places, clock, () => {
        // It has logged what was wrong.
        reloader.reload('files').catch(() => undefined)
      })
    : undefined
  log.info({ url, version: VERSION, data: config.data, rules: catalog.alertNames.length }, 'listening')
  return {
    url,
    writable: upkeep.writable,
    startCycles: () => {
      cycle.start()
    },
    runCycle: () => cycle.once(),
    share: async () => {
      await shipping?.flush(clock.nowMs())
      await forwarding.flush()
      await deployment?.step()
    },
    deriveFacts: async () => {
      const { read, derived, waiting } = await threads.query.fleetLoop.runCycle(clock.nowMs())
      return { derived, waiting: read + derived === 0 ? 0 : waiting }
    },
    reload: async (cause) => {
      certificate?.reload()
      await reloader.reload(cause)
    },
    replayRules: async ({ fromMs, toMs, stepMs }) => {
      for (let timeMs = fromMs; timeMs <= toMs; timeMs += stepMs) await rules.evaluate(timeMs)
    },
    stop: async () => {
      // First: what goes to itself needs a server that is ready.
      await ownTraces.stop()
      readiness = 'the server is stopping'
      watched?.stop()
      certificate?.stop()
      people.stop()
      await server.close()
      await cycle.stop()
      await deployment?.stop()
      await upkeep.stop()
      if (await forwarding.stop()) await deployment?.remove()
      try {
        await notifications.stop()
      } finally {
        await threads.stop()
      }
    },
  }
}

/** The `instance` label of this process in its own metrics: behind one address there may be several processes. */
function instanceOf(config: Config): string {
  return config['store.facts'] === '' ? new URL(config['external.url']).host : processNameOf(config)
}

/** A process that shares nothing. */
function aloneView(config: Config, startedMs: number, report: Omit<ProcessReport, 'leases'>): DeploymentView {
  const self = { name: processNameOf(config), version: VERSION, roles: config.roles, startedMs, silentMs: 0 }
  return { processes: [{ ...self, state: 'running', isSelf: true, report: { ...report, leases: {} } }], unheardMs: 0 }
}

/** Erasures beyond this process; what another one began is known to this one afterwards. */
function erasureSteps(steps: Pick<SharedErasures, 'step'> | undefined, erasures: Erasures, clock: Clock) {
  let underWay: Promise<void> | undefined
  let nextMs = -Infinity
  const run = async (): Promise<void> => {
    await steps?.step(clock.nowMs())
    await erasures.list()
  }
  return {
    // Not waited for: the metrics store may answer late, and the store of this process is maintained meanwhile.
    upkeep: (): Promise<void> => {
      if (steps === undefined || underWay !== undefined || clock.nowMs() < nextMs) return Promise.resolve()
      nextMs = clock.nowMs() + ERASURE_STEP_MS
      underWay = run()
        // The next one repeats it; readiness reports what does not answer.
        .catch(() => undefined)
        .finally(() => {
          underWay = undefined
        })
      return Promise.resolve()
    },
  }
}

const ERASURE_STEP_MS = 10_000

/** Which replicas of HA pairs are accepted, in step with other processes; once a second. */
function electionExchange({ shared, ingest }: AppThreads, failoverAfterMs: number, clock: Clock) {
  return {
    upkeep: async () => {
      const elections = (await shared?.elections.exchange(await ingest.replicas.takeSeen(), failoverAfterMs)) ?? []
      if (elections.length > 0) await ingest.replicas.adopt(elections, clock.nowMs())
    },
  }
}

/** While a cluster is erased, facts are looked through at once for each set of names, and then once a minute. */
function everySoOften(erase: (names: readonly string[]) => Promise<unknown>) {
  const erasedMs = new Map<string, number>()
  return async (names: readonly string[], nowMs: number): Promise<void> => {
    const key = JSON.stringify(names)
    if (Math.abs(nowMs - (erasedMs.get(key) ?? -Infinity)) < ERASE_EVERY_MS) return
    await erase(names)
    erasedMs.clear()
    erasedMs.set(key, nowMs)
  }
}

const ERASE_EVERY_MS = 60_000

/** Requests that this process does not answer have another process that does. */
function roleReadiness({ roles }: Config, access: Access | undefined): string {
  const wanted = access === 'ingest' || access === 'reporter' ? 'collect' : 'serve'
  if (access === undefined || access === 'public' || roles.includes(wanted)) return 'ready'
  return `this process has the roles ${roles.join(', ')}, and not ${wanted}`
}

/** With a real port in place of 0: links in alerts and pages must hold it before the server listens. */
async function withPort(config: Config): Promise<Config> {
  const { host, port } = config.listen
  if (port !== 0) return config
  const listen = { host, port: await reservePort(host) }
  const scheme = schemeOf(config)
  const isUrlOurs = config['external.url'] === urlOf(config.listen, scheme)
  return { ...config, listen, 'external.url': isUrlOurs ? urlOf(listen, scheme) : config['external.url'] }
}

/** The policy of evidence bundles; checked here, before the server listens. */
function redactionPolicy(path: string): { readonly current: () => RedactionPolicy; readonly reloadable: Reloadable } {
  let policy = readRedactionPolicy(path)
  return {
    current: () => policy,
    reloadable: {
      name: 'redaction policy',
      places: path === '' ? [] : [path],
      read: () => {
        const read = readRedactionPolicy(path)
        return () => {
          policy = read
        }
      },
    },
  }
}

function privacyRules(path: string, threads: AppThreads): Reloadable {
  return {
    name: 'privacy rules',
    places: path === '' ? [] : [path],
    read: () => {
      const rules = readPrivacyRules(path)
      return () => threads.ingest.privacy.use(rules)
    },
  }
}

function verdictPolicy(path: string, threads: AppThreads): Reloadable {
  return {
    name: 'policy of verdicts',
    places: path === '' ? [] : [path],
    read: () => {
      const policy = readVerdictPolicy(path)
      return () => threads.query.rollouts.usePolicy(policy)
    },
  }
}

async function useRules(
  files: Catalog['ruleFiles'],
  rules: RemoteRules,
  metrics: OwnMetrics,
  faults: FaultWatch,
): Promise<void> {
  await rules.reload(files)
  forgetGroups(metrics)
  faults.forgetRules()
}

/** Loopback without tokens is fine; anything else needs them, or people who sign in. */
function checkAccess(config: Config, tokens: TokenIndex, { provider, proxy }: PeopleSignIn): void {
  const { host, port } = config.listen
  if (isLoopback(host) || tokens.hasTokens || provider !== undefined || proxy !== undefined) return
  const place = config['store.facts'] === '' ? `--data ${config.data}` : `--store.facts ${config['store.facts']}`
  throw new FleetError(
    'config_invalid',
    `refusing to listen on ${host}:${port} without tokens: unauthenticated clients could read and write the fleet`,
    {
      hint: `make one with \`daytwo token add ${place} --name admin --role admin\`, configure oidc.issuer, or listen on 127.0.0.1`,
    },
  )
}

async function listen(server: FastifyInstance, config: Config): Promise<string> {
  const { host, port } = config.listen
  try {
    await server.listen({ host, port })
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot listen on ${host}:${port}: ${messageOf(thrown)}`, {
      hint: 'another program may have the port; choose one with --listen HOST:PORT',
      cause: thrown,
    })
  }
  const address = server.server.address()
  const listening = { host, port: typeof address === 'object' && address !== null ? address.port : port }
  return urlOf(listening, schemeOf(config))
}

type CycleParts = Pick<
  ServerParts,
  | 'threads'
  | 'rules'
  | 'userActions'
  | 'alerts'
  | 'decommissions'
  | 'erasures'
  | 'metrics'
  | 'notifications'
  | 'ownTraces'
  | 'faults'
> & { readonly deployment: Deployment | undefined }

function cycleSteps(
  {
    threads,
    rules,
    userActions,
    alerts,
    decommissions,
    erasures,
    metrics,
    notifications,
    ownTraces,
    faults,
    deployment,
  }: CycleParts,
  publish: PublishChange,
  log: Log,
): readonly (readonly [string, CycleStep])[] {
  const { tracing } = ownTraces
  const deriveFacts = createFactsStep(threads.query.fleetLoop, metrics, log)
  /** What one process does for all that share the facts. */
  const isFirst = (): boolean => deployment === undefined || deployment.first !== undefined
  // Readiness reads them; most cycles change none.
  const passRiskAlerts = createRiskAlertFeed(
    (nowMs) => alerts.alerts(nowMs),
    (risks) => threads.query.readiness.setAlerts(risks),
  )
  const watchSilences = createSilenceWatch(() => userActions.silences.all(), publish)
  return [
    [
      'facts',
      async (nowMs) => {
        const report = await tracedStep(tracing, 'derive facts', () => deriveFacts(nowMs), derivationOutcome)
        if (isFirst()) await decommissions.endReturned(report.returned, nowMs)
        await erasures.cycle(nowMs)
        publish(report.changed)
      },
    ],
    [
      'rules',
      async (nowMs) => {
        const report = await tracedStep(tracing, 'evaluate rules', () => rules.evaluate(nowMs), evaluationOutcome)
        countEvaluation(report, metrics, log)
        publish(faults.seeRules(report) ? ['alerts'] : changedByRules(report))
      },
    ],
    [
      'alerts',
      async (nowMs) => {
        if (isFirst()) await alerts.cycle(nowMs)
        watchSilences(nowMs)
        await passRiskAlerts(nowMs)
      },
    ],
    [
      'notifications',
      async (nowMs) => {
        if (isFirst()) await notifications.cycle(nowMs)
      },
    ],
  ]
}
