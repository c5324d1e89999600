/** The inventory of a cluster from its objects: golden images, the descheduler, VMs by type. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { HyperConvergedFacts } from '../../model/object-facts.ts'
import type { MetricRun } from '../../model/observation.ts'
import type { ClusterHistory, ObjectHistory } from './cluster-history.ts'
import { groupBy } from '../../base/group-by.ts'
import { presentObjects } from './present.ts'
import { hcoReleaseOf, isDeschedulerMisconfigured } from './hco-release.ts'
import { coverageOf } from './coverage.ts'

/** `undefined`: no cron is reported. Outdated: CDI reports UpToDate=False. */
export function goldenImagesOf(history: ClusterHistory): ClusterRecord['goldenImages'] {
  const crons = presentObjects(history, 'dataimportcrons')
  if (crons.length === 0) return undefined
  const outdated = crons.filter(({ facts }) =>
    facts.conditions.some(({ type, status }) => type === 'UpToDate' && status === 'False'),
  )
  return { crons: crons.length, outdated: outdated.length }
}

/** HCO's verdict, which depends on its version; absent: the version is unknown or has no such check. */
export function deschedulerOf(history: ClusterHistory, hcoVersion: string | undefined): ClusterRecord['descheduler'] {
  const found = presentObjects(history, 'kubedeschedulers').find(({ name }) => name === 'cluster')
  if (found === undefined) return undefined
  const release = hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)
  const isMisconfigured = release === undefined ? undefined : isDeschedulerMisconfigured(release, found.facts)
  const profiles = [...found.facts.profiles].sort()
  return { profiles, ...(isMisconfigured === undefined ? {} : { isMisconfigured }) }
}

/** VMs with an outdated launcher: KubeVirt's status, unless metrics are newer than all objects. */
export function outdatedOf(history: ClusterHistory): ClusterRecord['workloads'] {
  const outdated = countOfOutdated(history)
  const machines = presentObjects(history, 'virtualmachineinstances')
  if (outdated === undefined || machines.length === 0) return outdated
  return { ...outdated, nonMigratable: machines.filter(({ facts }) => facts.isMigratable === false).length }
}

function countOfOutdated(history: ClusterHistory): ClusterRecord['workloads'] {
  const reported = presentObjects(history, 'kubevirts').findLast(({ facts }) => facts.outdatedWorkloads !== undefined)
  const measured = history.currentRuns('outdated_vmis').at(-1)
  const isOlder = (run: MetricRun): boolean => run.firstMs > (coverageOf(history).objectsLastMs ?? -Infinity)
  if (reported !== undefined && !(measured !== undefined && isOlder(measured))) {
    return { outdated: reported.facts.outdatedWorkloads!, atMs: reported.atMs }
  }
  return measured && { outdated: measured.value, atMs: measured.lastMs }
}

/** Running VMs by type. Empty without VMIs: the edge kit does not send them by default. */
export function machinesOf(
  history: ClusterHistory,
): Pick<ClusterRecord, 'instanceTypes' | 'preferences' | 'machineTypes'> {
  const machines = presentObjects(history, 'virtualmachineinstances').map(({ facts }) => facts)
  const machineTypes = countByName(machines.map(({ machineType }) => machineType))
  return {
    instanceTypes: countByName(machines.map(({ instanceType }) => instanceType)),
    preferences: countByName(machines.map(({ preference }) => preference)),
    ...(Object.keys(machineTypes).length === 0 ? {} : { machineTypes }),
  }
}

/** By the name of the API. */
export function apiClientsOf(history: ClusterHistory): Pick<ClusterRecord, 'apiClients'> {
  const counts = presentObjects(history, 'apirequestcounts')
  if (counts.length === 0) return {}
  const apiClients = counts
    .map(({ name, facts: { removedIn, clients } }) => {
      return { api: name, ...(removedIn === undefined ? {} : { removedIn }), clients }
    })
    .filter(({ clients }) => clients.length > 0)
  return { apiClients }
}

function countByName(names: readonly (string | undefined)[]): Readonly<Record<string, number>> {
  const known = groupBy(names, (name) => name ?? '')
  known.delete('')
  return sortedByName(Object.fromEntries([...known].map(([name, { length }]) => [name, length])))
}

/** In the order of names, so that equal facts are equal bytes. */
export function sortedByName<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** Of the newest that exists. */
export function hyperConvergedHistoryOf(history: ClusterHistory): ObjectHistory<HyperConvergedFacts> | undefined {
  return history.of('hyperconvergeds').findLast(({ gone }) => gone === undefined)
}
