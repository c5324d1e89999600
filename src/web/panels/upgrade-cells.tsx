import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { OpenUpgradeItem } from '../../contract/now.ts'
import { upgradePath } from '../lib/paths.ts'
import { formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import { phaseWords } from '../lib/fleet-names.ts'
import { operatorWords } from '../lib/upgrade-text.ts'
import { useNowMs } from '../ui/server-clock.ts'
import { Shape } from '../ui/shapes.tsx'
import { Since, Until } from '../ui/time.tsx'
import styles from './upgrade-cells.module.css'

/** Cells that the tables of active upgrades share. */

export function StuckMark(): ReactNode {
  return (
    <span className={`tone-critical text-strong ${styles.stuck}`}>
      <Shape name="triangle" /> stuck
    </span>
  )
}

export function Versions({ from, to }: { readonly from: string | null; readonly to: string }): ReactNode {
  return (
    <span className="nums cell-nowrap">
      {from ?? 'unknown'} → <span className="visually-hidden">to </span>
      {to}
    </span>
  )
}

interface StepProps {
  readonly step: Pick<OpenUpgradeItem, 'operator' | 'from' | 'to'>
  /** What is known of it on a page of its own. */
  readonly href: string
}

/** The versions; with the name of the operator unless it is HCO. */
export function StepLink({ step, href }: StepProps): ReactNode {
  const operator = operatorWords(step.operator)
  return (
    <Link href={href} className={styles.step}>
      {operator === '' ? null : `${operator} `}
      <Versions from={step.from} to={step.to} />
    </Link>
  )
}

/** The versions of an upgrade, as a link to the page of the upgrade. */
export function UpgradeVersions({
  upgrade,
}: {
  readonly upgrade: Pick<OpenUpgradeItem, 'id' | 'operator' | 'from' | 'to'>
}): ReactNode {
  return <StepLink step={upgrade} href={upgradePath(upgrade.id)} />
}

/** The phase, with the count of nodes where there is one. */
export function PhaseCell({ upgrade }: { readonly upgrade: OpenUpgradeItem }): ReactNode {
  const { phase, nodes } = upgrade
  const isOnNodes = phase?.startsWith('virt_handler') === true || phase === 'operands.kubevirt'
  return (
    <>
      {upgrade.stuck ? <StuckMark /> : null}
      {phaseWords(phase)}
      {isOnNodes && nodes !== null ? (
        <span className="quiet nums">
          {' '}
          {formatCount(nodes.updated)} of {formatCount(nodes.desired)}
        </span>
      ) : null}
    </>
  )
}

/** The expected end of the phase, from earlier upgrades on the same path. */
export function PhaseEnd({ endsAt }: { readonly endsAt: string | null }): ReactNode {
  const nowMs = useNowMs()
  if (endsAt === null) return <span className="quiet">-</span>
  const atMs = msOf(endsAt)
  return atMs <= nowMs ? (
    'about now'
  ) : (
    <>
      in <Until atMs={atMs} />
    </>
  )
}

/** The start, and its precision. */
export function Started({ upgrade }: { readonly upgrade: OpenUpgradeItem }): ReactNode {
  const { startedAt, resolutionSeconds } = upgrade
  if (startedAt === null) return <span className="quiet">unknown</span>
  return (
    <>
      <Since atMs={msOf(startedAt)} suffix=" ago" />{' '}
      {resolutionSeconds > 1 ? (
        <span className="quiet" title="Resolution: the interval of the samples">
          ±{resolutionSeconds} s
        </span>
      ) : null}
    </>
  )
}
