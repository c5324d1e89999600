import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { ModificationItem } from '../../../contract/fleet-modifications.ts'
import { clusterPath } from '../../lib/paths.ts'
import { operatorName } from '../../lib/fleet-names.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import {
  groupEdits,
  groupPatches,
  PATCH_HAZARD_WORDS,
  type EditGroup,
  type PatchTarget,
} from '../../lib/patch-hazards.ts'
import { BlockChart } from '../../ui/block-chart.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Since } from '../../ui/time.tsx'
import styles from './modification-lists.module.css'

/** JSON patches by what makes them unsafe, each target with the clusters that have it. */
export function PatchGroups({
  patches,
  goneClusters,
}: {
  readonly patches: readonly ModificationItem[]
  readonly goneClusters: readonly string[]
}): ReactNode {
  const groups = groupPatches(patches)
  if (groups.length === 0) return <p className="quiet">No JSON patches in effect on the reporting clusters.</p>
  const columns: readonly Column<PatchTarget>[] = [
    TARGET_COLUMN,
    {
      head: 'Clusters',
      className: styles.clusters,
      cell: ({ patches: own }) => <PatchClusters patches={own} goneClusters={goneClusters} />,
    },
    OLDEST_COLUMN,
  ]
  return groups.map(({ hazard, targets, clusters }) => (
    <section key={hazard} className={styles.group} aria-labelledby={`patch-${hazard}`}>
      <h3 id={`patch-${hazard}`}>
        {PATCH_HAZARD_WORDS[hazard].name} <span className="quiet">on {countOf(clusters, 'cluster')}</span>
      </h3>
      <p className="quiet">{PATCH_HAZARD_WORDS[hazard].meaning}</p>
      <DataTable
        label={PATCH_HAZARD_WORDS[hazard].name}
        className={styles.patches}
        columns={columns}
        rows={targets}
        rowKey={({ component, path }) => `${component} ${path}`}
      />
    </section>
  ))
}

const CLUSTERS_SHOWN = 6

const TARGET_COLUMN: Column<PatchTarget> = {
  head: 'Target',
  kind: 'name',
  cell: ({ component, path, patches }) => (
    <>
      {operatorName(component)} {path === '' ? <span className="quiet">{patches[0]?.text}</span> : <code>{path}</code>}
    </>
  ),
}

const OLDEST_COLUMN: Column<PatchTarget> = {
  head: 'Oldest',
  kind: 'number',
  isHiddenOnPhone: true,
  cell: ({ patches }) => {
    const startedMs = patches.flatMap(({ startedAt }) => (startedAt === null ? [] : [Date.parse(startedAt)]))
    return startedMs.length === 0 ? 'not known' : <Since atMs={Math.min(...startedMs)} suffix=" ago" />
  },
}

interface PatchClustersProps {
  readonly patches: PatchTarget['patches']
  readonly goneClusters: readonly string[]
}

function PatchClusters({ patches, goneClusters }: PatchClustersProps): ReactNode {
  const [areAllShown, setAllShown] = useState(false)
  const clusters = [...new Map(patches.map((patch) => [patch.cluster, patch])).values()]
  const shown = areAllShown ? clusters : clusters.slice(0, CLUSTERS_SHOWN)
  return (
    <>
      {shown.map(({ cluster, endedAt, operations }) => (
        <span key={cluster} className="inline-item" title={operations === null ? '' : JSON.stringify(operations)}>
          <Link href={clusterPath(cluster)}>{cluster}</Link>
          {goneClusters.includes(cluster) ? ' (decommissioned)' : endedAt === null ? '' : ' (removed)'}
        </span>
      ))}{' '}
      {clusters.length > shown.length ? (
        <Button
          variant="inline"
          onClick={() => {
            setAllShown(true)
          }}
        >
          and {formatCount(clusters.length - shown.length)} more
        </Button>
      ) : null}
    </>
  )
}

const ROWS_STEP = 50

/** Out-of-band edits by component and cluster: how often, and at which hours. */
export function EditTable({
  edits,
  goneClusters,
  nowMs,
}: {
  readonly edits: readonly ModificationItem[]
  readonly goneClusters: readonly string[]
  readonly nowMs: number
}): ReactNode {
  const [shown, setShown] = useState(ROWS_STEP)
  const { zone } = usePreferences()
  const groups = groupEdits(edits, nowMs, (ms) =>
    zone === 'utc' ? new Date(ms).getUTCHours() : new Date(ms).getHours(),
  )
  if (groups.length === 0) return <p className="quiet">No out-of-band modifications reported.</p>
  const most = Math.max(...groups.flatMap(({ hours }) => hours))
  const columns: readonly Column<EditGroup>[] = [
    { head: 'Component', cell: ({ component }) => operatorName(component) },
    {
      head: 'Cluster',
      kind: 'name',
      cell: ({ cluster }) => (
        <>
          <Link href={clusterPath(cluster)}>{cluster}</Link>
          {goneClusters.includes(cluster) ? ' (decommissioned)' : ''}
        </>
      ),
    },
    {
      head: 'Modifications',
      kind: 'number',
      title: ({ bursts }) => `in ${countOf(bursts, 'burst')}`,
      cell: (group) => formatCount(group.edits),
    },
    {
      head: 'Per day',
      kind: 'number',
      isHiddenOnPhone: true,
      cell: ({ perDay }) => (perDay < 1 ? '< 1' : perDay.toFixed(1)),
    },
    {
      id: 'hours',
      head: `By hour of the day (${zone === 'utc' ? 'UTC' : 'local'})`,
      isHiddenOnPhone: true,
      style: { inlineSize: '12rem' },
      className: styles.hours,
      cell: ({ hours }) => <BlockChart values={hours} most={most} label={hoursText(hours)} />,
    },
    { head: 'Last', kind: 'number', cell: ({ lastMs }) => <Since atMs={lastMs} suffix=" ago" /> },
  ]
  return (
    <>
      <DataTable
        label="Out-of-band modifications by component and cluster"
        columns={columns}
        rows={groups.slice(0, shown)}
        rowKey={({ component, cluster }) => `${component} ${cluster}`}
      />
      {groups.length > shown ? (
        <Button
          variant="link"
          onClick={() => {
            setShown(shown + 4 * ROWS_STEP)
          }}
        >
          Show more: {countOf(groups.length - shown, 'row')} left
        </Button>
      ) : null}
    </>
  )
}

function hoursText(hours: readonly number[]): string {
  const parts = hours.flatMap((count, hour) => (count === 0 ? [] : [`${formatCount(count)} at ${hour} h`]))
  return `Modifications by hour: ${parts.join(', ')}`
}
