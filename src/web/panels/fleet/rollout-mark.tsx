import type { ReactNode } from 'react'
import type { RolloutItem } from '../../../contract/fleet-rollouts.ts'
import { ROLLOUT_WORDS } from '../../lib/rollout-text.ts'
import { Mark, type Look } from '../../ui/marks.tsx'

const LOOKS: Readonly<Record<RolloutItem['decision'], Look>> = {
  proceed: { shape: 'check', tone: 'tone-good' },
  hold: { shape: 'cross', tone: 'tone-critical' },
  insufficient: { shape: 'clock', tone: 'tone-waiting' },
  not_comparable: { shape: 'dash', tone: 'quiet' },
}

/** The verdict on a rollout. */
export function RolloutMark({ decision }: Pick<RolloutItem, 'decision'>): ReactNode {
  const { name, meaning } = ROLLOUT_WORDS[decision]
  return (
    <Mark {...LOOKS[decision]} title={meaning}>
      {name}
    </Mark>
  )
}
