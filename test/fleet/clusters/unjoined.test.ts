import { expect, test } from 'vitest'
import { unjoinedPairs } from '../../../src/fleet/clusters/unjoined.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

const UID = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
const OPENSHIFT_ID = '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d'

const seen = (cluster: string, aliases?: readonly string[]) => ({
  cluster,
  record: aliases === undefined ? undefined : emptyRecord(cluster, { aliases }),
  lastSeen: {},
})

test.each([
  ['objects under the uid, metrics under the name', [seen(UID, ['prague']), seen('prague')], 'prague'],
  ['each names the other', [seen(UID, ['prague']), seen('prague', [UID])], 'prague'],
  ['both have the uid of kube-system', [seen('prague', [UID]), seen(OPENSHIFT_ID, [UID])], UID],
])('%s', (_name, clusters, by) => {
  const other = clusters.find(({ cluster }) => cluster !== 'prague')!.cluster
  const pair = {
    clusters: [other, 'prague'],
    by,
    action: `Set \`cluster\` to "prague" at the sender of "${other}", then decommission "${other}".`,
  }
  expect(unjoinedPairs(clusters)).toEqual([pair])
  expect(unjoinedPairs(clusters.toReversed()).map(({ clusters, action }) => [clusters, action])).toEqual([
    [pair.clusters, pair.action],
  ])
})

test('two UUIDs need one name of their own; clusters that share no UUID and no name are apart', () => {
  expect(unjoinedPairs([seen(UID, [OPENSHIFT_ID]), seen(OPENSHIFT_ID)]).map(({ action }) => action)).toEqual([
    `Send the same \`cluster\` from the senders of "${OPENSHIFT_ID}" and "${UID}".`,
  ])
  expect(unjoinedPairs([seen('prague', [UID, 'lab']), seen('berlin', ['lab', OPENSHIFT_ID]), seen('rome')])).toEqual([])
})
