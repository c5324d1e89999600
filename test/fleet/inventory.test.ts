import { expect, test } from 'vitest'
import { readInventory } from '../../src/fleet/inventory.ts'
import { NOW_MS, csvSucceeded, fleetOf, nodes, twice, up } from './fleet-script.ts'
import type { Sent } from './fleet-script.ts'

const inventoryOf = (sent: readonly Sent[], cluster = 'a') => readInventory(fleetOf(sent).reader, cluster, NOW_MS)

const subscription = (approval: string, fromMin: number, toMin = 0): Sent => ({
  name: 'subscription_sync_total',
  labels: {
    cluster: 'a',
    name: 'hco',
    installed: 'kubevirt-hyperconverged-operator.v1.16.0',
    channel: 'stable',
    package: 'community-kubevirt-hyperconverged',
    approval,
  },
  fromMin,
  toMin,
  value: 7,
})

test('is read from what a cluster sends, whichever replica sends it', async () => {
  const sent = [
    csvSucceeded('a', '1.16.0', 1, [60]),
    ...nodes('a', 'v1.6.0', 2, [60]),
    subscription('Manual', 60),
    {
      name: 'kubevirt_hco_hyperconverged_cr_exists',
      labels: { cluster: 'a', namespace: 'openshift-cnv' },
      fromMin: 60,
    },
    { name: 'kubevirt_hco_hyperconverged_cr_exists', labels: { cluster: 'b', namespace: 'elsewhere' }, fromMin: 60 },
  ]
  expect(await inventoryOf(twice(sent))).toEqual({
    cluster: 'a',
    namespace: 'openshift-cnv',
    hcoVersion: '1.16.0',
    kubevirtVersion: 'v1.6.0',
    channel: 'stable',
    approval: 'Manual',
    package: 'community-kubevirt-hyperconverged',
  })
})

test('falls back to the namespace of the CSV, not to that of OLM', async () => {
  expect(await inventoryOf([csvSucceeded('a', '1.16.0', 1, [60])])).toEqual({
    cluster: 'a',
    namespace: 'kubevirt-hyperconverged',
    hcoVersion: '1.16.0',
  })
})

test('is the newest of what was said: a label that changed is not said twice', async () => {
  const changed = [subscription('Manual', 300, 100), subscription('Automatic', 99)]
  expect(await inventoryOf(changed)).toMatchObject({ approval: 'Automatic' })
})

test('is kept for a day after a cluster fell silent', async () => {
  expect(await inventoryOf([csvSucceeded('a', '1.15.0', 1, [900, 600])])).toMatchObject({ hcoVersion: '1.15.0' })
})

test.each([
  ['a cluster that says none of it', 'a'],
  ['an unknown cluster', 'zzz'],
  ['no cluster', ''],
])('is not there for %s', async (_what, cluster) => {
  expect(await inventoryOf([up('a', [60])], cluster)).toBeUndefined()
})
