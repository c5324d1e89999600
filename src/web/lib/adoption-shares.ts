import type { ShareAnswer } from '../../contract/adoption.ts'
import { rampOf, rampToken, seriesToken, type ColorToken } from './palette.ts'
import type { AdoptionView } from './adoption-view.ts'

/** The bands of a chart of shares, newest version at the bottom. Pure. */
export interface ShareBand {
  readonly key: string
  readonly label: string
  /** The colour of its version or of its place; `other`: values that are too small for their own band; `unreported`: clusters without a value. */
  readonly fill: ColorToken | 'other' | 'unreported'
  /** By day. */
  readonly clusters: readonly number[]
}

/** As many as there are colours. */
export const BANDS_MAX = 8

/**
 * The values with most clusters on the last day (then at their peak) have their own band; the others share one.
 * @param isByAge values are versions, newest first, coloured by age; others are coloured by their size
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
  const own = (isByAge ? series : bySize).filter(({ value }) => chosen.has(value))
  const ramp = rampOf(own.map(({ value }) => value))
  const bands = own.map(({ value, clusters }, place): ShareBand => {
    const fill = isByAge ? rampToken(ramp.get(value) ?? 1) : seriesToken(place)
    return { key: value, label: value, fill, clusters }
  })
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

/**
 * HyperConverged has two version lines: the community's (`1.18.1`) and OpenShift's build (`4.21.3`). Their versions do not
 * compare, so the page shows one line at a time. Pure.
 */

/** Names of the lines, by `flavour` of the API. */
export const LINE_NAMES: Readonly<Record<string, string>> = { community: 'Community', openshift: 'OpenShift' }

/** The only operator with version lines. */
export function hasLines({ operator }: AdoptionView): boolean {
  return operator === '' || operator === 'kubevirt-hyperconverged'
}

/** The lines in use, from an answer by flavour: most clusters first; empty when there is only one. */
export function linesOf(answer: ShareAnswer): readonly string[] {
  const last = lastCountedDay(answer)
  if (last === undefined) return []
  const lines = answer.series.filter(({ clusters }) => clusters[last]! > 0)
  return lines.length < 2
    ? []
    : lines.toSorted((a, b) => b.clusters[last]! - a.clusters[last]!).map(({ value }) => value)
}

/** The filter `only.flavour`. Clusters without a reported flavour may be on any line and stay included. */
export function onlyLine(line: string): readonly string[] {
  return [line, '-']
}

/** The view of the selected line, by default the largest. */
export function onOneLine(view: AdoptionView, lines: readonly string[]): AdoptionView {
  const [largest] = lines
  if (largest === undefined || view.only.flavour !== undefined) return view
  return { ...view, only: { ...view.only, flavour: onlyLine(largest) } }
}

/** Clusters behind a version, from an answer of shares by version. Pure. */
export interface ClustersBehind {
  readonly version: string
  /** The last counted day; `clusters`, `telling` and `known` are of this day. */
  readonly day: string
  readonly clusters: number
  readonly telling: number
  readonly known: number
  /** Older versions in use with their clusters, newest first. */
  readonly versions: readonly { readonly version: string; readonly clusters: number }[]
  /** `null` on days that were not counted. */
  readonly byDay: readonly (number | null)[]
  readonly tellingByDay: readonly number[]
}

/** @param version a version of the answer */
export function clustersBehind(answer: ShareAnswer, version: string): ClustersBehind | undefined {
  const { series, days, known, telling } = answer
  const at = series.findIndex(({ value }) => value === version)
  const last = lastCountedDay(answer)
  if (at === -1 || last === undefined) return undefined
  const older = series.slice(at + 1)
  const countAt = (day: number): number => older.reduce((sum, { clusters }) => sum + clusters[day]!, 0)
  return {
    version,
    day: days[last]!,
    clusters: countAt(last),
    telling: telling[last]!,
    known: known[last]!,
    versions: older.flatMap(({ value, clusters }) =>
      clusters[last]! > 0 ? [{ version: value, clusters: clusters[last]! }] : [],
    ),
    byDay: days.map((_, day) => (telling[day] === 0 ? null : countAt(day))),
    tellingByDay: telling,
  }
}

/** Cohorts of the fleet: of the clusters that report a version, how many run the requested version or a newer one. Pure. */
export interface CohortRow {
  /** Empty: clusters that report no value of the dimension. */
  readonly value: string
  /** Of the last counted day. */
  readonly clusters: number
  readonly telling: number
  readonly known: number
  /** By day; `null` when no cluster reported. */
  readonly share: readonly (number | null)[]
}

/**
 * Takes three answers by the same dimension over the same days.
 * @param unreported only clusters without a reported version. @param reached only those on the version or a newer one
 */
export function cohortRows(all: ShareAnswer, unreported: ShareAnswer, reached: ShareAnswer): readonly CohortRow[] {
  const last = Math.max(
    0,
    all.known.findLastIndex((clusters) => clusters > 0),
  )
  const values = ['', ...all.series.map(({ value }) => value)]
  const rows = values.map((value): CohortRow => {
    const [known, silent, own] = [all, unreported, reached].map((answer) => countsOf(answer, value)) as [
      readonly number[],
      readonly number[],
      readonly number[],
    ]
    const telling = known.map((clusters, day) => clusters - silent[day]!)
    return {
      value,
      clusters: own[last] ?? 0,
      telling: telling[last] ?? 0,
      known: known[last] ?? 0,
      share: own.map((clusters, day) => (telling[day] === 0 ? null : clusters / telling[day]!)),
    }
  })
  return rows.filter(({ known }) => known > 0).sort((a, b) => b.known - a.known || (a.value < b.value ? -1 : 1))
}

/** Clusters without a value: all known clusters minus those that report one. */
function countsOf({ days, known, telling, series }: ShareAnswer, value: string): readonly number[] {
  if (value === '') return days.map((_, day) => known[day]! - telling[day]!)
  return series.find((one) => one.value === value)?.clusters ?? days.map(() => 0)
}
