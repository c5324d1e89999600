/** Which clusters match a query. Pure. */
import type { ClusterRecord, ClusterState } from '../../model/cluster-record.ts'

export interface ClusterFilter {
  /** `1.17.0`, or `1.17` for all of a minor. */
  readonly versions?: readonly string[]
  readonly channel?: string
  /** `openshift`, or `openshift 4.20`. */
  readonly platform?: string
  readonly flavour?: ClusterRecord['flavour']
  readonly region?: string
  /** The cluster has one of these states; absent: any cluster that is not gone. */
  readonly states?: readonly ClusterState[]
  /** Part of its name or of an alias, whatever the case. */
  readonly text?: string
}

export interface ClusterTraitsAndStates {
  readonly record: ClusterRecord
  readonly states: readonly ClusterState[]
}

/** Whether the record matches the filter apart from its states, which cost more and are checked afterwards. */
export function fitsFilter(record: ClusterRecord, filter: ClusterFilter): boolean {
  return RECORD_PARTS.every((part) => FITS[part](record, filter))
}

/** The only part of the filter that a cluster does not match; `none`: it matches the whole filter. */
export type OnlyMisfit = keyof ClusterFilter | 'none' | 'several'

export function onlyMisfit({ record, states }: ClusterTraitsAndStates, filter: ClusterFilter): OnlyMisfit {
  let only: OnlyMisfit = fitsStates(states, filter.states) ? 'none' : 'states'
  for (const part of RECORD_PARTS) {
    if (FITS[part](record, filter)) continue
    if (only !== 'none') return 'several'
    only = part
  }
  return only
}

type RecordPart = Exclude<keyof ClusterFilter, 'states'>

const FITS: Readonly<Record<RecordPart, (record: ClusterRecord, filter: ClusterFilter) => boolean>> = {
  versions: (record, { versions }) => {
    if (versions === undefined) return true
    const version = shownVersion(record)
    return versions.some((wanted) => isOfVersion(version, wanted))
  },
  channel: ({ subscription }, { channel }) => channel === undefined || subscription?.channel === channel,
  platform: (record, { platform }) => platform === undefined || isOfPlatform(record.platform, platform),
  flavour: (record, { flavour }) => flavour === undefined || record.flavour === flavour,
  region: (record, { region }) => region === undefined || record.region === region,
  text: ({ cluster, aliases }, { text }) =>
    text === undefined || hasText(cluster, text) || aliases.some((name) => hasText(name, text)),
}

const RECORD_PARTS = Object.keys(FITS) as readonly RecordPart[]

export function fitsStates(states: readonly ClusterState[], wanted: ClusterFilter['states']): boolean {
  return wanted === undefined ? !states.includes('gone') : wanted.some((state) => states.includes(state))
}

function isOfVersion(version: string | undefined, wanted: string): boolean {
  return version !== undefined && (version === wanted || version.startsWith(`${wanted}.`))
}

function isOfPlatform(platform: ClusterRecord['platform'], wanted: string): boolean {
  const [kind, version] = wanted.split(' ', 2)
  if (platform === undefined || platform.kind !== kind) return false
  return version === undefined || isOfVersion(platform.version, version)
}

function hasText(name: string, text: string): boolean {
  return name.toLowerCase().includes(text.toLowerCase())
}

/** The version a cluster is counted under: of HCO, and of KubeVirt where there is no HCO. */
export function shownVersion({ hcoVersion, versions }: ClusterRecord): string | undefined {
  return hcoVersion ?? versions['kubevirt']
}
