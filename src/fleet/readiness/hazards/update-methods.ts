/** What the two hazards of `workloadUpdateMethods` share. */
import { isReported, type HazardCluster } from '../hazard.ts'

/** As set in HyperConverged, else the default; `undefined`: not reported. */
export function updateMethodsOf(cluster: HazardCluster): readonly string[] | undefined {
  const { workloadUpdateMethods } = cluster.record.settings
  if (workloadUpdateMethods !== undefined) return workloadUpdateMethods
  return isReported(cluster, 'hyperconvergeds') ? ['LiveMigrate'] : undefined
}
