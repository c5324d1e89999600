import type { ReactNode } from 'react'
import { phaseWords, phaseName } from '../lib/fleet-names.ts'
import type { OpenUpgradeItem, WaitingUpgradeItem, Now } from '../../contract/now.ts'
import type { Stable } from '../lib/stable-list.ts'
import { DataTable, type Column } from '../ui/data-table.tsx'
import { GoneMark } from '../ui/gone-mark.tsx'
import { formatCount } from '../lib/format-number.ts'
import { msOf } from '../lib/format-time.ts'
import { Until, Since } from '../ui/time.tsx'
import { baselineWords } from '../lib/upgrade-text.ts'
import { classNames } from '../ui/class-names.ts'
import { Shape } from '../ui/shapes.tsx'
import { ClusterLink } from './cluster-link.tsx'
import { Started, UpgradeVersions, PhaseCell, PhaseEnd, StuckMark } from './upgrade-cells.tsx'
import styles from './open-upgrades.module.css'

type OpenUpgrade = Pick<OpenUpgradeItem, 'id' | 'cluster' | 'operator' | 'from' | 'to'>

interface OpenUpgradeTableProps<T> {
  readonly label: string
  readonly upgrades: readonly Stable<T>[]
  /** State or cause in words; on a phone it is below the name of the cluster. */
  readonly text?: Column<Stable<T>>
  readonly numbers: readonly Column<Stable<T>>[]
  /** Below the name of the cluster; such rows are as high as they need. */
  readonly note?: (upgrade: T) => ReactNode
}

/** Active upgrades of the landing page: cluster, versions, state, start. */
function OpenUpgradeTable<T extends OpenUpgrade>(props: OpenUpgradeTableProps<T>): ReactNode {
  const { label, upgrades, text, numbers, note } = props
  const isOneLine = note === undefined
  const columns: readonly Column<Stable<T>>[] = [
    {
      head: 'Cluster',
      kind: 'name',
      isOneLine,
      isBelowStacked: true,
      cell: (upgrade) => (
        <>
          <ClusterLink cluster={upgrade.cluster} /> <GoneMark row={upgrade} />
          {note === undefined ? null : <span className="own-labels">{note(upgrade)}</span>}
        </>
      ),
      below: (upgrade) => (
        <>
          <UpgradeVersions upgrade={upgrade} />
          {text?.cell(upgrade, 0)}
        </>
      ),
    },
    { head: 'Versions', isOneLine, isHiddenOnPhone: true, cell: (upgrade) => <UpgradeVersions upgrade={upgrade} /> },
    ...(text === undefined ? [] : [{ ...text, isHiddenOnPhone: true }]),
    ...numbers,
  ]
  return <DataTable label={label} columns={columns} rows={upgrades} rowKey={({ id }) => id} />
}

const STARTED: Column<OpenUpgradeItem> = {
  head: 'Started',
  kind: 'number',
  isHiddenOnPhone: true,
  cell: (upgrade) => <Started upgrade={upgrade} />,
}

interface UpgradeListProps {
  readonly upgrades: readonly Stable<OpenUpgradeItem>[]
}

/** Upgrades whose control plane is being updated. */
export function UpgradingTable({ upgrades }: UpgradeListProps): ReactNode {
  return <OpenUpgradeTable label="Active upgrades" upgrades={upgrades} text={PHASE} numbers={[PHASE_ENDS, STARTED]} />
}

const PHASE: Column<OpenUpgradeItem> = {
  head: 'Phase',
  cell: (upgrade) => (
    <span>
      <PhaseCell upgrade={upgrade} />
    </span>
  ),
}
const PHASE_ENDS: Column<OpenUpgradeItem> = {
  kind: 'number',
  head: 'Phase ends',
  cell: ({ phaseEndsAt }) => <PhaseEnd endsAt={phaseEndsAt} />,
}

/** Upgrades in the workload update: the control plane is done, VMs still run the old launcher. */
export function FollowingTable({ upgrades }: UpgradeListProps): ReactNode {
  return (
    <OpenUpgradeTable
      label="Workload updates"
      upgrades={upgrades}
      numbers={[VMS_REMAINING, UPDATE_ENDS]}
      note={(upgrade) => (upgrade.phase === 'workloads' && !upgrade.stuck ? null : <PhaseCell upgrade={upgrade} />)}
    />
  )
}

const VMS_REMAINING: Column<OpenUpgradeItem> = {
  kind: 'number',
  head: 'VMs remaining',
  cell: ({ machines }) => <VmsRemaining machines={machines} />,
}
const UPDATE_ENDS: Column<OpenUpgradeItem> = {
  kind: 'number',
  head: 'Expected end',
  cell: ({ machines }) => <UpdateEnd machines={machines} />,
}

function VmsRemaining({ machines }: Pick<OpenUpgradeItem, 'machines'>): ReactNode {
  if (machines === null) return <span className="quiet">unknown</span>
  const { outdated, outdatedAtStart } = machines
  return (
    <>
      {formatCount(outdated)}
      {outdatedAtStart === null ? null : <span className="quiet"> of {formatCount(outdatedAtStart)}</span>}
    </>
  )
}

function UpdateEnd({ machines }: Pick<OpenUpgradeItem, 'machines'>): ReactNode {
  const etaAt = machines?.etaAt ?? null
  if (etaAt === null) return <span className="quiet">not known</span>
  return (
    <>
      in <Until atMs={msOf(etaAt)} />
    </>
  )
}

/** Upgrades without progress: cause, time without progress, and what is typical. */
export function StuckTable({ upgrades }: { readonly upgrades: readonly Stable<OpenUpgradeItem>[] }): ReactNode {
  return <OpenUpgradeTable label="Stuck upgrades" upgrades={upgrades} text={CAUSE} numbers={[NO_PROGRESS, STARTED]} />
}

const CAUSE: Column<OpenUpgradeItem> = { head: 'Cause', cell: (upgrade) => <Cause upgrade={upgrade} /> }
const NO_PROGRESS: Column<OpenUpgradeItem> = {
  kind: 'number',
  head: 'No progress for',
  cell: ({ stalledSince }) => (stalledSince === null ? 'unknown' : <Since atMs={msOf(stalledSince)} />),
}

function Cause({ upgrade }: { readonly upgrade: OpenUpgradeItem }): ReactNode {
  const { cause, phase, baseline, silentSince } = upgrade
  return (
    <span>
      <span className="cause">{cause?.text ?? 'No known cause detected.'}</span>
      <span className="quiet">
        {phaseWords(phase)}: {baselineWords(baseline)}
        {silentSince === null ? null : (
          <>
            ; silent for <Since atMs={msOf(silentSince)} />, current state not known
          </>
        )}
      </span>
    </span>
  )
}

/** Upgrades with a pending approval: the install plan, and since when. */
export function WaitingTable({ upgrades }: { readonly upgrades: readonly Stable<WaitingUpgradeItem>[] }): ReactNode {
  return (
    <OpenUpgradeTable
      label="Pending approval"
      upgrades={upgrades}
      numbers={[WAITS_FOR]}
      note={(upgrade) => (
        <>
          {upgrade.stuck ? <StuckMark /> : null} <Plan upgrade={upgrade} />
        </>
      )}
    />
  )
}

const WAITS_FOR: Column<WaitingUpgradeItem> = {
  kind: 'number',
  head: 'Pending for',
  cell: ({ since }) => (since === null ? <span className="quiet">unknown</span> : <Since atMs={msOf(since)} />),
}

function Plan({ upgrade }: { readonly upgrade: WaitingUpgradeItem }): ReactNode {
  const { namespace, installPlan, channel } = upgrade
  return (
    <>
      {installPlan === null ? (
        'install plan not reported'
      ) : (
        <code>{[namespace, installPlan].filter(Boolean).join('/')}</code>
      )}
      {channel === null ? null : ` of ${channel}`}
    </>
  )
}

/** Active upgrades by phase, in the order of an upgrade: one cell with a number per phase, darker for more. */
export function PhaseStrip({ phases }: { readonly phases: Now['upgrading']['byPhase'] }): ReactNode {
  const most = Math.max(1, ...phases.map(({ count }) => count))
  return (
    <ol className={`row text-small spaced ${styles.strip}`} aria-label="Upgrades by phase">
      {phases.map(({ phase, count, stuck }) => (
        <li key={phase ?? ''} className="box">
          <span
            className={`keeps-color ${styles.heat}`}
            aria-hidden="true"
            style={{ opacity: 0.05 + (0.13 * count) / most }}
          />
          <span className={classNames(styles.text, styles.count, 'nums')}>{formatCount(count)}</span>
          <span className={styles.text} {...(phase === null ? {} : { title: phaseName(phase) })}>
            {phaseWords(phase)}
          </span>
          {stuck > 0 ? (
            <span className={classNames(styles.text, 'tone-critical')}>
              <Shape name="triangle" /> {formatCount(stuck)} stuck
            </span>
          ) : null}
        </li>
      ))}
    </ol>
  )
}
