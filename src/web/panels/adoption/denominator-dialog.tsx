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
      title="How sure are these numbers?"
      onClose={() => {
        change({ shows: '' })
      }}
    >
      <Answer query={query} what="what the numbers stand on">
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
        told which version of {operator} they run, on the last counted day up to {shortDay(to)}. Shares are of these.{' '}
        {known > telling
          ? `${countOf(known - telling, 'cluster says', 'clusters say')} nothing of it, and are in no share.`
          : 'No cluster is left out.'}
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
                : `${missingDays.slice(0, DAYS_SHOWN).join(', ')}${missingDays.length > DAYS_SHOWN ? ` and ${missingDays.length - DAYS_SHOWN} more` : ''}: the server did not run, or no cluster was known`,
          },
          {
            name: 'A cluster counts',
            value:
              'on each day by the end of which it was known and not gone, and since the start of which it was heard of',
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
      <h3 className="spaced">By which way they {isLive ? 'are heard, now' : 'were heard, then'}</h3>
      <Answer query={query} what="how clusters are heard" skeletonLines={5}>
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
        <p className="quiet empty">Every known cluster is heard, and tells a version.</p>
      ) : (
        <DataTable
          label="Clusters that say nothing"
          look="prose"
          columns={SILENT_COLUMNS}
          rows={clusters}
          rowKey={({ cluster }) => cluster}
        />
      )}
      {total > clusters.length ? (
        <p className="quiet">
          {formatCount(clusters.length)} of {formatCount(total)}, heard of least first.
        </p>
      ) : null}
    </>
  )
}

const SILENT_COLUMNS: readonly Column<ClusterItem>[] = [
  { head: 'Says nothing', cell: ({ cluster }) => <ClusterLink cluster={cluster} /> },
  {
    head: 'Why',
    cell: ({ states }) =>
      states
        .filter((state) => state === 'silent' || state === 'unknown')
        .map(reasonOf)
        .join(', '),
  },
  { head: 'Heard', isOneLine: true, cell: ({ lastSeenAt }) => <Since atMs={Date.parse(lastSeenAt)} suffix=" ago" /> },
  { head: 'By', cell: sourcesOf },
]

function reasonOf(state: string): string {
  return state === 'silent' ? 'fell silent' : 'tells no version'
}

function sourcesOf({ coverage }: ClusterItem): string {
  const sources = (['metrics', 'objects', 'spans'] as const).filter((source) => coverage[source])
  return sources.length === 0 ? 'nothing' : sources.join(', ')
}
