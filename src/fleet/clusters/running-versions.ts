import type { ClusterRecord, VersionInterval } from '../../model/cluster-record.ts'

/** Operators whose version has a field of its own in the record. */
const NAMED_APART: readonly string[] = ['kubevirt-hyperconverged', 'openshift']

/** The running version of each operator. @param intervals the current ones */
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
