import { useView } from '../panels/use-view.ts'
import { useState, type ReactNode } from 'react'
import { formatDuration } from '../../model/duration.ts'
import { EXPLORE_QUERIES_MAX } from '../../model/explore.ts'
import { lengthOf, readRefresh, type TimeRange } from '../lib/dashboards/time-range.ts'
import { promqlPath } from '../lib/paths.ts'
import {
  EXPLORE_VIEW,
  newQuery,
  stepChoices,
  zoomedTo,
  type ExploreView,
  type QueryView,
} from '../lib/promql/query-view.ts'
import { selectorsIn } from '../lib/promql/selectors.ts'
import { clustersNamedIn } from '../lib/upgrade-bands.ts'
import { TimeControls } from '../panels/dashboards/time-controls.tsx'
import { PagesNav } from '../panels/pages-nav.tsx'
import { FirstQueries, useRememberQuery } from '../panels/promql/own-queries.tsx'
import { QueryPanel } from '../panels/promql/query-panel.tsx'
import { UpgradeToggle } from '../panels/upgrade-band-list.tsx'
import { useRefetchQuery } from '../query/use-query-answers.ts'
import { useMoment } from '../query/use-moment.ts'
import { Button } from '../ui/button.tsx'
import { focusQuery } from '../ui/focus-query.ts'
import { useKeys } from '../ui/use-keys.ts'
import styles from './explore-page.module.css'

/** PromQL queries over one time range, each as a graph, a table, or its evaluation. */
export function ExplorePage(): ReactNode {
  const { view, change: go } = useView(EXPLORE_VIEW, (search) => promqlPath('', search))
  const { queries, range, stepSeconds, refreshSeconds } = view
  const moment = useMoment()
  const refetchQuery = useRefetchQuery()
  const remember = useRememberQuery()
  const { isAdding, setIsAdding } = useAdding(queries.length)
  const { before, noteZoom } = useZooms(range)
  const shown = isAdding || queries.length === 0 ? [...queries, newQuery('')] : queries
  const replaced = (index: number, change: Partial<QueryView>): readonly QueryView[] =>
    shown.map((query, i) => (i === index ? { ...query, ...change } : query)).filter(({ expr }) => expr !== '')
  const run = (index: number, expr: string): void => {
    if (expr === '') return
    remember(expr)
    if (shown[index]?.expr === expr) refetchQuery(expr)
    setIsAdding(isAdding && index < queries.length)
    go({ queries: replaced(index, { expr, isHidden: false }) }, true)
  }
  const zoom = (fromMs: number, toMs: number): void => {
    const next = zoomedTo(fromMs, toMs)
    noteZoom(next)
    go({ range: next }, true)
  }
  useKeys({
    '/': focusQuery,
  })
  return (
    <div className="page page-wide explore">
      <title>Explore · Daytwo</title>
      <PagesNav place="Explore" />
      <ExploreHead view={view} before={before} onChange={go} />
      {shown.map((query, i) => (
        <QueryPanel
          key={`${moment ?? ''} ${i}`}
          number={i + 1}
          isOneOfMany={shown.length > 1}
          query={query}
          time={{ range, stepSeconds, refreshSeconds }}
          areUpgradesShown={view.areUpgradesShown}
          hasFocus={isAdding && i === queries.length}
          onRun={(expr) => {
            run(i, expr)
          }}
          onChange={(change) => {
            go({ queries: replaced(i, change) })
          }}
          onZoom={zoom}
          onDuplicate={
            shown.length >= EXPLORE_QUERIES_MAX || query.expr === ''
              ? undefined
              : () => {
                  go({ queries: queries.flatMap((one, at) => (at === i ? [one, one] : [one])) }, true)
                }
          }
          onRemove={
            shown.length === 1
              ? undefined
              : () => {
                  if (i >= queries.length) setIsAdding(false)
                  else go({ queries: queries.filter((_one, at) => at !== i) }, true)
                }
          }
        />
      ))}
      {queries.length === 0 ? (
        <FirstQueries
          onChoose={(expr) => {
            run(0, expr)
          }}
        />
      ) : isAdding || queries.length >= EXPLORE_QUERIES_MAX ? null : (
        <Button
          size="sm"
          onClick={() => {
            setIsAdding(true)
          }}
        >
          Add a query
        </Button>
      )}
    </div>
  )
}

interface ExploreHeadProps {
  readonly view: ExploreView
  /** The range before the last zoom. */
  readonly before: TimeRange | undefined
  readonly onChange: (change: Partial<ExploreView>, isNew?: boolean) => void
}

/** The time range and the step of all queries. */
function ExploreHead({ view, before, onChange }: ExploreHeadProps): ReactNode {
  const { queries, range, stepSeconds, refreshSeconds, areUpgradesShown } = view
  const moment = useMoment()
  const refetchQuery = useRefetchQuery()
  return (
    <div className={`row row-apart page-head ${styles.head}`}>
      <h1>Explore</h1>
      <TimeControls
        range={range}
        onRange={(chosen) => {
          onChange({ range: chosen }, true)
        }}
        refreshSeconds={refreshSeconds}
        onRefresh={(word) => {
          onChange({ refreshSeconds: readRefresh(new URLSearchParams({ refresh: word }), 0) })
        }}
        onRefreshNow={() => {
          refetchQuery()
        }}
        isHeld={moment !== undefined || range.kind === 'between'}
      />
      <StepChoice
        stepSeconds={stepSeconds}
        rangeSeconds={lengthOf(range)}
        onStep={(step) => {
          onChange({ stepSeconds: step })
        }}
      />
      {queries.some(({ expr }) => clustersNamedIn(selectorsIn(expr)).length > 0) ? (
        <UpgradeToggle
          isShown={areUpgradesShown}
          onChange={(isShown) => {
            onChange({ areUpgradesShown: isShown })
          }}
        />
      ) : null}
      {before === undefined ? null : (
        <Button
          size="sm"
          onClick={() => {
            onChange({ range: before }, true)
          }}
        >
          Back to before the zoom
        </Button>
      )}
    </div>
  )
}

/** Whether there is a new, empty query below the others. */
function useAdding(count: number): { readonly isAdding: boolean; readonly setIsAdding: (isAdding: boolean) => void } {
  const [addedTo, setAddedTo] = useState<number | undefined>()
  return {
    isAdding: addedTo === count && count > 0 && count < EXPLORE_QUERIES_MAX,
    setIsAdding: (isAdding) => {
      setAddedTo(isAdding ? count : undefined)
    },
  }
}

/** The zoomed ranges, to go back. Selecting another range ends it. */
function useZooms(range: TimeRange): {
  /** The range before the last zoom. */
  readonly before: TimeRange | undefined
  readonly noteZoom: (to: TimeRange) => void
} {
  const [zooms, setZooms] = useState<readonly { readonly from: TimeRange; readonly to: string }[]>([])
  const here = JSON.stringify(range)
  return {
    before: zooms.findLast(({ to }) => to === here)?.from,
    noteZoom: (to) => {
      setZooms([...zooms, { from: range, to: JSON.stringify(to) }])
    },
  }
}

interface StepChoiceProps {
  /** 0: by the length of the range. */
  readonly stepSeconds: number
  readonly rangeSeconds: number
  readonly onStep: (stepSeconds: number) => void
}

/** The step of the graphs. */
function StepChoice({ stepSeconds, rangeSeconds, onStep }: StepChoiceProps): ReactNode {
  const choices = stepChoices(rangeSeconds)
  const isListed = stepSeconds === 0 || choices.includes(stepSeconds)
  return (
    <label className="row text-small screen-only">
      <span className="quiet">Step</span>
      <select
        className="control"
        value={stepSeconds}
        onChange={(event) => {
          onStep(Number(event.target.value))
        }}
      >
        <option value={0}>auto</option>
        {(isListed ? choices : [...choices, stepSeconds]).map((step) => (
          <option key={step} value={step}>
            {formatDuration(step * 1000)}
          </option>
        ))}
      </select>
    </label>
  )
}
