import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunItem, RunItems, SizeClassItem } from '../../../contract/fleet-edges.ts'
import { PHASES } from '../../../model/upgrade.ts'
import { durationScatter, sizeWords, tookWords, type DurationScatter } from '../../lib/duration-scatter.ts'
import { upgradePath } from '../../lib/paths.ts'
import { phaseName } from '../../lib/fleet-names.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { runsCall, useRuns, type RunsAsked } from '../../query/use-edges.ts'
import { useMoment } from '../../query/use-moment.ts'
import { Choice } from '../../ui/choice.tsx'
import { classNames } from '../../ui/class-names.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Select } from '../../ui/select.tsx'
import { Ago } from '../../ui/time.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import { Answer } from '../answer.tsx'
import { ApiCallNote } from '../api-call-note.tsx'
import styles from './duration-explorer.module.css'
import { lengthOr } from './edge-table.tsx'
import { FleetCoverageNote } from './fleet-coverage.tsx'

/** The view as parameters of the address. */
export interface ExplorerView {
  /** Empty: the complete upgrade. */
  readonly phase: string
  readonly show: 'plot' | 'table'
}

interface DurationExplorerProps {
  readonly asked: Omit<RunsAsked, 'phase'>
  readonly view: ExplorerView
  readonly onChange: (view: ExplorerView) => void
}

/** Waiting for an approval does not depend on the size of the cluster. */
const EXPLORED_PHASES = PHASES.filter((phase) => phase !== 'offered' && phase !== 'approval')

/** Durations of upgrades by cluster size. */
export function DurationExplorer({ asked, view, onChange }: DurationExplorerProps): ReactNode {
  const question = { ...asked, phase: view.phase }
  const query = useRuns(question)
  const moment = useMoment()
  return (
    <Panel
      title="Durations by cluster size"
      aside={
        <span className={classNames('row', styles.tools)}>
          <Select
            label="Phase"
            none="the complete upgrade"
            options={EXPLORED_PHASES.map((phase) => ({ value: phase, text: phaseName(phase) }))}
            value={view.phase}
            onChange={(phase) => {
              onChange({ ...view, phase })
            }}
          />
          <Choice
            label="Show durations as"
            options={{ plot: 'Plot', table: 'Table' }}
            value={view.show}
            onChange={(show) => {
              onChange({ ...view, show })
            }}
          />
        </span>
      }
    >
      <Answer query={query} what="the durations" skeletonLines={8}>
        {(answer) => <Explored answer={answer} show={view.show} />}
      </Answer>
      <ApiCallNote call={{ path: runsCall(question, moment) }} />
    </Panel>
  )
}

function Explored({ answer, show }: { readonly answer: RunItems; readonly show: ExplorerView['show'] }): ReactNode {
  const { runs, total, classes, coverage } = answer
  if (runs.length === 0) return <p className="empty quiet">No stored upgrade has this duration.</p>
  const scatter = durationScatter(runs, classes)
  return (
    <>
      {show === 'table' ? (
        <RunTable runs={runs} />
      ) : scatter === undefined ? (
        <p className="quiet">The number of nodes at the start of the upgrade is not known for any of these clusters.</p>
      ) : (
        <ScatterPlot scatter={scatter} />
      )}
      <p className="quiet nums">
        {total > runs.length
          ? `The newest ${formatCount(runs.length)} of ${countOf(total, 'upgrade')}`
          : countOf(total, 'upgrade')}
        {scatter !== undefined && scatter.unsized > 0
          ? `, ${formatCount(scatter.unsized)} on clusters of unknown size`
          : ''}
        . Hollow: not finished, the duration is a lower bound. Nodes: nodes with virt-handler at the start of the
        upgrade. <FleetCoverageNote coverage={coverage} />
      </p>
      <ClassTable classes={classes} />
    </>
  )
}

const percent = (share: number): string => `${(100 * share).toFixed(2)}%`

/** Both axes are logarithmic. */
function ScatterPlot({ scatter }: { readonly scatter: DurationScatter }): ReactNode {
  const { points, medians, xTicks, yTicks } = scatter
  const open = points.filter(({ isFinished }) => !isFinished).length
  return (
    <figure className={`text-tiny ${styles.plot}`}>
      <svg role="img" aria-label={`${countOf(points.length, 'upgrade')} by nodes and duration, ${open} not finished`}>
        {yTicks.map(({ at, text }) => (
          <line key={text} stroke="var(--dt-line)" x1="0" x2="100%" y1={percent(at)} y2={percent(at)} />
        ))}
        {points.map(({ id, x, y, isFinished, text }) => (
          <circle
            key={id}
            className={classNames(styles.dot, !isFinished && styles.open)}
            cx={percent(x)}
            cy={percent(y)}
            r="3.5"
          >
            <title>{text}</title>
          </circle>
        ))}
        {medians.map(({ x1, x2, y, text }) => (
          <line
            key={text}
            stroke="var(--dt-text)"
            strokeWidth="2.5"
            x1={percent(x1)}
            x2={percent(x2)}
            y1={percent(y)}
            y2={percent(y)}
          >
            <title>{text}</title>
          </line>
        ))}
      </svg>
      <div className={classNames(styles.axis, styles.y, 'nums quiet')} aria-hidden="true">
        {yTicks.map(({ at, text }) => (
          <span key={text} style={{ insetBlockStart: percent(at) }}>
            {text}
          </span>
        ))}
      </div>
      <div className={classNames(styles.axis, styles.x, 'nums quiet')} aria-hidden="true">
        {xTicks.map(({ at, text }) => (
          <span key={text} style={{ insetInlineStart: percent(at) }}>
            {text}
          </span>
        ))}
      </div>
      <figcaption className="quiet">nodes</figcaption>
    </figure>
  )
}

function ClassTable({ classes }: { readonly classes: readonly SizeClassItem[] }): ReactNode {
  return <DataTable label="Durations by cluster size" columns={CLASS_COLUMNS} rows={classes} rowKey={sizeWords} />
}

const CLASS_COLUMNS: readonly Column<SizeClassItem>[] = [
  { head: 'Cluster', kind: 'name', cell: sizeWords },
  {
    head: 'Upgrades',
    kind: 'number',
    cell: ({ runs, censored }) => (
      <>
        {formatCount(runs)}
        {censored > 0 ? <span className="quiet"> ({formatCount(censored)} open)</span> : null}
      </>
    ),
  },
  { head: 'p50', kind: 'number', cell: ({ p50Seconds }) => lengthOr(p50Seconds) },
  {
    head: '95 % interval',
    kind: 'number',
    isHiddenOnPhone: true,
    cell: ({ p50Seconds, p50LowSeconds, p50HighSeconds }) =>
      p50Seconds === null ? (
        <span className="quiet">none</span>
      ) : (
        `${lengthOr(p50LowSeconds)} – ${p50HighSeconds === null ? 'open' : lengthOr(p50HighSeconds)}`
      ),
  },
  { head: 'p90', kind: 'number', isHiddenOnPhone: true, cell: ({ p90Seconds }) => lengthOr(p90Seconds) },
]

function RunTable({ runs }: { readonly runs: readonly RunItem[] }): ReactNode {
  return (
    <VirtualDataTable
      label="Upgrades"
      columns={RUN_COLUMNS}
      rows={runs}
      rowKey={({ id }) => id}
      total={runs.length}
      onNeedMore={() => undefined}
    />
  )
}

const RUN_COLUMNS: readonly Column<RunItem>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    cell: ({ id, cluster }) => (
      <Link href={upgradePath(id)} data-row>
        {cluster}
      </Link>
    ),
  },
  {
    head: 'Upgrade path',
    isHiddenOnPhone: true,
    cell: ({ from, to }) => (
      <span className="nums">
        {from} → {to}
      </span>
    ),
  },
  {
    head: 'Nodes',
    kind: 'number',
    cell: ({ nodes }) => (nodes === null ? <span className="quiet">not known</span> : formatCount(nodes)),
  },
  { head: 'Duration', kind: 'number', cell: tookWords },
  { head: 'Started', kind: 'number', isHiddenOnPhone: true, cell: ({ startedAt }) => <Ago at={startedAt} /> },
]
