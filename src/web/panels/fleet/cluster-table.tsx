import { Fragment, useMemo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { CLUSTER_COLUMNS, FIRST_COLUMNS, type ClusterColumn } from '../../lib/list-preferences.ts'
import { clusterPath, upgradePath, alertsPath } from '../../lib/paths.ts'
import { operatorName, phaseName, SILENCE_CAUSE_WORDS } from '../../lib/fleet-names.ts'
import { versionAge } from '../../lib/version-order.ts'
import type { ClusterItem } from '../../../contract/fleet-clusters.ts'
import type { ClusterListView, ClusterSort } from '../../lib/cluster-view.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import type { Column } from '../../ui/data-table.tsx'
import { selectColumn, SelectBox } from '../../ui/select-column.tsx'
import { VirtualDataTable } from '../../ui/virtual-data-table.tsx'
import { ClusterStateMark, StuckMark } from '../../ui/outcome-marks.tsx'
import { Shape } from '../../ui/shapes.tsx'
import { Ago } from '../../ui/time.tsx'
import { VersionMark } from '../../ui/version-mark.tsx'
import styles from './cluster-table.module.css'

const SORTS: Readonly<Partial<Record<ClusterColumn, ClusterSort>>> = {
  version: 'version',
  outdated: 'outdated_workloads',
  seen: 'last_seen',
}

const WIDTHS: Readonly<Partial<Record<ClusterColumn, string>>> = {
  state: 'clamp(9.5rem, 12.2vw, 11rem)',
  version: '6.25rem',
  kubevirt: '6.25rem',
  platform: '9.5rem',
  heard: '9rem',
  alerts: '5rem',
  seen: 'clamp(6.25rem, 8vw, 7.25rem)',
}
const TEXT_WIDTH = 'clamp(6rem, 7.2vw, 6.5rem)'

/** Which columns disappear on a narrower screen, the least informative first. */
const HIDDEN_WHEN_NARROW: Readonly<Partial<Record<ClusterColumn, string | undefined>>> = {
  region: styles.goesFirst,
  provider: styles.goesFirst,
  environment: styles.goesFirst,
  platform: styles.goesSecond,
  flavour: styles.goesSecond,
  channel: styles.goesThird,
  approval: styles.goesThird,
  outdated: styles.goesThird,
}

interface ClusterTableProps {
  readonly clusters: readonly ClusterItem[]
  readonly total: number
  readonly columns: readonly ClusterColumn[]
  readonly view: ClusterListView
  readonly context: CellContext
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (clusters: readonly string[], isChosen: boolean) => void
  readonly onSort: (sort: ClusterSort) => void
  readonly onNeedMore: () => void
}

/** Clusters as rows, as many as there are. */
export function ClusterTable(props: ClusterTableProps): ReactNode {
  const { clusters, total, columns, view, context, chosen, onChoose, onSort, onNeedMore } = props
  const cells = useMemo(
    () => [
      selectClusters(chosen, onChoose),
      nameColumn(context),
      ...columns.map((column) => columnOf(column, context)),
    ],
    [chosen, onChoose, columns, context],
  )
  return (
    <VirtualDataTable
      label="Clusters"
      className={columns.length >= FIRST_COLUMNS.length ? styles.many : undefined}
      columns={cells}
      firstHead={<SelectAll clusters={clusters} chosen={chosen} onChoose={onChoose} />}
      rows={clusters}
      rowKey={({ cluster }) => cluster}
      rowClass={({ cluster }) => chosen.has(cluster) && 'is-chosen'}
      sort={view}
      onSort={onSort}
      total={total}
      onNeedMore={onNeedMore}
      onToggleRow={(index) => {
        const cluster = clusters[index]?.cluster
        if (cluster !== undefined) onChoose([cluster], !chosen.has(cluster))
      }}
    />
  )
}

type ChoiceProps = Pick<ClusterTableProps, 'clusters' | 'chosen' | 'onChoose'>

function SelectAll({ clusters, chosen, onChoose }: ChoiceProps): ReactNode {
  const names = clusters.map(({ cluster }) => cluster)
  const chosenCount = names.filter((name) => chosen.has(name)).length
  return (
    <SelectBox
      name={`Select ${countOf(names.length, 'cluster')}`}
      chosen={chosenCount === 0 ? 'none' : chosenCount === names.length ? 'all' : 'some'}
      onChoose={(isChosen) => {
        onChoose(names, isChosen)
      }}
    />
  )
}

function selectClusters(
  chosen: ChoiceProps['chosen'],
  onChoose: ChoiceProps['onChoose'],
): Column<ClusterItem, ClusterSort> {
  return selectColumn({
    verb: 'Select',
    nameOf: ({ cluster }) => cluster,
    isChosen: ({ cluster }) => chosen.has(cluster),
    onChoose: ({ cluster }, isChosen) => {
      onChoose([cluster], isChosen)
    },
  })
}

function nameColumn(context: CellContext): Column<ClusterItem, ClusterSort> {
  return {
    head: 'Cluster',
    kind: 'name',
    sort: 'cluster',
    style: { inlineSize: 'clamp(11rem, 13.3vw, 12rem)' },
    cell: ({ cluster }) => (
      <Link href={clusterPath(cluster)} data-row>
        {cluster}
      </Link>
    ),
    below: (cluster) => (
      <>
        {(['state', 'version', 'upgrade'] as const).map((column) => (
          <Fragment key={column}>{CLUSTER_CELLS[column](cluster, context)}</Fragment>
        ))}
        <FiringBelow cluster={cluster.cluster} count={context.alerts?.get(cluster.cluster)} />
      </>
    ),
  }
}

function columnOf(column: ClusterColumn, context: CellContext): Column<ClusterItem, ClusterSort> {
  const sort = SORTS[column]
  return {
    id: column,
    head: CLUSTER_COLUMNS.find(({ name }) => name === column)?.title ?? column,
    kind: NUMBER_COLUMNS.has(column) ? 'number' : 'text',
    isHiddenOnPhone: true,
    className: HIDDEN_WHEN_NARROW[column],
    ...(column === 'upgrade' ? {} : { style: { inlineSize: WIDTHS[column] ?? TEXT_WIDTH } }),
    cell: (cluster) => CLUSTER_CELLS[column](cluster, context),
    ...(sort === undefined ? {} : { sort }),
  }
}

/** Data for the cells of a row besides the cluster. */
interface CellContext {
  readonly versions: readonly { readonly value: string | null; readonly count: number }[]
  /** Firing alerts by cluster; absent: not loaded. */
  readonly alerts: ReadonlyMap<string, FiringCount> | undefined
}

export interface FiringCount {
  readonly firing: number
  readonly critical: number
}

/** The cell of each column. A value that is not reported is a dash with its reason. */
const CLUSTER_CELLS: Readonly<Record<ClusterColumn, (cluster: ClusterItem, context: CellContext) => ReactNode>> = {
  state: ({ states, silence }) => (
    <span className="mark-line">
      {states.map((state) => (
        <ClusterStateMark key={state} state={state} />
      ))}
      {silence && <span className="quiet">{SILENCE_CAUSE_WORDS[silence.cause]}</span>}
    </span>
  ),
  version: ({ version, versions }, { versions: all }) => {
    const shown = version ?? versions['kubevirt'] ?? null
    return <VersionMark version={shown} age={shown === null ? undefined : versionAge(shown, all)} />
  },
  kubevirt: ({ versions }) => <span className="nums">{versions['kubevirt'] ?? <NotReported />}</span>,
  platform: ({ platform }) =>
    platform === null ? (
      <NotReported />
    ) : (
      <span className="nums">
        {{ openshift: 'OpenShift', kubernetes: 'Kubernetes' }[platform.kind]} {platform.version ?? ''}
        {platform.target === null ? null : <span className="quiet"> → {platform.target}</span>}
      </span>
    ),
  channel: ({ channel }) => channel ?? <NotReported />,
  approval: ({ approval }) => approval ?? <NotReported />,
  flavour: ({ flavour }) => flavour ?? <NotReported />,
  upgrade: ({ openUpgrades }) =>
    openUpgrades.map(({ id, operator, to, phase, stuck }) => (
      <span key={id} className="mark-line">
        <Link href={upgradePath(id)}>
          {operatorName(operator)} → {to}
        </Link>
        {stuck ? <StuckMark /> : null}
        {phase === null ? null : <span className="quiet">{phaseName(phase)}</span>}
      </span>
    )),
  alerts: ({ cluster }, { alerts }) => {
    if (alerts === undefined) return <NotReported why="Alerts not loaded" />
    const { firing, critical } = alerts.get(cluster) ?? { firing: 0, critical: 0 }
    if (firing === 0) return <span className="quiet">0</span>
    const words = `${countOf(firing, 'alert')} firing`
    return (
      <Link
        href={alertsPath({ cluster })}
        className="nums"
        title={words}
        {...(critical > 0 ? { 'aria-label': `${formatCount(critical)} critical of ${words}` } : {})}
      >
        {critical > 0 ? (
          <span className="tone-critical">
            <Shape name="triangle" /> {formatCount(critical)}
            {' / '}
          </span>
        ) : null}
        {formatCount(firing)}
      </Link>
    )
  },
  outdated: ({ outdatedWorkloads }) =>
    outdatedWorkloads === null ? <NotReported /> : <span className="nums">{formatCount(outdatedWorkloads)}</span>,
  region: ({ region }) => region ?? <NotReported />,
  provider: ({ provider }) => provider ?? <NotReported />,
  environment: ({ environment }) => environment ?? <NotReported />,
  heard: ({ coverage }) => sourcesOf(coverage).join(', '),
  seen: ({ lastSeenAt }) => <Ago at={lastSeenAt} isToMinute />,
}

interface FiringBelowProps {
  readonly cluster: string
  readonly count: FiringCount | undefined
}

/** The same as text for a phone, where columns have no head; nothing where no alert fires. */
function FiringBelow({ cluster, count }: FiringBelowProps): ReactNode {
  if (count === undefined || count.firing === 0) return null
  const { firing, critical } = count
  return (
    <Link href={alertsPath({ cluster })} className={`nums ${critical > 0 ? 'tone-critical' : ''}`}>
      {critical > 0 ? (
        <>
          <Shape name="triangle" /> {formatCount(critical)} critical of{' '}
        </>
      ) : null}
      {countOf(firing, 'alert')}
    </Link>
  )
}

/** Columns of numbers. */
const NUMBER_COLUMNS: ReadonlySet<ClusterColumn> = new Set(['alerts', 'outdated', 'seen'])

/** The text is a label: clipped text costs a scrolled table more than all its visible text. */
function NotReported({ why = 'Not reported by any data source' }: { readonly why?: string }): ReactNode {
  return (
    <span className="quiet" role="img" aria-label="not reported" title={why}>
      –
    </span>
  )
}

export function sourcesOf(coverage: ClusterItem['coverage']): readonly string[] {
  return (['objects', 'metrics', 'spans'] as const).filter((source) => coverage[source])
}
