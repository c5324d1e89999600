import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ClusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { hcoSubscriptions, offerOf, planOf, subscriptionAt } from '../../../src/fleet/derive/olm-offer.ts'
import type { InstallPlanFacts, SubscriptionFacts } from '../../../src/model/object-facts.ts'
import { at } from './observed.ts'
import { csvNameOf, historyOf, objectsOf, seconds, version } from './random-objects.ts'

const csvName = version.map(csvNameOf)

const subscriptions = objectsOf(
  fc.record({
    kind: fc.constant('subscriptions' as const),
    package: fc.constantFrom('community-kubevirt-hyperconverged', 'other'),
    channel: fc.constantFrom('stable', 'candidate'),
    source: fc.constant('catalog'),
    approval: fc.constantFrom('Manual', 'Automatic'),
    state: fc.constant('UpgradePending'),
    installedCsv: fc.option(csvName, { nil: undefined }),
    currentCsv: fc.option(csvName, { nil: undefined }),
    lastUpdatedMs: fc.option(seconds.map(at), { nil: undefined }),
    conditions: fc.constant([]),
  }) as unknown as fc.Arbitrary<SubscriptionFacts>,
)

const plans = objectsOf(
  fc.record({
    kind: fc.constant('installplans' as const),
    approval: fc.constantFrom('Manual', 'Automatic'),
    isApproved: fc.boolean(),
    csvNames: fc.array(csvName, { maxLength: 2 }),
    phase: fc.constantFrom('RequiresApproval', 'Complete'),
    conditions: fc.constant([]),
  }) as unknown as fc.Arbitrary<InstallPlanFacts>,
)

/** Of the plans of a CSV, by a walk over all. */
function planName(history: ClusterHistory, name: string, untilMs: number | undefined): string | undefined {
  const own = history
    .of('installplans')
    .filter(({ states }) => states.some(({ facts }) => facts.csvNames.includes(name)))
    .map(planOf)
    .sort((a, b) => a.created.atMs - b.created.atMs)
  const inTime = own.findLast(({ created }) => untilMs === undefined || created.atMs <= untilMs + 60_000)
  const existing = untilMs === undefined ? own.findLast(({ isGone }) => !isGone) : undefined
  return (existing ?? inTime ?? own[0])?.name
}

/** When a Subscription named the CSV, and which, by a walk over all states. */
function naming(history: ClusterHistory, csv: string, untilMs: number | undefined) {
  const named = hcoSubscriptions(history).flatMap(({ name, states }) => {
    let isNamed = false
    return states.flatMap(({ facts, atMs }) => {
      const wasNamed = isNamed
      isNamed = facts.currentCsv === csv && facts.installedCsv !== csv
      return isNamed && !wasNamed ? [{ name, atMs: facts.lastUpdatedMs ?? atMs, channel: facts.channel }] : []
    })
  })
  return named.filter(({ atMs }) => untilMs === undefined || atMs <= untilMs + 60_000).at(-1) ?? named[0]
}

test('the offer of a CSV is that of a walk over all plans and Subscriptions', () => {
  fc.assert(
    fc.property(
      subscriptions,
      plans,
      csvName,
      fc.option(seconds, { nil: undefined }),
      (someSubscriptions, somePlans, csv, until) => {
        const history = historyOf(someSubscriptions, somePlans)
        const untilMs = until === undefined ? undefined : at(until)
        const offer = offerOf(history, csv, untilMs)
        const named = naming(history, csv, untilMs)
        expect(offer?.plan?.name).toBe(planName(history, csv, untilMs))
        expect([offer?.subscription?.name, offer?.offered?.atMs, offer?.channel]).toEqual([
          named?.name,
          named?.atMs,
          named?.channel,
        ])
      },
    ),
    { numRuns: 500 },
  )
})

test('the Subscription at a time is that of a walk over all states', () => {
  fc.assert(
    fc.property(subscriptions, seconds, (objects, second) => {
      const history = historyOf(objects)
      const states = hcoSubscriptions(history)
        .flatMap((subscription) => subscription.states)
        .sort((a, b) => a.atMs - b.atMs)
      const found = states.findLast(({ atMs }) => atMs <= at(second)) ?? states[0]
      expect(subscriptionAt(history, at(second))).toBe(found?.facts)
    }),
  )
})
