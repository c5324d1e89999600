/**
 * A file-based catalog in the form of the public ones, made of the known releases: several channels with replaces, skips and
 * skipRange, a bundle per release with the properties that `opm render` writes, and deprecations.
 */
import { stringify } from 'yaml'
import { RELEASES } from '../../src/fleet/releases.ts'
import { minorOf } from '../../src/fleet/version-order.ts'

export const PACKAGE = 'community-kubevirt-hyperconverged'
type Blob = Readonly<Record<string, unknown>>

const nameOf = (version: string): string => `kubevirt-hyperconverged-operator.v${version}`
const released = RELEASES.filter(({ seenAt, version }) => seenAt !== 'main' && version !== '1.15.2').map(
  ({ version }) => version,
)
const minors = [...new Set(released.map(minorOf))]

/** One entry per release; the first of a minor also updates every older one of the minor before. */
const stableEntries = released.map((version, i): Blob => {
  const before = released[i - 1]
  const isFirst = before !== undefined && minorOf(before) !== minorOf(version)
  return {
    name: nameOf(version),
    ...(before === undefined ? {} : { replaces: nameOf(before) }),
    ...(isFirst ? { skipRange: `>=${minorOf(before)}.0 <${version}` } : {}),
  }
})

/** Of one minor: its head skips the older ones of the minor, and replaces the head of the minor before. */
function minorChannel(minor: string, i: number): Blob {
  const versions = released.filter((version) => minorOf(version) === minor)
  const headBefore = released.filter((version) => minorOf(version) === minors[i - 1]).at(-1)
  const entries = versions.map((version): Blob => {
    if (version !== versions.at(-1)) return { name: nameOf(version) }
    const skips = versions.slice(0, -1).map(nameOf)
    return {
      name: nameOf(version),
      ...(headBefore === undefined ? {} : { replaces: nameOf(headBefore) }),
      ...(skips.length === 0 ? {} : { skips }),
    }
  })
  return { schema: 'olm.channel', package: PACKAGE, name: `stable-v${minor}`, entries }
}

export const DEPRECATED = released.filter((version) => ['1.9', '1.10'].includes(minorOf(version)))

/** As `opm render -o json` prints: a blob per document. */
export const CATALOG_BLOBS: readonly Blob[] = [
  {
    ...{ schema: 'olm.package', name: PACKAGE, defaultChannel: 'stable' },
    icon: { base64data: 'PHN2Zy8+', mediatype: 'image/svg+xml' },
    description: 'HyperConverged Cluster Operator\nfor KubeVirt',
  },
  { schema: 'olm.channel', package: PACKAGE, name: 'stable', entries: stableEntries },
  ...minors.map(minorChannel),
  ...released.map((version) => ({
    ...{ schema: 'olm.bundle', package: PACKAGE, name: nameOf(version) },
    image: `quay.io/kubevirt/hyperconverged-cluster-bundle:${version}`,
    properties: [
      { type: 'olm.gvk', value: { group: 'hco.kubevirt.io', kind: 'HyperConverged', version: 'v1beta1' } },
      ...(minorOf(version) === '1.14' ? [{ type: 'olm.maxOpenShiftVersion', value: '4.19' }] : []),
      { type: 'olm.package', value: { packageName: PACKAGE, version } },
      { type: 'olm.bundle.object', value: { data: 'eyJraW5kIjoiQ1NWIn0=' } },
    ],
    relatedImages: [{ name: '', image: `quay.io/kubevirt/hyperconverged-cluster-operator:${version}` }],
  })),
  {
    ...{ schema: 'olm.deprecations', package: PACKAGE },
    entries: [
      { reference: { schema: 'olm.channel', name: 'stable-v1.9' }, message: 'stable-v1.9 gets no more updates.\n' },
      ...DEPRECATED.map((version) => ({
        reference: { schema: 'olm.bundle', name: nameOf(version) },
        message: `${version} is not supported any more.\n`,
      })),
    ],
  },
]

export const RELEASED = released
export const CHANNELS = ['stable', ...minors.map((minor) => `stable-v${minor}`)].sort()

/** As `opm render -o yaml` prints. */
export function asYaml(blobs: readonly Blob[] = CATALOG_BLOBS): string {
  return blobs.map((blob) => `---\n${stringify(blob)}`).join('')
}

/** As `opm render` prints by default. */
export function asJson(blobs: readonly Blob[] = CATALOG_BLOBS): string {
  return blobs.map((blob) => `${JSON.stringify(blob, undefined, 4)}\n`).join('')
}

/** A graph in the form that an update service serves, of two channels of OpenShift, with three conditional edges. */
export const CINCINNATI = {
  version: 1,
  nodes: ['4.17.20', '4.18.9', '4.18.10', '4.18.11', '4.19.0', '4.19.1'].map((version, i) => ({
    version,
    payload: `quay.io/openshift-release-dev/ocp-release@sha256:${String(i).repeat(64)}`,
    metadata: {
      'io.openshift.upgrades.graph.release.channels': channelsOf(version),
      'io.openshift.upgrades.graph.release.manifestref': `sha256:${String(i).repeat(64)}`,
      url: `https://access.redhat.com/errata/RHBA-2025:${2000 + i}`,
    },
  })),
  edges: [
    [0, 1],
    [0, 2],
    [1, 2],
    [1, 3],
    [2, 3],
    [3, 5],
    [4, 5],
  ],
  conditionalEdges: [
    {
      edges: [
        { from: '4.18.10', to: '4.19.0' },
        { from: '4.18.11', to: '4.19.0' },
      ],
      risks: [
        {
          url: 'https://issues.redhat.com/browse/OCPBUGS-1',
          name: 'OldBootImages',
          message: 'Machines with old boot images do not join the cluster.',
          matchingRules: [
            {
              type: 'PromQL',
              promql: {
                promql:
                  'topk(1,\n  group(cluster_infrastructure_provider{type="AWS"})\n  or\n  0 * group(cluster_infrastructure_provider)\n)\n',
              },
            },
          ],
        },
      ],
    },
    {
      edges: [{ from: '4.18.9', to: '4.19.0' }],
      risks: [
        {
          url: 'https://issues.redhat.com/browse/OCPBUGS-2',
          name: 'Broken',
          message: 'All are exposed.',
          matchingRules: [{ type: 'Always' }],
        },
      ],
    },
  ],
} as const

function channelsOf(version: string): string {
  if (version.startsWith('4.17')) return 'candidate-4.17,eus-4.18,fast-4.17,stable-4.17,stable-4.18'
  return version.startsWith('4.18')
    ? 'candidate-4.18,eus-4.18,fast-4.18,stable-4.18,stable-4.19'
    : 'fast-4.19,stable-4.19'
}
