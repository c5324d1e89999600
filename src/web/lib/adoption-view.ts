import {
  choiceField,
  choicesField,
  textField,
  textsField,
  viewCodec,
  type ViewField,
  type ViewOf,
} from './view-codec.ts'
import type { ShareQuery } from '../../contract/adoption.ts'
import { searchOf } from './address.ts'
import { addUtcDays, isUtcDay } from './utc-day.ts'

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

/** Panels by their name in the address: for tables, citations and anchors. */
export const PANELS = ['share', 'spread', 'workloads', 'older', 'behind', 'cohorts', 'usage'] as const
export type PanelName = (typeof PANELS)[number]

/** With `to`, in place of `range`; both are days, or empty. */
function dayField(name: 'from' | 'to'): ViewField<string> {
  return {
    read: (params) => {
      const [from, to] = [params.get('from') ?? '', params.get('to') ?? '']
      return isUtcDay(from) && isUtcDay(to) && from <= to ? (params.get(name) ?? '') : ''
    },
    write: (day) => ({ [name]: day }),
  }
}

type Only = Readonly<Partial<Record<Facet, readonly string[]>>>

/** The state of the adoption page in its address. Pure. */
export const ADOPTION_VIEW = viewCodec({
  /** Empty: the server's default, HyperConverged. */
  operator: textField('operator'),
  by: choiceField('by', DIMENSIONS),
  range: choiceField(
    'range',
    RANGES.map(({ value }) => value),
    '90d',
  ),
  from: dayField('from'),
  to: dayField('to'),
  measure: choiceField('measure', ['share', 'clusters']),
  /** The version that the page compares with (or newer); empty: the newest. */
  version: textField('version'),
  /** The version of the panel of clusters behind; empty: the one before the newest. */
  older: textField('older'),
  cohort: choiceField('cohort', FACETS),
  behind: choiceField('behind', ['minors', 'releases']),
  shows: choiceField('shows', ['', 'denominator']),
  /** The cited panel and the digest of its numbers: `share.0123456789abcdef`. */
  cite: {
    read: (params) => /^[a-z]+\.[0-9a-f]{16}$/.exec(params.get('cite') ?? '')?.[0] ?? '',
    write: (cite: string) => ({ cite }),
  },
  only: {
    read: (params): Only =>
      Object.fromEntries(
        FACETS.map((facet) => [facet, params.getAll(facet).filter((value) => value !== '')] as const).filter(
          ([, values]) => values.length > 0,
        ),
      ),
    write: (only: Only) => only,
  },
  /** Versions aligned by age; empty: `version` and the versions before it. */
  compare: textsField('compare'),
  tables: choicesField('table', PANELS),
})
export type AdoptionView = ViewOf<typeof ADOPTION_VIEW>

export function formatAdoptionView(view: AdoptionView): string {
  return searchOf(ADOPTION_VIEW.searchOf(view))
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
