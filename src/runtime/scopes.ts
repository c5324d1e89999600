/**
 * The clusters of scopes on the main thread: for each request the names as the query worker has them then. They are sent again
 * only when they have changed.
 */
import { formatSelectors, type ClusterScope, type ClusterSelectors } from '../model/cluster-scope.ts'
import type { QueryServices } from '../threads/query-worker.ts'
import type { Remote } from '../threads/rpc.ts'

interface KnownScope {
  readonly revision: string
  readonly scope: ClusterScope
}

/** Scopes whose names are in memory. */
const KNOWN_MAX = 100

/** Equal names are one object, by which what belongs to a scope is kept. */
export function createScopes(
  remote: Remote<QueryServices>['scopes'],
): (clusters: ClusterSelectors) => Promise<ClusterScope> {
  const scopes = new Map<string, KnownScope>()
  return async (clusters) => {
    const key = formatSelectors(clusters)
    const known = scopes.get(key)
    const changed = await remote.names(clusters, known?.revision)
    if (changed === undefined && known !== undefined) return known.scope
    const { names = [], revision = '' } = changed ?? {}
    const included = new Set(names)
    const scope: ClusterScope = { clusters, includes: (cluster) => included.has(cluster) }
    if (scopes.size >= KNOWN_MAX) scopes.clear()
    scopes.set(key, { revision, scope })
    return scope
  }
}
