/**
 * Requested versions of APIs that are deprecated, on which clusters, by which clients, and where they are gone. API servers
 * report which versions are requested (`apiserver_requested_deprecated_apis`), not by whom; OpenShift counts clients in
 * APIRequestCount objects.
 */
import { hcoReleaseOf } from '../derive/hco-release.ts'
import type { FleetReader } from '../fleet-reader.ts'
import type { ClusterStack } from './configuration-answers.ts'
import { compareReleases, compareTexts } from '../version-order.ts'
import removed from '../data/removed-apis.json' with { type: 'json' }

/** `resource.version.group`, as APIRequestCount names it. */
export interface RequestedApi {
  readonly cluster: string
  readonly group: string
  readonly version: string
  readonly resource: string
  /** A Kubernetes release, `1.32`; empty: none is announced. */
  readonly removedRelease: string
}

const REQUESTED =
  'max by (cluster, group, version, resource, removed_release) (apiserver_requested_deprecated_apis{cluster!=""})'

/** From metrics, exact at any time. A series stays until the API server starts anew. */
export async function readRequestedApis(
  reader: Pick<FleetReader, 'instant'>,
  timeMs: number,
): Promise<readonly RequestedApi[]> {
  return (await reader.instant(REQUESTED, timeMs)).map(({ labels }) => ({
    cluster: labels.get('cluster'),
    group: labels.get('group'),
    version: labels.get('version'),
    resource: labels.get('resource'),
    removedRelease: labels.get('removed_release'),
  }))
}

export interface ApiRemoval {
  /** Of Kubernetes, or of HCO: the last version that serves it. */
  readonly by: 'kubernetes' | 'hco'
  readonly release: string
  /** Absent: the API server itself says so. */
  readonly source?: string
}

export interface DeprecatedApi {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly removals: readonly ApiRemoval[]
  /** Clusters on which it is requested, by name. */
  readonly clusters: readonly string[]
  /** User agents with the clusters that report them, most clusters first; empty: no cluster reports clients. */
  readonly clients: readonly { readonly client: string; readonly clusters: readonly string[] }[]
  /** Clusters on which the requests fail after the move to the target, by name; empty without a target. */
  readonly breaksOn: readonly string[]
}

/** @param target a version of HCO, `1.18.1` or `4.22.1` */
export function deprecatedApis(
  requested: readonly RequestedApi[],
  stacks: readonly ClusterStack[],
  target?: string,
): readonly DeprecatedApi[] {
  const known = new Map(stacks.map((stack) => [stack.cluster, stack]))
  const apis = new Map<string, Found>()
  const put = (api: Omit<RequestedApi, 'cluster' | 'removedRelease'>, release: string, cluster: string): Found => {
    const key = `${api.resource}.${api.version}.${api.group}`
    const found = apis.get(key) ?? {
      ...api,
      releases: new Set<string>(),
      clusters: new Set<string>(),
      clients: new Map(),
    }
    apis.set(key, found)
    found.clusters.add(cluster)
    if (release !== '') found.releases.add(release)
    return found
  }
  for (const { cluster, removedRelease, ...api } of requested) {
    if (known.has(cluster)) put(api, removedRelease, cluster)
  }
  for (const { cluster, apiClients = [] } of stacks) {
    for (const { api, removedIn = '', clients } of apiClients) {
      const found = put(namedApi(api), removedIn, cluster)
      for (const client of clients) {
        const on = found.clients.get(client) ?? new Set<string>()
        found.clients.set(client, on.add(cluster))
      }
    }
  }
  return [...apis.values()].map((found) => itemOf(found, known, target)).sort(compareApis)
}

interface Found {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly releases: Set<string>
  readonly clusters: Set<string>
  readonly clients: Map<string, Set<string>>
}

/** `virtualmachines.v1alpha3.kubevirt.io`; of the core group `pods.v1`. */
function namedApi(name: string): Omit<RequestedApi, 'cluster' | 'removedRelease'> {
  const [resource = '', version = '', ...group] = name.split('.')
  return { resource, version, group: group.join('.') }
}

function itemOf(
  { releases, clusters, clients, ...api }: Found,
  known: ReadonlyMap<string, ClusterStack>,
  target: string | undefined,
): DeprecatedApi {
  const removals: readonly ApiRemoval[] = [
    ...[...releases].sort(compareReleases).map((release): ApiRemoval => ({ by: 'kubernetes', release })),
    ...removed
      .filter((row) => row.group === api.group && row.version === api.version)
      .map(({ lastHco, source }): ApiRemoval => ({ by: 'hco', release: lastHco, source })),
  ]
  const sorted = [...clusters].sort(compareTexts)
  return {
    ...api,
    removals,
    clusters: sorted,
    clients: [...clients]
      .map(([client, on]) => ({ client, clusters: [...on].sort(compareTexts) }))
      .sort((a, b) => b.clusters.length - a.clusters.length || compareTexts(a.client, b.client)),
    breaksOn: target === undefined ? [] : sorted.filter((cluster) => breaks(removals, target, known.get(cluster))),
  }
}

/** OpenShift 4.20 is Kubernetes 1.33, and runs HCO 1.16. */
const KUBERNETES_OF_HCO = 17

function breaks(removals: readonly ApiRemoval[], target: string, stack: ClusterStack | undefined): boolean {
  const release = hcoReleaseOf(target)
  if (release === undefined) return false
  const hco = `1.${release.minor}.${release.patch}`
  // The platform of other clusters does not follow the version of HCO.
  const isOpenshift = stack?.isOpenshift === true
  return removals.some((removal) =>
    removal.by === 'hco'
      ? compareReleases(hco, removal.release) > 0
      : isOpenshift && compareReleases(`1.${release.minor + KUBERNETES_OF_HCO}`, removal.release) >= 0,
  )
}

/** Those that break first, then by clusters. */
function compareApis(a: DeprecatedApi, b: DeprecatedApi): number {
  return (
    b.breaksOn.length - a.breaksOn.length ||
    b.clusters.length - a.clusters.length ||
    compareTexts(`${a.group} ${a.version} ${a.resource}`, `${b.group} ${b.version} ${b.resource}`)
  )
}
