import type { ShareAnswer } from '../../contract/adoption.ts'

/** Cohorts of the fleet beside each other: of those that tell a version, how many run the one that is asked, or a newer. Pure. */
export interface CohortRow {
  /** Empty: clusters that tell no value of the dimension. */
  readonly value: string
  /** Of the last counted day. */
  readonly clusters: number
  readonly telling: number
  readonly known: number
  /** By day; `null` when nobody told. */
  readonly share: readonly (number | null)[]
}

/**
 * All three by the same dimension and over the same days.
 * @param untold only clusters that told no version. @param reached only those on the version or a newer one
 */
export function cohortRows(all: ShareAnswer, untold: ShareAnswer, reached: ShareAnswer): readonly CohortRow[] {
  const last = Math.max(
    0,
    all.known.findLastIndex((clusters) => clusters > 0),
  )
  const values = ['', ...all.series.map(({ value }) => value)]
  const rows = values.map((value): CohortRow => {
    const [known, silent, own] = [all, untold, reached].map((answer) => countsOf(answer, value)) as [
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

/** Those that tell no value are what is known beside those that do. */
function countsOf({ days, known, telling, series }: ShareAnswer, value: string): readonly number[] {
  if (value === '') return days.map((_, day) => known[day]! - telling[day]!)
  return series.find((one) => one.value === value)?.clusters ?? days.map(() => 0)
}
