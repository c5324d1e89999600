/** The steps of an evaluation cycle, in their order: facts, rules, alerts, notifications. */
import type { Log } from '../base/log.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { Deployment } from '../deployment/deployment.ts'
import type { Decommissions } from '../fleet/clusters/decommissions.ts'
import type { Erasures } from '../fleet/clusters/erasures.ts'
import { createRiskAlertFeed } from '../fleet/readiness/risk-alerts.ts'
import type { Alerts } from '../notify/alerts.ts'
import type { Notifications } from '../notify/notifications.ts'
import type { UserActions } from '../notify/user-actions.ts'
import type { AppThreads } from '../threads/app-threads.ts'
import { changedByRules, createSilenceWatch, type PublishChange } from './change-events.ts'
import type { CycleStep } from './evaluation-cycle.ts'
import { createFactsStep } from './facts-step.ts'
import type { FaultWatch } from './fault-watch.ts'
import type { OwnTraces } from './own-traces.ts'
import type { RemoteRules } from './remote-rules.ts'
import { countEvaluation } from './rule-metrics.ts'
import { derivationOutcome, evaluationOutcome, tracedStep } from './traced-cycle.ts'

interface CycleParts {
  readonly threads: AppThreads
  readonly rules: RemoteRules
  readonly userActions: UserActions
  readonly alerts: Alerts
  readonly decommissions: Decommissions
  readonly erasures: Erasures
  readonly metrics: OwnMetrics
  readonly notifications: Notifications
  readonly ownTraces: OwnTraces
  readonly faults: FaultWatch
  /** Absent: this process shares nothing. */
  readonly deployment: Deployment | undefined
}

export function cycleSteps(
  parts: CycleParts,
  publish: PublishChange,
  log: Log,
): readonly (readonly [string, CycleStep])[] {
  const { threads, rules, userActions, alerts, decommissions, erasures, notifications, faults, deployment } = parts
  const { metrics, ownTraces: { tracing } } = parts // prettier-ignore
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
