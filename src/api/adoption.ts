import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../base/clock.ts'
import { BehindQuery, OlderQuery, ShareQuery, SpreadQuery, UsageQuery, WorkloadsQuery } from '../contract/adoption.ts'
import type {
  AdoptionBasis,
  BehindAnswer,
  OperatorsAnswer,
  ShareAnswer,
  SpreadAnswer,
  UsageAnswer,
  WorkloadsAnswer,
} from '../contract/adoption.ts'
import { behindOf } from '../fleet/adoption/behind.ts'
import type { AdoptionAnswer, AdoptionAsk } from '../fleet/adoption/book.ts'
import type { CubeFilter, Dimension } from '../fleet/adoption/cube.ts'
import { addDays, dayOf, dayStartMs, DAY_MS, daysBetween, isDay } from '../fleet/adoption/day.ts'
import { compareReleases } from '../fleet/adoption/release-order.ts'
import { olderThan, sharesOf } from '../fleet/adoption/share.ts'
import type { ShareSeries, Shares } from '../fleet/adoption/share.ts'
import { spreadsOf } from '../fleet/adoption/spread.ts'
import type { Spread } from '../fleet/adoption/spread.ts'
import type { AdoptionReader } from '../model/adoption.ts'
import { readQuery } from './fleet-query.ts'
import { invalidParam } from './params.ts'

/** Who runs what, and how it spreads: `/api/adoption/v1`. Facts come from the daily cubes, so no answer reads samples. */
export interface ApiAdoption extends Pick<AdoptionReader, 'usage' | 'days' | 'operators'> {
  ask(asked: AdoptionAsk): Promise<AdoptionAnswer>
}

const DEFAULT_OPERATOR = 'kubevirt-hyperconverged'
const DEFAULT_DAYS = 90
/** Ten years: beyond it a range is a mistake. */
const DAYS_MAX = 3660
/** How an empty value is written in a filter. */
const EMPTY = '-'

const FILTERS = ['version', 'channel', 'platform', 'region', 'flavour', 'environment'] as const

export function registerAdoption(app: FastifyInstance, adoption: ApiAdoption, clock: Clock): void {
  const config = { access: 'viewer', speaks: 'own' } as const

  app.get('/api/adoption/v1/share', { config }, async (request, reply) => {
    const { by = 'version', format, ...rest } = readQuery(ShareQuery, request)
    const asked = askOf(rest, by, clock.nowMs())
    const { answer, shares, basis } = await sharesFor(adoption, asked)
    return sendShares(reply, format, { basis, ...linesOf(answer, shares, shares.series) })
  })
  app.get('/api/adoption/v1/older-than', { config }, async (request, reply) => {
    const { version, format, ...rest } = readQuery(OlderQuery, request)
    const asked = askOf(rest, 'version', clock.nowMs())
    const { answer, shares, basis } = await sharesFor(adoption, asked)
    return sendShares(reply, format, {
      basis,
      ...linesOf(answer, shares, [olderThan(shares, version, compareReleases)]),
    })
  })
  app.get('/api/adoption/v1/spread', { config }, async (request): Promise<SpreadAnswer> => {
    const { by = 'version', ...rest } = readQuery(SpreadQuery, request)
    const { shares, basis } = await sharesFor(adoption, askOf(rest, by, clock.nowMs()))
    return { basis, versions: spreadsOf(shares, compareReleases).map(spreadItem) }
  })
  app.get('/api/adoption/v1/behind', { config }, async (request): Promise<BehindAnswer> => {
    const { shares, basis } = await sharesFor(
      adoption,
      askOf(readQuery(BehindQuery, request), 'version', clock.nowMs()),
    )
    const last = shares.telling.findLastIndex((clusters) => clusters > 0)
    const counts = new Map(last === -1 ? [] : shares.series.map(({ value, clusters }) => [value, clusters[last]!]))
    const behind = behindOf(
      counts,
      shares.series.map(({ value }) => value),
      compareReleases,
    )
    return {
      basis,
      newest: behind?.newest ?? null,
      byMinors: [...(behind?.byMinors ?? [])],
      byReleases: [...(behind?.byReleases ?? [])],
    }
  })
  app.get('/api/adoption/v1/workloads', { config }, async (request): Promise<WorkloadsAnswer> => {
    const { answer, shares, basis } = await sharesFor(
      adoption,
      askOf(readQuery(WorkloadsQuery, request), 'version', clock.nowMs()),
    )
    const { sums } = answer
    const versions = shares.series.map(({ value, clusters }) => {
      const at = sums.values.indexOf(value)
      const [machines, outdated] = [[...sums.vms[at]!], [...sums.outdatedVms[at]!]]
      const share = machines.map((count, day) => (count === 0 ? null : (count - outdated[day]!) / count))
      return { version: value, clusters: [...clusters], machines, outdated, share }
    })
    return { basis, days: [...sums.days], versions }
  })
  app.get('/api/adoption/v1/usage', { config }, async (request): Promise<UsageAnswer> => {
    const { subject, ...rest } = readQuery(UsageQuery, request)
    const { fromDay, toDay } = rangeOf(rest, clock.nowMs())
    const [rows, counted] = await Promise.all([adoption.usage(fromDay, toDay), adoption.days()])
    const days = daysBetween(fromDay, toDay)
    const place = new Map(days.map((day, i) => [day, i]))
    const items = new Map<string, UsageAnswer['items'][number]>()
    for (const row of rows) {
      if (subject !== undefined && row.subject !== subject) continue
      const key = `${row.subject} ${row.name}`
      const zeros = (): number[] => days.map(() => 0)
      const item = items.get(key) ?? { subject: row.subject, name: row.name, clusters: zeros(), count: zeros() }
      items.set(key, item)
      item.clusters[place.get(row.day)!] = row.clusters
      item.count[place.get(row.day)!] = row.count
    }
    const newest = counted.findLast(({ day }) => day >= fromDay && day <= toDay)
    return {
      from: fromDay,
      to: toDay,
      updatedAt: newest === undefined ? null : new Date(newest.updatedMs).toISOString(),
      days: [...days],
      items: [...items].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item),
    }
  })
  app.get('/api/adoption/v1/operators', { config }, async (): Promise<OperatorsAnswer> => {
    const [operators, days] = await Promise.all([adoption.operators(), adoption.days()])
    return { operators: [...operators], firstDay: days[0]?.day ?? null, lastDay: days.at(-1)?.day ?? null }
  })
}

type Filters = Partial<Readonly<Record<(typeof FILTERS)[number], readonly string[]>>>

interface RangeParams {
  readonly from?: string
  readonly to?: string
}

function rangeOf({ from, to }: RangeParams, nowMs: number): { readonly fromDay: string; readonly toDay: string } {
  for (const [name, text] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (text !== undefined && !isDay(text)) {
      throw invalidParam(name, `got ${JSON.stringify(text)}, want a day such as 2026-11-21`)
    }
  }
  const toDay = to ?? dayOf(nowMs)
  const fromDay = from ?? addDays(toDay, -DEFAULT_DAYS)
  if (fromDay > toDay) throw invalidParam('from', `got ${fromDay}, want a day that is not after ${toDay}`)
  const days = (dayStartMs(toDay) - dayStartMs(fromDay)) / DAY_MS + 1
  if (days > DAYS_MAX) throw invalidParam('from', `got ${days} days, want at most ${DAYS_MAX}`)
  return { fromDay, toDay }
}

function askOf(
  params: RangeParams & Filters & { readonly operator?: string },
  by: Dimension,
  nowMs: number,
): AdoptionAsk {
  const filter: CubeFilter = Object.fromEntries(
    FILTERS.flatMap((name) => {
      const values = params[name]
      return values === undefined ? [] : [[name, values.map((value) => (value === EMPTY ? '' : value))]]
    }),
  )
  return { operator: params.operator ?? DEFAULT_OPERATOR, by, ...rangeOf(params, nowMs), filter }
}

async function sharesFor(
  adoption: ApiAdoption,
  asked: AdoptionAsk,
): Promise<{ readonly answer: AdoptionAnswer; readonly shares: Shares; readonly basis: AdoptionBasis }> {
  const answer = await adoption.ask(asked)
  const isVersion = asked.by === 'version' || asked.by === 'minor'
  const order = (a: string, b: string): number => (isVersion ? compareReleases(b, a) : a < b ? -1 : 1)
  const shares = sharesOf(answer.sums, order)
  const last = shares.known.findLastIndex((clusters) => clusters > 0)
  const [known, telling] = last === -1 ? [0, 0] : [shares.known[last]!, shares.telling[last]!]
  const basis: AdoptionBasis = {
    operator: asked.operator,
    from: asked.fromDay,
    to: asked.toDay,
    known,
    telling,
    coverage: known === 0 ? null : telling / known,
    missingDays: [...answer.missing],
    updatedAt: answer.updatedMs === undefined ? null : new Date(answer.updatedMs).toISOString(),
  }
  return { answer, shares, basis }
}

function linesOf(
  { sums }: AdoptionAnswer,
  { known, telling }: Shares,
  series: readonly ShareSeries[],
): Omit<ShareAnswer, 'basis'> {
  return {
    days: [...sums.days],
    known: [...known],
    telling: [...telling],
    series: series.map(({ value, clusters, share }) => ({
      value,
      clusters: [...clusters],
      share: share.map(numberOrNull),
    })),
  }
}

function sendShares(reply: FastifyReply, format: 'json' | 'csv' | undefined, answer: ShareAnswer): unknown {
  if (format !== 'csv') return answer
  const lines = answer.series.flatMap(({ value, clusters, share }) =>
    answer.days.map((day, i) =>
      [day, csvText(value), clusters[i], share[i] ?? '', answer.telling[i], answer.known[i]].join(','),
    ),
  )
  void reply.type('text/csv; charset=utf-8').header('Content-Disposition', 'attachment; filename="adoption.csv"')
  return `${['day,value,clusters,share,telling,known', ...lines].join('\r\n')}\r\n`
}

/** RFC 4180. A text that a spreadsheet would take for a formula is quoted as text. */
function csvText(value: string): string {
  const safe = /^[=+\-@\t]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function spreadItem(spread: Spread): SpreadAnswer['versions'][number] {
  const { version, firstDay, isStartKnown, peak, stage, clusters, share, byAge } = spread
  return {
    version,
    firstDay,
    isStartKnown,
    to10Days: spread.to10Days ?? null,
    to50Days: spread.to50Days ?? null,
    to90Days: spread.to90Days ?? null,
    peakShare: peak.share,
    peakDay: peak.day,
    halfLifeDays: spread.halfLifeDays ?? null,
    stage,
    clusters,
    share: numberOrNull(share),
    byAge: byAge.map(numberOrNull),
  }
}

function numberOrNull(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
