import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ShareAnswer } from '../../../contract/adoption.ts'
import type { ClusterItem, ClusterItems } from '../../../contract/fleet-clusters.ts'
import { adoptionCall } from '../../lib/adoption-call.ts'
import { clustersPath } from '../../lib/paths.ts'
import { shortDay } from '../../lib/day-ticks.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { useAdoption, useClustersOf } from '../../query/use-adoption.ts'
import { useMoment } from '../../query/use-moment.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FactList } from '../../ui/fact-list.tsx'
import { Since } from '../../ui/time.tsx'
import { Answer } from '../answer.tsx'
import { ClusterLink } from '../cluster-link.tsx'
import type { AdoptionPart } from './chart-panel.tsx'

/** The coverage of the numbers: reporting clusters, silent clusters, counted days and data sources. */
export function DenominatorDialog({ view, change, asked }: AdoptionPart): ReactNode {
  const query = useAdoption<ShareAnswer>(adoptionCall('share', view, { ...asked, by: 'version' }))
  return (
    <Dialog
      title="Coverage of these numbers"
      onClose={() => {
        change({ shows: '' })
      }}
    >
      <Answer query={query} what="the coverage">
        {(answer) => <Counted answer={answer} />}
      </Answer>
      <DataSources />
    </Dialog>
  )
}

const DAYS_SHOWN = 12

function Counted({ answer: { basis, days } }: { readonly answer: ShareAnswer }): ReactNode {
  const { known, telling, missingDays, updatedAt, operator, to } = basis
  return (
    <>
      <p className="spaced">
        <strong className="nums">
          {formatCount(telling)} of {countOf(known, 'cluster')} ({formatShare(telling, known)})
        </strong>{' '}
        reported a version of {operator} on the last counted day up to {shortDay(to)}. Shares are of the reporting
        clusters.{' '}
        {known > telling
          ? `${countOf(known - telling, 'cluster')} without a reported version, in no share.`
          : 'No cluster is excluded.'}
      </p>
      <FactList
        facts={[
          {
            name: 'Counted',
            value: updatedAt === null ? 'never' : <Since atMs={Date.parse(updatedAt)} suffix=" ago" />,
          },
          {
            name: 'Days',
            value: `${formatCount(days.length - missingDays.length)} of ${formatCount(days.length)} in this range`,
          },
          {
            name: 'Not counted',
            value:
              missingDays.length === 0
                ? 'none'
                : `${missingDays.slice(0, DAYS_SHOWN).join(', ')}${missingDays.length > DAYS_SHOWN ? ` and ${missingDays.length - DAYS_SHOWN} more` : ''}: the server was not running, or no cluster was known`,
          },
          {
            name: 'Counted clusters',
            value: 'known and not decommissioned at the end of the day, and with a report on that day',
          },
        ]}
      />
    </>
  )
}

function DataSources(): ReactNode {
  const isLive = useMoment() === undefined
  const query = useClustersOf({ state: ['unknown', 'silent'] })
  return (
    <>
      <h3 className="spaced">Data sources {isLive ? 'now' : 'at that time'}</h3>
      <Answer query={query} what="the data sources" skeletonLines={5}>
        {(answer) => <SourceFacts answer={answer} />}
      </Answer>
    </>
  )
}

function SourceFacts({ answer: { coverage, clusters, total } }: { readonly answer: ClusterItems }): ReactNode {
  const { clusters: known, withMetrics, withObjects, withSpans, silent, unknown } = coverage
  const of = (count: number): string => `${formatCount(count)} of ${formatCount(known)} (${formatShare(count, known)})`
  return (
    <>
      <FactList
        facts={[
          { name: 'Metrics', value: of(withMetrics) },
          { name: 'Objects', value: of(withObjects) },
          { name: 'Spans', value: of(withSpans) },
          {
            name: 'Silent',
            value: <Link href={clustersPath({ state: 'silent' })}>{of(silent)}</Link>,
          },
          {
            name: 'No version',
            value: <Link href={clustersPath({ state: 'unknown' })}>{of(unknown)}</Link>,
          },
        ]}
      />
      {clusters.length === 0 ? (
        <p className="quiet empty">No silent clusters, and none without a version.</p>
      ) : (
        <DataTable
          label="Clusters without data"
          look="prose"
          columns={SILENT_COLUMNS}
          rows={clusters}
          rowKey={({ cluster }) => cluster}
        />
      )}
      {total > clusters.length ? (
        <p className="quiet">
          {formatCount(clusters.length)} of {formatCount(total)}, longest without a report first.
        </p>
      ) : null}
    </>
  )
}

const SILENT_COLUMNS: readonly Column<ClusterItem>[] = [
  { head: 'Cluster', cell: ({ cluster }) => <ClusterLink cluster={cluster} /> },
  {
    head: 'Why',
    cell: ({ states }) =>
      states
        .filter((state) => state === 'silent' || state === 'unknown')
        .map(reasonOf)
        .join(', '),
  },
  {
    head: 'Last seen',
    isOneLine: true,
    cell: ({ lastSeenAt }) => <Since atMs={Date.parse(lastSeenAt)} suffix=" ago" />,
  },
  { head: 'Data sources', cell: sourcesOf },
]

function reasonOf(state: string): string {
  return state === 'silent' ? 'silent' : 'no version reported'
}

function sourcesOf({ coverage }: ClusterItem): string {
  const sources = (['metrics', 'objects', 'spans'] as const).filter((source) => coverage[source])
  return sources.length === 0 ? 'none' : sources.join(', ')
}
