import { expect, test } from 'vitest'
import { withoutPause } from '../../../src/base/thread-slices.ts'
import type { KnownCluster } from '../../../src/fleet/clusters/fleet-coverage.ts'
import { graphValues } from '../../../src/fleet/graph/graph-values.ts'
import { createUpdateGraphs } from '../../../src/fleet/graph/update-graphs.ts'
import { readImport } from '../../../src/fleet/graph/read-import.ts'
import type { ClusterRecord } from '../../../src/model/cluster-record.ts'
import { emptyRecord } from '../../support/cluster-record.ts'

const NOW_MS = Date.UTC(2026, 8, 1)
const PACKAGE = 'kubevirt-hyperconverged'

const bundle = (version: string) => ({
  ...{ schema: 'olm.bundle', package: PACKAGE, name: `hco.v${version}` },
  properties: [{ type: 'olm.package', value: { packageName: PACKAGE, version } }],
})
const channel = (name: string, ...entries: readonly object[]) => ({
  ...{ schema: 'olm.channel', package: PACKAGE, name, entries },
})
const deprecation = (schema: string, name: string) => ({ reference: { schema, name }, message: `no longer ${name}` })

const CATALOG = readImport(
  {
    ...{ name: 'hco', kind: 'catalog', operator: PACKAGE, source: 'catalog.json' },
    document: [
      { schema: 'olm.package', name: PACKAGE, defaultChannel: 'stable' },
      channel('stable', { name: 'hco.v4.17.5' }, { name: 'hco.v4.18.2', replaces: 'hco.v4.17.5' }),
      // Nothing leads from 4.17.0 on.
      channel('dev-preview', { name: 'hco.v4.17.0' }),
      ...['4.17.0', '4.17.5', '4.18.2'].map(bundle),
      {
        ...{ schema: 'olm.deprecations', package: PACKAGE },
        entries: [deprecation('olm.bundle', 'hco.v4.17.5'), deprecation('olm.channel', 'dev-preview')],
      },
    ],
  },
  'ada',
  NOW_MS,
)
const PLATFORM = readImport(
  {
    ...{ name: 'stable-4.18', kind: 'graph', operator: 'openshift', source: 'graph.json', channel: 'stable-4.18' },
    document: {
      nodes: ['4.18.1', '4.18.2', '4.18.6'].map((version) => ({ version, payload: version, metadata: {} })),
      edges: [[0, 2]],
    },
  },
  'ada',
  NOW_MS,
)

function known(cluster: string, more: Partial<ClusterRecord>): KnownCluster {
  return { cluster, record: emptyRecord(cluster, { lastSeenMs: NOW_MS, ...more }), lastSeen: {} }
}

const follows = (name: string): NonNullable<ClusterRecord['subscription']> => ({
  ...{ package: PACKAGE, channel: name, approval: 'Automatic', source: 's', state: 'AtLatestKnown' },
})
const onOpenShift = (version: string) => ({ platform: { kind: 'openshift', version } }) as const

const CLUSTERS = [
  known('current', { hcoVersion: '4.18.2', subscription: follows('stable'), ...onOpenShift('4.18.6') }),
  known('deprecated', { hcoVersion: '4.17.5', subscription: follows('stable'), ...onOpenShift('4.18.1') }),
  known('channel', { hcoVersion: '4.18.2', subscription: follows('dev-preview') }),
  known('end', { hcoVersion: '4.17.0', ...onOpenShift('4.18.2') }),
  // Of the community: 1.17 is of another major.
  known('community', { hcoVersion: '1.17.3', platform: { kind: 'kubernetes', version: '1.33.1' } }),
  known('silent', { hcoVersion: '4.17.0', lastSeenMs: NOW_MS - 8 * 24 * 3600_000 }),
  known('unknown', {}),
]

const lines = (imports: Parameters<typeof createUpdateGraphs>[0], clusters = CLUSTERS): string[] =>
  withoutPause(graphValues(createUpdateGraphs(imports), clusters, NOW_MS)).map(({ name, labels, value }) =>
    [name.replace('daytwo_cluster_', ''), ...Object.values(labels), value].join(' '),
  )

test('clusters on a deprecated version or channel, and on a version without an update, have a series each', () => {
  expect(lines([CATALOG, PLATFORM])).toEqual([
    'deprecated deprecated kubevirt-hyperconverged version 4.17.5 1',
    'deprecated channel kubevirt-hyperconverged channel dev-preview 1',
    'dead_end end kubevirt-hyperconverged 4.17.0 1',
    'dead_end end openshift 4.18.2 1',
  ])
})

test('a version that leaves a deprecated channel and is deprecated too has both', () => {
  const both = known('both', { hcoVersion: '4.17.5', subscription: follows('dev-preview') })
  expect(lines([CATALOG], [both])).toEqual([
    'deprecated both kubevirt-hyperconverged version 4.17.5 1',
    'deprecated both kubevirt-hyperconverged channel dev-preview 1',
  ])
})

test('the graph of the known releases deprecates nothing, and each of its versions has an update', () => {
  const releases = ['1.10.0', '1.15.1', '1.17.3', '1.18.1'].map((hcoVersion) => known(hcoVersion, { hcoVersion }))
  expect(lines([], [...CLUSTERS, ...releases])).toEqual([])
})
