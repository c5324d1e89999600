import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ShareAnswer } from '../../../contract/adoption.ts'
import { adoptionCall, adoptionPromql } from '../../lib/adoption-call.ts'
import type { AskParams } from '../../lib/adoption-call.ts'
import { atLeast, DIMENSION_NAMES } from '../../lib/adoption-view.ts'
import { cohortRows } from '../../lib/cohort-rows.ts'
import { formatCount, formatShare } from '../../lib/format-number.ts'
import { steppedLine } from '../../lib/stacked-areas.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { classNames } from '../../ui/class-names.ts'
import { ChartLine } from '../../ui/step-chart.tsx'
import { ChartPanel } from './chart-panel.tsx'
import type { AdoptionPart } from './chart-panel.tsx'
import styles from './cohort-panel.module.css'
import { FacetSelect } from './facet-select.tsx'
import { Button } from '../../ui/button.tsx'

interface CohortPanelProps extends AdoptionPart {
  readonly version: string
  /** All that are known in the range, newest first. */
  readonly newestFirst: readonly string[]
}

/** Parts of the fleet beside each other: who is on the version already, and who waits. */
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
      lead={`Clusters on ${version} or newer, of those in each cohort that tell a version.`}
      query={whole(own, all, unreported)}
      basisOf={({ all: { basis }, unreported: without }) => ({ ...basis, telling: basis.known - without.basis.known })}
      digestOf={({ own: { basis } }) => basis.digest}
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
        <div className="table-scroll" tabIndex={0} role="group" aria-label={`Cohorts by ${by}`}>
          <table className={classNames(styles.table, 'prose-table')} aria-label={`Cohorts by ${by}`}>
            <thead>
              <tr>
                <th scope="col">{DIMENSION_NAMES[by]}</th>
                <th scope="col" className="cell-number">
                  On it
                </th>
                <th scope="col" className="cell-number">
                  Share
                </th>
                <th scope="col">Over the range</th>
                <th scope="col">
                  <span className="visually-hidden">Narrow</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {cohortRows(answer.all, answer.unreported, answer.own).map(
                ({ value, clusters, telling, known, share }) => (
                  <tr key={value}>
                    <th scope="row">{value === '' ? <span className="quiet">not known</span> : value}</th>
                    <td className="cell-number nums cell-nowrap">
                      {formatCount(clusters)} of {formatCount(telling)}
                      {known > telling ? (
                        <span className="quiet"> ({formatCount(known - telling)} tell none)</span>
                      ) : null}
                    </td>
                    <td className="cell-number nums">{telling === 0 ? 'not known' : formatShare(clusters, telling)}</td>
                    <td className={styles.sparkCell}>
                      <Spark share={share} />
                    </td>
                    <td className="cell-nowrap">
                      <Button
                        variant="link"
                        isInline
                        size="sm"
                        aria-label={`Only these: ${by} ${value === '' ? 'not known' : value}`}
                        onClick={() => {
                          change({ only: { ...view.only, [by]: [value === '' ? '-' : value] } })
                        }}
                      >
                        Only these
                      </Button>
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      )}
    />
  )
}

/** What the API takes of one parameter. */
const VERSIONS_MAX = 100

interface Cohorts {
  readonly own: ShareAnswer
  readonly all: ShareAnswer
  readonly unreported: ShareAnswer
}

/** Three answers as one: it is there when all are, and has failed when one has. */
function whole(
  own: UseQueryResult<ShareAnswer>,
  all: UseQueryResult<ShareAnswer>,
  unreported: UseQueryResult<ShareAnswer>,
): UseQueryResult<Cohorts> {
  const failed = [own, all, unreported].find(({ error }) => error !== null) ?? own
  const isThere = own.data !== undefined && all.data !== undefined && unreported.data !== undefined
  // Answers about other cohorts have other rows: what is shown while one is fetched are all three of before.
  const isSame =
    isThere && own.data.days.length === all.data.days.length && all.data.days.length === unreported.data.days.length
  const data = isSame ? { own: own.data, all: all.data, unreported: unreported.data } : undefined
  return { ...failed, data } as UseQueryResult<Cohorts>
}

const SPARK = { width: 96, height: 20 } as const

/** The way of a share through the range. Decoration: first and last value say it in words. */
function Spark({ share }: { readonly share: readonly (number | null)[] }): ReactNode {
  const known = share.filter((one) => one !== null)
  const scale = {
    x: (day: number) => (SPARK.width * day) / Math.max(1, share.length),
    y: (value: number) => SPARK.height - 1 - (SPARK.height - 2) * value,
  }
  return (
    <span className={styles.spark}>
      <svg width={SPARK.width} height={SPARK.height} aria-hidden="true">
        <ChartLine step={8} d={steppedLine(share, scale)} />
      </svg>
      <span className="quiet nums">
        {known.length === 0 ? 'not known' : `${formatShare(known[0]!, 1)} → ${formatShare(known.at(-1)!, 1)}`}
      </span>
    </span>
  )
}
