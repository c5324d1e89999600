import type { ReactNode } from 'react'
import type { UsageAnswer, USAGE_SUBJECTS } from '../../../contract/adoption.ts'
import { adoptionCall, type AskParams } from '../../lib/adoption-call.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { ChartPanel, type AdoptionPart } from './chart-panel.tsx'
import styles from './usage-panel.module.css'

type Subject = (typeof USAGE_SUBJECTS)[number]

const SUBJECTS: readonly {
  readonly subject: Subject
  readonly title: string
  readonly counted: string
  readonly none: string
}[] = [
  {
    subject: 'deprecated_api',
    title: 'Deprecated APIs in use',
    counted: 'Requests',
    none: 'No cluster reports requests to deprecated API versions.',
  },
  {
    subject: 'instance_type',
    title: 'Instance types',
    counted: 'VMs',
    none: 'No cluster reports instance types.',
  },
  { subject: 'preference', title: 'Preferences', counted: 'VMs', none: 'No cluster reports preferences.' },
]

const PROMQL =
  'count by (group, version, resource) (max by (cluster, group, version, resource) (cluster:kubevirt_api_request_deprecated_total:sum) > 0)'

/** Rows per subject. */
const ROWS_MAX = 100

/** Deprecated API versions, instance types and preferences in use. */
export function UsagePanel(part: AdoptionPart): ReactNode {
  const { view, asked } = part
  const callFor = (params: AskParams): string => adoptionCall('usage', view, params)
  const query = useAdoption<UsageAnswer>(callFor(asked))
  return (
    <ChartPanel
      {...part}
      name="usage"
      title="In use"
      lead="Features in use. Counts all clusters, regardless of the filters of this page; a cluster that reports nothing counts as not using the feature."
      query={query}
      basisOf={({ known, ...basis }) => ({
        ...basis,
        known: known.findLast((clusters) => clusters > 0) ?? 0,
        missingDays: [],
      })}
      callFor={callFor}
      promql={PROMQL}
      chart={(answer) => (
        <div className={`parts ${styles.subjects}`}>
          {SUBJECTS.map((about) => (
            <UsageTable key={about.subject} answer={answer} about={about} />
          ))}
        </div>
      )}
    />
  )
}

interface UsageTableProps {
  readonly answer: UsageAnswer
  readonly about: (typeof SUBJECTS)[number]
}

function UsageTable({ answer: { items, known }, about }: UsageTableProps): ReactNode {
  const last = known.findLastIndex((clusters) => clusters > 0)
  const own = items
    .filter(({ subject, clusters }) => subject === about.subject && (clusters[last] ?? 0) > 0)
    .toSorted((a, b) => b.clusters[last]! - a.clusters[last]! || b.count[last]! - a.count[last]!)
  return (
    <section>
      <h3 className="spaced">
        {about.title} <span className="quiet nums">{own.length > 0 ? formatCount(own.length) : ''}</span>
      </h3>
      <DataTable
        label={about.title}
        look="prose"
        columns={[
          { head: 'Name', kind: 'name', cell: ({ name }) => name },
          {
            head: 'Clusters',
            kind: 'number',
            className: 'cell-nowrap',
            cell: ({ clusters }) => (
              <>
                {formatCount(clusters[last]!)}{' '}
                <span className="quiet">({formatShare(clusters[last]!, known[last]!)})</span>
              </>
            ),
          },
          { id: 'count', head: about.counted, kind: 'number', cell: ({ count }) => formatCount(count[last]!) },
        ]}
        rows={own.slice(0, ROWS_MAX)}
        rowKey={({ name }) => name}
        empty={<p className="quiet empty">{about.none}</p>}
      />
      {own.length > ROWS_MAX ? (
        <p className="quiet">{countOf(own.length - ROWS_MAX, 'more')}: Cite has them as CSV.</p>
      ) : null}
    </section>
  )
}
