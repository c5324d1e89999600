import { expect, test } from 'vitest'
import type { AlertItem } from '../../../src/contract/alerts.ts'
import { ownLabelsByName, clusterOfGroup } from '../../../src/web/lib/alert-labels.ts'
import { alertItems } from '../browser/fixtures.ts'

const [base] = alertItems(0, 1).alerts
const alert = (fingerprint: string, alertname: string, labels: Record<string, string>): AlertItem => ({
  ...base!,
  fingerprint,
  alertname,
  labels: { severity: 'warning', ...labels },
})

test('only what differs among alerts of one name is told', () => {
  const texts = ownLabelsByName([
    alert('1', 'A', { cluster: 'c1', component_name: 'cdi', namespace: 'n' }),
    alert('2', 'A', { cluster: 'c1', component_name: 'ssp', namespace: 'n' }),
    alert('3', 'A', { cluster: 'c2', cluster_id: 'x', namespace: 'n' }),
    alert('4', 'B', { cluster: 'c1', component_name: 'cdi' }),
    alert('5', 'C', { cluster: 'c1', a: '1', b: '1' }),
    alert('6', 'C', { cluster: 'c1', a: '2', b: '2' }),
  ])
  expect([...texts]).toEqual([
    ['1', 'cdi'],
    ['2', 'ssp'],
    ['5', 'a=1  b=1'],
    ['6', 'a=2  b=2'],
  ])
})

test('a namespace is told only when one cluster has the alert in two of them', () => {
  const at = (fingerprint: string, cluster: string, namespace: string): AlertItem => ({
    ...alert(fingerprint, 'A', { namespace }),
    cluster,
  })
  expect(ownLabelsByName([at('1', 'c1', 'a'), at('2', 'c2', 'b')]).size).toBe(0)
  expect([...ownLabelsByName([at('1', 'c1', 'a'), at('2', 'c1', 'b')]).values()]).toEqual([
    'namespace=a',
    'namespace=b',
  ])
})

test('no alerts, no texts', () => {
  expect(ownLabelsByName([]).size).toBe(0)
})

test.each([
  ['{}:{alertname="KubeVirtDown", cluster="prague-prod-01"}', 'prague-prod-01'],
  ['{}/{severity="critical"}:{cluster="a,b\\"c"}', 'a,b"c'],
  ['{}:{alertname="cluster=\\"x\\""}', undefined],
  ['{}/{cluster=~"prod-.*"}:{alertname="KubeVirtDown"}', undefined],
  ['{}:{cluster=""}', undefined],
  ['{}:{}', undefined],
  ['', undefined],
])('the cluster of the group %s is %s', (key, cluster) => {
  expect(clusterOfGroup(key)).toBe(cluster)
})
