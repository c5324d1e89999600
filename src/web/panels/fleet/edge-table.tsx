import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { EdgeWindow } from '../../lib/edge-view.ts'
import { edgePath } from '../../lib/paths.ts'
import { operatorName, phaseName } from '../../lib/fleet-names.ts'
import { formatLength } from '../../lib/format-time.ts'
import type { EdgeItem } from '../../../contract/fleet-edges.ts'
import { edgeKey, edgeName, successText } from '../../lib/edge-text.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Ago } from '../../ui/time.tsx'
import { placeOnLane } from '../../ui/lane.tsx'
import styles from './edge-table.module.css'

interface EdgeTableProps {
  readonly edges: readonly EdgeItem[]
  readonly label: string
  /** Over which upgrades; links keep it. */
  readonly window: EdgeWindow
}

/** Upgrade paths as rows: success rate as an interval, durations. */
export function EdgeTable({ edges, label, window }: EdgeTableProps): ReactNode {
  const columns: readonly Column<EdgeItem>[] = [
    {
      head: 'Upgrade path',
      kind: 'name',
      cell: (edge) => (
        <>
          <Link className="nums" href={edgePath(edge.operator, edge.from, edge.to, { window })} data-row>
            {edgeName(edge)}
          </Link>
          <span className="own-labels">{operatorName(edge.operator)}</span>
        </>
      ),
      below: ({ attempts, duration }) => (
        <>
          <span className="cell-nowrap nums">{countOf(attempts, 'attempt')}</span>
          <span className="cell-nowrap nums">p50 {lengthOr(duration.p50Seconds)}</span>
        </>
      ),
    },
    ...COLUMNS,
  ]
  return (
    <DataTable
      label={label}
      look="boxed"
      columns={columns}
      rows={edges}
      rowKey={(edge) => `${edge.operator} ${edgeKey(edge)}`}
    />
  )
}

const COLUMNS: readonly Column<EdgeItem>[] = [
  { head: 'Attempts', kind: 'number', isHiddenOnPhone: true, cell: ({ attempts }) => formatCount(attempts) },
  {
    id: 'succeeded',
    head: (
      <>
        Success rate <span className="quiet">(95 % interval)</span>
      </>
    ),
    cell: (edge) => <SuccessWhisker edge={edge} />,
  },
  { head: 'p50', kind: 'number', isHiddenOnPhone: true, cell: ({ duration }) => lengthOr(duration.p50Seconds) },
  { head: 'p90', kind: 'number', isHiddenOnPhone: true, cell: ({ duration }) => lengthOr(duration.p90Seconds) },
  {
    head: 'Longest phases',
    isHiddenOnPhone: true,
    cell: (edge) => <span className="quiet nums">{longestPhases(edge)}</span>,
  },
  {
    head: 'Last',
    kind: 'number',
    isHiddenOnPhone: true,
    // The table is as wide as its words: an age that becomes longer or shorter widens nothing.
    style: { minInlineSize: '8rem' },
    cell: ({ lastAt }) => <Ago at={lastAt} />,
  },
]

export function lengthOr(seconds: number | null): string {
  return seconds === null ? 'not known' : formatLength(seconds)
}

const LONGEST_SHOWN = 3

function longestPhases({ phases }: EdgeItem): string {
  return phases
    .filter(({ phase, p50Seconds }) => p50Seconds !== null && !phase.includes('.') && phase !== 'offered')
    .sort((a, b) => (b.p50Seconds ?? 0) - (a.p50Seconds ?? 0))
    .slice(0, LONGEST_SHOWN)
    .map(({ phase, p50Seconds }) => `${phaseName(phase)} ${formatLength(p50Seconds ?? 0)}`)
    .join(', ')
}

/** The share that succeeded as a point in its interval, on a line from none to all. */
export function SuccessWhisker({ edge }: { readonly edge: Pick<EdgeItem, 'success' | 'outcomes'> }): ReactNode {
  const { success, outcomes } = edge
  if (success === null) {
    return <span className="quiet nums">none ended, {formatCount(outcomes.inProgress)} running</span>
  }
  const { share, low, high, of } = success
  return (
    <span className={styles.whisker} title={successText(edge)}>
      <span className={`keeps-color ${styles.line}`} aria-hidden="true">
        <span className={`piece ${styles.range}`} style={placeOnLane({ start: low, end: high })} />
        <span className={`piece ${styles.point}`} style={{ insetInlineStart: `${100 * share}%` }} />
      </span>
      <span className="nums">
        {formatShare(Math.round(share * of), of)} of {formatCount(of)}
        <span className="quiet">, ≥ {Math.floor(100 * low)} %</span>
      </span>
    </span>
  )
}
