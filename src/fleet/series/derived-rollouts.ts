/** Series of verdicts on rollouts: each verdict as 0 or 1, so that a change shows in two series, with its clusters and evidence. */
import { ROLLOUT_DECISIONS } from '../../model/rollout-verdict.ts'
import type { Rollout } from '../verdicts/rollouts.ts'
import type { DerivedValue } from './derived-metrics.ts'

export function rolloutValues(rollouts: readonly Rollout[]): readonly DerivedValue[] {
  return rollouts.flatMap(({ operator, version, clusters, verdict: { decision, signals } }): DerivedValue[] => {
    const labels = { operator, version }
    return [
      ...ROLLOUT_DECISIONS.map((verdict): DerivedValue => {
        return { name: 'daytwo_rollout_verdict', labels: { ...labels, verdict }, value: verdict === decision ? 1 : 0 }
      }),
      { name: 'daytwo_rollout_clusters', labels, value: clusters },
      ...signals.map(({ signal, factor, needed }): DerivedValue => {
        return {
          name: 'daytwo_rollout_evidence_ratio',
          labels: { ...labels, signal },
          value: Math.min(1e6, factor / needed),
        }
      }),
    ]
  })
}
