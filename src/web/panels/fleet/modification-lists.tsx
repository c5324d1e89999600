import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { ModificationItem } from '../../../contract/fleet-modifications.ts'
import { clusterPath } from '../../lib/paths.ts'
import { operatorName } from '../../lib/fleet-names.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { groupEdits, type EditGroup } from '../../lib/out-of-band.ts'
import { BlockChart } from '../../ui/block-chart.tsx'
import { Button } from '../../ui/button.tsx'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Ago, Since } from '../../ui/time.tsx'
import { PatchOperations } from './patch-parts.tsx'
import styles from './modification-lists.module.css'

const ROWS_STEP = 50

/** JSON patches of the past and in effect, newest first. What they mean for an upgrade is on the page of patches. */
export function PatchHistory({
  patches,
  goneClusters,
}: {
  readonly patches: readonly ModificationItem[]
  readonly goneClusters: readonly string[]
}): ReactNode {
  const [shown, setShown] = useState(ROWS_STEP)
  if (patches.length === 0) return <p className="quiet">No JSON patches in effect on the reporting clusters.</p>
  const columns: readonly Column<ModificationItem>[] = [
    {
      head: 'Cluster',
      kind: 'name',
      cell: ({ cluster }) => (
        <>
          <Link href={clusterPath(cluster)} data-row>
            {cluster}
          </Link>
          {goneClusters.includes(cluster) ? ' (decommissioned)' : ''}
        </>
      ),
    },
    { head: 'Operand', isHiddenOnPhone: true, isOneLine: true, cell: ({ component }) => operatorName(component) },
    { head: 'Operations', cell: (patch) => <PatchOperations patch={patch} /> },
    { head: 'Set', isHiddenOnPhone: true, isOneLine: true, cell: ({ startedAt }) => <Ago at={startedAt} /> },
    { head: 'Removed', isOneLine: true, cell: ({ endedAt }) => <Ago at={endedAt} none="in effect" /> },
  ]
  return (
    <>
      <DataTable
        label="JSON patches by cluster"
        columns={columns}
        rows={patches.slice(0, shown)}
        rowKey={({ id }) => id}
      />
      {patches.length > shown ? (
        <Button
          variant="link"
          onClick={() => {
            setShown(shown + 4 * ROWS_STEP)
          }}
        >
          Show more: {countOf(patches.length - shown, 'row')} left
        </Button>
      ) : null}
    </>
  )
}

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
