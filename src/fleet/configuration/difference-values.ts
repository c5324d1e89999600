/** The series of configurations: how many settings of each cluster differ, one number per cluster. */
import type { Steps } from '../../base/thread-slices.ts'
import { mapInSteps } from '../../base/thread-slices.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { DerivedValue } from '../series/derived-metrics.ts'
import { configurationOf } from './cluster-configuration.ts'
import { countDifferences, countSettings, referencesOf, usesOf, type References } from './settings-in-use.ts'

/**
 * Of the baseline cluster alone: a count against the majority would tell a team about clusters that it does not see.
 *
 * @param baseline absent: none is chosen, or it is not known
 */
export function* differenceValues(
  clusters: readonly ClusterRecord[],
  baseline: ClusterRecord | undefined,
): Steps<readonly DerivedValue[]> {
  if (baseline === undefined) return []
  const chosen = referencesOf(usesOf(yield* countSettings(clusters), baseline))
  yield
  const values = yield* mapInSteps(clusters, (record): readonly DerivedValue[] =>
    // The baseline itself has a series too: 0 shows that it is compared.
    configurationOf(record).size === 0 ? [] : [valueOf(record, chosen)],
  )
  return values.flat()
}

function valueOf(record: ClusterRecord, references: References): DerivedValue {
  const labels = { cluster: record.cluster, against: 'baseline' }
  return { name: 'daytwo_cluster_configuration_differences', labels, value: countDifferences(record, references) }
}
