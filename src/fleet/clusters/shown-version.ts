import type { ClusterRecord } from '../../model/cluster-record.ts'

/** The version a cluster is counted under: of HCO, and of KubeVirt where there is no HCO. */
export function shownVersion({ hcoVersion, versions }: ClusterRecord): string | undefined {
  return hcoVersion ?? versions['kubevirt']
}
