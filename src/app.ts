/**
 * The wiring, top-down in the order in which data flows: content, the two worker threads, fleet facts, HTTP (its routes are
 * connected in `app-server.ts`), the evaluation cycle. It creates every part, and is the only one that hands out the time. One file,
 * however long: the order of its statements is the order in which parts need each other.
 */
import { randomUUID } from 'node:crypto'
import { createEventFeed } from './api/server/event-feed.ts'
import type * as api from './api/server/server.ts'
import { factsStoreOf } from './config/facts-store.ts'
import { externalAlertOptionsOf, storeOptionsOf } from './config/folder-options.ts'
import { createApiServer } from './app-server.ts'
import { startThreads, type AppThreads } from './threads/app-threads.ts'
import { watchMain } from './threads/main-watch.ts'
import type { Clock } from './base/clock.ts'
import type { Log } from './base/log.ts'
import { createOwnMetrics, type OwnMetrics } from './base/metrics.ts'
import { createEvaluationCycle } from './runtime/evaluation-cycle.ts'
import type { Catalog } from './catalog/catalog.ts'
import { withWriteEvents, withReloadEvents, type PublishChange } from './runtime/change-events.ts'
import type { Config } from './config/config.ts'
import { metricsQueryOf } from './config/metrics-query.ts'
import { certificateFilesOf } from './config/sign-in-options.ts'
import { createContent, type Content } from './runtime/content.ts'
import { startOwnTraces, type OwnTraces } from './runtime/own-traces.ts'
import { FaultWatch } from './runtime/fault-watch.ts'
import { watchFiles } from './runtime/file-watch.ts'
import { createDecommissions } from './fleet/clusters/decommissions.ts'
import { createAcceptances } from './fleet/readiness/acceptances.ts'
import { createBaselineChoice } from './fleet/configuration/baseline.ts'
import { createGraphImports } from './fleet/graph/imports.ts'
import { expectedAlertsOf } from './fleet/alerts/expected-alerts.ts'
import { thresholdTexts } from './promql/threshold.ts'
import { measuredQueries } from './runtime/measured-query.ts'
import { createAlerts } from './notify/alerts.ts'
import { createNotifications } from './notify/notifications.ts'
import { sharedStopwatchMs } from './threads/shared-stopwatch.ts'
import { claimUnder } from './deployment/claim-under.ts'
import { faultTexts, type ServerFaults } from './model/server-fault.ts'
import { processNameOf } from './config/facts-store.ts'
import { createUserActions } from './notify/user-actions.ts'
import { createRemoteRules, type RemoteRules } from './runtime/remote-rules.ts'
import { createPeopleSignIn } from './runtime/people-sign-in.ts'
import { createRunbookWork, recordRevisions, withRevisions } from './runtime/runbook-work.ts'
import { createReloader, type ReloadCause } from './runtime/reload.ts'
import { forgetGroups } from './runtime/rule-metrics.ts'
import { createTokenIndex } from './runtime/token-index.ts'
import { HeadShares } from './ingest/head-shares.ts'
import { createErasing } from './runtime/erasing.ts'
import { checkAccess, listen, withPort } from './runtime/listening.ts'
import { cycleSteps } from './runtime/cycle-steps.ts'
import { privacyRules, redactionPolicy, verdictPolicy } from './runtime/policy-files.ts'
import { aloneView, createDeployment, electionExchange, roleReadiness } from './runtime/sharing.ts'
import { createUpgradeMarks } from './notify/upgrade-marks.ts'
import { createScrubSchedule, scrubThread } from './runtime/scrub.ts'
import { createShippingSchedule, shippingThread } from './runtime/shipping.ts'
import { createServerCertificate } from './runtime/server-certificate.ts'
import { faultsOf } from './runtime/deployment-lag.ts'
import { startForwarding } from './runtime/forwarding.ts'
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
  const erasing = await createErasing({
    ...{ config, clock, threads, alerts, decommissions, acceptances, silences: userActions.silences },
    deployment: () => deployment,
  })
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
  const ownReport = new OwnReport(() => faultTexts(faults.faults))
  const deployment = createDeployment({
    ...{ config, clock, log, metrics, threads, publish, rules, userActions, alerts, notifications, ownReport },
    ...{ decommissions, acceptances, baseline, graphImports, tokens, people },
  })
  const hasMetricsStore = metricsQueryOf(config).remote !== undefined
  const allFaults = (): ServerFaults => ({
    ...faults.faults,
    ...faultsOf(deployment?.view, hasMetricsStore),
    threads: threads.faults(),
  })
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
      erasures: erasing.erasures,
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
      erasing,
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
