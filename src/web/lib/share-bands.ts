import type { ShareAnswer } from '../../contract/adoption.ts'
import { rampOf } from './version-ramp.ts'

/** The bands of a chart of shares, newest version at the bottom. Pure. */
export interface ShareBand {
  readonly key: string
  readonly label: string
  /** A step of the ramp, 1 to 8; `other`: values that are too small for their own band; `unreported`: clusters without a value. */
  readonly fill: number | 'other' | 'unreported'
  /** By day. */
  readonly clusters: readonly number[]
}

/** More bands cannot be distinguished by lightness. */
export const BANDS_MAX = 8

/**
 * The values with most clusters on the last day (then at their peak) have their own band; the others share one.
 * @param isByAge values are versions, newest first; others get the ramp by their size
 */
export function shareBands(answer: ShareAnswer, isByAge: boolean): readonly ShareBand[] {
  const { series, days, known, telling } = answer
  const last = lastCountedDay(answer) ?? 0
  const bySize = series.toSorted(
    (a, b) => b.clusters[last]! - a.clusters[last]! || Math.max(...b.clusters) - Math.max(...a.clusters),
  )
  const chosen = new Set(
    (series.length > BANDS_MAX ? bySize.slice(0, BANDS_MAX - 1) : series).map(({ value }) => value),
  )
  const ramp = rampOf((isByAge ? series : bySize).filter(({ value }) => chosen.has(value)).map(({ value }) => value))
  const bands = (isByAge ? series : bySize).flatMap(({ value, clusters }): ShareBand[] =>
    chosen.has(value) ? [{ key: value, label: value, fill: ramp.get(value) ?? 1, clusters }] : [],
  )
  const others = series.filter(({ value }) => !chosen.has(value))
  const other = days.map((_, day) => others.reduce((total, { clusters }) => total + clusters[day]!, 0))
  const unreported = days.map((_, day) => known[day]! - telling[day]!)
  return [
    ...bands,
    ...(others.length === 0
      ? []
      : [{ key: 'other', label: `other (${others.length})`, fill: 'other', clusters: other } as const]),
    { key: 'unreported', label: 'not known', fill: 'unreported', clusters: unreported },
  ]
}

/** The index of the last day with clusters; `undefined` without any. */
export function lastCountedDay({ known }: Pick<ShareAnswer, 'known'>): number | undefined {
  const last = known.findLastIndex((clusters) => clusters > 0)
  return last === -1 ? undefined : last
}
