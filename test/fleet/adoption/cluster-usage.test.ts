import { expect, test } from 'vitest'
import { readUsage, withUsage, type ClusterUsage } from '../../../src/fleet/adoption/cluster-usage.ts'
import { NOW_MS, fleetOf, twice, type Sent } from '../fleet-script.ts'
import { recordOf } from './fleet.ts'

function sums(name: string, cluster: string, instanceType: string, preference: string, value: number): Sent {
  const labels = { cluster, phase: 'running', node: 'n1', instance_type: instanceType, preference }
  return { name, labels, fromMin: 10, value }
}

const SENT: readonly Sent[] = [
  sums('node:kubevirt_vmi_phase:sum', 'a', 'u1.small', 'fedora', 3),
  sums('node:kubevirt_vmi_phase:sum', 'a', '<none>', 'fedora', 2),
  // The same once more under the old name, and a machine that is not running.
  sums('kubevirt_vmi_phase_count', 'a', 'u1.small', 'fedora', 3),
  { ...sums('node:kubevirt_vmi_phase:sum', 'a', 'u1.small', 'fedora', 9), labels: { cluster: 'a', phase: 'failed' } },
  sums('kubevirt_vmi_phase_count', 'b', 'u1.large', '', 4),
  sums('kubevirt_vmi_phase_count', 'b', 'constructor', '', 1),
  ...['vm-1', 'vm-2'].map((vm): Sent => {
    return {
      name: 'kubevirt_vmi_info',
      labels: { cluster: 'c', phase: 'running', name: vm, instance_type: 'u1.small' },
      fromMin: 10,
    }
  }),
  ...['get', 'list'].map((verb): Sent => {
    const labels = { cluster: 'c', group: 'kubevirt.io', version: 'v1alpha3', resource: 'virtualmachines', verb }
    return { name: 'kubevirt_api_request_deprecated_total', labels, fromMin: 10, value: 5 }
  }),
]

test('each cluster is read by the best that it sends, and replicas of its Prometheus are one', async () => {
  const expected = new Map<string, ClusterUsage>([
    ['a', { running: 5, instanceTypes: { 'u1.small': 3 }, preferences: { fedora: 5 }, deprecatedApis: {} }],
    ['b', { running: 5, instanceTypes: { 'u1.large': 4, constructor: 1 }, preferences: {}, deprecatedApis: {} }],
    [
      'c',
      {
        running: 2,
        instanceTypes: { 'u1.small': 2 },
        preferences: {},
        deprecatedApis: { 'kubevirt.io/v1alpha3 virtualmachines': 10 },
      },
    ],
  ])
  expect(await readUsage(fleetOf(SENT).reader, NOW_MS)).toEqual(expected)
  expect(await readUsage(fleetOf(twice(SENT)).reader, NOW_MS)).toEqual(expected)
})

test('what objects told stands, and metrics fill in the rest', () => {
  const usage = { running: 7, instanceTypes: { m: 1 }, preferences: { p: 2 }, deprecatedApis: { d: 3 } }
  const told = recordOf('a', { instanceTypes: { o: 1 }, workloads: { outdated: 2, atMs: 5 } })
  expect(withUsage(told, usage)).toMatchObject({
    instanceTypes: { o: 1 },
    preferences: { p: 2 },
    deprecatedApis: { d: 3 },
    workloads: { running: 7, outdated: 2, atMs: 5 },
  })
  expect(withUsage(told, undefined)).toBe(told)
})
