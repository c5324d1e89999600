/**
 * Why OLM cannot plan an upgrade (facts 5.10, 5.11). Since 2021 OLM writes nothing but a condition of the Subscription: the
 * state stays AtLatestKnown when a bundle cannot be resolved, and UpgradePending when the InstallPlan failed or is gone. So
 * the conditions decide, and the InstallPlan where the Subscription has not been written since.
 */
import { remembered } from '../../base/remembered.ts'
import type { Condition, InstallPlanFacts, SubscriptionFacts } from '../../model/object-facts.ts'
import type { Evidence } from '../../model/upgrade.ts'
import { conditionText, objectEvidence } from './block-evidence.ts'
import { type ClusterHistory, type ObjectHistory, hcoCsvs } from './cluster-history.ts'
import { conditionOf } from './hco-window.ts'
import { hcoSubscriptions, planOf } from './olm-offer.ts'
import { nameKey, newestByName } from './present.ts'

export interface PlanningProblem {
  /** The type of the condition. */
  readonly type: string
  readonly reason: string
  /** What happened, then what to do. */
  readonly text: string
  readonly sinceMs: number
  readonly evidence: readonly Evidence[]
}

/** Conditions that are True while OLM cannot plan, the most exact first, with what happened and what to do. */
const PROBLEMS = {
  InstallPlanMissing: [
    'The InstallPlan of the Subscription was deleted, and OLM does not create another one',
    'Create the Subscription again.',
  ],
  InstallPlanFailed: ['The InstallPlan failed', 'Fix the reported error, then delete the InstallPlan.'],
  BundleUnpackFailed: [
    'OLM cannot unpack the bundle of the next version',
    'Check that the cluster can pull the bundle image, then delete the failed unpack job.',
  ],
  ResolutionFailed: ['OLM cannot resolve the next version', 'Remove the conflict that the condition reports.'],
  SubscriptionMissing: [
    'The Subscription of the installed CSV was deleted, and OLM offers no upgrade',
    'Create the Subscription again.',
  ],
  CatalogSourcesUnhealthy: [
    'OLM cannot resolve the next version while a catalog is unhealthy',
    'Repair or remove the reported CatalogSource.',
  ],
} as const

type ProblemType = keyof typeof PROBLEMS

/** Each has a section in the runbook DaytwoCannotPlanUpgrade. */
export const PLANNING_PROBLEMS = Object.keys(PROBLEMS) as readonly ProblemType[]

/** Of the present Subscription of HCO; `undefined`: OLM can plan, or a plan can be approved. */
export const planningProblem = remembered((history: ClusterHistory): PlanningProblem | undefined => {
  for (const subscription of hcoSubscriptions(history)) {
    if (subscription.gone !== undefined) continue
    const problem = problemOf(subscription, referredPlan(history, subscription))
    if (problem !== undefined) return problem
  }
  return orphanedCsv(history)
})

/** Without a Subscription OLM never plans an upgrade of an installed CSV. */
function orphanedCsv(history: ClusterHistory): PlanningProblem | undefined {
  const subscriptions = hcoSubscriptions(history)
  const last = subscriptions.findLast(({ gone }) => gone !== undefined)
  const csv = hcoCsvs(history).findLast(({ gone }) => gone === undefined)
  if (last?.gone === undefined || csv === undefined || subscriptions.some(({ gone }) => gone === undefined))
    return undefined
  const ref = `subscriptions/${last.namespace}/${last.name}`
  const { atMs } = last.gone
  return toProblem('SubscriptionMissing', '', atMs, [
    objectEvidence(atMs, `Subscription ${last.name} is deleted, CSV ${csv.name} is not`, ref, 'offered'),
  ])
}

type Subscription = ObjectHistory<SubscriptionFacts>
type InstallPlan = ObjectHistory<InstallPlanFacts>

/** The InstallPlan that the Subscription refers to. Of several with this name the newest counts. */
function referredPlan(history: ClusterHistory, { namespace, states }: Subscription): InstallPlan | undefined {
  const { installPlan } = states.at(-1)!.facts
  return installPlan === undefined
    ? undefined
    : newestByName(history.of('installplans')).get(nameKey(namespace, installPlan))
}

function problemOf(subscription: Subscription, plan: InstallPlan | undefined): PlanningProblem | undefined {
  const ref = `subscriptions/${subscription.namespace}/${subscription.name}`
  const isApprovable = plan !== undefined && planOf(plan).isApprovable
  for (const type of PLANNING_PROBLEMS) {
    const condition = trueCondition(subscription.states.at(-1)!.facts, type)
    // A plan that exists is carried out when it is approved, whatever OLM resolves for the next one.
    if (condition === undefined || isApprovable) continue
    const sinceMs = condition.lastTransitionMs ?? trueSince(subscription, type)
    return toProblem(type, condition.reason, sinceMs, [
      objectEvidence(sinceMs, conditionText(condition), ref, 'offered'),
    ])
  }
  return plan === undefined ? undefined : problemOfPlan(subscription, plan)
}

/** The Subscription refers to a plan that was deleted or that failed. */
function problemOfPlan(subscription: Subscription, plan: InstallPlan): PlanningProblem | undefined {
  const { currentCsv, installedCsv } = subscription.states.at(-1)!.facts
  // The plan has created the CSV: its work is done.
  if (currentCsv === undefined || currentCsv === installedCsv) return undefined
  const ref = `installplans/${plan.namespace}/${plan.name}`
  if (plan.gone !== undefined) {
    const text = `InstallPlan ${plan.name} is deleted`
    const { atMs } = plan.gone
    return toProblem('InstallPlanMissing', '', atMs, [objectEvidence(atMs, text, ref, 'offered')])
  }
  const state = plan.states.find(({ facts }) => facts.phase === 'Failed')
  const { phase, conditions, message = '' } = plan.states.at(-1)!.facts
  if (phase !== 'Failed' || state === undefined) return undefined
  const failed = conditions.find(({ status }) => status === 'False')
  const why = failed === undefined ? message : conditionText(failed)
  const sinceMs = failed?.lastTransitionMs ?? state.atMs
  const text = `InstallPlan ${plan.name} is Failed${why === '' ? '' : ` (${why})`}`
  return toProblem('InstallPlanFailed', failed?.reason ?? '', sinceMs, [objectEvidence(sinceMs, text, ref, 'offered')])
}

function toProblem(type: ProblemType, reason: string, sinceMs: number, evidence: readonly Evidence[]): PlanningProblem {
  const [happened, action] = PROBLEMS[type]
  return { type, reason, text: `${happened} (${reason || type}). ${action}`, sinceMs, evidence }
}

function trueCondition({ conditions }: SubscriptionFacts, type: string): Condition | undefined {
  const condition = conditionOf(conditions, type)
  return condition?.status === 'True' ? condition : undefined
}

/** OLM often writes no transition time: since the first of the last states with the condition. */
function trueSince({ states }: Subscription, type: string): number {
  const last = states.findLastIndex(({ facts }) => trueCondition(facts, type) === undefined)
  return states[last + 1]!.atMs
}
