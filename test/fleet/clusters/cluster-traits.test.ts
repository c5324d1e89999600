import { expect, test } from 'vitest'
import { createClusterIndex } from '../../../src/fleet/clusters/cluster-index.ts'
import { readTraits } from '../../../src/fleet/clusters/cluster-traits.ts'
import { recordOf } from '../adoption/fleet.ts'
import { NOW_MS, fleetOf, type Sent } from '../fleet-script.ts'

const info = (labels: Readonly<Record<string, string>>): Sent => ({ name: 'kubevirt_info', labels, fromMin: 10 })
const platform = (labels: Readonly<Record<string, string>>): Sent => {
  return { name: 'cluster_infrastructure_provider', labels, fromMin: 10 }
}

test('labels of the cluster say where it stands, and the platform fills in what they do not', async () => {
  const { reader } = fleetOf([
    info({ cluster: 'a', node: 'n1', region: 'eu-west', env: 'prod' }),
    info({ cluster: 'a', node: 'n2', region: 'eu-west', env: 'prod' }),
    platform({ cluster: 'a', type: 'AWS', region: 'eu-west-1' }),
    info({ cluster: 'b', node: 'n1' }),
    platform({ cluster: 'b', type: 'None', region: '' }),
    info({ cluster: 'c', node: 'n1', environment: 'lab', stage: 'x', cloud: 'gcp' }),
  ])
  expect(await readTraits(reader, NOW_MS)).toEqual(
    new Map([
      ['a', { region: 'eu-west', provider: 'aws', environment: 'prod' }],
      ['b', {}],
      ['c', { environment: 'lab', provider: 'gcp' }],
    ]),
  )
})

test('of some clusters only, whatever their names contain', async () => {
  const odd = 'a.b|"c'
  const { reader } = fleetOf([
    info({ cluster: odd, region: 'eu-west' }),
    platform({ cluster: odd, type: 'AWS', region: '' }),
    info({ cluster: 'axb', region: 'us' }),
    info({ cluster: 'd', region: 'ap' }),
  ])
  expect(await readTraits(reader, NOW_MS, [odd, 'd'])).toEqual(
    new Map([
      [odd, { region: 'eu-west', provider: 'aws' }],
      ['d', { region: 'ap' }],
    ]),
  )
})

test('the index describes clusters that it knows and those that come later; a record that says more stands', () => {
  const index = createClusterIndex()
  index.put(recordOf('a'), [])
  index.describe(
    new Map([
      ['a', { region: 'eu' }],
      ['b', { region: 'us', environment: 'lab' }],
    ]),
  )
  index.put(recordOf('b', { environment: 'prod' }), [])
  expect(index.records().map(({ cluster, region, environment }) => [cluster, region, environment])).toEqual([
    ['a', 'eu', undefined],
    ['b', 'us', 'prod'],
  ])
  const traitsOf = (cluster: string) => {
    const { region, provider, environment } = index.recordOf(cluster)!
    return { region, provider, environment }
  }
  // A cluster without current labels keeps the last ones.
  index.describe(new Map([['b', { region: 'ap' }]]))
  expect([traitsOf('a').region, traitsOf('b').region]).toEqual(['eu', 'ap'])
  const before = index.recordOf('a')
  index.describe(new Map([['a', { region: 'eu' }]]))
  expect(index.recordOf('a')).toBe(before)
  index.describe(new Map([['a', { region: 'eu', provider: 'aws' }]]))
  expect(traitsOf('a')).toEqual({ region: 'eu', provider: 'aws', environment: undefined })
  index.describe(new Map([['a', { region: 'eu', provider: 'aws', environment: 'lab' }]]))
  expect(traitsOf('a').environment).toBe('lab')
  index.remove('a')
  index.put(recordOf('a'), [])
  expect(traitsOf('a').region).toBeUndefined()
})
