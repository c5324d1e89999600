import { RELEASES, openshiftMinorOf, releaseOf, type Release } from './release.ts'
import { hashOf, randomOf } from './random.ts'

/**
 * What a cluster is: the things about it that no scenario changes. Drawn from the seed and the cluster's number alone,
 * so a fleet of 300 begins with the fleet of 200.
 */
export interface ClusterProfile {
  /** Place in the fleet, from 0. */
  readonly index: number
  /** Names the cluster's streams of randomness. */
  readonly seed: string
  readonly name: string
  /** The platform's uuid of it. */
  readonly id: string
  readonly region: string
  readonly provider: string
  readonly environment: 'prod' | 'stage' | 'edge' | 'lab'
  /** OpenShift has cluster_version and cluster_operator series, plain Kubernetes has not. */
  readonly platform: 'openshift' | 'kubernetes'
  /** `openshift` is OpenShift Virtualization, which counts 4.y.z; `community` is HCO from OperatorHub, 1.y.z. */
  readonly flavour: 'community' | 'openshift'
  readonly installNamespace: string
  readonly packageName: string
  readonly subscriptionName: string
  readonly channel: string
  readonly approval: 'Automatic' | 'Manual'
  /** What it runs when its history begins. */
  readonly firstRelease: Release
  readonly nodes: readonly string[]
  /** Running virtual machines. */
  readonly vms: number
  /** Of those, machines that cannot be migrated, and so stay outdated after an upgrade. */
  readonly fixedVms: number
  readonly isMultiArch: boolean
  /** Has an HA pair of Prometheus; both replicas send. */
  readonly isHa: boolean
  /** How far into the interval its scrapes are; less than the scrape interval. */
  readonly scrapeOffsetMs: number
}

interface Site {
  readonly place: string
  readonly region: string
  readonly provider: string
}

const SITES: readonly Site[] = [
  site('prague', 'eu-central', 'baremetal'),
  site('fra', 'eu-central', 'aws'),
  site('muc', 'eu-central', 'baremetal'),
  site('ams', 'eu-west', 'gcp'),
  site('dub', 'eu-west', 'aws'),
  site('lon', 'eu-west', 'azure'),
  site('waw', 'eu-central', 'baremetal'),
  site('mad', 'eu-south', 'baremetal'),
  site('iad', 'us-east', 'aws'),
  site('nyc', 'us-east', 'baremetal'),
  site('chi', 'us-central', 'gcp'),
  site('sfo', 'us-west', 'baremetal'),
  site('pdx', 'us-west', 'aws'),
  site('yul', 'ca-east', 'azure'),
  site('gru', 'sa-east', 'aws'),
  site('nrt', 'ap-north', 'aws'),
  site('sin', 'ap-south', 'gcp'),
  site('syd', 'ap-south', 'baremetal'),
]

function site(place: string, region: string, provider: string): Site {
  return { place, region, provider }
}

const ENVIRONMENTS = [
  ['prod', 9],
  ['stage', 3],
  ['edge', 6],
  ['lab', 2],
] as const

const SHARE_OF_RELEASES: readonly (readonly [hco: string, weight: number])[] = [
  ['1.10.7', 1],
  ['1.11.1', 2],
  ['1.12.0', 4],
  ['1.13.0', 8],
  ['1.14.0', 13],
  ['1.15.0', 4],
  ['1.15.2', 16],
  ['1.16.0', 22],
  ['1.17.0', 4],
  ['1.17.1', 9],
  ['1.17.3', 8],
  ['1.18.0', 5],
  ['1.18.1', 4],
]

/** Patches of each minor of OpenShift: 0 to 2. */
export const PLATFORM_PATCHES = 3

const NODE_COUNTS = [
  [1, 3],
  [3, 10],
  [4, 5],
  [6, 5],
  [9, 2],
  [14, 1],
] as const

/** Traits that a scenario needs its cluster to have; the rest is drawn. */
export interface ProfileWish {
  readonly firstRelease?: string
  readonly nodesMin?: number
  readonly isMultiArch?: boolean
  /** OpenShift Virtualization. */
  readonly isOpenshift?: boolean
}

export function createProfile(seed: string, index: number, scrapeMs: number, wish: ProfileWish = {}): ClusterProfile {
  const random = randomOf(seed, 'profile', index)
  const { place, region, provider } = random.pick(SITES)
  const environment = random.weighted(ENVIRONMENTS)
  const drawnOpenshift = random.chance(0.45)
  const isOpenshift = wish.isOpenshift ?? drawnOpenshift
  const drawnRelease = random.weighted(SHARE_OF_RELEASES)
  const firstRelease = releaseOf(wish.firstRelease ?? drawnRelease) ?? RELEASES[0]!
  const drawnNodes = environment === 'edge' ? random.pick([1, 1, 3]) : random.weighted(NODE_COUNTS)
  const nodeCount = Math.max(drawnNodes, wish.nodesMin ?? 1)
  const name = `${place}-${environment}-${String(index + 1).padStart(2, '0')}`
  const vms = nodeCount * random.int(3, 30)
  // Drawn whether wished for or not: a wish must not move what is drawn after it.
  const drawnMultiArch = random.chance(0.04)
  return {
    index,
    seed: `${seed}/${index}`,
    name,
    id: uuidOf(seed, index),
    region,
    provider,
    environment,
    platform: drawnOpenshift || random.chance(0.4) || isOpenshift ? 'openshift' : 'kubernetes',
    flavour: isOpenshift ? 'openshift' : 'community',
    installNamespace: isOpenshift ? 'openshift-cnv' : 'kubevirt-hyperconverged',
    packageName: isOpenshift ? 'kubevirt-hyperconverged' : 'community-kubevirt-hyperconverged',
    subscriptionName: isOpenshift ? 'kubevirt-hyperconverged' : 'community-kubevirt-hyperconverged',
    channel: environment === 'lab' ? 'candidate' : 'stable',
    approval: random.chance(environment === 'prod' ? 0.5 : 0.15) ? 'Manual' : 'Automatic',
    firstRelease,
    nodes: Array.from({ length: nodeCount }, (_, i) => nodeName(place, environment, index, i)),
    vms,
    fixedVms: random.chance(0.08) ? Math.min(vms, random.int(1, 3)) : 0,
    isMultiArch: wish.isMultiArch ?? drawnMultiArch,
    isHa: random.chance(0.08),
    scrapeOffsetMs: random.int(0, scrapeMs - 1),
  }
}

/** How the cluster's own package counts: `1.16.0` upstream is `4.20.0` in OpenShift Virtualization. */
export function productVersion(profile: ClusterProfile, release: Release): string {
  return profile.flavour === 'community' ? release.hco : `4.${openshiftMinorOf(release)}.${release.patch}`
}

/** The patch of OpenShift's minor that the cluster takes: always the same, and one of few. */
export function platformVersion({ seed }: Pick<ClusterProfile, 'seed'>, minor: number): string {
  return `4.${minor}.${hashOf(seed, 'platform', minor) % PLATFORM_PATCHES}`
}

export function csvName(profile: ClusterProfile, release: Release): string {
  return `kubevirt-hyperconverged-operator.v${productVersion(profile, release)}`
}

function nodeName(place: string, environment: string, index: number, i: number): string {
  return `worker-${i}.${environment}${index + 1}.${place}.example.net`
}

/** A version 4 uuid made of the seed's hashes. */
function uuidOf(seed: string, index: number): string {
  const hex = [0, 1, 2, 3].map((part) => hashOf(seed, 'uuid', index, part).toString(16).padStart(8, '0')).join('')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]!
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
