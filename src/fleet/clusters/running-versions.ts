import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'

/** Operators whose version stands in a field of its own. */
const NAMED_APART: readonly string[] = ['kubevirt-hyperconverged', 'openshift']

/** Which version of each operator runs. @param intervals those that hold */
export function runningVersions(intervals: readonly VersionInterval[]): Pick<ClusterRecord, 'hcoVersion' | 'versions'> {
  const hcoVersion = intervals.find(({ operator }) => operator === 'kubevirt-hyperconverged')?.version
  return {
    ...(hcoVersion === undefined ? {} : { hcoVersion }),
    versions: Object.fromEntries(
      intervals
        .filter(({ operator }) => !NAMED_APART.includes(operator))
        .map(({ operator, version }) => [operator, version]),
    ),
  }
}
