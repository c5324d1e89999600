import { expect, test } from 'vitest'
import {
  deprecatedApis,
  readRequestedApis,
  type RequestedApi,
} from '../../../src/fleet/configuration/deprecated-apis.ts'
import { Labels } from '../../../src/model/labels.ts'

const api = (cluster: string, group: string, version: string, removedRelease = ''): RequestedApi => {
  return { cluster, group, version, resource: 'things', removedRelease }
}

test('requests come from the metric of the API servers', async () => {
  const labels = Labels.of({ cluster: 'a', group: 'g', version: 'v1', resource: 'r', removed_release: '1.32' })
  const reader = { instant: () => Promise.resolve([{ labels, value: 1 }]) }
  expect(await readRequestedApis(reader, 0)).toEqual([
    { cluster: 'a', group: 'g', version: 'v1', resource: 'r', removedRelease: '1.32' },
  ])
})

test('by clients where a cluster reports them, with what breaks first', () => {
  const named = { api: 'things.v1.g', removedIn: '1.35', clients: ['kubectl', 'argocd'] }
  const found = deprecatedApis(
    [
      api('a', 'g', 'v1', '1.35'),
      api('b', 'g', 'v1', '1.35'),
      api('a', 'ssp.kubevirt.io', 'v1beta1'),
      api('gone', 'g', 'v1'),
    ],
    [
      { cluster: 'a', isOpenshift: true },
      { cluster: 'b', isOpenshift: false },
      { cluster: 'c', isOpenshift: true, apiClients: [named] },
      {
        cluster: 'd',
        isOpenshift: true,
        apiClients: [
          { ...named, clients: ['kubectl'] },
          { api: 'pods.v0', clients: ['x'] },
        ],
      },
    ],
    '4.22.0',
  )
  expect(
    found.map(({ group, version, clusters, clients, breaksOn }) => ({ group, version, clusters, clients, breaksOn })),
  ).toEqual([
    {
      ...{ group: 'g', version: 'v1', clusters: ['a', 'b', 'c', 'd'], breaksOn: ['a', 'c', 'd'] },
      clients: [
        { client: 'kubectl', clusters: ['c', 'd'] },
        { client: 'argocd', clusters: ['c'] },
      ],
    },
    { group: 'ssp.kubevirt.io', version: 'v1beta1', clusters: ['a'], clients: [], breaksOn: ['a'] },
    { group: '', version: 'v0', clusters: ['d'], clients: [{ client: 'x', clusters: ['d'] }], breaksOn: [] },
  ])
  expect(found[1]!.removals).toMatchObject([{ by: 'hco', release: '1.13.0' }])
})

test.each([
  ['1.17.9', 'g', 'v1', '1.35', []],
  ['1.18.0', 'g', 'v1', '1.35', ['a']],
  ['1.13.0', 'ssp.kubevirt.io', 'v1beta1', '', []],
  ['1.13.1', 'ssp.kubevirt.io', 'v1beta1', '', ['a']],
  ['4.18.0', 'ssp.kubevirt.io', 'v1beta1', '', ['a']],
  ['1.18.0', 'g', 'v1', '', []],
  [undefined, 'g', 'v1', '1.20', []],
  ['nonsense', 'g', 'v1', '1.20', []],
])('a move to %s breaks %s/%s, removed in "%s", on %j', (target, group, version, removed, want) => {
  const [found] = deprecatedApis([api('a', group, version, removed)], [{ cluster: 'a', isOpenshift: true }], target)
  expect(found!.breaksOn).toEqual(want)
})
