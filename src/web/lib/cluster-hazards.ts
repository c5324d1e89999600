import type { ClusterDetail } from '../../contract/fleet-clusters.ts'
import { countOf } from './format-number.ts'

/** What may go wrong on a cluster, as far as is known: facts that are told, each with what it means. Pure. */
export interface Hazard {
  readonly name: string
  /** What it means, in a sentence. */
  readonly text: string
  /** `bad`: an upgrade is likely to fail or stand still; `watch`: it should be looked at first. */
  readonly weight: 'bad' | 'watch'
  /** The alert whose runbook helps. */
  readonly alertname?: string
}

export function hazardsOf(cluster: ClusterDetail): readonly Hazard[] {
  return RULES.flatMap((rule) => rule(cluster)).sort((a, b) => Number(b.weight === 'bad') - Number(a.weight === 'bad'))
}

/** What nobody edited for so long was edited once. */
const EDITED_LATELY_MS = 30 * 24 * 3_600_000
/** So many edits in one burst, less than ten minutes apart, are no slip of a hand. */
const FIGHT_MIN = 3

type Rule = (cluster: ClusterDetail) => readonly Hazard[]

const RULES: readonly Rule[] = [
  ({ upgradeable }) =>
    upgradeable?.status === 'False'
      ? [
          {
            name: 'Not upgradeable',
            text: `${upgradeable.reason}: ${upgradeable.message}`,
            weight: 'bad',
            alertname: 'ClusterNotUpgradeable',
          },
        ]
      : [],
  ({ conditions }) =>
    conditions
      .filter(
        ({ type, status }) =>
          (type === 'Degraded' && status === 'True') || (type === 'Available' && status === 'False'),
      )
      .map(({ type, reason, message }) => ({
        name: type === 'Degraded' ? 'Degraded' : 'Not available',
        text: `${reason}: ${message}`,
        weight: 'bad',
      })),
  ({ pools }) =>
    pools.flatMap(({ name, paused, degraded, machines, updated }): Hazard[] => [
      ...(paused
        ? [
            {
              name: `Pool ${name} is paused`,
              text: `${updated} of ${countOf(machines, 'machine')} updated; none takes an update until it is resumed.`,
              weight: 'bad' as const,
            },
          ]
        : []),
      ...(degraded > 0
        ? [
            {
              name: `Pool ${name} is degraded`,
              text: `${degraded} of ${countOf(machines, 'machine')} cannot be updated.`,
              weight: 'bad' as const,
            },
          ]
        : []),
    ]),
  ({ modifications }) => {
    const open = modifications.filter(({ kind, endedAt }) => kind === 'jsonpatch' && endedAt === null)
    const components = [...new Set(open.map(({ component }) => component))]
    if (open.length === 0) return []
    return [
      {
        name: 'JSON patches',
        text: `An annotation patches ${components.join(', ')}: nothing checks that it still fits the next version.`,
        weight: 'watch',
        alertname: 'UnsupportedHCOModification',
      },
    ]
  },
  ({ tainted, modifications }) =>
    tainted === true && modifications.every(({ kind, endedAt }) => kind !== 'jsonpatch' || endedAt !== null)
      ? [{ name: 'Tainted', text: 'HyperConverged says that its configuration is tainted.', weight: 'watch' }]
      : [],
  ({ asOf, modifications }) => {
    const sinceMs = Date.parse(asOf) - EDITED_LATELY_MS
    const edits = modifications.filter(
      ({ kind, upgradeMode, startedAt, endedAt }) =>
        kind === 'out_of_band' && !upgradeMode && Date.parse(endedAt ?? startedAt ?? asOf) >= sinceMs,
    )
    if (edits.length === 0) return []
    const count = edits.reduce((sum, edit) => sum + edit.count, 0)
    const components = [...new Set(edits.map(({ component }) => component))]
    return [
      {
        name: 'Edited past HyperConverged',
        text: `${countOf(count, 'edit')} of ${components.join(', ')} in the last 30 days, ${
          edits.some((burst) => burst.count >= FIGHT_MIN)
            ? 'each changed back: somebody or something fights the operator.'
            : 'changed back by the operator: changes belong in HyperConverged.'
        }`,
        weight: 'watch',
        alertname: 'KubeVirtCRModified',
      },
    ]
  },
  ({ descheduler }) =>
    descheduler?.misconfigured === true
      ? [
          {
            name: 'Descheduler is misconfigured',
            text: `Its profiles (${descheduler.profiles.join(', ') || 'none'}) do not fit virtual machines.`,
            weight: 'watch',
            alertname: 'HCOMisconfiguredDescheduler',
          },
        ]
      : [],
  ({ settings, outdatedWorkloads }) => {
    const methods = settings.find(({ name }) => name === 'workloadUpdateMethods')
    const isOff = Array.isArray(methods?.set) && methods.set.length === 0
    return isOff
      ? [
          {
            name: 'Machines are not updated',
            text: `workloadUpdateMethods is empty: ${outdatedWorkloads === null ? 'outdated machines' : countOf(outdatedWorkloads, 'outdated machine')} stay on their launcher.`,
            weight: 'watch',
            alertname: 'OutdatedVirtualMachineInstanceWorkloads',
          },
        ]
      : []
  },
  ({ deprecatedApis }) => {
    const asked = Object.entries(deprecatedApis).filter(([, count]) => count > 0)
    return asked.length === 0
      ? []
      : [
          {
            name: 'Deprecated APIs are asked for',
            text: `${asked.map(([name, count]) => `${name} (${count})`).join(', ')}: whoever asks breaks when they go.`,
            weight: 'watch',
          },
        ]
  },
  ({ nodes }) =>
    nodes !== null && nodes.kubeletVersions.length > 1
      ? [
          {
            name: 'Nodes of several versions',
            text: `kubelet ${nodes.kubeletVersions.join(', ')}: machines may not migrate between them.`,
            weight: 'watch',
          },
        ]
      : [],
  ({ nodes }) =>
    nodes !== null && nodes.ready < nodes.count
      ? [
          {
            name: 'Nodes are not ready',
            text: `${nodes.ready} of ${countOf(nodes.count, 'node')} ready.`,
            weight: 'bad',
          },
        ]
      : [],
  ({ goldenImages }) =>
    goldenImages !== null && goldenImages.outdated > 0
      ? [
          {
            name: 'Golden images are outdated',
            text: `${goldenImages.outdated} of ${countOf(goldenImages.crons, 'import')} not up to date.`,
            weight: 'watch',
            alertname: 'CDIDataImportCronOutdated',
          },
        ]
      : [],
]

/** What cannot be known by the ways the cluster is heard, in sentences; empty when all ways speak. */
export function unknownsOf({ coverage, nodes, conditions, platform }: ClusterDetail): readonly string[] {
  const { objects, metrics, kinds } = coverage
  return [
    ...(objects
      ? missingKinds(kinds)
      : [
          'No object is told: settings, conditions, subscriptions and JSON patches are known only as far as metrics say.',
        ]),
    ...(metrics ? [] : ['No metric is told: alerts, machines and the rate of edits are not known.']),
    ...(objects && nodes === null ? ['Nodes are not told.'] : []),
    ...(objects && conditions.length === 0 ? ['Conditions of HyperConverged are not told.'] : []),
    ...(platform === null ? ['The platform is not told.'] : []),
  ]
}

const WANTED_KINDS: Readonly<Record<string, string>> = {
  hyperconvergeds: 'settings and conditions',
  subscriptions: 'channel and approval',
  installplans: 'approvals',
  clusterserviceversions: 'phases of the installation',
  kubevirts: 'the version that is really reached',
  daemonsets: 'waves of virt-handler',
  nodes: 'nodes',
}

function missingKinds(kinds: readonly string[]): readonly string[] {
  const missing = Object.keys(WANTED_KINDS).filter((kind) => !kinds.includes(kind))
  if (missing.length === 0) return []
  return [`Not watched: ${missing.map((kind) => `${kind} (${WANTED_KINDS[kind] ?? ''})`).join(', ')}.`]
}
