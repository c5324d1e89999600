import { formatDuration, parseDuration } from '../../../model/duration.ts'
import { EXPLORE_QUERIES_MAX } from '../../../model/explore.ts'
import { readRefresh, readTimeRange, timeRangeSearch, type TimeRange } from '../dashboards/time-range.ts'
import { areUpgradesShown, upgradesSearch } from '../upgrade-bands.ts'

/**
 * What the PromQL page shows, as its address says it: `expr` for each query, in order; `tab` and `unit` of the first,
 * `tab2` and `unit2` of the second; `hide=2` when its answer is not wanted; the time as dashboards have it, and `step`, and `upgrades=off`.
 * Pure.
 */
export interface PromqlView {
  readonly queries: readonly QueryView[]
  readonly range: TimeRange
  /** 0: chosen by the length of the range. */
  readonly stepSeconds: number
  /** 0: only when asked to. */
  readonly refreshSeconds: number
  /** Whether graphs of a few clusters say when these upgraded. */
  readonly areUpgradesShown: boolean
}

export interface QueryView {
  readonly expr: string
  readonly tab: QueryTab
  /** A unit of Perses; empty: guessed. */
  readonly unit: string
  readonly isHidden: boolean
}

export const QUERY_TABS = [
  { value: 'graph', text: 'Graph' },
  { value: 'table', text: 'Table' },
  { value: 'explain', text: 'Explain' },
] as const
export type QueryTab = (typeof QUERY_TABS)[number]['value']

const USUAL_RANGE_SECONDS = 3600
/** Nothing moves under the reader unless it is asked for. */
const USUAL_REFRESH_SECONDS = 0

export function newQuery(expr: string): QueryView {
  return { expr, tab: 'graph', unit: '', isHidden: false }
}

export function parsePromqlView(search: string): PromqlView {
  const params = new URLSearchParams(search)
  const hidden = new Set((params.get('hide') ?? '').split(','))
  const queries = params
    .getAll('expr')
    .filter((expr) => expr.trim() !== '')
    .slice(0, EXPLORE_QUERIES_MAX)
    .map((expr, i): QueryView => {
      const tab = QUERY_TABS.find(({ value }) => value === params.get(paramOf('tab', i)))?.value ?? 'graph'
      return { expr, tab, unit: params.get(paramOf('unit', i)) ?? '', isHidden: hidden.has(String(i + 1)) }
    })
  const stepSeconds = (parseDuration(params.get('step') ?? '') ?? 0) / 1000
  return {
    queries,
    range: readTimeRange(params, USUAL_RANGE_SECONDS),
    stepSeconds: Number.isInteger(stepSeconds) ? stepSeconds : 0,
    refreshSeconds: readRefresh(params, USUAL_REFRESH_SECONDS),
    areUpgradesShown: areUpgradesShown(params),
  }
}

/** What is as usual is left out. */
export function searchOfPromqlView(view: PromqlView): Readonly<Record<string, string | readonly string[]>> {
  const { queries, range, stepSeconds, refreshSeconds } = view
  const search: Record<string, string | readonly string[]> = { expr: queries.map(({ expr }) => expr) }
  queries.forEach(({ tab, unit }, i) => {
    if (tab !== 'graph') search[paramOf('tab', i)] = tab
    if (unit !== '') search[paramOf('unit', i)] = unit
  })
  const hidden = queries.flatMap(({ isHidden }, i) => (isHidden ? [String(i + 1)] : []))
  const refresh = refreshSeconds === 0 ? 'off' : formatDuration(refreshSeconds * 1000)
  return {
    ...search,
    hide: hidden.join(','),
    ...timeRangeSearch(range, USUAL_RANGE_SECONDS),
    step: stepSeconds === 0 ? '' : formatDuration(stepSeconds * 1000),
    refresh: refreshSeconds === USUAL_REFRESH_SECONDS ? '' : refresh,
    ...upgradesSearch(view.areUpgradesShown),
  }
}

function paramOf(name: string, index: number): string {
  return index === 0 ? name : `${name}${index + 1}`
}

/** Steps to choose from; what gives more points than a server answers is left out. */
export function stepChoices(rangeSeconds: number): readonly number[] {
  return STEPS_SECONDS.filter((step) => rangeSeconds / step <= POINTS_MAX && step <= rangeSeconds)
}

const STEPS_SECONDS = [1, 5, 15, 30, 60, 300, 900, 3600, 21_600, 86_400]
/** Of one series in one answer, as the API has it. */
const POINTS_MAX = 11_000

/** What is shown after a drag over a graph: whole seconds, and no shorter than can be shown. */
export function zoomedTo(fromMs: number, toMs: number): TimeRange {
  const missingMs = Math.max(0, SHORTEST_ZOOM_MS - (toMs - fromMs))
  const start = Math.floor((fromMs - missingMs / 2) / 1000) * 1000
  return { kind: 'between', fromMs: start, toMs: Math.max(Math.ceil(toMs / 1000) * 1000, start + SHORTEST_ZOOM_MS) }
}

const SHORTEST_ZOOM_MS = 60_000
