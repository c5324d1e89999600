import type { DecommissionItem, DecommissionRequest, GoneItem } from '../../../src/contract/decommissions.ts'
import type { ClusterDetail, ClusterItem, ClusterItems } from '../../../src/contract/fleet-clusters.ts'
import type { Answers, Sent } from './fixture-server.ts'
import { timeOf } from './coverage-fixtures.ts'

/** A server on which clusters can be said to be gone: what was said is in the next answers, as on a real one. */
export interface GoneFleet {
  /** All that was said, the newest last. */
  readonly said: DecommissionItem[]
  /** Clusters that are gone by time alone. */
  readonly unheard: Set<string>
  /** The cluster is heard again. */
  readonly hear: (cluster: string) => void
}

const DAY_MS = 86_400_000

export function withGoneFleet(answers: Answers): GoneFleet {
  const said: DecommissionItem[] = []
  const unheard = new Set<string>()
  const end = (one: DecommissionItem, state: DecommissionItem['state'], endedBy: string): DecommissionItem => {
    return Object.assign(one, { state, endedAt: timeOf(Date.now()), endedBy })
  }
  const standing = (cluster: string): DecommissionItem | undefined =>
    said.find((one) => one.cluster === cluster && one.state === 'standing')
  const goneOf = (cluster: string): GoneItem | null => {
    const decommission = standing(cluster) ?? null
    if (decommission !== null) return { since: decommission.since, why: 'declared', afterSeconds: null, decommission }
    const since = timeOf(Date.now() - 2 * DAY_MS)
    return unheard.has(cluster) ? { since, why: 'unheard', afterSeconds: 14 * 86_400, decommission: null } : null
  }
  const marked = <T extends ClusterItem>(item: T): T => {
    const gone = goneOf(item.cluster)
    return gone === null ? item : { ...item, gone, states: ['gone'] }
  }
  const { fleet, now } = answers
  answers.fleet = (url) => {
    const answer = fleet(url)
    if (/\/clusters\/[^/]+$/.test(url.pathname)) {
      const detail = answer as ClusterDetail
      if (!('cluster' in detail)) return answer
      const own = said.filter(({ cluster }) => cluster === detail.cluster)
      return { ...marked(detail), decommissions: own.toReversed() }
    }
    if (!url.pathname.endsWith('/clusters')) return answer
    const items = answer as ClusterItems
    const all = (fleet(new URL('/api/fleet/v1/clusters?limit=2000', url)) as ClusterItems).clusters.map(marked)
    const gone = all.filter((one) => one.gone !== null)
    const isAsked = url.searchParams.getAll('state').includes('gone')
    const text = url.searchParams.get('text') ?? ''
    const clusters = isAsked
      ? gone.filter(({ cluster }) => cluster.includes(text))
      : items.clusters.map(marked).filter((one) => one.gone === null)
    const facets = items.facets && {
      ...items.facets,
      states: items.facets.states.map(({ value, count }) => ({ value, count: value === 'gone' ? gone.length : count })),
    }
    const coverage = { ...items.coverage, clusters: items.coverage.clusters - gone.length, gone: gone.length }
    return { ...items, clusters, coverage, facets, total: isAsked ? clusters.length : items.total - gone.length }
  }
  answers.now = () => {
    const answer = now()
    if (typeof answer !== 'object' || !('clusters' in answer)) return answer
    const gone = unheard.size + said.filter(({ state }) => state === 'standing').length
    return { ...answer, clusters: { ...answer.clusters, gone } }
  }
  answers.change = ({ method, path, body }: Sent) => {
    if (method === 'DELETE') {
      const one = said.find(({ id }) => path.endsWith(`/${id}`))
      return one === undefined ? { status: 404, body: { error: 'no', code: 'not_found' } } : end(one, 'withdrawn', 'me')
    }
    const { clusters, reason, since = timeOf(Date.now()) } = body as DecommissionRequest
    const made = clusters.map((cluster): DecommissionItem => {
      const [id, saidAt] = [`d${said.length}-${cluster}`, timeOf(Date.now())]
      return {
        id,
        cluster,
        kind: 'decommissioned',
        since,
        by: 'me',
        reason,
        saidAt,
        state: 'standing',
        endedAt: null,
        endedBy: null,
      }
    })
    said.push(...made)
    return { asOf: timeOf(Date.now()), decommissions: made }
  }
  return {
    said,
    unheard,
    hear: (cluster) => {
      unheard.delete(cluster)
      const one = standing(cluster)
      if (one !== undefined) end(one, 'returned', 'daytwo')
    },
  }
}
