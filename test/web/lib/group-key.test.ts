import { expect, test } from 'vitest'
import { clusterOfGroup } from '../../../src/web/lib/group-key.ts'

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
