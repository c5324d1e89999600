import { expect, test } from 'vitest'
import { readInventory } from '../../../src/fleet/clusters/inventory.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { NOW_MS, csvSucceeded, fleetOf, twice, up, type Sent } from '../fleet-script.ts'

const inventoryOf = (sent: readonly Sent[], known: Partial<ClusterRecord> = {}) =>
  readInventory(fleetOf(sent).reader, emptyRecord('a', known), NOW_MS)

const subscription: Sent = {
  name: 'subscription_sync_total',
  labels: { cluster: 'a', name: 'hco', channel: 'stable', package: 'community-kubevirt-hyperconverged' },
  fromMin: 60,
}

const exists = (cluster: string, namespace: string): Sent => ({
  name: 'kubevirt_hco_hyperconverged_cr_exists',
  labels: { cluster, namespace },
  fromMin: 60,
})

test('versions and the subscription are those of the record, the namespace is what metrics say', async () => {
  const sent = [csvSucceeded('a', '1.15.0', 1, [60]), exists('a', 'openshift-cnv'), exists('b', 'elsewhere')]
  const known: Partial<ClusterRecord> = {
    hcoVersion: '1.16.0',
    versions: { kubevirt: 'v1.6.0' },
    subscription: { package: '', channel: 'stable', approval: 'Manual', source: '', state: '' },
  }
  expect(await inventoryOf(twice([...sent, subscription]), known)).toEqual({
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
  })
})

test('the namespace is kept for a day after a cluster fell silent', async () => {
  expect(await inventoryOf([csvSucceeded('a', '1.15.0', 1, [900, 600])])).toMatchObject({
    namespace: 'kubevirt-hyperconverged',
  })
})

test('is not there for a cluster that says none of it, nor for one that nobody knows', async () => {
  expect(await inventoryOf([up('a', [60])])).toBeUndefined()
  expect(await readInventory(fleetOf([up('a', [60])]).reader, undefined, NOW_MS)).toBeUndefined()
})
