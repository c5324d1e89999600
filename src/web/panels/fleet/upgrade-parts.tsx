import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { BlockItem, EvidenceItem, UpgradeDetailItem } from '../../../contract/fleet-upgrades.ts'
import type { PhaseState } from '../../../model/upgrade.ts'
import { causeRunbookPath } from '../../lib/cause-runbooks.ts'
import { causeName, operatorName, phaseName } from '../../lib/fleet-names.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { formatLength } from '../../lib/format-time.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { FactList, type Fact } from '../../ui/fact-list.tsx'
import { MarkedList } from '../../ui/marked-list.tsx'
import { MomentList } from '../../ui/moment-list.tsx'
import { PhaseStateMark } from '../../ui/outcome-marks.tsx'
import { Moment, Since, Until } from '../../ui/time.tsx'
import styles from './upgrade-parts.module.css'

/** Parts of the page of an upgrade. */

export function CauseList({ causes }: { readonly causes: readonly BlockItem[] }): ReactNode {
  return (
    <MarkedList
      items={causes.map((cause, i) => ({
        key: `${cause.cause} ${cause.text}`,
        isCritical: i === 0,
        content: <Cause cause={cause} number={i + 1} />,
      }))}
    />
  )
}

interface CauseProps {
  readonly cause: BlockItem
  readonly number: number
}

function Cause({ cause: { cause, text, since, evidence }, number }: CauseProps): ReactNode {
  return (
    <div className={styles.cause}>
      <p>
        <strong>{causeName(cause)}.</strong> {text}{' '}
        {since === null ? null : (
          <span className="quiet">
            Since <Since atMs={Date.parse(since)} />.{' '}
          </span>
        )}
        <Link href={causeRunbookPath(cause)}>Runbook</Link>
      </p>
      {evidence.length === 0 ? (
        <p className="quiet">No separate evidence reported.</p>
      ) : (
        <EvidenceList evidence={evidence} label={`Evidence for cause ${number}`} />
      )}
    </div>
  )
}

interface EvidenceListProps {
  readonly evidence: readonly EvidenceItem[]
  readonly label: string
  readonly hasPhase?: boolean
}

/** What was observed, when, from which source, and where to look. */
export function EvidenceList({ evidence, label, hasPhase = false }: EvidenceListProps): ReactNode {
  return (
    <MomentList
      label={label}
      items={evidence.map(({ source, at, text, ref, phase }, i) => ({
        key: `${at} ${ref} ${i}`,
        atMs: Date.parse(at),
        content: (
          <>
            {hasPhase ? <strong>{phase === null ? 'No phase' : phaseName(phase)}: </strong> : null}
            {text} <span className="quiet">({source})</span> <code className="quiet">{ref}</code>
          </>
        ),
      }))}
    />
  )
}

type Workloads = NonNullable<UpgradeDetailItem['workloads']>

/** The workload update: VMs remaining, pace, expected end. */
export function WorkloadTail({ workloads }: { readonly workloads: Workloads }): ReactNode {
  const { outdatedAtStart, outdatedNow, startedAt, endedAt, migrations, perMinute, etaAt } = workloads
  const done = outdatedAtStart === null || outdatedNow === null ? undefined : Math.max(0, outdatedAtStart - outdatedNow)
  const facts: readonly (Fact | undefined)[] = [
    { name: 'Remaining', value: outdatedNow === null ? 'not reported' : <strong>{formatCount(outdatedNow)}</strong> },
    done === undefined || outdatedAtStart === null
      ? undefined
      : {
          name: 'Done',
          value: `${formatCount(done)} of ${formatCount(outdatedAtStart)} (${formatShare(done, outdatedAtStart)})`,
        },
    { name: 'Rate', value: perMinute === null ? 'not known' : `${perMinute.toFixed(1)} per minute` },
    {
      name: 'Expected end',
      value:
        endedAt !== null ? (
          <Moment atMs={Date.parse(endedAt)} />
        ) : etaAt === null ? (
          'not known: no progress rate'
        ) : (
          <>
            in about <Until atMs={Date.parse(etaAt)} />
          </>
        ),
    },
    startedAt === null ? undefined : { name: 'Started', value: <Moment atMs={Date.parse(startedAt)} /> },
    { name: 'Migrations', value: migrationsText(migrations) },
  ]
  return (
    <>
      {done === undefined || outdatedAtStart === null || outdatedAtStart === 0 ? null : (
        <progress
          className={`keeps-color ${styles.progress}`}
          max={outdatedAtStart}
          value={done}
          aria-label="Updated VMs"
        />
      )}
      <FactList facts={facts} />
    </>
  )
}

function migrationsText(migrations: Workloads['migrations']): string {
  const words = [
    ['running', migrations.running],
    ['pending', migrations.pending],
    ['succeeded', migrations.succeeded],
    ['failed', migrations.failed],
    ['timed out while pending', migrations.pendingTimeouts],
    ['by evacuation', migrations.evacuation],
  ] as const
  const parts = words.flatMap(([word, count]) => (count === null ? [] : [`${formatCount(count)} ${word}`]))
  return parts.length === 0 ? 'not reported' : parts.join(', ')
}

interface VirtHandlerWavesProps {
  readonly handler: NonNullable<UpgradeDetailItem['virtHandler']>
  /** Phases of the upgrade: metrics may report the first node where the object does not. */
  readonly phases: UpgradeDetailItem['upgrade']['phases']
}

export function VirtHandlerWaves({ handler, phases }: VirtHandlerWavesProps): ReactNode {
  const { desired, updated, ready, waves, startedAt, endedAt } = handler
  const canaryAt = handler.canaryAt ?? phases.find(({ name }) => name === 'virt_handler.canary')?.endedAt ?? null
  const canarySeconds =
    startedAt === null || canaryAt === null ? undefined : (Date.parse(canaryAt) - Date.parse(startedAt)) / 1000
  return (
    <>
      <progress
        className={`keeps-color ${styles.progress}`}
        max={Math.max(1, desired)}
        value={updated}
        aria-label="Nodes with the new virt-handler"
      />
      <FactList
        facts={[
          {
            name: 'Nodes',
            value: `${formatCount(updated)} of ${formatCount(desired)} updated, ${formatCount(ready)} ready`,
          },
          { name: 'Waves', value: `${formatCount(waves)}: one node first, then 10 % of the nodes at a time` },
          {
            name: 'First node',
            value: canarySeconds === undefined ? 'not known' : `after ${formatLength(canarySeconds)}`,
          },
          { name: 'Ended', value: endedAt === null ? 'not yet' : <Moment atMs={Date.parse(endedAt)} /> },
        ]}
      />
    </>
  )
}

/** The text of a component without a duration. */
const UNTIMED: Readonly<Partial<Record<PhaseState, string>>> = { in_progress: 'running', skipped: '–', pending: '–' }

type Component = UpgradeDetailItem['components'][number]

export function ComponentTable({ components }: Pick<UpgradeDetailItem, 'components'>): ReactNode {
  return <DataTable label="Components" columns={COMPONENT_COLUMNS} rows={components} rowKey={({ name }) => name} />
}

const COMPONENT_COLUMNS: readonly Column<Component>[] = [
  {
    head: 'Component',
    kind: 'name',
    cell: ({ name, message }) => (
      <>
        {operatorName(name)}
        {message === null ? null : <span className="own-labels">{message}</span>}
      </>
    ),
  },
  { head: 'Versions', cell: (component) => <ComponentVersions component={component} /> },
  { head: 'State', cell: ({ state }) => <PhaseStateMark state={state} /> },
  {
    head: 'Duration',
    kind: 'number',
    cell: ({ startedAt, endedAt, state }) =>
      startedAt === null || endedAt === null ? (
        <span className="quiet">{UNTIMED[state] ?? 'not known'}</span>
      ) : (
        formatLength((Date.parse(endedAt) - Date.parse(startedAt)) / 1000)
      ),
  },
]

function ComponentVersions({ component: { from, to, state } }: { readonly component: Component }): ReactNode {
  return (
    <span className="nums">
      {from !== null && from === to ? (
        <>
          {/* The target version of a component is unknown before its upgrade starts. */}
          {from} {state === 'pending' ? null : <span className="quiet">unchanged</span>}
        </>
      ) : (
        `${from ?? 'unknown'} → ${to ?? 'unknown'}`
      )}
    </span>
  )
}

/** Conditions and gates that changed while it ran, oldest first. */
export function ConditionChanges({ detail }: { readonly detail: UpgradeDetailItem }): ReactNode {
  const changes = [
    ...detail.conditionChanges.map(({ at, component, type, status, reason }) => {
      return { at, text: `${operatorName(component)}: ${type} is ${status}`, more: reason }
    }),
    ...detail.featureGateChanges.map(({ at, gate, on }) => ({
      at,
      text: `Feature gate ${gate}`,
      more: on ? 'on' : 'off',
    })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  if (changes.length === 0) return <p className="quiet">No condition changes reported.</p>
  return (
    <MomentList
      label="Condition changes"
      items={changes.map(({ at, text, more }, i) => ({
        key: `${at} ${text} ${i}`,
        atMs: Date.parse(at),
        content: (
          <>
            {text} <span className="quiet">{more}</span>
          </>
        ),
      }))}
    />
  )
}
