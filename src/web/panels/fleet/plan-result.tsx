import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ClusterPlanItem, PlanAnswer, PlanScheduleItem, PlanWaveItem } from '../../../contract/fleet-plans.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { clusterPath } from '../../lib/paths.ts'
import { outcomesText, totalText } from '../../lib/plan-text.ts'
import { Button } from '../../ui/button.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Headline } from '../../ui/headline.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Moment } from '../../ui/time.tsx'
import { PlanSteps } from './plan-steps.tsx'

interface PlanResultProps {
  readonly plan: PlanAnswer
  /** The cluster whose steps are shown; empty: the first. */
  readonly open: string
  readonly onOpen: (cluster: string) => void
}

/** A plan: when all is done, what blocks it, the waves, the clusters, and the steps of one of them. */
export function PlanResult({ plan, open, onOpen }: PlanResultProps): ReactNode {
  const { clusters, selected, blocked, schedule } = plan
  const shown = clusters.find(({ cluster }) => cluster === open) ?? clusters[0]
  if (shown === undefined) return <p className="empty quiet">No cluster matches the selection.</p>
  return (
    <>
      <Headline {...(blocked > 0 ? { kind: 'stuck' as const } : {})}>
        <strong>{countOf(selected, 'cluster')}</strong>: {outcomesText(plan)}.{' '}
        {blocked === 0 ? null : <strong>{countOf(blocked, 'cluster has', 'clusters have')} a blocking hazard. </strong>}
        <Ends schedule={schedule} />
      </Headline>
      <Blocking clusters={clusters} />
      <PlanSteps key={shown.cluster} plan={shown} />
      <Panel title="Clusters" aside={clusters.length < selected ? `first ${formatCount(clusters.length)}` : undefined}>
        <DataTable
          label="Planned clusters"
          columns={clusterColumns(shown.cluster, onOpen)}
          rows={clusters}
          rowKey={({ cluster }) => cluster}
          csvName="plan"
        />
      </Panel>
      {schedule.waves.length === 0 ? null : (
        <Panel
          title="Schedule"
          aside={`${countOf(schedule.clustersAtOnce, 'cluster')} at a time, ${windowsText(schedule)}`}
        >
          <DataTable label="Waves" columns={WAVE_COLUMNS} rows={schedule.waves} rowKey={(_, i) => i} />
          <p className="quiet text-small">
            From {formatCount(schedule.draws)} simulated runs over measured durations, each step drawn independently.
            Commands and approvals are not counted.
          </p>
        </Panel>
      )}
    </>
  )
}

function windowsText({ windows, timeZone }: PlanScheduleItem): string {
  return windows.length === 0 ? 'at any time' : `${windows.join('; ')} (${timeZone})`
}

function Ends({ schedule }: { readonly schedule: PlanScheduleItem }): ReactNode {
  const { waves, endP50At, endP90At, unknownSteps, overlongSteps } = schedule
  if (waves.length === 0) return null
  return (
    <>
      {endP50At === null ? (
        'The end is not known: measured upgrades were not observed for so long'
      ) : (
        <>
          Done by <At at={endP50At} /> (p50), <At at={endP90At} /> (p90)
        </>
      )}
      {unknownSteps === 0
        ? ''
        : `; ${countOf(unknownSteps, 'step has', 'steps have')} an unknown duration and count as nothing`}
      .
      {overlongSteps === 0
        ? ''
        : ` ${countOf(overlongSteps, 'step is', 'steps are')} longer than each maintenance window and run on after its end.`}
    </>
  )
}

function At({ at }: { readonly at: string | null }): ReactNode {
  return at === null ? <span>not known</span> : <Moment atMs={Date.parse(at)} />
}

function Blocking({ clusters }: { readonly clusters: readonly ClusterPlanItem[] }): ReactNode {
  const rows = clusters.flatMap(({ cluster, blockers }) =>
    blockers.filter(({ severity }) => severity === 'blocking').map((blocker) => ({ cluster, ...blocker })),
  )
  if (rows.length === 0) return null
  return (
    <Panel title="Before the first step" aside={countOf(rows.length, 'blocking hazard')}>
      <DataTable
        label="Blocking hazards"
        columns={BLOCKER_COLUMNS}
        rows={rows}
        rowKey={({ cluster, name, text }) => `${cluster} ${name} ${text}`}
      />
    </Panel>
  )
}

const BLOCKER_COLUMNS: readonly Column<{ readonly cluster: string; readonly text: string; readonly fix: string }>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    isOneLine: true,
    cell: ({ cluster }) => <Link href={clusterPath(cluster)}>{cluster}</Link>,
  },
  {
    head: 'Hazard',
    cell: ({ text }) => (
      <>
        <Shape name="triangle" className="tone-critical" /> {text}
      </>
    ),
  },
  { head: 'Fix', isHiddenOnPhone: true, cell: ({ fix }) => fix },
]

function clusterColumns(shown: string, onOpen: (cluster: string) => void): readonly Column<ClusterPlanItem>[] {
  return [
    {
      head: 'Cluster',
      kind: 'name',
      cell: ({ cluster }) => <Link href={clusterPath(cluster)}>{cluster}</Link>,
      below: ({ summary }) => summary,
      csv: ({ cluster }) => cluster,
    },
    { head: 'Path', isHiddenOnPhone: true, cell: ({ summary }) => summary, csv: ({ summary }) => summary },
    { head: 'Duration', cell: (plan) => totalText(plan), csv: ({ total }) => total.p90Seconds },
    {
      head: 'Steps',
      kind: 'number',
      cell: ({ cluster, steps }) =>
        steps.length === 0 ? (
          <span className="quiet">none</span>
        ) : (
          <Button
            variant="inline"
            aria-pressed={cluster === shown}
            aria-label={`${formatCount(steps.filter(({ state }) => state !== 'done').length)}: steps of ${cluster}`}
            onClick={() => {
              onOpen(cluster)
            }}
          >
            {formatCount(steps.filter(({ state }) => state !== 'done').length)}
          </Button>
        ),
      csv: ({ steps }) => steps.length,
    },
  ]
}

const NAMES_SHOWN = 4

const WAVE_COLUMNS: readonly Column<PlanWaveItem>[] = [
  { head: 'Wave', kind: 'number', cell: (_, i) => i + 1 },
  {
    head: 'Clusters',
    cell: ({ clusters }) => (
      <>
        {clusters.slice(0, NAMES_SHOWN).join(', ')}
        {clusters.length > NAMES_SHOWN ? (
          <span className="quiet"> and {formatCount(clusters.length - NAMES_SHOWN)} more</span>
        ) : null}
      </>
    ),
  },
  { head: 'Start (p50)', cell: ({ startP50At }) => <At at={startP50At} /> },
  { head: 'End (p50)', isHiddenOnPhone: true, cell: ({ endP50At }) => <At at={endP50At} /> },
  { head: 'End (p90)', cell: ({ endP90At }) => <At at={endP90At} /> },
]
