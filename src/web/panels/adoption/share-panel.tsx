import { useId, useState, type ReactNode } from 'react'
import type { ShareAnswer } from '../../../contract/adoption.ts'
import { adoptionCall, adoptionPromql, type AskParams } from '../../lib/adoption-call.ts'
import { DIMENSION_NAMES, type Dimension } from '../../lib/adoption-view.ts'
import { countTicks, dayTicks, shortDay } from '../../lib/day-ticks.ts'
import { countOf, formatCount, formatShare } from '../../lib/format-number.ts'
import { lastCountedDay, shareBands, type ShareBand } from '../../lib/adoption-shares.ts'
import { stackedAreas } from '../../lib/stacked-areas.ts'
import { useAdoption } from '../../query/use-adoption.ts'
import { useNow } from '../../query/use-fleet.ts'
import { Choice } from '../../ui/choice.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { ChartArea, Hatches, StepChart } from '../../ui/step-chart.tsx'
import { ChartBeside, ChartPanel, type AdoptionPart } from './chart-panel.tsx'
import { DayTable } from './day-table.tsx'
import { Swatch } from './swatch.tsx'

/** Versions or facets by day. */
export function SharePanel(part: AdoptionPart): ReactNode {
  const { view, change, asked } = part
  const callFor = (params: AskParams): string => adoptionCall('share', view, { ...params, by: view.by })
  const query = useAdoption<ShareAnswer>(callFor(asked))
  return (
    <ChartPanel
      {...part}
      name="share"
      title="Share over time"
      lead={
        view.measure === 'share'
          ? 'Share of the clusters that reported a value on each day. The strip below shows the share of clusters that reported.'
          : 'All clusters; those without a reported value are on top.'
      }
      query={query}
      basisOf={({ basis }) => basis}
      callFor={callFor}
      promql={adoptionPromql(view, view.by)}
      tools={
        <>
          <label className="inline-row quiet text-small group-choice">
            By
            <select
              value={view.by}
              onChange={({ target }) => {
                change({ by: target.value as Dimension })
              }}
            >
              {Object.entries(DIMENSION_NAMES).map(([value, text]) => (
                <option key={value} value={value}>
                  {text.toLowerCase()}
                </option>
              ))}
            </select>
          </label>
          <Choice
            label="Measured as"
            options={{ share: 'Share', clusters: 'Clusters' }}
            value={view.measure}
            onChange={(measure) => {
              change({ measure })
            }}
          />
        </>
      }
      chart={(answer) => <ShareChart answer={answer} view={view} />}
      table={(answer) => (
        <DayTable
          label={`Shares by ${view.by}`}
          head={DIMENSION_NAMES[view.by]}
          days={answer.days}
          rows={bandsOf(answer, view.by)
            .toReversed()
            .filter(({ clusters }) => clusters.some((count) => count > 0))
            .map((band) => ({
              name: band.label,
              cells: band.clusters.map((count, day) => {
                if (answer.known[day] === 0) return '–'
                return view.measure === 'clusters' ? formatCount(count) : shareText(answer, band, day)
              }),
            }))}
        />
      )}
    />
  )
}

function bandsOf(answer: ShareAnswer, by: Dimension): readonly ShareBand[] {
  return shareBands(answer, by === 'minor' || by === 'version')
}

/** Clusters without a reported value are a share among all known clusters, others of the reporting clusters. */
function shareText({ known, telling }: ShareAnswer, { clusters, fill }: ShareBand, day: number): string {
  const count = clusters[day]!
  const whole = (fill === 'unreported' ? known : telling)[day]!
  return `${formatShare(count, whole)} (${formatCount(count)}/${formatCount(whole)})`
}

function ShareChart({ answer, view }: Pick<AdoptionPart, 'view'> & { readonly answer: ShareAnswer }): ReactNode {
  const [pointed, setPointed] = useState<number>()
  const id = useId()
  const { days, known, telling } = answer
  const daysToCount = useNow().data?.derivation.daysToCount ?? 0
  const last = lastCountedDay(answer)
  if (last === undefined) return <p className="quiet empty">No day in this range was counted.</p>
  const first = known.findIndex((count) => count > 0)
  const isShare = view.measure === 'share'
  const bands = bandsOf(answer, view.by)
  const drawn = isShare ? bands.filter(({ fill }) => fill !== 'unreported') : bands
  const isCounted = days.map((_, day) => (isShare ? telling : known)[day]! > 0)
  const levels = isShare
    ? [0, 0.25, 0.5, 0.75, 1].map((at) => ({ at, text: `${100 * at} %` }))
    : countTicks(Math.max(...known)).map((at) => ({ at, text: formatCount(at) }))
  const shown = pointed ?? last
  const frame = { places: days.length, pointed, onPoint: setPointed }
  return (
    <ChartBeside legend={<ShareLegend answer={answer} bands={bands} day={shown} by={view.by} />}>
      <StepChart
        {...frame}
        ticks={(widthPx) => dayTicks(days, Math.floor(widthPx / 70))}
        label={`${isShare ? 'Shares' : 'Clusters'} by ${view.by}, ${shortDay(days[0]!)} to ${shortDay(days.at(-1)!)}`}
        levels={levels}
        heightPx={300}
      >
        {(scale) => {
          const values = drawn.map(({ key, clusters }) => ({
            key,
            values: clusters.map((count, day) => (isShare ? count / Math.max(1, telling[day]!) : count)),
          }))
          const areas = stackedAreas(values, isCounted, scale)
          return (
            <>
              <Hatches id={id} />
              {areas.map(({ key, path }, i) =>
                path === '' ? null : <ChartArea key={key} d={path} fill={drawn[i]!.fill} hatches={id} />,
              )}
            </>
          )
        }}
      </StepChart>
      {isShare ? (
        <StepChart
          {...frame}
          label={`Reporting clusters among all known clusters: ${telling[last]!} of ${known[last]!} on the last day`}
          levels={[
            { at: 0, text: '' },
            { at: 1, text: '100 %' },
          ]}
          heightPx={32}
        >
          {(scale) => {
            const reported = telling.map((count, day) => count / Math.max(1, known[day]!))
            const [one, rest] = stackedAreas(
              [
                { key: 'reported', values: reported },
                { key: 'unreported', values: reported.map((share) => 1 - share) },
              ],
              known.map((count) => count > 0),
              scale,
            )
            return (
              <>
                <ChartArea d={one!.path} fill="--dt-bar" />
                <ChartArea d={rest!.path} fill="unreported" hatches={id} />
              </>
            )
          }}
        </StepChart>
      ) : null}
      {first > 0 ? (
        <p className="quiet">
          {shortDay(days[first]!)} is the first counted day
          {daysToCount > 0
            ? ` so far: ${countOf(daysToCount, 'day is', 'days are')} still to be counted.`
            : ': no earlier counts exist.'}
        </p>
      ) : null}
    </ChartBeside>
  )
}

interface ShareLegendProps {
  readonly answer: ShareAnswer
  readonly bands: readonly ShareBand[]
  readonly day: number
  readonly by: Dimension
}

/** The numbers of the pointed day, by default of the last. */
function ShareLegend({ answer: { days, known, telling }, bands, day, by }: ShareLegendProps): ReactNode {
  return (
    <DataTable
      label={`By ${by} on one day`}
      caption={`${shortDay(days[day]!)}: ${known[day] === 0 ? 'not counted' : countOf(telling[day]!, 'reporting cluster')}`}
      look="prose"
      columns={[
        {
          id: 'value',
          head: DIMENSION_NAMES[by],
          cell: ({ fill, label }) => (
            <>
              <Swatch fill={fill} /> {label}
            </>
          ),
        },
        { head: 'Clusters', kind: 'number', cell: ({ clusters }) => formatCount(clusters[day]!) },
        {
          head: 'Share',
          kind: 'number',
          cell: ({ fill, clusters }) => (fill === 'unreported' ? '–' : formatShare(clusters[day]!, telling[day]!)),
        },
      ]}
      rows={bands}
      rowKey={({ key }) => key}
    />
  )
}
