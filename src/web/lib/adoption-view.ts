import type { ShareQuery } from '../../contract/adoption.ts'
import { searchOf } from './address.ts'
import { addUtcDays, isUtcDay } from './utc-day.ts'

/** The state of the adoption page in its address. Pure. */

export type Dimension = NonNullable<ShareQuery['by']>

/** Column heads. */
export const DIMENSION_NAMES: Readonly<Record<Dimension, string>> = {
  minor: 'Minor',
  version: 'Version',
  channel: 'Channel',
  platform: 'Platform',
  region: 'Region',
  flavour: 'Flavour',
  environment: 'Environment',
}
const DIMENSIONS = Object.keys(DIMENSION_NAMES) as Dimension[]

export const FACETS = ['channel', 'platform', 'region', 'flavour', 'environment'] as const
export type Facet = (typeof FACETS)[number]

export const RANGES = [
  { value: '30d', text: '30 d', days: 30 },
  { value: '90d', text: '90 d', days: 90 },
  { value: '1y', text: '1 y', days: 365 },
  { value: 'all', text: 'All', days: undefined },
] as const
export type RangeWord = (typeof RANGES)[number]['value']

/** Panels by their name in the address: for tables, citations and anchors. */
export const PANELS = ['share', 'spread', 'workloads', 'older', 'behind', 'cohorts', 'usage'] as const
export type PanelName = (typeof PANELS)[number]

export interface AdoptionView {
  /** Empty: the server's default, HyperConverged. */
  readonly operator: string
  readonly by: Dimension
  readonly range: RangeWord
  /** With `to`, in place of `range`. */
  readonly from: string
  readonly to: string
  readonly only: Readonly<Partial<Record<Facet, readonly string[]>>>
  readonly measure: 'share' | 'clusters'
  /** The version that the page compares with (or newer); empty: the newest. */
  readonly version: string
  /** Versions aligned by age; empty: `version` and the versions before it. */
  readonly compare: readonly string[]
  /** The version of the panel of clusters behind; empty: the one before the newest. */
  readonly older: string
  readonly cohort: Facet
  readonly behind: 'minors' | 'releases'
  readonly tables: readonly PanelName[]
  readonly shows: '' | 'denominator'
  /** The cited panel and the digest of its numbers: `share.0123456789abcdef`. */
  readonly cite: string
}

export const PLAIN_VIEW: AdoptionView = {
  operator: '',
  by: 'minor',
  range: '90d',
  from: '',
  to: '',
  only: {},
  measure: 'share',
  version: '',
  compare: [],
  older: '',
  cohort: 'channel',
  behind: 'minors',
  tables: [],
  shows: '',
  cite: '',
}

export function parseAdoptionView(search: string): AdoptionView {
  const params = new URLSearchParams(search)
  const text = (name: string): string => params.get(name) ?? ''
  const one = <T extends string>(name: string, words: readonly T[], absent: T): T =>
    words.find((word) => word === text(name)) ?? absent
  const day = (name: string): string => (isUtcDay(text(name)) ? text(name) : '')
  const hasRange = day('from') !== '' && day('to') !== '' && day('from') <= day('to')
  const tables = params.getAll('table')
  return {
    operator: text('operator'),
    by: one('by', DIMENSIONS, PLAIN_VIEW.by),
    range: one(
      'range',
      RANGES.map(({ value }) => value),
      PLAIN_VIEW.range,
    ),
    from: hasRange ? day('from') : '',
    to: hasRange ? day('to') : '',
    only: Object.fromEntries(
      FACETS.flatMap((facet) => {
        const values = params.getAll(facet).filter((value) => value !== '')
        return values.length === 0 ? [] : [[facet, values]]
      }),
    ),
    measure: one('measure', ['share', 'clusters'], PLAIN_VIEW.measure),
    version: text('version'),
    compare: params.getAll('compare').filter((value) => value !== ''),
    older: text('older'),
    cohort: one('cohort', FACETS, PLAIN_VIEW.cohort),
    behind: one('behind', ['minors', 'releases'], PLAIN_VIEW.behind),
    tables: PANELS.filter((panel) => tables.includes(panel)),
    shows: one('shows', ['', 'denominator'], ''),
    cite: /^[a-z]+\.[0-9a-f]{16}$/.test(text('cite')) ? text('cite') : '',
  }
}

/** The query string, without values that are the default. */
export function formatAdoptionView(view: AdoptionView): string {
  const { only, compare, tables, ...rest } = view
  const plain: Readonly<Record<string, unknown>> = { ...PLAIN_VIEW }
  const words = Object.entries(rest).filter(([name, value]) => value !== plain[name])
  return searchOf({ ...Object.fromEntries(words), ...only, compare, table: tables })
}

export interface DayParams {
  readonly from?: string
  readonly to?: string
}

/** The requested days. @param lastDay the present day, or the last day that was over at the selected moment */
export function daysOf({ range, from, to }: AdoptionView, lastDay: string, firstDay: string | null): DayParams {
  if (from !== '') return { from, to }
  const days = RANGES.find(({ value }) => value === range)?.days
  if (days !== undefined) return { from: addUtcDays(lastDay, -days) }
  return firstDay === null || firstDay > lastDay ? {} : { from: firstDay }
}

/** The versions of a list (newest first) that are `version` or newer. A minor version includes its patches. */
export function atLeast(newestFirst: readonly string[], version: string): readonly string[] {
  const last = newestFirst.findLastIndex((one) => one === version || isPatchOf(one, version))
  return newestFirst.slice(0, last + 1)
}

/** Those of a list, newest first, that are older than a version. */
export function olderOf(newestFirst: readonly string[], version: string): readonly string[] {
  return newestFirst.slice(atLeast(newestFirst, version).length)
}

function isPatchOf(version: string, minor: string): boolean {
  return version.startsWith(`${minor}.`) && /^v?\d+\.\d+$/.test(minor)
}
