import type { USAGE_SUBJECTS } from '../../contract/adoption.ts'
import { searchOf, withSearch } from './address.ts'
import type { AdoptionView, DayParams, Dimension } from './adoption-view.ts'
import { formatMomentParam } from './moment.ts'
import { addUtcDays, utcDayStartMs } from './utc-day.ts'

/** API requests of the adoption page, and PromQL queries for the same numbers. Pure. */

export type Question = 'share' | 'older-than' | 'spread' | 'behind' | 'workloads' | 'usage'

export interface AskParams extends DayParams {
  readonly by?: Dimension
  /** Only these versions; `-` selects clusters that report none. */
  readonly version?: string | readonly string[]
  readonly subject?: (typeof USAGE_SUBJECTS)[number]
  readonly at?: string | undefined
  readonly format?: 'csv'
}

/** The path of a request. `usage` covers all clusters, so it takes no operator and no facets. */
export function adoptionCall(question: Question, { operator, only }: AdoptionView, params: AskParams): string {
  const ofClusters = question === 'usage' ? {} : { operator, ...only }
  const given = Object.entries({ ...ofClusters, ...params }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return withSearch(`/api/adoption/v1/${question}`, searchOf(Object.fromEntries(given)))
}

const HCO = 'kubevirt-hyperconverged'

/** The PromQL query over derived series: clusters by version or facet, at any time within the retention. */
export function adoptionPromql({ operator, only }: AdoptionView, by: Dimension): string {
  const isNarrowed = Object.keys(only).length > 0
  if (!isNarrowed && (by === 'version' || by === 'minor')) {
    const series = `daytwo_adoption_clusters{operator=${quoted(operator === '' ? HCO : operator)}}`
    return by === 'version' ? `sum by (version) (${series})` : `sum by (minor) (${minorOf(series, 'version')})`
  }
  const matchers = Object.entries(only).flatMap(([facet, values]) =>
    matchersOf(facet, values).map(([name, op, value]) => `${name}${op}${quoted(value)}`),
  )
  const info = `daytwo_cluster_info${matchers.length === 0 ? '' : `{${matchers.join(', ')}}`}`
  if (by === 'minor') return `count by (minor) (${minorOf(info, 'hco_version')})`
  return `count by (${by === 'version' ? 'hco_version' : by === 'platform' ? 'platform, platform_version' : by}) (${info})`
}

/** The PromQL query for the share of clusters behind a version, of the reporting clusters. */
export function olderPromql({ operator }: AdoptionView, older: readonly string[]): string {
  const of = `operator=${quoted(operator === '' ? HCO : operator)}`
  const versions = older.map((version) => version.replaceAll(/[.+]/g, '[$&]')).join('|')
  return `sum(daytwo_adoption_clusters{${of}, version=~${quoted(versions)}}) / sum(daytwo_adoption_clusters{${of}})`
}

function minorOf(series: string, label: string): string {
  return `label_replace(${series}, "minor", "$1", "${label}", "v?([0-9]+[.][0-9]+).*")`
}

/** A platform has two labels, and the facet holds the minor version of the platform. */
function matchersOf(facet: string, values: readonly string[]): readonly (readonly [string, string, string])[] {
  const known = values.map((value) => (value === '-' ? '' : value))
  if (facet !== 'platform' || known.length > 1)
    return [
      matcherOf(
        facet,
        known.map((value) => value.split(' ')[0]!),
      ),
    ]
  const [kind = '', version] = known[0]!.split(' ')
  return [
    matcherOf('platform', [kind]),
    ...(version === undefined
      ? []
      : ([['platform_version', '=~', `${version.replaceAll('.', '[.]')}([.].*)?`]] as const)),
  ]
}

function matcherOf(name: string, values: readonly string[]): readonly [string, string, string] {
  return values.length === 1 ? [name, '=', values[0]!] : [name, '=~', [...new Set(values)].join('|')]
}

function quoted(text: string): string {
  return JSON.stringify(text)
}

/** The days of a citation link, whose numbers must not change. Pure. */
export interface CitedDays {
  readonly from: string
  readonly to: string
  /** The end of the last day; absent while that day lasts and its numbers still change. */
  readonly at: string | undefined
}

interface Counted {
  readonly to: string
  readonly missingDays: readonly string[]
}

/**
 * Ends with the last counted day that is over, because the counts of the present day change until midnight. Falls back to
 * the present day when no other day was counted.
 * @param today by the server's clock
 */
export function citedDays(asked: AskParams, { to, missingDays }: Counted, today: string): CitedDays {
  const missing = new Set(missingDays)
  const from = asked.from ?? addUtcDays(to, -90)
  let last = to < today ? to : addUtcDays(today, -1)
  while (last >= from && missing.has(last)) last = addUtcDays(last, -1)
  if (last < from) return { from, to, at: undefined }
  return { from, to: last, at: formatMomentParam(utcDayStartMs(addUtcDays(last, 1))) }
}
