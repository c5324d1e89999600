import { ROLLOUT_SIGNALS, type RolloutPolicy } from '../../model/rollout-verdict.ts'

/** Defaults of a policy file. */
export const ROLLOUT_POLICY: RolloutPolicy = {
  alpha: 0.05,
  horizonMs: 6 * 3600_000,
  failureMargin: 0.1,
  canariesMin: 20,
  strata: ['platform', 'size'],
  windowMs: 24 * 3600_000,
  signals: ROLLOUT_SIGNALS,
}
