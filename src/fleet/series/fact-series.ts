/** One series that is computed from facts: its labels, created once, and its stretches, computed for the range of a query. */
import { ownValue } from '../../base/own-value.ts'
import { Labels, METRIC_NAME } from '../../model/labels.ts'
import type { TimeRange } from '../../model/time-range.ts'
import type { Stretch } from './stretch.ts'

export class SeriesLabels {
  readonly #name: string
  readonly #values: Readonly<Record<string, string>>
  #labels: Labels | undefined

  /** @param values an empty text is an absent label */
  constructor(name: string, values: Readonly<Record<string, string>>) {
    this.#name = name
    this.#values = values
  }

  /** Most queries read one label of many series: the label set is made when it is needed. */
  get labels(): Labels {
    return (this.#labels ??= Labels.fromPairs([...Object.entries(this.#values), [METRIC_NAME, this.#name]]))
  }

  get(label: string): string {
    return label === METRIC_NAME ? this.#name : (ownValue(this.#values, label) ?? '')
  }

  /** Equal for equal labels of one metric. */
  get text(): string {
    return Object.values(this.#values).join('\u0000')
  }
}

export interface FactSeries {
  readonly labels: SeriesLabels
  /** At least those in the range. */
  readonly stretchesIn: (range: TimeRange) => readonly Stretch[]
}

/** A stretch of the series with these labels. */
export type LabelledStretch = readonly [labels: SeriesLabels, stretch: Stretch]

/** One series for all stretches with equal labels of one metric. Where stretches overlap, the one that started first counts. */
export function seriesOf(found: readonly LabelledStretch[]): readonly FactSeries[] {
  if (found.length === 1) return [fixedSeries(found[0]![0], [found[0]![1]])]
  const byText = new Map<string, { labels: SeriesLabels; stretches: Stretch[] }>()
  for (const [labels, stretch] of found) {
    const known = byText.get(labels.text)
    if (known === undefined) byText.set(labels.text, { labels, stretches: [stretch] })
    else known.stretches.push(stretch)
  }
  return Array.from(byText.values(), ({ labels, stretches }) => fixedSeries(labels, joined(stretches)))
}

function fixedSeries(labels: SeriesLabels, stretches: readonly Stretch[]): FactSeries {
  return { labels, stretchesIn: () => stretches }
}

function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const result: Stretch[] = []
  for (const stretch of stretches.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = result.at(-1)
    const fromMs = Math.max(stretch.fromMs, last?.untilMs ?? -Infinity)
    if (fromMs >= stretch.untilMs) continue
    const { untilMs } = stretch
    const isSame = last?.untilMs === fromMs && last.value === stretch.value && last.isAge === stretch.isAge
    if (isSame) result[result.length - 1] = { ...last, untilMs }
    else result.push({ ...stretch, fromMs })
  }
  return result
}
