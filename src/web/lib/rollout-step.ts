/** The stage of a version's rollout, by the share of clusters on that version or a newer one. Pure. */
export const ROLLOUT_STEPS = [
  { name: 'canary', from: 0, says: 'below a tenth of the fleet' },
  { name: 'rolling', from: 0.1, says: 'from a tenth to a half' },
  { name: 'majority', from: 0.5, says: 'from a half to nine tenths' },
  { name: 'tail', from: 0.9, says: 'nine tenths and more: the rest are stragglers' },
] as const

export type RolloutStep = (typeof ROLLOUT_STEPS)[number]['name']

export function rolloutStepOf(share: number): RolloutStep {
  return ROLLOUT_STEPS.findLast(({ from }) => share >= from)?.name ?? 'canary'
}
