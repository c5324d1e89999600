import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { ShareAnswer } from '../../../contract/adoption.ts'
import { adoptionCall, olderPromql, type AskParams } from '../../lib/adoption-call.ts'
import { clustersPath } from '../../lib/paths.ts'
import { dayTicks, shortDay } from '../../lib/day-ticks.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { clustersBehind, type ClustersBehind } from '../../lib/adoption-shares.ts'
import { stackedAreas } from '../../lib/stacked-areas.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { classNames } from '../../ui/class-names.ts'
import { ChartArea, StepChart } from '../../ui/step-chart.tsx'
import { ChartPanel, type AdoptionPart } from './chart-panel.tsx'
import { DayTable } from './day-table.tsx'
import { ClustersBehindList } from './clusters-behind-list.tsx'
import styles from './clusters-behind-panel.module.css'

/** Clusters behind version X: whether support of older versions can be dropped. */
export function ClustersBehindPanel(part: AdoptionPart): ReactNode {
  const { view, change, asked } = part
  const callFor = (params: AskParams): string => adoptionCall('share', view, { ...params, by: 'version' })
  const query = useAdoption<ShareAnswer>(callFor(asked))
  const newestFirst = query.data?.series.map(({ value }) => value) ?? []
  const [dragged, setDragged] = useState<string>()
  const chosen = dragged ?? (newestFirst.includes(view.older) ? view.older : (newestFirst[1] ?? newestFirst[0] ?? ''))
  useCommitted(dragged, (older) => {
    change({ older })
    setDragged(undefined)
  })
  const older = query.data === undefined ? undefined : clustersBehind(query.data, chosen)
  return (
    <ChartPanel
      {...part}
      name="older"
      title="Clusters behind a version"
      lead="Clusters on a version older than the selected one."
      query={query}
      basisOf={({ basis }) => basis}
      callFor={callFor}
      promql={olderPromql(view, older?.versions.map(({ version }) => version) ?? [])}
      chart={(answer) =>
        older === undefined ? (
          <p className="quiet empty">No cluster reported a version in this range.</p>
        ) : (
          <>
            <VersionSlider newestFirst={newestFirst} version={chosen} older={older} onDrag={setDragged} />
            <BehindSentence older={older} />
            <BehindChart answer={answer} older={older} />
            <ClustersBehindList part={part} older={older} />
          </>
        )
      }
      table={({ days }) =>
        older === undefined ? null : (
          <DayTable
            label={`Clusters older than ${chosen}`}
            head="Clusters"
            days={days}
            rows={[
              {
                name: `older than ${chosen}`,
                cells: older.byDay.map((count) => (count === null ? '–' : formatCount(count))),
              },
              {
                name: 'share of reporting clusters',
                cells: older.byDay.map((count, day) =>
                  count === null ? '–' : formatShare(count, older.tellingByDay[day]!),
                ),
              },
            ]}
          />
        )
      }
    />
  )
}

/** The delay before the address follows the slider: browsers limit the rate of history entries. */
const RESTS_MS = 200

function useCommitted(dragged: string | undefined, commit: (value: string) => void): void {
  const run = useEffectEvent(commit)
  useEffect(() => {
    if (dragged === undefined) return
    const timer = setTimeout(() => {
      run(dragged)
    }, RESTS_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [dragged])
}

interface VersionSliderProps {
  readonly newestFirst: readonly string[]
  readonly version: string
  readonly older: ClustersBehind
  readonly onDrag: (version: string) => void
}

function VersionSlider({ newestFirst, version, older, onDrag }: VersionSliderProps): ReactNode {
  const last = newestFirst.length - 1
  return (
    <div className={`spaced ${styles.slider}`}>
      <label>
        <span className="quiet">Older than</span> <strong className="nums">{version}</strong>
        <input
          type="range"
          min={0}
          max={Math.max(0, last)}
          step={1}
          value={last - newestFirst.indexOf(version)}
          aria-label="Older than version"
          aria-valuetext={`${version}: ${formatCount(older.clusters)} of ${countOf(older.telling, 'cluster')} are older`}
          onChange={({ target }) => {
            onDrag(newestFirst[last - Number(target.value)]!)
          }}
        />
      </label>
      <span className="row row-apart text-tiny quiet nums" aria-hidden="true">
        <span>{newestFirst.at(-1)}</span>
        <span>{newestFirst[0]}</span>
      </span>
    </div>
  )
}

function BehindSentence({ older }: { readonly older: ClustersBehind }): ReactNode {
  const { clusters, telling, known, day, version } = older
  const unreported = known - telling
  return (
    <p className="spaced" aria-live="polite">
      <strong className="nums">
        {clusters === 0 ? 'None' : formatCount(clusters)} of {countOf(telling, 'reporting cluster')} (
        {formatShare(clusters, telling)})
      </strong>{' '}
      ran a version older than {version} on {shortDay(day)}.{' '}
      {unreported === 0
        ? 'Every known cluster reported a version.'
        : `${countOf(unreported, 'more cluster')} without a reported version: if all of these are older too, the total is ${formatCount(clusters + unreported)} of ${formatCount(known)} (${formatShare(clusters + unreported, known)}).`}
    </p>
  )
}

function BehindChart({
  answer: { days },
  older,
}: {
  readonly answer: ShareAnswer
  readonly older: ClustersBehind
}): ReactNode {
  const [pointed, setPointed] = useState<number>()
  const count = pointed === undefined ? undefined : older.byDay[pointed]
  return (
    <>
      <StepChart
        label={`Share of clusters older than ${older.version} by day`}
        places={days.length}
        ticks={(widthPx) => dayTicks(days, Math.floor(widthPx / 70))}
        levels={[0, 0.5, 1].map((at) => ({ at, text: `${100 * at} %` }))}
        heightPx={130}
        pointed={pointed}
        onPoint={setPointed}
      >
        {(scale) => {
          const values = older.byDay.map((clusters, day) => (clusters ?? 0) / Math.max(1, older.tellingByDay[day]!))
          const [area] = stackedAreas(
            [{ key: 'older', values }],
            older.byDay.map((clusters) => clusters !== null),
            scale,
          )
          return <ChartArea d={area!.path} fill="--dt-ramp-3" />
        }}
      </StepChart>
      <p className={classNames(styles.readout, 'quiet nums text-small')}>
        {pointed === undefined || count === undefined
          ? 'Point at a day for its value.'
          : `${shortDay(days[pointed]!)}: ${count === null ? 'not counted' : `${formatCount(count)} of ${formatCount(older.tellingByDay[pointed]!)} (${formatShare(count, older.tellingByDay[pointed]!)})`}`}
      </p>
      {older.versions.length === 0 ? null : (
        <p className="spaced">
          <span className="quiet">Versions: </span>
          {older.versions.map(({ version, clusters }) => (
            <span key={version} className="inline-item nums">
              <Link href={clustersPath({ version })}>{version}</Link> ({formatCount(clusters)})
            </span>
          ))}
        </p>
      )}
    </>
  )
}
