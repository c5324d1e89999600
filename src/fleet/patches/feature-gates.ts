/** The stage of KubeVirt's feature gates by version: `../data/feature-gates.json`, with the public source of each row. */
import gates from '../data/feature-gates.json' with { type: 'json' }
import type { GateStage } from '../../model/patch-analysis.ts'
import { compareVersions, minorOf } from '../version-order.ts'

export interface FeatureGateRow {
  readonly name: string
  /** In their order. `since`: from this version on; `by`: in this version, its first one is unknown; neither: from its first version on. */
  readonly stages: readonly { readonly stage: string; readonly since?: string; readonly by?: string }[]
  readonly source: string
  /** Why the gate lowers the security of VMs. */
  readonly danger?: string
  readonly dangerSource?: string
}

export const FEATURE_GATES: ReadonlyMap<string, FeatureGateRow> = new Map(
  (gates as readonly FeatureGateRow[]).map((row) => [row.name, row]),
)

/** The newest minor of KubeVirt whose gates were read. */
const NEWEST_READ = '1.9'

/** @param kubevirtVersion without `v`; `undefined`: not known */
export function gateStageAt(name: string, kubevirtVersion: string | undefined): GateStage {
  const row = FEATURE_GATES.get(name)
  if (row === undefined || kubevirtVersion === undefined) return 'unknown'
  if (compareVersions(`${minorOf(kubevirtVersion)}.0`, `${NEWEST_READ}.0`) > 0) return 'unknown'
  const reached = row.stages.findLast(({ since, by }) => compareVersions(kubevirtVersion, since ?? by ?? '0.0.0') >= 0)
  const next = row.stages[reached === undefined ? 0 : row.stages.indexOf(reached) + 1]
  // Before the version in which a stage was found, the gate may have had it already.
  if (next?.by !== undefined) return 'unknown'
  return reached === undefined ? 'absent' : (reached.stage as GateStage)
}
