/** The samples of one query as lines. Numbers and names are beside the SVG, as text. */
import type { TimeRange } from '../../model/time-range.ts'
import type { QuerySamples } from '../content.ts'
import { countOf, timeText } from './format.ts'
import { markup, type Html } from './html.ts'

const WIDTH = 1000
const HEIGHT = 160
/** Lines with a colour of their own; further series have the last colour and are named in `samples.json`. */
const COLOURS = 8
const LEGEND_MAX = 12

export function chart(samples: QuerySamples, window: TimeRange): Html {
  const { title, expr, series, warnings, stepSeconds } = samples
  const values = series.flatMap(({ points }) => points.map(([, value]) => Number(value)).filter(Number.isFinite))
  const [low, high] = values.length === 0 ? [0, 0] : extent(values)
  return markup`<figure>
<figcaption>${title}</figcaption>
<pre tabindex="0"><code>${expr}</code></pre>
${warnings.map((warning) => markup`<p class="note">${warning}</p>\n`)}${
    series.length === 0
      ? markup`<p class="quiet">No samples in the window.</p>`
      : markup`<p class="quiet">${countOf(series.length, 'series', 'series')}, one point per ${countOf(stepSeconds, 'second')}; from ${numberText(low)} to ${numberText(high)}</p>
<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${`${title}: ${series.length} series from ${numberText(low)} to ${numberText(high)}`}">
${series.map(({ points }, i) => line(points, { window, low, high, stepSeconds, colour: Math.min(i, COLOURS - 1) }))}</svg>
<p class="axis"><span>${timeText(window.fromMs)}</span><span>${timeText(window.toMs)}</span></p>
${legend(series)}`
  }
</figure>
`
}

interface Drawn {
  readonly window: TimeRange
  readonly low: number
  readonly high: number
  readonly stepSeconds: number
  readonly colour: number
}

function line(points: QuerySamples['series'][number]['points'], drawn: Drawn): Html {
  const { window, low, high, stepSeconds, colour } = drawn
  const x = (seconds: number): string =>
    (((seconds * 1000 - window.fromMs) / Math.max(1, window.toMs - window.fromMs)) * WIDTH).toFixed(1)
  const y = (value: number): string => (HEIGHT - 4 - ((value - low) / (high - low || 1)) * (HEIGHT - 8)).toFixed(1)
  let path = ''
  let before: number | undefined
  for (const [seconds, text] of points) {
    const value = Number(text)
    if (!Number.isFinite(value)) continue
    // A step without a value is a gap. A point alone is a line of no length, with round ends.
    const isNext = before !== undefined && seconds - before < stepSeconds * 1.5
    path += `${isNext ? 'L' : `M${x(seconds)} ${y(value)}L`}${x(seconds)} ${y(value)}`
    before = seconds
  }
  return markup`<path class="line c${colour}" d="${path}"/>\n`
}

function legend(series: QuerySamples['series']): Html {
  const shown = series.slice(0, LEGEND_MAX)
  return markup`<ul class="legend">
${shown.map(({ labels, points }, i) => {
  const name = Array.from(labels, ([label, value]) => `${label}="${value}"`).join(', ')
  return markup`<li><span class="swatch c${Math.min(i, COLOURS - 1)}" aria-hidden="true"></span>{${name}} <span class="quiet">last ${points.at(-1)?.[1]}</span></li>\n`
})}${series.length > shown.length ? markup`<li class="quiet">${countOf(series.length - shown.length, 'more series', 'more series')} in samples.json</li>` : undefined}
</ul>`
}

function extent(values: readonly number[]): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity]
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  return [low, high]
}

function numberText(value: number): string {
  return Number.isInteger(value) ? value.toLocaleString('en-US') : String(Number(value.toPrecision(4)))
}
