import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ShareAnswer } from '../../../contract/adoption.ts'
import { adoptionCall, adoptionPromql, type AskParams } from '../../lib/adoption-call.ts'
import { atLeast, DIMENSION_NAMES } from '../../lib/adoption-view.ts'
import { cohortRows, type CohortRow } from '../../lib/adoption-shares.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { steppedLine } from '../../lib/stacked-areas.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { DataTable, type Column } from '../../ui/data-table.tsx'
import { ChartLine } from '../../ui/step-chart.tsx'
import { ChartPanel, type AdoptionPart } from './chart-panel.tsx'
import { FacetSelect } from './facet-select.tsx'
import { Button } from '../../ui/button.tsx'

interface CohortPanelProps extends AdoptionPart {
  readonly version: string
  /** All versions in the range, newest first. */
  readonly newestFirst: readonly string[]
}

/** The share of the selected version by facet. */
export function CohortPanel({ version, newestFirst, ...part }: CohortPanelProps): ReactNode {
  const { view, change, asked } = part
  const by = view.cohort
  const reached = atLeast(newestFirst, version)
  const callFor = (params: AskParams): string =>
    adoptionCall('share', view, { ...params, by, version: reached.slice(0, VERSIONS_MAX) })
  const own = useAdoption<ShareAnswer>(callFor(asked), reached.length > 0)
  const all = useAdoption<ShareAnswer>(adoptionCall('share', view, { ...asked, by }))
  const unreported = useAdoption<ShareAnswer>(adoptionCall('share', view, { ...asked, by, version: '-' }))
  return (
    <ChartPanel
      {...part}
      name="cohorts"
      title="Cohorts"
      lead={`Clusters on ${version} or newer, as a share of the reporting clusters of each cohort.`}
      query={whole(own, all, unreported)}
      basisOf={({ own, all: { basis }, unreported }) => ({
        ...basis,
        telling: basis.known - unreported.basis.known,
        digest: own.basis.digest,
      })}
      callFor={callFor}
      promql={adoptionPromql(view, by)}
      tools={
        <FacetSelect
          label="Cohorts by"
          value={by}
          onChange={(cohort) => {
            change({ cohort })
          }}
        />
      }
      chart={(answer) => (
        <DataTable
          label={`Cohorts by ${by}`}
          look="prose"
          isScrollable
          className="narrow"
          columns={[
            { id: 'value', head: DIMENSION_NAMES[by], kind: 'name', cell: ({ value }) => value || NOT_KNOWN },
            ...COLUMNS,
            {
              head: 'Narrow',
              isHeadHidden: true,
              cell: ({ value }) => (
                <Button
                  variant="inline"
                  aria-label={`Only these: ${by} ${value === '' ? 'not known' : value}`}
                  onClick={() => {
                    change({ only: { ...view.only, [by]: [value === '' ? '-' : value] } })
                  }}
                >
                  Only these
                </Button>
              ),
            },
          ]}
          rows={cohortRows(answer.all, answer.unreported, answer.own)}
          rowKey={({ value }) => value}
        />
      )}
    />
  )
}

const NOT_KNOWN = <span className="quiet">not known</span>

const COLUMNS: readonly Column<CohortRow>[] = [
  {
    head: 'On this version',
    kind: 'number',
    cell: ({ clusters, telling, known }) => (
      <>
        {formatCount(clusters)} of {formatCount(telling)}
        {known > telling ? <span className="quiet"> ({formatCount(known - telling)} not reported)</span> : null}
      </>
    ),
  },
  {
    head: 'Share',
    kind: 'number',
    cell: ({ clusters, telling }) => (telling === 0 ? 'not known' : formatShare(clusters, telling)),
  },
  { head: 'Over the range', className: 'cell-wide', cell: ({ share }) => <Spark share={share} /> },
]

/** Values of one parameter that the API takes. */
const VERSIONS_MAX = 100

interface Cohorts {
  readonly own: ShareAnswer
  readonly all: ShareAnswer
  readonly unreported: ShareAnswer
}

/** Combines three queries: loaded when all are, failed when one is. */
function whole(
  own: UseQueryResult<ShareAnswer>,
  all: UseQueryResult<ShareAnswer>,
  unreported: UseQueryResult<ShareAnswer>,
): UseQueryResult<Cohorts> {
  const failed = [own, all, unreported].find(({ error }) => error !== null) ?? own
  const isThere = own.data !== undefined && all.data !== undefined && unreported.data !== undefined
  // While another facet loads, the answers must be of the same days: either all previous or all new.
  const isSame =
    isThere && own.data.days.length === all.data.days.length && all.data.days.length === unreported.data.days.length
  const data = isSame ? { own: own.data, all: all.data, unreported: unreported.data } : undefined
  return { ...failed, data } as UseQueryResult<Cohorts>
}

const SPARK = { width: 96, height: 20 } as const

/** The share over the range. Decorative: its first and last values are text beside it. */
function Spark({ share }: { readonly share: readonly (number | null)[] }): ReactNode {
  const known = share.filter((one) => one !== null)
  const scale = {
    x: (day: number) => (SPARK.width * day) / Math.max(1, share.length),
    y: (value: number) => SPARK.height - 1 - (SPARK.height - 2) * value,
  }
  return (
    <span className="row text-tiny">
      <svg width={SPARK.width} height={SPARK.height} aria-hidden="true">
        <ChartLine color="--dt-series-1" d={steppedLine(share, scale)} />
      </svg>
      <span className="quiet nums">
        {known.length === 0 ? 'not known' : `${formatShare(known[0]!, 1)} → ${formatShare(known.at(-1)!, 1)}`}
      </span>
    </span>
  )
}
