import type { Search } from '../address.ts'
import { viewCodec, type ViewOf } from '../view-codec.ts'
import { formatDuration, parseDuration } from '../../../model/duration.ts'
import { EXPLORE_QUERIES_MAX } from '../../../model/explore.ts'
import { rangeField, refreshField, type TimeRange } from '../dashboards/time-range.ts'
import { areUpgradesShown, upgradesSearch } from '../upgrade-bands.ts'

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

export function newQuery(expr: string): QueryView {
  return { expr, tab: 'graph', unit: '', isHidden: false }
}

const RANGE_SECONDS = 3600

/** The state of the PromQL page in its address. Pure. */
export const EXPLORE_VIEW = viewCodec({
  queries: { read: queriesIn, write: searchOfQueries },
  range: rangeField(RANGE_SECONDS),
  /** 0: by the length of the range. */
  stepSeconds: {
    read: stepIn,
    write: (seconds: number) => ({ step: seconds === 0 ? '' : formatDuration(seconds * 1000) }),
  },
  refreshSeconds: refreshField,
  /** Whether graphs of a few clusters show their upgrades. */
  areUpgradesShown: { read: areUpgradesShown, write: upgradesSearch },
})
export type ExploreView = ViewOf<typeof EXPLORE_VIEW>

/** `expr` of each query in order; `tab` and `unit` of the first, `tab2` and `unit2` of the second; `hide=2` hides its answer. */
function queriesIn(params: URLSearchParams): readonly QueryView[] {
  const hidden = new Set((params.get('hide') ?? '').split(','))
  return params
    .getAll('expr')
    .filter((expr) => expr.trim() !== '')
    .slice(0, EXPLORE_QUERIES_MAX)
    .map((expr, i): QueryView => {
      const tab = QUERY_TABS.find(({ value }) => value === params.get(paramOf('tab', i)))?.value ?? 'graph'
      return { expr, tab, unit: params.get(paramOf('unit', i)) ?? '', isHidden: hidden.has(String(i + 1)) }
    })
}

function searchOfQueries(queries: readonly QueryView[]): Search {
  const hidden = queries.flatMap(({ isHidden }, i) => (isHidden ? [String(i + 1)] : []))
  const each = queries.flatMap(({ tab, unit }, i): [string, string][] => [
    [paramOf('tab', i), tab === 'graph' ? '' : tab],
    [paramOf('unit', i), unit],
  ])
  return { expr: queries.map(({ expr }) => expr), ...Object.fromEntries(each), hide: hidden.join(',') }
}

function stepIn(params: URLSearchParams): number {
  const seconds = (parseDuration(params.get('step') ?? '') ?? 0) / 1000
  return Number.isInteger(seconds) ? seconds : 0
}

function paramOf(name: string, index: number): string {
  return index === 0 ? name : `${name}${index + 1}`
}

/** Steps to choose from, without those that exceed the points of an answer. */
export function stepChoices(rangeSeconds: number): readonly number[] {
  return STEPS_SECONDS.filter((step) => rangeSeconds / step <= POINTS_MAX && step <= rangeSeconds)
}

const STEPS_SECONDS = [1, 5, 15, 30, 60, 300, 900, 3600, 21_600, 86_400]
/** The API's limit of points of one series. */
const POINTS_MAX = 11_000

/** The range after a drag over a graph: whole seconds, and not shorter than the minimum. */
export function zoomedTo(fromMs: number, toMs: number): TimeRange {
  const missingMs = Math.max(0, SHORTEST_ZOOM_MS - (toMs - fromMs))
  const start = Math.floor((fromMs - missingMs / 2) / 1000) * 1000
  return { kind: 'between', fromMs: start, toMs: Math.max(Math.ceil(toMs / 1000) * 1000, start + SHORTEST_ZOOM_MS) }
}

const SHORTEST_ZOOM_MS = 60_000
