import { PLATFORM_PATCHES } from './cluster-profile.ts'

/**
 * The graph of OpenShift that an update service has for the simulated fleet, in Cincinnati's form: each patch updates to later ones
 * of its minor and to the next minor, in the channels stable and eus; the newest minor is conditional on clusters with VMs that
 * cannot be migrated.
 */
export function updateServiceGraph(): object {
  const versions = MINORS.flatMap((minor) =>
    Array.from({ length: PLATFORM_PATCHES }, (_, patch) => ({ minor, patch, version: `4.${minor}.${patch}` })),
  )
  const nodes = versions.map(({ minor, version }) => ({
    version,
    payload: `quay.io/openshift-release-dev/ocp-release:${version}-x86_64`,
    metadata: { 'io.openshift.upgrades.graph.release.channels': channelsOf(minor).join(',') },
  }))
  const pairs = versions.flatMap((from, i) =>
    versions.flatMap((to, j) => {
      const isLater = to.minor === from.minor ? to.patch > from.patch : to.minor === from.minor + 1
      return isLater ? [{ from, to, indexes: [i, j] }] : []
    }),
  )
  const isConditional = ({ from, to }: (typeof pairs)[number]): boolean =>
    to.minor === MINORS.at(-1) && from.minor < to.minor
  return {
    version: 1,
    nodes,
    edges: pairs.filter((pair) => !isConditional(pair)).map(({ indexes }) => indexes),
    conditionalEdges: [
      {
        edges: pairs.filter(isConditional).map(({ from, to }) => ({ from: from.version, to: to.version })),
        risks: [RISK],
      },
    ],
  }
}

/** From before the first release of a simulated history to after its last. */
const MINORS = [15, 16, 17, 18, 19, 20, 21, 22, 23] as const

const RISK = {
  url: 'https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/VMCannotBeEvicted.md',
  name: 'NonEvictableVMsBlockDrain',
  message: 'Nodes with VMs that cannot be migrated are not drained, and the update of their pool does not complete.',
  // The first metric exists where there are such VMs, the second one where KubeVirt is measured at all.
  matchingRules: [
    {
      type: 'PromQL',
      promql: { promql: '(max(kubevirt_vmi_non_evictable) or max(kubevirt_vmi_number_of_outdated) * 0) > bool 0' },
    },
  ],
} as const

/** As the update service names them: a version is in the channels of its minor and of the next. */
function channelsOf(minor: number): readonly string[] {
  const next = minor === MINORS.at(-1) ? [] : [`stable-4.${minor + 1}`]
  const eus = minor % 2 === 0 ? [`eus-4.${minor}`] : [`eus-4.${minor + 1}`]
  return [`stable-4.${minor}`, ...next, ...eus]
}
