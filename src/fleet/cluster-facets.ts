/**
 * What a list of clusters can be narrowed to, with how many each choice would show: counted over the clusters that fit
 * all of the filter but the choice itself, so that another value of the same kind is never counted as none. Pure.
 */
import { CLUSTER_STATES } from '../model/cluster-record.ts'
import { fitsFilter, fitsStates } from './cluster-filter.ts'
import type { ClusterFilter, ClusterTraitsAndStates } from './cluster-filter.ts'
import { shownVersion } from './shown-version.ts'
import { compareVersions, minorOf } from './version-order.ts'

/** Absent value: not known. */
export interface FacetValue {
  readonly value?: string
  readonly count: number
}

export interface ClusterFacets {
  /** A cluster can be counted in several. */
  readonly states: readonly FacetValue[]
  /** The newest first. */
  readonly versions: readonly FacetValue[]
  readonly channels: readonly FacetValue[]
  /** With their minor version: `openshift 4.20`. */
  readonly platforms: readonly FacetValue[]
  readonly flavours: readonly FacetValue[]
  readonly regions: readonly FacetValue[]
}

export function facetsOf(all: readonly ClusterTraitsAndStates[], filter: ClusterFilter): ClusterFacets {
  const without = (name: keyof ClusterFilter): readonly ClusterTraitsAndStates[] => {
    const rest: ClusterFilter = { ...filter, [name]: undefined }
    return all.filter(({ record, states }) => fitsFilter(record, rest) && fitsStates(states, rest.states))
  }
  const counted = (
    name: keyof ClusterFilter,
    valueOf: (one: ClusterTraitsAndStates) => string | undefined,
  ): FacetValue[] => countValues(without(name).map(valueOf)).sort(byValue)
  const holding = without('states').flatMap(({ states }) => states)
  return {
    states: CLUSTER_STATES.map((value) => ({ value, count: holding.filter((state) => state === value).length })),
    versions: counted('versions', ({ record }) => shownVersion(record)).sort(byVersion),
    channels: counted('channel', ({ record }) => record.subscription?.channel),
    platforms: counted('platform', ({ record: { platform } }) =>
      platform === undefined
        ? undefined
        : [platform.kind, ...(platform.version === undefined ? [] : [minorOf(platform.version)])].join(' '),
    ),
    flavours: counted('flavour', ({ record }) => record.flavour),
    regions: counted('region', ({ record }) => record.region),
  }
}

function countValues(values: readonly (string | undefined)[]): FacetValue[] {
  const counts = new Map<string | undefined, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return Array.from(counts, ([value, count]) => ({ ...(value === undefined ? {} : { value }), count }))
}

/** What is not known comes last. */
function byValue({ value: a }: FacetValue, { value: b }: FacetValue): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return a < b ? -1 : 1
}

function byVersion({ value: a }: FacetValue, { value: b }: FacetValue): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return compareVersions(b, a)
}
