/**
 * The facets of a list of clusters: the values of each filter with the number of clusters that each value would show. A
 * cluster is counted when it matches all of the other filters, so that alternatives to the chosen value have counts. Pure.
 */
import { CLUSTER_STATES } from '../../model/cluster-record.ts'
import { onlyMisfit, shownVersion, type ClusterFilter, type ClusterTraitsAndStates } from './cluster-filter.ts'
import { compareVersions, minorOf } from '../version-order.ts'

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
      if (misfit === 'none' || misfit === PART_OF[name]) COUNT[name](one, counts[name])
    }
  }
  return {
    states: CLUSTER_STATES.map((value) => ({ value, count: counts.states.get(value) ?? 0 })),
    versions: valuesOf(counts.versions).sort(byVersion),
    channels: valuesOf(counts.channels).sort(byValue),
    platforms: valuesOf(minorPlatforms(counts.platforms)).sort(byValue),
    flavours: valuesOf(counts.flavours).sort(byValue),
    regions: valuesOf(counts.regions).sort(byValue),
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

const COUNT: Readonly<Record<keyof ClusterFacets, (one: ClusterTraitsAndStates, counts: ValueCounts) => void>> = {
  states: ({ states }, counts) => {
    for (const state of states) add(counts, state)
  },
  versions: ({ record }, counts) => {
    add(counts, shownVersion(record))
  },
  channels: ({ record }, counts) => {
    add(counts, record.subscription?.channel)
  },
  platforms: ({ record: { platform } }, counts) => {
    add(counts, platform && (platform.version === undefined ? platform.kind : `${platform.kind} ${platform.version}`))
  },
  flavours: ({ record }, counts) => {
    add(counts, record.flavour)
  },
  regions: ({ record }, counts) => {
    add(counts, record.region)
  },
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
function byValue({ value: a }: FacetValue, { value: b }: FacetValue): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return a < b ? -1 : 1
}

function byVersion({ value: a }: FacetValue, { value: b }: FacetValue): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return compareVersions(b, a)
}
