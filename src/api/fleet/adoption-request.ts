import type { AdoptionQuery } from '../../fleet/adoption/adoption-index.ts'
import type { CubeFilter, Dimension } from '../../fleet/adoption/cube.ts'
import { addDays, dayOf, dayStartMs, DAY_MS, isDay } from '../../fleet/adoption/day.ts'
import { msOf } from './query.ts'
import { invalidParam } from '../prometheus/params.ts'

/** The parameters of adoption requests: days and clusters. */

const DEFAULT_OPERATOR = 'kubevirt-hyperconverged'
const DEFAULT_DAYS = 90
/** Ten years: a longer range is a mistake. */
const DAYS_MAX = 3660
/** The notation of an empty value in a filter. */
const EMPTY = '-'

const FILTERS = ['version', 'channel', 'platform', 'region', 'flavour', 'environment'] as const
type Filters = Partial<Readonly<Record<(typeof FILTERS)[number], readonly string[]>>>

interface RangeParams {
  readonly from?: string
  readonly to?: string
  readonly at?: string
}

export interface DayRange {
  readonly fromDay: string
  readonly toDay: string
}

/** A day counts when it has ended: a day that was not over at `at` is excluded. */
export function rangeOf({ from, to, at }: RangeParams, nowMs: number): DayRange {
  for (const [name, text] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (text !== undefined && !isDay(text)) {
      throw invalidParam(name, `got ${JSON.stringify(text)}, want a day such as 2026-11-21`)
    }
  }
  const atMs = msOf(at)
  const lastDay = dayOf(atMs === undefined ? nowMs : atMs - DAY_MS)
  if (atMs !== undefined && to !== undefined && to > lastDay) {
    throw invalidParam('to', `got ${to}, want a day that was over at ${at!}: ${lastDay} or before`)
  }
  const toDay = to ?? lastDay
  const fromDay = from ?? addDays(toDay, -DEFAULT_DAYS)
  if (fromDay > toDay) throw invalidParam('from', `got ${fromDay}, want a day that is not after ${toDay}`)
  const days = (dayStartMs(toDay) - dayStartMs(fromDay)) / DAY_MS + 1
  if (days > DAYS_MAX) throw invalidParam('from', `got ${days} days, want at most ${DAYS_MAX}`)
  return { fromDay, toDay }
}

export function adoptionRequestOf(
  params: RangeParams & Filters & { readonly operator?: string },
  by: Dimension,
  nowMs: number,
): AdoptionQuery {
  const filter: CubeFilter = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const values = params[name]
      return values === undefined ? [] : [[name, values.map((value) => (value === EMPTY ? '' : value))]]
    }),
  )
  return { operator: params.operator ?? DEFAULT_OPERATOR, by, ...rangeOf(params, nowMs), filter }
}
