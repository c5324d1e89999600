/** The ClusterServiceVersions of the HyperConverged operator among all of a cluster's. */
import type { CsvFacts } from '../../model/object-facts.ts'
import type { ClusterHistory, ObjectHistory } from './cluster-history.ts'

/** Upstream and OpenShift: `kubevirt-hyperconverged-operator.v1.17.0`, `...v4.20.3`. */
const CSV_NAME = /^kubevirt-hyperconverged-operator\.v(\d+\.\d+\.\d+.*)$/

/** The version a CSV's name says; `undefined` for another operator's. */
export function hcoVersionOfCsvName(name: string): string | undefined {
  return CSV_NAME.exec(name)?.[1]
}

/** OLM shows a CSV of all namespaces in each namespace; the copies say so and are no installation. */
export function hcoCsvs(history: ClusterHistory): readonly ObjectHistory<CsvFacts>[] {
  return history
    .of('clusterserviceversions')
    .filter((csv) => CSV_NAME.test(csv.name) && !csv.states.some(({ facts }) => facts.reason === 'Copied'))
}

export function versionOf(csv: ObjectHistory<CsvFacts>): string {
  const version = csv.states.findLast(({ facts }) => facts.version !== '')?.facts.version
  return version ?? hcoVersionOfCsvName(csv.name) ?? csv.name
}

/** OLM's packages of HCO: OperatorHub's has a prefix. */
export function isHcoPackage(name: string): boolean {
  return name === 'kubevirt-hyperconverged' || name === 'community-kubevirt-hyperconverged'
}
