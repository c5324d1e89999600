/** One series that is computed from facts: where its labels come from, and its stretches. Pure. */
import { ownValue } from '../../base/own-value.ts'
import type { TimeRange } from '../../model/time-range.ts'
import { lastStretchOf, stretchesOf, within, type Changes, type Period, type Stretch } from './stretch.ts'

/** What the labels of one or more series of a metric are made of; `part` distinguishes series of one source. */
export interface LabelSource {
  /** The value of a label, but of the metric's name; empty: absent. */
  valueOf(label: string, part: number): string
  /** Label names and values; an empty text is an absent label. */
  labelsOf(part: number): Readonly<Record<string, string>>
  /** Equal for equal labels. */
  textOf(part: number): string
}

/** The labels of one series. */
export class SeriesLabels implements LabelSource {
  readonly #values: Readonly<Record<string, string>>

  /** @param values an empty text is an absent label */
  constructor(values: Readonly<Record<string, string>>) {
    this.#values = values
  }

  valueOf(label: string): string {
    return ownValue(this.#values, label) ?? ''
  }

  labelsOf(): Readonly<Record<string, string>> {
    return this.#values
  }

  textOf(): string {
    return Object.values(this.#values).join('\u0000')
  }
}

export interface FactSeries {
  readonly source: LabelSource
  readonly part: number
  /** No sample is earlier. */
  readonly firstMs: number
  readonly newest: Stretch
  /** At least those in the range. Absent: there is only the newest. */
  readonly stretchesIn?: StretchesIn
}

export type StretchesIn = (range: TimeRange) => readonly Stretch[]

/** A stretch of the series with these labels. */
export interface LabelledStretch {
  readonly source: LabelSource
  readonly part: number
  readonly stretch: Stretch
}

/** One series for all stretches with equal labels of one metric. Where stretches overlap, the one that started first counts. */
export function seriesOf(found: readonly LabelledStretch[]): readonly FactSeries[] {
  const byText = new Map<string, { readonly first: LabelledStretch; readonly stretches: Stretch[] }>()
  for (const one of found) {
    const text = one.source.textOf(one.part)
    const known = byText.get(text)
    if (known === undefined) byText.set(text, { first: one, stretches: [one.stretch] })
    else known.stretches.push(one.stretch)
  }
  return Array.from(byText.values(), ({ first: { source, part }, stretches }) => {
    const all = stretches.length === 1 ? stretches : joined(stretches)
    const [{ fromMs: firstMs }, newest] = [all[0]!, all.at(-1)!]
    return { source, part, firstMs, newest, ...(all.length === 1 ? {} : { stretchesIn: () => all }) }
  })
}

/** The series of a value that changes, within some periods; none without a sample. */
export function changingSeries(
  source: LabelSource,
  changes: Changes,
  periods: readonly Period[] = ALWAYS,
): readonly FactSeries[] {
  const stretchesIn: StretchesIn = (range) => stretchesOf(changes, range).flatMap((stretch) => within(stretch, periods))
  const newest = lastStretchOf(stretchesIn)
  return newest === undefined ? [] : [{ source, part: 0, firstMs: changes.timesMs[0]!, newest, stretchesIn }]
}

const ALWAYS: readonly Period[] = [{ fromMs: -Infinity, untilMs: Infinity }]

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
