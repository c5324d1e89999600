import { expect, test } from 'vitest'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import type { SubscriptionFacts, VirtualMachineInstanceFacts } from '../../../src/model/object-facts.ts'
import { observationsOf } from '../../../sim/history/cluster-observations.ts'
import { planHistory } from '../../../sim/history/plan-history.ts'
import { hyperConverged, look, observed, operand } from './observed.ts'

/** Facts of the record that plans read. */

const SUBSCRIPTION: SubscriptionFacts = {
  ...{ kind: 'subscriptions', package: 'kubevirt-hyperconverged', channel: 'stable', source: 'redhat-operators' },
  ...{ approval: 'Automatic', state: 'AtLatestKnown', conditions: [] },
}

const vmi = (name: string, isMigratable?: boolean) => {
  const facts: VirtualMachineInstanceFacts = {
    ...{ kind: 'virtualmachineinstances', phase: 'Running', isOutdated: false },
    ...(isMigratable === undefined ? {} : { isMigratable }),
  }
  return look(5, facts, { name })
}

test('where HyperConverged and the Subscription are', () => {
  const { cluster } = deriveCluster(
    observed([
      look(1, hyperConverged(), { name: 'hc', namespace: 'openshift-cnv' }),
      look(2, SUBSCRIPTION, { name: 'hco-operatorhub', namespace: 'operators' }),
    ]),
  )
  expect(cluster.hyperConverged).toEqual({ name: 'hc', namespace: 'openshift-cnv' })
  expect(cluster.hcoSubscription).toEqual({ name: 'hco-operatorhub', namespace: 'operators' })
})

test('VMs that report that they cannot be migrated; unknown where no VMI is reported', () => {
  const kubevirt = look(1, operand('kubevirts', { outdatedWorkloads: 2 }))
  const outdated = deriveCluster(observed([kubevirt])).cluster.workloads
  expect(outdated).toMatchObject({ outdated: 2 })
  expect(outdated).not.toHaveProperty('nonMigratable')
  const machines = [vmi('a', true), vmi('b', false), vmi('c', false), vmi('d')]
  expect(deriveCluster(observed([kubevirt, ...machines])).cluster.workloads).toMatchObject({
    ...{ outdated: 2, nonMigratable: 2 },
  })
})

test('VMs of the newest workload update, as a simulated cluster had them', () => {
  const plans = Array.from({ length: 6 }, (_, index) =>
    planHistory({
      ...{ seed: 'plan facts', index, mode: 'objects' },
      ...{ fromMs: Date.UTC(2025, 10, 1), untilMs: Date.UTC(2026, 4, 1) },
    }),
  )
  const known = plans.map((plan) => [
    plan.upgrades.some(({ workloads }) => workloads !== undefined && workloads.startMs < plan.untilMs),
    deriveCluster(observationsOf(plan)).cluster.vmsAtLastUpdate,
    plan.profile.vms,
  ])
  const updated = known.filter(([isUpdated]) => isUpdated)
  expect(updated.length).toBeGreaterThan(2)
  for (const [, vms, real] of updated) expect(vms).toBe(real)
})
