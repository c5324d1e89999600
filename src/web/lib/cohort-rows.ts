import type { ShareAnswer } from '../../contract/adoption.ts'

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
