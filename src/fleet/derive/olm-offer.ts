/**
 * The steps before a ClusterServiceVersion: the catalog offers it (Subscription), OLM plans it (InstallPlan), and with manual
 * approval a user approves it (facts 5.1, 5.5 steps 0 and 1).
 */
import { ByTime } from '../../base/by-time.ts'
import { firstIndexWhere } from '../../base/first-index.ts'
import { groupBy } from '../../base/group-by.ts'
import { remembered } from '../../base/remembered.ts'
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

export const hcoSubscriptions = remembered((history: ClusterHistory): readonly ObjectHistory<SubscriptionFacts>[] =>
  history.of('subscriptions').filter((subscription) => HCO_PACKAGES.has(subscription.states.at(-1)!.facts.package)),
)

/** The offer of a CSV. Of several plans the newest one up to `untilMs` (the CSV's creation) counts, else the first. */
export function offerOf(history: ClusterHistory, csvName: string, untilMs: number | undefined): Offer | undefined {
  const lastMs = (untilMs ?? Infinity) + SLACK_MS
  const plans = plansByCsv(history).get(csvName)
  // Without a CSV the plan that exists is the one that counts.
  const existing = untilMs === undefined ? plans?.own.findLast(({ isGone }) => !isGone) : undefined
  const plan = existing ?? plans?.byTime.lastUntil(lastMs) ?? plans?.own[0]
  const named = namingsByCsv(history).get(csvName)
  const first = named?.byTime.lastUntil(lastMs) ?? named?.own[0]
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

interface OfCsv<T> {
  readonly own: readonly T[]
  readonly byTime: ByTime<T>
}

/** By the name of the CSV, each in their order. */
function indexByCsv<T>(
  entries: readonly (readonly [csvName: string, item: T])[],
  timeOf: (item: T) => number,
): ReadonlyMap<string, OfCsv<T>> {
  return new Map(
    [...groupBy(entries, ([csvName]) => csvName)].map(([csvName, found]) => {
      const own = found.map(([, item]) => item)
      return [csvName, { own, byTime: new ByTime(own, timeOf) }]
    }),
  )
}

interface Naming extends Pick<Offer, 'installedCsv' | 'subscription' | 'approval' | 'channel'> {
  readonly offered: Moment
}

const namingsByCsv = remembered((history: ClusterHistory) =>
  indexByCsv(hcoSubscriptions(history).flatMap(namingsOf), ({ offered }) => offered.atMs),
)

/** Each time the Subscription started to name a CSV while another one was installed. */
function namingsOf(
  subscription: ObjectHistory<SubscriptionFacts>,
): readonly (readonly [csvName: string, naming: Naming])[] {
  return subscription.states.flatMap((state, i) => {
    const { facts } = state
    const before = subscription.states[i - 1]
    const csvName = toBeInstalled(facts)
    if (csvName === undefined || (before !== undefined && toBeInstalled(before.facts) === csvName)) return []
    const seen = seenMoment(state, before)
    const naming: Naming = {
      // `lastUpdated` changes with each write of the status.
      offered: facts.lastUpdatedMs === undefined ? seen : { ...seen, atMs: facts.lastUpdatedMs },
      installedCsv: facts.installedCsv,
      subscription: { name: subscription.name, namespace: subscription.namespace },
      approval: facts.approval === 'Manual' ? 'Manual' : 'Automatic',
      channel: facts.channel,
    }
    return [[csvName, naming] as const]
  })
}

function toBeInstalled({ currentCsv, installedCsv }: SubscriptionFacts): string | undefined {
  return currentCsv === installedCsv ? undefined : currentCsv
}

const plansByCsv = remembered((history: ClusterHistory) => {
  const entries = history.of('installplans').flatMap((plan) => {
    const names = new Set(plan.states.flatMap(({ facts }) => facts.csvNames))
    const read = planOf(plan)
    return [...names].map((csvName) => [csvName, read] as const)
  })
  const inOrder = entries.sort(([, a], [, b]) => a.created.atMs - b.created.atMs)
  return indexByCsv(inOrder, ({ created }) => created.atMs)
})

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
  const states = subscriptionStates(history)
  return (states[firstIndexWhere(states, ({ atMs }) => atMs > timeMs) - 1] ?? states[0])?.facts
}

/** In the order of time. */
const subscriptionStates = remembered((history: ClusterHistory) =>
  hcoSubscriptions(history)
    .flatMap(({ states }) => states)
    .sort((a, b) => a.atMs - b.atMs),
)
