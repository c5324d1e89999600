/**
 * The facets of a list of clusters: the values of each filter with the number of clusters that each value would show. A
 * cluster is counted when it matches all of the other filters, so that alternatives to the chosen value have counts. Pure.
 */
import { CLUSTER_STATES, type ClusterRecord } from '../../model/cluster-record.ts'
import { onlyMisfit, shownVersion, type ClusterFilter, type ClusterTraitsAndStates } from './cluster-filter.ts'
import { compareTexts, compareVersions, minorOf } from '../version-order.ts'

/** Absent value: unknown. */
export interface FacetValue {
  readonly value?: string
  readonly count: number
}

export interface ClusterFacets {
  /** A cluster may have several states. */
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
  const counts = Object.fromEntries(FACETS.map((name) => [name, new Map<string | undefined, number>()])) as Counts
  for (const one of all) {
    const misfit = onlyMisfit(one, filter)
    if (misfit === 'several') continue
    for (const name of FACETS) {
      if (misfit !== 'none' && misfit !== PART_OF[name]) continue
      if (name !== 'states') add(counts[name], VALUE_OF[name](one.record))
      else for (const state of one.states) add(counts.states, state)
    }
  }
  return {
    states: CLUSTER_STATES.map((value) => ({ value, count: counts.states.get(value) ?? 0 })),
    versions: valuesOf(counts.versions).sort(by((a, b) => compareVersions(b, a))),
    channels: valuesOf(counts.channels).sort(by(compareTexts)),
    platforms: valuesOf(minorPlatforms(counts.platforms)).sort(by(compareTexts)),
    flavours: valuesOf(counts.flavours).sort(by(compareTexts)),
    regions: valuesOf(counts.regions).sort(by(compareTexts)),
  }
}

type ValueCounts = Map<string | undefined, number>
type Counts = Readonly<Record<keyof ClusterFacets, ValueCounts>>

/** The part of the filter that each facet narrows. */
const PART_OF: Readonly<Record<keyof ClusterFacets, keyof ClusterFilter>> = {
  states: 'states',
  versions: 'versions',
  channels: 'channel',
  platforms: 'platform',
  flavours: 'flavour',
  regions: 'region',
}

const FACETS = Object.keys(PART_OF) as readonly (keyof ClusterFacets)[]

/** All facets but `states` have one value per cluster. */
const VALUE_OF: Readonly<
  Record<Exclude<keyof ClusterFacets, 'states'>, (record: ClusterRecord) => string | undefined>
> = {
  versions: shownVersion,
  channels: ({ subscription }) => subscription?.channel,
  platforms: ({ platform }) =>
    platform && (platform.version === undefined ? platform.kind : `${platform.kind} ${platform.version}`),
  flavours: ({ flavour }) => flavour,
  regions: ({ region }) => region,
}

/** Counted by full version, of which there are few, then summed by minor. */
function minorPlatforms(platforms: ValueCounts): ValueCounts {
  const counts: ValueCounts = new Map()
  for (const [platform, count] of platforms) {
    const [kind, version] = platform?.split(' ', 2) ?? []
    add(counts, kind === undefined || version === undefined ? platform : `${kind} ${minorOf(version)}`, count)
  }
  return counts
}

function add(counts: ValueCounts, value: string | undefined, count = 1): void {
  counts.set(value, (counts.get(value) ?? 0) + count)
}

function valuesOf(counts: ValueCounts): FacetValue[] {
  return Array.from(counts, ([value, count]) => ({ ...(value === undefined ? {} : { value }), count }))
}

/** Unknown comes last. */
function by(compare: (a: string, b: string) => number): (a: FacetValue, b: FacetValue) => number {
  return ({ value: a }, { value: b }) =>
    a === undefined || b === undefined ? Number(a === undefined) - Number(b === undefined) : compare(a, b)
}
