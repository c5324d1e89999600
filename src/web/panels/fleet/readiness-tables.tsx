import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ReadinessItems, ReadyClusterItem } from '../../../contract/readiness.ts'
import { countOf, formatCount } from '../../lib/format-number.ts'
import { runbookPath } from '../../lib/paths.ts'
import { READINESS_VIEW, readinessPath, selectorOf, type ReadinessView } from '../../lib/readiness-view.ts'
import { useReadyClusters } from '../../query/use-readiness.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Answer } from '../answer.tsx'
import { ClusterLink } from '../cluster-link.tsx'
import { AcceptRiskButton } from './accept-risk-dialog.tsx'
import { VerdictMark } from './verdict-mark.tsx'

/** The tables of readiness: hazards by number of clusters, missing signals, clusters of a verdict or with a hazard. */

export interface ReadinessProps {
  readonly view: ReadinessView
  readonly answer: ReadinessItems
}

type HazardCount = NonNullable<ReadinessItems['facets']>['hazards'][number]

/** The most frequent first; what is accepted everywhere last. */
export function HazardTable({ view, answer: { facets, target, past } }: ReadinessProps): ReactNode {
  const hazards = (facets?.hazards ?? [])
    .filter(({ present }) => present > 0)
    .toSorted((a, b) => b.present - b.accepted - (a.present - a.accepted))
  const columns: readonly Column<HazardCount>[] = [
    {
      head: 'Hazard',
      kind: 'name',
      title: ({ consequence }) => consequence,
      cell: ({ id, title }) => (
        <Link href={readinessPath(READINESS_VIEW.searchOf({ ...view, hazard: id }))} data-row>
          {title}
        </Link>
      ),
      below: ({ accepted }) => (accepted === 0 ? null : `accepted on ${countOf(accepted, 'cluster')}`),
    },
    { head: 'Runbook', isHiddenOnPhone: true, cell: ({ runbook }) => <Link href={runbookPath(runbook)}>Runbook</Link> },
    { head: 'Clusters', kind: 'number', cell: ({ present }) => formatCount(present) },
    {
      head: 'Accepted',
      kind: 'number',
      isHiddenOnPhone: true,
      cell: ({ accepted }) => (accepted === 0 ? '–' : formatCount(accepted)),
    },
    ...(past === undefined
      ? [
          {
            id: 'accept',
            head: 'Accept the risk',
            isHeadHidden: true,
            cell: ({ id, title, present, accepted }: HazardCount) =>
              present === accepted ? (
                <span className="quiet">accepted</span>
              ) : (
                <AcceptRiskButton
                  hazard={id}
                  title={title}
                  of={{ selector: selectorOf(view), to: target.to }}
                  count={present}
                />
              ),
          },
        ]
      : []),
  ]
  return (
    <DataTable
      label="Hazards"
      columns={columns}
      rows={hazards}
      rowKey={({ id }) => id}
      empty={<p className="empty quiet">No hazard was found.</p>}
    />
  )
}

const MISSING_COLUMNS: readonly Column<HazardCount>[] = [
  { head: 'Not ruled out', kind: 'name', cell: ({ title }) => title },
  { head: 'Clusters', kind: 'number', cell: ({ unknown }) => formatCount(unknown) },
]

/** Hazards whose signal is missing, on clusters of any verdict. */
export function MissingTable({ answer: { facets } }: Pick<ReadinessProps, 'answer'>): ReactNode {
  const hazards = (facets?.hazards ?? []).filter(({ unknown }) => unknown > 0)
  return (
    <DataTable
      label="Hazards without a signal"
      columns={MISSING_COLUMNS}
      rows={hazards.toSorted((a, b) => b.unknown - a.unknown)}
      rowKey={({ id }) => id}
      empty={<p className="empty quiet">All signals are reported.</p>}
    />
  )
}

interface ClusterListProps {
  readonly view: ReadinessView
  readonly of: { readonly verdict?: string; readonly hazard?: string }
  readonly label: string
  readonly empty: ReactNode
}

export function ClusterList({ view, of, label, empty }: ClusterListProps): ReactNode {
  const query = useReadyClusters(view, of)
  const columns = of.verdict === undefined ? HAZARD_CLUSTER_COLUMNS : CLUSTER_COLUMNS
  return (
    <Answer query={query} what={label} skeletonLines={6}>
      {({ pages }) => (
        <>
          <DataTable
            label={label}
            columns={columns}
            rows={pages.flatMap(({ clusters }) => clusters)}
            rowKey={({ cluster }) => cluster}
            empty={empty === null ? null : <p className="empty quiet">{empty}</p>}
            csvName={label}
          />
          <MoreButton query={query} text="More clusters" />
        </>
      )}
    </Answer>
  )
}

const CLUSTER_COLUMNS: readonly Column<ReadyClusterItem>[] = [
  {
    head: 'Cluster',
    kind: 'name',
    cell: ({ cluster }) => <ClusterLink cluster={cluster} />,
    csv: ({ cluster }) => cluster,
  },
  {
    head: 'Version',
    cell: ({ version }) => version ?? <span className="quiet">not reported</span>,
    csv: ({ version }) => version,
  },
  {
    head: 'Platform',
    isHiddenOnPhone: true,
    cell: ({ platformVersion }) => platformVersion ?? <span className="quiet">not reported</span>,
    csv: ({ platformVersion }) => platformVersion,
  },
]

const HAZARD_CLUSTER_COLUMNS: readonly Column<ReadyClusterItem>[] = [
  ...CLUSTER_COLUMNS,
  { head: 'Verdict', cell: ({ verdict }) => <VerdictMark verdict={verdict} />, csv: ({ verdict }) => verdict },
  {
    head: 'Hazards',
    isHiddenOnPhone: true,
    cell: ({ hazards }) =>
      hazards.map(({ title, accepted }) => `${title}${accepted === null ? '' : ' (accepted)'}`).join('; '),
    csv: ({ hazards }) => hazards.map(({ id }) => id).join(' '),
  },
]

export function HazardClusters({ view, answer: { facets } }: ReadinessProps): ReactNode {
  const hazard = facets?.hazards.find(({ id }) => id === view.hazard)
  const title = hazard?.title ?? view.hazard
  return (
    <Panel
      title={`Clusters: ${title}`}
      aside={<Link href={readinessPath(READINESS_VIEW.searchOf({ ...view, hazard: '' }))}>Close</Link>}
    >
      {hazard === undefined ? null : <p className="quiet">{hazard.consequence}</p>}
      <ClusterList view={view} of={{ hazard: view.hazard }} label={`Clusters with the hazard ${title}`} empty="None." />
    </Panel>
  )
}
