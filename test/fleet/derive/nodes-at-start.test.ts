import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { nodesAtStart } from '../../../src/fleet/derive/nodes-at-start.ts'
import type { ClusterObservations, MetricRun, ObjectObservation } from '../../../src/model/observation.ts'
import { at, CLUSTER, look } from './observed.ts'

const START_SECONDS = 100
const HCO = 'kubevirt-hyperconverged'

const node = (name: string, seconds: number, change: 'modified' | 'deleted' = 'modified'): ObjectObservation =>
  look(
    seconds,
    { kind: 'nodes', isReady: true, isSchedulable: true, roles: ['worker'], kubeletVersion: 'v1.34.1' },
    { name, namespace: '', change },
  )
const handler = (seconds: number, desired: number): ObjectObservation =>
  look(
    seconds,
    {
      kind: 'daemonsets',
      desired,
      updated: desired,
      ready: desired,
      available: desired,
      current: desired,
      generation: 1,
    },
    { name: 'virt-handler' },
  )
const run = (
  signal: MetricRun['signal'],
  labels: Readonly<Record<string, string>>,
  value: number,
  [first, last, after]: readonly [number, number, number?],
): MetricRun => ({
  ...{ cluster: CLUSTER, signal, labels, value, firstMs: at(first), lastMs: at(last) },
  ...(after === undefined ? {} : { afterMs: at(after) }),
})

function counted(parts: Partial<ClusterObservations>, operator: 'openshift' | typeof HCO = HCO): number | undefined {
  const history = clusterHistory({ cluster: CLUSTER, objects: [], absences: [], metrics: [], spans: [], ...parts })
  return nodesAtStart(history, operator, at(START_SECONDS))
}

const TWO_NODES = [node('a', 1), node('b', 2)]

test.each<readonly [string, Partial<ClusterObservations>, number | undefined]>([
  ['nothing tells', {}, undefined],
  ['the DaemonSet as it was then, not as it became', { objects: [handler(10, 4), handler(200, 9)] }, 4],
  ['the DaemonSet counts before the nodes', { objects: [...TWO_NODES, handler(10, 1)] }, 1],
  ['nodes, where no DaemonSet is watched', { objects: TWO_NODES }, 2],
  ['a node that was gone by then', { objects: [...TWO_NODES, node('b', 50, 'deleted')] }, 1],
  ['a node that went later was there', { objects: [...TWO_NODES, node('b', 150, 'deleted')] }, 2],
  ['nodes that nobody looked at by then', { objects: [node('a', 120)] }, undefined],
  [
    'kube-state-metrics before the pods that answer',
    {
      metrics: [
        run('kubevirt_nodes', { kubeversion: 'v1.7.0' }, 3, [0, 300]),
        run('virt_handler', { state: 'desired' }, 5, [0, 300]),
        run('virt_handler', { state: 'ready' }, 4, [0, 300]),
      ],
    },
    5,
  ],
  [
    'pods of two versions, and one that does not know its own yet',
    {
      metrics: [
        run('kubevirt_nodes', { kubeversion: 'v1.6.0' }, 2, [0, 300]),
        run('kubevirt_nodes', { kubeversion: 'v1.7.0' }, 3, [0, 60]),
        run('kubevirt_nodes', { kubeversion: 'v1.5.0' }, 7, [0, 60, 90]),
        run('kubevirt_nodes', { kubeversion: '' }, 1, [0, 300]),
      ],
    },
    5,
  ],
  [
    'nodes by name as a last resort',
    { metrics: ['a', 'b', 'c'].map((name) => run('cordoned', { node: name }, 0, [0, 300])) },
    3,
  ],
])('%s', (_title, parts, want) => {
  expect(counted(parts)).toBe(want)
})

test('of OpenShift all nodes count, not only those that run virt-handler', () => {
  const objects = [...TWO_NODES, node('control-plane', 3), handler(10, 2)]
  expect([counted({ objects }), counted({ objects }, 'openshift')]).toEqual([2, 3])
})

test('neither the order in which it arrived nor repeats change it', () => {
  const objects = [...TWO_NODES, node('c', 90), node('b', 95, 'deleted'), handler(10, 4), handler(99, 6)]
  const shuffled = fc.array(fc.constantFrom(...objects), { maxLength: 6 }).map((more) => [...more, ...objects])
  fc.assert(
    fc.property(shuffled, fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), (all, places) => {
      const order = all.map((one, i) => ({ one, by: places[i] ?? 0 })).sort((a, b) => a.by - b.by)
      const mixed = order.map(({ one }) => one)
      expect(counted({ objects: mixed })).toBe(6)
      expect(counted({ objects: mixed.filter(({ facts }) => facts.kind === 'nodes') })).toBe(2)
    }),
  )
})
