import type {
  AdoptionBasis,
  BehindAnswer,
  ShareAnswer,
  SpreadAnswer,
  UsageAnswer,
  WorkloadsAnswer,
} from '../../contract/adoption.ts'
import { behindOf } from '../../fleet/adoption/behind.ts'
import type { AdoptionAnswer, AdoptionQuery } from '../../fleet/adoption/adoption-index.ts'
import { daysBetween } from '../../fleet/adoption/day.ts'
import { CHECKED_AFTER_DAYS, forecastOf } from '../../fleet/adoption/forecast.ts'
import { compareReleases } from '../../fleet/version-order.ts'
import { sharesOf, type ShareSeries, type Shares } from '../../fleet/adoption/share.ts'
import type { Spread } from '../../fleet/adoption/spread.ts'
import type { AdoptionDay, UsageRow } from '../../model/adoption.ts'
import type { DayRange } from './adoption-request.ts'
import { knownOrNull, timeOf } from './items.ts'

/** Adoption answers in the contract's shape. Pure. */

/** The result of a request, before it is rendered. */
export interface AdoptionFound {
  readonly answer: AdoptionAnswer
  readonly shares: Shares
  readonly basis: Omit<AdoptionBasis, 'digest'>
}

export function foundOf(request: AdoptionQuery, answer: AdoptionAnswer): AdoptionFound {
  const isVersion = request.by === 'version' || request.by === 'minor'
  const order = (a: string, b: string): number => (isVersion ? compareReleases(b, a) : a < b ? -1 : 1)
  const shares = sharesOf(answer.sums, order)
  const last = shares.known.findLastIndex((clusters) => clusters > 0)
  const [known, telling] = last === -1 ? [0, 0] : [shares.known[last]!, shares.telling[last]!]
  const basis = {
    operator: request.operator,
    from: request.fromDay,
    to: request.toDay,
    known,
    telling,
    coverage: known === 0 ? null : telling / known,
    missingDays: answer.missing,
    updatedAt: timeOf(answer.updatedMs),
  }
  return { answer, shares, basis }
}

export function shareAnswer(
  { answer: { sums }, shares: { known, telling } }: AdoptionFound,
  series: readonly ShareSeries[],
): Omit<ShareAnswer, 'basis'> {
  return {
    days: sums.days,
    known: [...known],
    telling: [...telling],
    series: series.map(({ value, clusters, share }) => {
      return { value, clusters: [...clusters], share: share.map(numberOrNull) }
    }),
  }
}

export function spreadItem(spread: Spread): SpreadAnswer['versions'][number] {
  const { version, firstDay, isStartKnown, peak, clusters, share, byAge } = spread
  return {
    ...{ version, firstDay, isStartKnown, peakShare: peak.share, peakDay: peak.day, clusters },
    ...knownOrNull(spread, 'to10Days', 'to50Days', 'to90Days', 'halfLifeDays', 'stage'),
    share: numberOrNull(share),
    byAge: byAge.map(numberOrNull),
  }
}

/** The forecast for the newest version. @param spreads the newest first */
export function forecastItem(spreads: readonly Spread[]): SpreadAnswer['forecast'] {
  const forecast = forecastOf(spreads)
  if (typeof forecast === 'string') {
    const nothing = { ageDays: 0, share: 0, earlier: [], fan: [], past: [], checkedAfterDays: CHECKED_AFTER_DAYS }
    return {
      ...{ version: spreads[0]?.version ?? null, reason: forecast, ...nothing },
      to90Days: { low: null, mid: null, high: null },
    }
  }
  const { version, ageDays, share, earlier, fan, to90Days, past } = forecast
  return {
    ...{ version, reason: null, ageDays, share, earlier, fan },
    to90Days: knownOrNull(to90Days, 'low', 'mid', 'high'),
    checkedAfterDays: CHECKED_AFTER_DAYS,
    past: past.map((one) => ({ ...one, ...knownOrNull(one, 'saidTo90Days', 'tookTo90Days') })),
  }
}

/** For the last day on which any cluster reported a version. */
export function behindAnswer({ shares: { series, telling } }: AdoptionFound): Omit<BehindAnswer, 'basis'> {
  const last = telling.findLastIndex((clusters) => clusters > 0)
  const counts = new Map(last === -1 ? [] : series.map(({ value, clusters }) => [value, clusters[last]!]))
  const behind = behindOf(
    counts,
    series.map(({ value }) => value),
    compareReleases,
  )
  return behind ?? { newest: null, byMinors: [], byReleases: [] }
}

export function workloadsAnswer({ answer: { sums }, shares }: AdoptionFound): Omit<WorkloadsAnswer, 'basis'> {
  const versions = shares.series.map(({ value, clusters }) => {
    const at = sums.values.indexOf(value)
    const [machines, outdated] = [[...sums.vms[at]!], [...sums.outdatedVms[at]!]]
    const share = machines.map((count, day) => (count === 0 ? null : (count - outdated[day]!) / count))
    return { version: value, clusters: [...clusters], machines, outdated, share }
  })
  return { days: [...sums.days], versions }
}

/** @param known clusters by day */
export function usageAnswer(
  rows: readonly UsageRow[],
  counted: readonly AdoptionDay[],
  known: readonly number[],
  { fromDay, toDay }: DayRange,
): Omit<UsageAnswer, 'digest'> {
  const days = daysBetween(fromDay, toDay)
  const place = new Map(days.map((day, i) => [day, i]))
  const items = new Map<string, { subject: UsageRow['subject']; name: string; clusters: number[]; count: number[] }>()
  for (const row of rows) {
    const key = `${row.subject} ${row.name}`
    const zeros = (): number[] => days.map(() => 0)
    const item = items.get(key) ?? { subject: row.subject, name: row.name, clusters: zeros(), count: zeros() }
    items.set(key, item)
    item.clusters[place.get(row.day)!] = row.clusters
    item.count[place.get(row.day)!] = row.count
  }
  return {
    from: fromDay,
    to: toDay,
    updatedAt: timeOf(counted.findLast(({ day }) => day >= fromDay && day <= toDay)?.updatedMs),
    days,
    known,
    items: [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item),
  }
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
