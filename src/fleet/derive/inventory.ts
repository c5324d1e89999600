/** What runs on a cluster, as far as its objects tell: golden images, the descheduler, virtual machines by type. */
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { ClusterHistory } from './cluster-history.ts'
import { presentObjects, presentRuns } from './present.ts'
import { hcoReleaseOf, isDeschedulerMisconfigured } from './hco-release.ts'
import { coverageOf } from './coverage.ts'

/** `undefined` where no cron was told. Outdated: CDI says it is not up to date. */
export function goldenImagesOf(history: ClusterHistory): ClusterRecord['goldenImages'] {
  const crons = presentObjects(history, 'dataimportcrons')
  if (crons.length === 0) return undefined
  const outdated = crons.filter(({ facts }) =>
    facts.conditions.some(({ type, status }) => type === 'UpToDate' && status === 'False'),
  )
  return { crons: crons.length, outdated: outdated.length }
}

/** HCO's verdict, which depends on its version; absent where that is unknown or does not look. */
export function deschedulerOf(history: ClusterHistory, hcoVersion: string | undefined): ClusterRecord['descheduler'] {
  const found = presentObjects(history, 'kubedeschedulers').find(({ name }) => name === 'cluster')
  if (found === undefined) return undefined
  const release = hcoVersion === undefined ? undefined : hcoReleaseOf(hcoVersion)
  const isMisconfigured = release === undefined ? undefined : isDeschedulerMisconfigured(release, found.facts)
  const profiles = [...found.facts.profiles].sort()
  return { profiles, ...(isMisconfigured === undefined ? {} : { isMisconfigured }) }
}

/** Machines with an outdated launcher. KubeVirt's status, unless metrics go on where objects ended. */
export function outdatedOf(history: ClusterHistory): ClusterRecord['workloads'] {
  const { objectsLastMs = -Infinity } = coverageOf(history)
  const reported = presentObjects(history, 'kubevirts').findLast(({ facts }) => facts.outdatedWorkloads !== undefined)
  const measured = presentRuns(history, 'outdated_vmis').at(-1)
  if (reported !== undefined && !(measured !== undefined && measured.firstMs > objectsLastMs)) {
    return { outdated: reported.facts.outdatedWorkloads!, atMs: reported.atMs }
  }
  return measured && { outdated: measured.value, atMs: measured.lastMs }
}

/** Running machines by instance type and preference. Empty where no machine is told: the edge kit leaves them out. */
export function machineTypesOf(history: ClusterHistory): Pick<ClusterRecord, 'instanceTypes' | 'preferences'> {
  const machines = presentObjects(history, 'virtualmachineinstances').map(({ facts }) => facts)
  return {
    instanceTypes: countByName(machines.map(({ instanceType }) => instanceType)),
    preferences: countByName(machines.map(({ preference }) => preference)),
  }
}

function countByName(names: readonly (string | undefined)[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const name of names) {
    if (name !== undefined && name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return sortedByName(Object.fromEntries(counts))
}

/** Equal facts are equal bytes, in whatever order an object held them. */
export function sortedByName<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
}

/** HyperConverged as it is now; absent when none is there. */
export function hyperConvergedOf(history: ClusterHistory) {
  return history
    .of('hyperconvergeds')
    .filter(({ gone }) => gone === undefined)
    .at(-1)
    ?.states.at(-1)?.facts
}
