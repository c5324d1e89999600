/** What processes with shared facts have in common: who does what, and taking what another process has stored. */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { Config } from '../config/config.ts'
import { processNameOf } from '../config/facts-store.ts'
import { VERSION } from '../config/version.ts'
import type { EventTopic } from '../contract/events.ts'
import { Deployment } from '../deployment/deployment.ts'
import type { Acceptances } from '../fleet/readiness/acceptances.ts'
import type { Decommissions } from '../fleet/clusters/decommissions.ts'
import type { BaselineChoice } from '../fleet/configuration/baseline.ts'
import type { GraphImports } from '../fleet/graph/imports.ts'
import type { DeploymentView } from '../model/lease.ts'
import type { ProcessReport } from '../model/process-report.ts'
import type { ChangeTopic } from '../model/stored-change.ts'
import type { Access } from '../model/token.ts'
import type { Alerts } from '../notify/alerts.ts'
import type { Notifications } from '../notify/notifications.ts'
import type { UserActions } from '../notify/user-actions.ts'
import type { AppThreads } from '../threads/app-threads.ts'
import { sharedStopwatchMs } from '../threads/shared-stopwatch.ts'
import type { PublishChange } from './change-events.ts'
import type { OwnReport } from './own-report.ts'
import type { PeopleSignIn } from './people-sign-in.ts'
import type { RemoteRules } from './remote-rules.ts'
import type { TokenIndex } from './token-index.ts'

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

interface SharingParts {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly metrics: OwnMetrics
  readonly threads: AppThreads
  readonly publish: PublishChange
  readonly rules: RemoteRules
  readonly userActions: UserActions
  readonly alerts: Alerts
  readonly notifications: Notifications
  readonly decommissions: Decommissions
  readonly acceptances: Acceptances
  readonly baseline: BaselineChoice
  readonly graphImports: GraphImports
  readonly tokens: TokenIndex
  readonly people: PeopleSignIn
  readonly ownReport: OwnReport
}

/** `undefined`: this process shares nothing. */
export function createDeployment(parts: SharingParts): Deployment | undefined {
  const { threads, config, clock, log, metrics, publish, rules, userActions, alerts, notifications, ownReport } = parts
  if (threads.shared === undefined) return undefined
  const { leases, listen } = threads.shared
  const reread: Readonly<Record<ChangeTopic, (subjects: readonly string[] | undefined) => Promise<unknown>>> = {
    silence: () => userActions.silences.reread(),
    acknowledgement: () => userActions.acknowledgements.reread(),
    external_alert: () => alerts.external.reread(),
    decommission: () => parts.decommissions.reread(),
    accepted_risk: () => parts.acceptances.reread(),
    // Read from the store by each request.
    runbook_work: () => Promise.resolve(),
    configuration_baseline: () => parts.baseline.reread(),
    update_graph: () => parts.graphImports.reread(),
    token: () => parts.tokens.reread(),
    session: () => parts.people.reread(),
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

/** A process that shares nothing. */
export function aloneView(config: Config, startedMs: number, report: Omit<ProcessReport, 'leases'>): DeploymentView {
  const self = { name: processNameOf(config), version: VERSION, roles: config.roles, startedMs, silentMs: 0 }
  return { processes: [{ ...self, state: 'running', isSelf: true, report: { ...report, leases: {} } }], unheardMs: 0 }
}

/** Requests that this process does not answer have another process that does. */
export function roleReadiness({ roles }: Config, access: Access | undefined): string {
  const wanted = access === 'ingest' || access === 'reporter' ? 'collect' : 'serve'
  if (access === undefined || access === 'public' || roles.includes(wanted)) return 'ready'
  return `this process has the roles ${roles.join(', ')}, and not ${wanted}`
}

/** Which replicas of HA pairs are accepted, in step with other processes; once a second. */
export function electionExchange({ shared, ingest }: AppThreads, failoverAfterMs: number, clock: Clock) {
  return {
    upkeep: async () => {
      const elections = (await shared?.elections.exchange(await ingest.replicas.takeSeen(), failoverAfterMs)) ?? []
      if (elections.length > 0) await ingest.replicas.adopt(elections, clock.nowMs())
    },
  }
}
