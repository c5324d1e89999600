import type { ReactNode } from 'react'
import type { ClusterState } from '../../model/cluster-record.ts'
import type { PhaseState, UpgradeState } from '../../model/upgrade.ts'
import {
  CLUSTER_STATE_MEANINGS,
  CLUSTER_STATE_WORDS,
  PHASE_STATE_WORDS,
  UPGRADE_STATE_WORDS,
} from '../lib/fleet-names.ts'
import { Shape, type ShapeName } from './shapes.tsx'

/** How clusters, upgrades and phases fare: each a shape and a word, and a colour only where it is an outcome. */

interface Look {
  readonly shape: ShapeName
  readonly tone: '' | 'tone-critical' | 'tone-warning' | 'tone-good' | 'quiet'
}

const CLUSTER_LOOKS: Readonly<Record<ClusterState, Look>> = {
  stuck: { shape: 'triangle', tone: 'tone-critical' },
  unhealthy: { shape: 'cross', tone: 'tone-critical' },
  silent: { shape: 'dash', tone: '' },
  tainted: { shape: 'diamond', tone: 'tone-warning' },
  upgrading: { shape: 'up', tone: '' },
  outdated_workloads: { shape: 'clock', tone: '' },
  paused_pool: { shape: 'slash', tone: '' },
  unknown: { shape: 'dash', tone: 'quiet' },
  steady: { shape: 'check', tone: 'quiet' },
  gone: { shape: 'slash', tone: 'quiet' },
}

export function ClusterStateMark({ state }: { readonly state: ClusterState }): ReactNode {
  const { shape, tone } = CLUSTER_LOOKS[state]
  return (
    <span className={`outcome-mark ${tone}`} title={CLUSTER_STATE_MEANINGS[state]}>
      <Shape name={shape} />
      {CLUSTER_STATE_WORDS[state]}
    </span>
  )
}

const UPGRADE_LOOKS: Readonly<Record<UpgradeState, Look>> = {
  in_progress: { shape: 'up', tone: '' },
  succeeded: { shape: 'check', tone: 'tone-good' },
  failed: { shape: 'cross', tone: 'tone-critical' },
  rolled_back: { shape: 'cross', tone: 'tone-critical' },
  superseded: { shape: 'slash', tone: 'quiet' },
  unknown: { shape: 'dash', tone: 'quiet' },
}

export function UpgradeStateMark({ state }: { readonly state: UpgradeState }): ReactNode {
  const { shape, tone } = UPGRADE_LOOKS[state]
  return (
    <span className={`outcome-mark ${tone}`}>
      <Shape name={shape} />
      {UPGRADE_STATE_WORDS[state]}
    </span>
  )
}

/** Offered and not approved: nothing runs. */
export function WaitingMark(): ReactNode {
  return (
    <span className="outcome-mark">
      <Shape name="clock" />
      waits for approval
    </span>
  )
}

const PHASE_LOOKS: Readonly<Record<PhaseState, Look>> = {
  pending: { shape: 'ring', tone: 'quiet' },
  in_progress: { shape: 'up', tone: '' },
  succeeded: { shape: 'check', tone: 'tone-good' },
  failed: { shape: 'cross', tone: 'tone-critical' },
  skipped: { shape: 'slash', tone: 'quiet' },
  unknown: { shape: 'dash', tone: 'quiet' },
}

export function PhaseStateMark({ state }: { readonly state: PhaseState }): ReactNode {
  const { shape, tone } = PHASE_LOOKS[state]
  return (
    <span className={`outcome-mark ${tone}`}>
      <Shape name={shape} />
      {PHASE_STATE_WORDS[state]}
    </span>
  )
}

export function StuckMark(): ReactNode {
  return (
    <span className="outcome-mark tone-critical">
      <Shape name="triangle" />
      stuck
    </span>
  )
}
