import { useMemo, type CSSProperties, type ReactNode } from 'react'
import { Link } from 'wouter'
import type {
  GraphEdgeItem,
  GraphRiskItem,
  GraphVersionItem,
  UpdateGraphAnswer,
} from '../../../contract/update-graph.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { intervalText, successText } from '../../lib/edge-text.ts'
import { clusterPath, clustersPath, rolloutPath } from '../../lib/paths.ts'
import { drawingOf, NODE, pathSentence, updatesFrom, VERDICT_TEXTS, versionMarks } from '../../lib/update-graph-view.ts'
import { compareVersions } from '../../lib/version-order.ts'
import { classNames } from '../../ui/class-names.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Legend } from '../../ui/legend.tsx'
import { ListLine } from '../../ui/list-line.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Ago } from '../../ui/time.tsx'
import { FirstRows } from '../first-rows.tsx'
import { FleetCoverageNote } from './fleet-coverage.tsx'
import styles from './update-graph.module.css'

/** Versions with what is offered from each, the path to a target, and the conditional risks. */
export function UpdateGraph({ answer }: { readonly answer: UpdateGraphAnswer }): ReactNode {
  const { versions, edgesTotal, path, risks, coverage, operator } = answer
  if (versions.length === 0) {
    return (
      <p className="empty quiet">
        No update graph of this operator. Import one with <code>daytwo import graph</code>.
      </p>
    )
  }
  const newestFirst = [...versions].sort((a, b) => compareVersions(a.version, b.version))
  return (
    <>
      <ListLine count={`${countOf(versions.length, 'version')}, ${countOf(edgesTotal, 'offered update')}`}>
        <GraphSource answer={answer} />
        <FleetCoverageNote coverage={coverage} />
      </ListLine>
      {path === null ? null : <PathText path={path} />}
      <Panel title="Graph of offered updates" className="not-on-phone">
        <Drawing answer={answer} />
      </Panel>
      <FirstRows list="versions" noun="versions" items={newestFirst} count={newestFirst.length} atFirst={15}>
        {(shown) => <VersionTable versions={shown} edges={answer.edges} operator={operator} />}
      </FirstRows>
      {risks.length === 0 ? null : <RiskTable risks={risks} />}
    </>
  )
}

function GraphSource({ answer: { imports } }: { readonly answer: UpdateGraphAnswer }): ReactNode {
  const [newest] = imports
  if (newest === undefined) {
    return <span className="quiet">From the known releases; no catalog is imported</span>
  }
  const problems = imports.reduce((sum, { problems: found }) => sum + found.length, 0)
  return (
    <span className="quiet">
      From {imports.map(({ name }) => name).join(', ')}, imported <Ago at={newest.importedAt} />
      {problems === 0 ? '' : `; ${countOf(problems, 'irregularity', 'irregularities')}`}
    </span>
  )
}

function PathText({ path }: { readonly path: NonNullable<UpdateGraphAnswer['path']> }): ReactNode {
  return (
    <p className={styles.path}>
      <strong>{pathSentence(path)}</strong>
      {path.steps === null || path.steps.length === 0 ? null : (
        <span className="nums"> {[path.from, ...path.steps.map(({ to }) => to)].join(' → ')}</span>
      )}
    </p>
  )
}

function Drawing({ answer }: { readonly answer: UpdateGraphAnswer }): ReactNode {
  const drawing = useMemo(() => drawingOf(answer), [answer])
  return (
    <div className={`scrolls ${styles.root}`} tabIndex={0} role="group" aria-label="Graph of offered updates">
      <svg
        style={{ '--graph-size': `${drawing.width}px` } as CSSProperties}
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        role="img"
        aria-label="The table below lists the same versions and updates"
      >
        {drawing.updates.map(({ edge, path, isOnPath }) => (
          <path
            key={`${edge.from} ${edge.to}`}
            className={classNames(
              styles.line,
              edge.risks.length > 0 && styles.conditional,
              isBad(edge) && styles.bad,
              isOnPath && styles.onPath,
            )}
            d={path}
          >
            <title>{`${edge.from} → ${edge.to}: ${edgeWords(edge)}`}</title>
          </path>
        ))}
        {drawing.versions.map(({ item, x, y, isOnPath }) => (
          <g key={item.version} transform={`translate(${x} ${y})`}>
            <title>{[item.version, countOf(item.clusters, 'cluster'), ...versionMarks(item)].join(', ')}</title>
            <rect
              className={classNames(
                styles.node,
                item.clusters > 0 && styles.populated,
                item.deprecated !== null && styles.deprecated,
                isOnPath && styles.onPath,
              )}
              width={NODE.width}
              height={NODE.height}
              rx="5"
            />
            <text className={styles.version} x={NODE.width / 2} y={14} textAnchor="middle">
              {item.deadEnd || item.stranded !== null ? `▲ ${item.version}` : item.version}
            </text>
            <text className={styles.count} x={NODE.width / 2} y={28} textAnchor="middle">
              {item.clusters === 0 ? '–' : formatCount(item.clusters)}
              {item.verdict === null ? '' : ` ${VERDICT_TEXTS[item.verdict].charAt(0)}`}
            </text>
          </g>
        ))}
      </svg>
      <Legend>
        One column per minor; the number is of clusters. Of each version the newest update within its minor and into the
        next is drawn; the table has all. Dashed line: conditional. Red: the upper bound of the success rate is below 95
        %. Dashed box: deprecated. Triangle: no update, or stranded. After the number the verdict on the rollout: ✓
        proceed, ✕ hold, … insufficient or not comparable.
      </Legend>
    </div>
  )
}

/** As in the graph of upgrade paths. */
function isBad({ success }: GraphEdgeItem): boolean {
  return success !== null && success.high < 0.95 && success.of >= 10
}

function edgeWords(edge: GraphEdgeItem): string {
  const measured = edge.attempts === 0 ? 'no upgrade observed' : successText(edge)
  return edge.risks.length === 0 ? measured : `${measured}; risks: ${edge.risks.join(', ')}`
}

const UPDATES_SHOWN = 4

interface VersionTableProps {
  readonly versions: readonly GraphVersionItem[]
  readonly edges: readonly GraphEdgeItem[]
  readonly operator: UpdateGraphAnswer['operator']
}

function VersionTable({ versions, edges, operator }: VersionTableProps): ReactNode {
  const hasClusterLinks = operator === 'kubevirt-hyperconverged'
  const from = updatesFrom(edges)
  const columns: readonly Column<GraphVersionItem>[] = [
    {
      head: 'Version',
      kind: 'name',
      cell: (item) => (
        <span className="nums" data-row>
          {item.version}
        </span>
      ),
      below: (item) => <span className={styles.marks}>{versionMarks(item).join(', ')}</span>,
    },
    {
      head: 'Clusters',
      kind: 'number',
      cell: ({ version, clusters }) =>
        clusters > 0 && hasClusterLinks ? (
          <Link href={clustersPath({ version })}>{formatCount(clusters)}</Link>
        ) : (
          formatCount(clusters)
        ),
    },
    {
      head: 'Offered updates',
      cell: ({ version }) => <Updates edges={from.get(version) ?? []} />,
    },
    {
      head: 'Notes',
      isHiddenOnPhone: true,
      cell: (item) => (
        <>
          {item.verdict === null ? null : (
            <Link className="inline-item" href={rolloutPath(item.version, { operator })}>
              {VERDICT_TEXTS[item.verdict]}
            </Link>
          )}
          {versionMarks({ ...item, verdict: null }).map((mark) => (
            <strong key={mark} className="inline-item">
              {mark}
            </strong>
          ))}{' '}
          <span className="quiet">
            {item.deprecated ?? ''}{' '}
            {item.maxOpenShiftVersion === null ? '' : `OpenShift ${item.maxOpenShiftVersion} at most`}
          </span>
        </>
      ),
    },
    {
      head: 'Channels',
      isHiddenOnPhone: true,
      cell: ({ channels }) => <span className="quiet">{channels.join(', ')}</span>,
    },
  ]
  return (
    <DataTable
      label="Versions and offered updates"
      look="boxed"
      columns={columns}
      rows={versions}
      rowKey={({ version }) => version}
    />
  )
}

function Updates({ edges }: { readonly edges: readonly GraphEdgeItem[] }): ReactNode {
  if (edges.length === 0) return <span className="quiet">none</span>
  return (
    <>
      {edges.slice(0, UPDATES_SHOWN).map((edge) => (
        <span key={edge.to} className={`inline-item nums ${styles.update}`} title={edgeWords(edge)}>
          {edge.to}
          <span className="quiet">
            {edge.success === null
              ? ''
              : ` (${intervalText(edge.success)} succeed, ${formatCount(edge.success.of)} ended)`}
          </span>
          {edge.risks.length === 0 ? null : <strong> risk: {edge.risks.join(', ')}</strong>}
        </span>
      ))}{' '}
      {edges.length > UPDATES_SHOWN ? (
        <span className="quiet">and {formatCount(edges.length - UPDATES_SHOWN)} more</span>
      ) : null}
    </>
  )
}

const NAMES_SHOWN = 3

function RiskTable({ risks }: { readonly risks: readonly GraphRiskItem[] }): ReactNode {
  return (
    <>
      <h2 className={styles.heading}>Conditional risks</h2>
      <DataTable
        label="Conditional risks"
        look="boxed"
        columns={RISK_COLUMNS}
        rows={risks}
        rowKey={({ name, promql }) => `${name} ${promql.join(' ')}`}
      />
    </>
  )
}

const RISK_COLUMNS: readonly Column<GraphRiskItem>[] = [
  {
    head: 'Risk',
    kind: 'name',
    cell: ({ name, url }) => (
      <span data-row>
        {/^https?:\/\//.test(url) ? (
          <a href={url} rel="noreferrer">
            {name}
          </a>
        ) : (
          name
        )}
      </span>
    ),
    below: ({ message }) => message,
  },
  {
    head: 'Exposed clusters',
    cell: ({ clusters, exposed }) => (
      <>
        <strong>{formatCount(clusters.exposed)}</strong>
        {exposed.slice(0, NAMES_SHOWN).map((name) => (
          <span key={name} className="inline-item">
            {' '}
            <Link href={clusterPath(name)}>{name}</Link>
          </span>
        ))}
      </>
    ),
  },
  { head: 'Not exposed', kind: 'number', cell: ({ clusters }) => formatCount(clusters.notExposed) },
  {
    head: 'Unknown',
    kind: 'number',
    cell: ({ clusters, notes }) => <span title={notes.join('\n')}>{formatCount(clusters.unknown)}</span>,
  },
  { head: 'Message', isHiddenOnPhone: true, cell: ({ message }) => <span className="quiet">{message}</span> },
]
