/**
 * The steps before a ClusterServiceVersion: the catalog offers it (Subscription), OLM plans it (InstallPlan), and with manual
 * approval a user approves it (facts 5.1, 5.5 steps 0 and 1).
 */
import type { InstallPlanFacts, SubscriptionFacts } from '../../model/object-facts.ts'
import { type ClusterHistory, type ObjectHistory, hcoVersionOfCsvName, HCO_PACKAGES } from './cluster-history.ts'
import { ownMoment, seenMoment, type Moment } from './moment.ts'

/** A CSV of HCO that is to be installed in place of another. */
export interface Offer {
  readonly csvName: string
  readonly version: string
  /** The installed CSV, according to the Subscription when it offered this one. */
  readonly installedCsv: string | undefined
  /** The Subscription named it; absent: no Subscription is reported. */
  readonly offered: Moment | undefined
  readonly subscription: { readonly name: string; readonly namespace: string } | undefined
  readonly plan: Plan | undefined
  readonly approval: 'Automatic' | 'Manual' | undefined
  readonly channel: string | undefined
}

export interface Plan {
  readonly name: string
  readonly namespace: string
  readonly created: Moment
  readonly isManual: boolean
  readonly approved: Moment | undefined
  readonly isGone: boolean
  readonly phase: string
  /** It exists, and it is neither approved nor over. */
  readonly isApprovable: boolean
}

export function hcoSubscriptions(history: ClusterHistory): readonly ObjectHistory<SubscriptionFacts>[] {
  return history
    .of('subscriptions')
    .filter((subscription) => HCO_PACKAGES.has(subscription.states.at(-1)!.facts.package))
}

/** The offer of a CSV. Of several plans the newest one up to `untilMs` (the CSV's creation) counts, else the first. */
export function offerOf(history: ClusterHistory, csvName: string, untilMs: number | undefined): Offer | undefined {
  const plans = plansOf(history, csvName)
  const inTime = plans.findLast((candidate) => untilMs === undefined || candidate.created.atMs <= untilMs + SLACK_MS)
  // Without a CSV the plan that exists is the one that counts.
  const plan = (untilMs === undefined ? plans.findLast(({ isGone }) => !isGone) : undefined) ?? inTime ?? plans[0]
  const named = hcoSubscriptions(history).flatMap((subscription) => namedBy(subscription, csvName))
  const first =
    named.filter(({ offered }) => untilMs === undefined || offered.atMs <= untilMs + SLACK_MS).at(-1) ?? named[0]
  const version = hcoVersionOfCsvName(csvName)
  if (version === undefined || (plan === undefined && first === undefined)) return undefined
  return {
    csvName,
    version,
    installedCsv: first?.installedCsv,
    offered: first?.offered,
    subscription: first?.subscription,
    plan,
    // One Subscription with manual approval makes the plans of its namespace manual.
    approval: plan?.isManual === true ? 'Manual' : (first?.approval ?? (plan === undefined ? undefined : 'Automatic')),
    channel: first?.channel,
  }
}

/** CSVs that Subscriptions and InstallPlans name, by name. */
export function namedCsvs(history: ClusterHistory): readonly string[] {
  const names = new Set<string>()
  for (const { states } of hcoSubscriptions(history)) {
    for (const { facts } of states) if (facts.currentCsv !== undefined) names.add(facts.currentCsv)
  }
  for (const { states } of history.of('installplans')) for (const name of states.at(-1)!.facts.csvNames) names.add(name)
  return [...names].filter((name) => hcoVersionOfCsvName(name) !== undefined).sort()
}

/** The clocks and writes of OLM's operators differ by seconds. */
const SLACK_MS = 60_000

interface Naming extends Pick<Offer, 'installedCsv' | 'subscription' | 'approval' | 'channel'> {
  readonly offered: Moment
}

/** Each time the Subscription started to name this CSV while another one was installed. */
function namedBy(subscription: ObjectHistory<SubscriptionFacts>, csvName: string): readonly Naming[] {
  const names: Naming[] = []
  let isNamed = false
  for (const [i, state] of subscription.states.entries()) {
    const { facts } = state
    const isNow = facts.currentCsv === csvName && facts.installedCsv !== csvName
    if (isNow && !isNamed) {
      const seen = seenMoment(state, subscription.states[i - 1])
      names.push({
        // `lastUpdated` changes with each write of the status.
        offered: facts.lastUpdatedMs === undefined ? seen : { ...seen, atMs: facts.lastUpdatedMs },
        installedCsv: facts.installedCsv,
        subscription: { name: subscription.name, namespace: subscription.namespace },
        approval: facts.approval === 'Manual' ? 'Manual' : 'Automatic',
        channel: facts.channel,
      })
    }
    isNamed = isNow
  }
  return names
}

function plansOf(history: ClusterHistory, csvName: string): readonly Plan[] {
  return history
    .of('installplans')
    .filter((plan) => plan.states.some(({ facts }) => facts.csvNames.includes(csvName)))
    .map(planOf)
    .sort((a, b) => a.created.atMs - b.created.atMs)
}

export function planOf(plan: ObjectHistory<InstallPlanFacts>): Plan {
  const { phase, isApproved } = plan.states.at(-1)!.facts
  const isOver = plan.gone !== undefined || phase === 'Failed' || phase === 'Complete'
  return {
    name: plan.name,
    namespace: plan.namespace,
    created: plan.createdMs === undefined ? seenMoment(plan.states[0]!, undefined) : ownMoment(plan.createdMs),
    isManual: plan.states.some(({ facts }) => facts.approval === 'Manual'),
    approved: approvedOf(plan),
    isGone: plan.gone !== undefined,
    phase,
    isApprovable: !isApproved && !isOver,
  }
}

/** `status.startTime` is the start of the installation, right after the approval; else the first observation. */
function approvedOf(plan: ObjectHistory<InstallPlanFacts>): Moment | undefined {
  const startMs = plan.states.findLast(({ facts }) => facts.startMs !== undefined)?.facts.startMs
  if (startMs !== undefined) return ownMoment(startMs)
  const i = plan.states.findIndex(({ facts }) => facts.isApproved)
  if (i === -1) return undefined
  // Approved at its creation: automatic approval.
  if (i === 0 && plan.createdMs !== undefined) return ownMoment(plan.createdMs)
  return seenMoment(plan.states[i]!, plan.states[i - 1])
}

/** The Subscription at a time: the newest state until then, else the first. */
export function subscriptionAt(history: ClusterHistory, timeMs: number): SubscriptionFacts | undefined {
  const states = hcoSubscriptions(history).flatMap(({ states }) => states)
  states.sort((a, b) => a.atMs - b.atMs)
  return (states.findLast(({ atMs }) => atMs <= timeMs) ?? states[0])?.facts
}
