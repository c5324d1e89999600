import { RECORDED_SIGNALS } from '../../src/model/observation.ts'
import { expect, test } from 'vitest'
import { SIGNAL_GROUPS } from '../../src/fleet/signals/signals.ts'
import { clusterOfResource, senderOfSeries } from '../../src/ingest/cluster-claim.ts'
import { Labels } from '../../src/model/labels.ts'
import { CLUSTER_ALIASES } from '../../src/model/cluster-identity.ts'
import type { AttributeValue } from '../../src/model/attribute.ts'

const UID = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
const OTHER_UID = '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d'

function ask(texts: Readonly<Record<string, AttributeValue>>, bound?: string, aliases = CLUSTER_ALIASES) {
  const attributes = Object.entries(texts).map(([key, value]) => ({ key, value }))
  return clusterOfResource(attributes, bound, aliases)
}

test.each<[string, Readonly<Record<string, AttributeValue>>, string | undefined, string]>([
  ['the uid before the name', { 'k8s.cluster.name': 'prague', 'k8s.cluster.uid': UID }, undefined, UID],
  ['`cluster` before all', { 'k8s.cluster.uid': UID, cluster: 'prague' }, undefined, 'prague'],
  ['an empty name names nothing', { 'k8s.cluster.uid': '', cluster_name: 'berlin' }, undefined, 'berlin'],
  ['nothing', { 'service.name': 'x' }, undefined, ''],
  ['a number is a name', { cluster: 7 }, undefined, '7'],
  ['the bound one without a claim', {}, 'prague', 'prague'],
  ['a uid says nothing against a name', { 'k8s.cluster.uid': UID }, 'prague', 'prague'],
  ['one name that fits is enough', { 'k8s.cluster.uid': OTHER_UID, cluster_id: UID }, UID, UID],
])('%s', (_what, texts, bound, cluster) => {
  expect(ask(texts, bound)).toMatchObject({ kind: 'named', sender: { cluster, isBound: bound !== undefined } })
})

test.each<[Readonly<Record<string, AttributeValue>>, string]>([
  [{ cluster: 'berlin' }, 'cluster'],
  [{ 'k8s.cluster.name': 'berlin' }, 'k8s_cluster_name'],
])('%j is not what a token bound to prague may say', (texts, label) => {
  expect(ask(texts, 'prague')).toEqual({
    kind: 'foreign',
    example: `a resource claims cluster "berlin" by ${label}, the token is bound to "prague"`,
  })
})

function namesOfSeries(labels: Readonly<Record<string, string>>, cluster = 'prague'): string {
  const { names, clusterKind } = senderOfSeries(
    Labels.fromPairs(Object.entries(labels)),
    cluster,
    false,
    CLUSTER_ALIASES,
  )
  return [clusterKind ?? 'a name', ...names.map(({ name, kind }) => `${kind} ${name}`)].join(', ')
}

test('labels of every metric from which facts are derived are claims', () => {
  // What rules record here is no claim of a sender.
  const metrics = SIGNAL_GROUPS.flatMap(({ sources }) =>
    [...sources].flatMap(([name, { signal }]) => (RECORDED_SIGNALS.has(signal) ? [] : [name])),
  )
  for (const __name__ of metrics)
    expect(namesOfSeries({ __name__, cluster: 'prague', k8s_cluster_uid: UID })).toBe(`a name, uid ${UID}`)
  expect(metrics.length).toBeGreaterThan(20)
})

test.each<[string, Readonly<Record<string, string>>, string | undefined, string]>([
  [
    'an id beside the name',
    { __name__: 'kubevirt_info', cluster: 'prague', clusterID: UID },
    'prague',
    `a name, id ${UID}`,
  ],
  [
    'an exporter that has a cluster_id of its own',
    { __name__: 'kafka_up', cluster: 'prague', cluster_id: UID },
    ...(['prague', 'a name'] as const),
  ],
  [
    'a hosted cluster, on a series of the cluster that hosts it',
    { __name__: 'cluster_version', cluster: 'prague', _id: UID },
    ...(['prague', 'a name'] as const),
  ],
  ['the cluster itself', { __name__: 'cluster_version', _id: UID }, UID, 'id'],
  [
    'a name beside the uid',
    { __name__: 'csv_succeeded', k8s_cluster_uid: UID, k8s_cluster_name: 'x' },
    UID,
    'uid, name x',
  ],
  ['no uuid', { __name__: 'csv_succeeded', cluster: 'prague', cluster_id: '7' }, 'prague', 'a name'],
])('labels of a series: %s', (_what, labels, cluster, want) => {
  expect(namesOfSeries(labels, cluster)).toBe(want)
})

test('without identity labels nothing names a cluster', () => {
  expect(ask({ cluster: 'prague' }, undefined, [])).toMatchObject({ kind: 'named', sender: { cluster: '' } })
})
