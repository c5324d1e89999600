import type { ReactNode } from 'react'
import type { ClusterState } from '../../model/cluster-record.ts'
import type { PhaseState, UpgradeState } from '../../model/upgrade.ts'
import {
  CLUSTER_STATE_MEANINGS,
  CLUSTER_STATE_WORDS,
  PHASE_STATE_WORDS,
  UPGRADE_STATE_WORDS,
} from '../lib/fleet-names.ts'
import { Mark, type Look } from './marks.tsx'

/** States of clusters, upgrades, phases and rules: each a shape and a word, in the colour that `lib/palette.ts` gives it in charts. */

const CLUSTER_LOOKS: Readonly<Record<ClusterState, Look>> = {
  stuck: { shape: 'triangle', tone: 'tone-critical' },
  unhealthy: { shape: 'cross', tone: 'tone-critical' },
  cannot_plan: { shape: 'slash', tone: 'tone-warning' },
  identity_conflict: { shape: 'diamond', tone: 'tone-critical' },
  silent: { shape: 'dash' },
  tainted: { shape: 'diamond', tone: 'tone-warning' },
  upgrading: { shape: 'up', tone: 'tone-active' },
  outdated_workloads: { shape: 'clock', tone: 'tone-waiting' },
  paused_pool: { shape: 'slash' },
  unknown: { shape: 'dash', tone: 'quiet' },
  steady: { shape: 'check', tone: 'quiet' },
  gone: { shape: 'slash', tone: 'quiet' },
}

export function ClusterStateMark({ state }: { readonly state: ClusterState }): ReactNode {
  return (
    <Mark {...CLUSTER_LOOKS[state]} title={CLUSTER_STATE_MEANINGS[state]}>
      {CLUSTER_STATE_WORDS[state]}
    </Mark>
  )
}

const OUTCOME_LOOKS: Readonly<Record<UpgradeState | PhaseState, Look>> = {
  pending: { shape: 'ring', tone: 'quiet' },
  in_progress: { shape: 'up', tone: 'tone-active' },
  succeeded: { shape: 'check', tone: 'tone-good' },
  failed: { shape: 'cross', tone: 'tone-critical' },
  rolled_back: { shape: 'cross', tone: 'tone-critical' },
  superseded: { shape: 'slash', tone: 'quiet' },
  skipped: { shape: 'slash', tone: 'quiet' },
  unknown: { shape: 'dash', tone: 'quiet' },
}

export function UpgradeStateMark({ state }: { readonly state: UpgradeState }): ReactNode {
  return <Mark {...OUTCOME_LOOKS[state]}>{UPGRADE_STATE_WORDS[state]}</Mark>
}

export function PhaseStateMark({ state }: { readonly state: PhaseState }): ReactNode {
  return <Mark {...OUTCOME_LOOKS[state]}>{PHASE_STATE_WORDS[state]}</Mark>
}

/** Offered and not approved: nothing runs. */
export function WaitingMark(): ReactNode {
  return (
    <Mark shape="clock" tone="tone-waiting">
      waits for approval
    </Mark>
  )
}

export function StuckMark(): ReactNode {
  return (
    <Mark shape="triangle" tone="tone-critical">
      stuck
    </Mark>
  )
}

const HEALTH_WORDS = { ok: 'ok', err: 'cannot be evaluated', unknown: 'not evaluated yet' } as const

/** Whether the rule could be evaluated the last time. */
export function RuleHealth({ health }: { readonly health: keyof typeof HEALTH_WORDS }): ReactNode {
  const look: Look = health === 'err' ? { shape: 'cross', tone: 'tone-critical text-strong' } : { tone: 'quiet' }
  return <Mark {...look}>{HEALTH_WORDS[health]}</Mark>
}
