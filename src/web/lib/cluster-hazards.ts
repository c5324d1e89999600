import type { ClusterDetail } from '../../contract/fleet-clusters.ts'
import { countOf } from './format-number.ts'

/** What may go wrong on a cluster, from the facts that it reports. Pure. */
export interface Hazard {
  readonly name: string
  /** The consequence, in a sentence. */
  readonly text: string
  /** `bad`: an upgrade is likely to fail or to stop; `watch`: check it before an upgrade. */
  readonly weight: 'bad' | 'watch'
  /** The alert whose runbook helps. */
  readonly alertname?: string
}

/** The `bad` ones first. */
export function hazardsOf(cluster: ClusterDetail): readonly Hazard[] {
  const hazards: Hazard[] = []
  const add = (weight: Hazard['weight'], name: string, text: string, alertname?: string): void => {
    hazards.push({ name, text, weight, ...(alertname !== undefined && { alertname }) })
  }
  const { problems, upgradeable, conditions, pools, tainted, descheduler, deprecatedApis, nodes, goldenImages } =
    cluster
  for (const { cause, text } of problems) {
    // The conditions of HyperConverged follow one by one.
    if (cause !== 'hyperconverged_unhealthy') add('bad', PROBLEM_NAMES[cause], text, PROBLEM_RUNBOOKS[cause])
  }
  if (upgradeable?.status === 'False') {
    add('bad', 'Not upgradeable', `${upgradeable.reason}: ${upgradeable.message}`, 'ClusterNotUpgradeable')
  }
  for (const { type, status, reason, message } of conditions) {
    if (type === 'Degraded' && status === 'True')
      add('bad', 'Degraded', `${reason}: ${message}`, PROBLEM_RUNBOOKS.hyperconverged_unhealthy)
    if (type === 'Available' && status === 'False')
      add('bad', 'Not available', `${reason}: ${message}`, PROBLEM_RUNBOOKS.hyperconverged_unhealthy)
  }
  for (const { name, paused, degraded, machines, updated } of pools) {
    const of = countOf(machines, 'node')
    if (paused) {
      add(
        'bad',
        `Pool ${name} is paused`,
        `${updated} of ${of} updated; the others are not updated until the pool is resumed.`,
      )
    }
    if (degraded > 0) add('bad', `Pool ${name} is degraded`, `${degraded} of ${of} cannot be updated.`)
  }
  const patched = openPatches(cluster)
  if (patched.length > 0) {
    const text = `An annotation patches ${patched.join(', ')}. The patch is not checked against the next version.`
    add('watch', 'JSON patches', text, 'UnsupportedHCOModification')
  } else if (tainted === true) {
    add('watch', 'Tainted', 'HyperConverged reports a tainted configuration.')
  }
  const edits = editsText(cluster)
  if (edits !== undefined) add('watch', 'Out-of-band modifications', edits, 'KubeVirtCRModified')
  if (descheduler?.misconfigured === true) {
    const text = `Its profiles (${descheduler.profiles.join(', ') || 'none'}) do not support VMs.`
    add('watch', 'Descheduler is misconfigured', text, 'HCOMisconfiguredDescheduler')
  }
  if (isWorkloadUpdateOff(cluster)) {
    const { outdatedWorkloads: count } = cluster
    const which = count === null ? 'outdated VMs' : countOf(count, 'outdated VM')
    const text = `workloadUpdateMethods is empty: ${which} stay on the old virt-launcher.`
    add('watch', 'VMs are not updated', text, 'OutdatedVirtualMachineInstanceWorkloads')
  }
  const calls = Object.entries(deprecatedApis).filter(([, count]) => count > 0)
  if (calls.length > 0) {
    const apis = calls.map(([name, count]) => `${name} (${count})`).join(', ')
    add('watch', 'Deprecated APIs in use', `${apis}: clients of these APIs break when the APIs are removed.`)
  }
  if (nodes !== null && nodes.kubeletVersions.length > 1) {
    const text = `kubelet ${nodes.kubeletVersions.join(', ')}: VMs may fail to migrate between these nodes.`
    add('watch', 'Mixed node versions', text)
  }
  if (nodes !== null && nodes.ready < nodes.count) {
    add('bad', 'Nodes are not ready', `${nodes.ready} of ${countOf(nodes.count, 'node')} ready.`)
  }
  if (goldenImages !== null && goldenImages.outdated > 0) {
    const text = `${goldenImages.outdated} of ${countOf(goldenImages.crons, 'import')} not up to date.`
    add('watch', 'Golden images are outdated', text, 'CDIDataImportCronOutdated')
  }
  return hazards.sort((a, b) => Number(b.weight === 'bad') - Number(a.weight === 'bad'))
}

type ProblemCause = ClusterDetail['problems'][number]['cause']

/** The alert whose runbook helps. */
export const PROBLEM_RUNBOOKS: Readonly<Record<ProblemCause, string>> = {
  csv_unhealthy: 'CsvAbnormalFailedOver2Min',
  hyperconverged_unhealthy: 'HCOOperatorConditionsUnhealthy',
  virt_handler_outdated: 'VirtHandlerDaemonSetRolloutFailing',
  cannot_plan: 'DaytwoCannotPlanUpgrade',
  identity_conflict: 'DaytwoIdentityConflict',
}

const PROBLEM_NAMES: Readonly<Record<Exclude<ProblemCause, 'hyperconverged_unhealthy'>, string>> = {
  csv_unhealthy: 'The installed CSV is unhealthy',
  virt_handler_outdated: 'virt-handler is not updated on all nodes',
  cannot_plan: 'OLM cannot plan an upgrade',
  identity_conflict: 'Two clusters use one name',
}

/** The components with a JSON patch in effect. */
function openPatches({ modifications }: ClusterDetail): readonly string[] {
  const open = modifications.filter(({ kind, endedAt }) => kind === 'jsonpatch' && endedAt === null)
  return [...new Set(open.map(({ component }) => component))]
}

/** Older edits are no hazard. */
const EDIT_AGE_MAX_MS = 30 * 24 * 3_600_000
/** Edits of one burst, less than ten minutes apart, from which on they are no slip. */
const FIGHT_MIN = 3

/** Out-of-band modifications outside of upgrades. */
function editsText({ asOf, modifications }: ClusterDetail): string | undefined {
  const sinceMs = Date.parse(asOf) - EDIT_AGE_MAX_MS
  const edits = modifications.filter(
    ({ kind, upgradeMode, startedAt, endedAt }) =>
      kind === 'out_of_band' && !upgradeMode && Date.parse(endedAt ?? startedAt ?? asOf) >= sinceMs,
  )
  if (edits.length === 0) return undefined
  const count = edits.reduce((sum, edit) => sum + edit.count, 0)
  const components = [...new Set(edits.map(({ component }) => component))]
  const effect = edits.some((burst) => burst.count >= FIGHT_MIN)
    ? 'each reverted by the operator: another client keeps overwriting the object.'
    : 'reverted by the operator: make changes in HyperConverged instead.'
  return `${countOf(count, 'modification')} of ${components.join(', ')} in the last 30 days, ${effect}`
}

function isWorkloadUpdateOff({ settings }: ClusterDetail): boolean {
  const methods = settings.find(({ name }) => name === 'workloadUpdateMethods')?.set
  return Array.isArray(methods) && methods.length === 0
}

/** What the cluster's data sources do not report, in sentences; empty when all report. */
export function unknownsOf({ coverage, nodes, conditions, platform }: ClusterDetail): readonly string[] {
  const { objects, metrics, kinds } = coverage
  const noObjects =
    'Objects not reported: settings, conditions, subscriptions and JSON patches are known only from metrics.'
  return [
    ...(objects ? missingKinds(kinds) : [noObjects]),
    ...(metrics ? [] : ['Metrics not reported: alerts, VMs and the rate of out-of-band modifications are not known.']),
    ...(objects && nodes === null ? ['Nodes not reported.'] : []),
    ...(objects && conditions.length === 0 ? ['Conditions of HyperConverged not reported.'] : []),
    ...(platform === null ? ['Platform not reported.'] : []),
  ]
}

const WANTED_KINDS: Readonly<Record<string, string>> = {
  hyperconvergeds: 'settings and conditions',
  subscriptions: 'channel and approval',
  installplans: 'approvals',
  clusterserviceversions: 'phases of the installation',
  kubevirts: 'the observed version',
  daemonsets: 'rollout waves of virt-handler',
  nodes: 'nodes',
}

function missingKinds(kinds: readonly string[]): readonly string[] {
  const missing = Object.entries(WANTED_KINDS).filter(([kind]) => !kinds.includes(kind))
  if (missing.length === 0) return []
  return [`Not watched: ${missing.map(([kind, what]) => `${kind} (${what})`).join(', ')}.`]
}
