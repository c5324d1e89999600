import { readDashboard } from '../../src/catalog/dashboard.ts'
import type { DashboardAnswer } from '../../src/contract/dashboards.ts'
import type { ClusterItem } from '../../src/contract/fleet-clusters.ts'
import { DASHBOARD_LIST } from '../../test/web/browser/dashboard-fixtures.ts'
import { fleetAnswer } from '../../test/web/browser/fleet-answers.ts'
import { clusterItems } from '../../test/web/browser/fleet-fixtures.ts'
import { SETTINGS } from '../../test/web/browser/fixtures.ts'
import { startFixtureServer, type FixtureServer } from '../../test/web/browser/fixture-server.ts'

/** The built pages with answers from memory, so that what is measured is the page: a large fleet and a large dashboard. */

export const CLUSTERS = 10_000
export const PANELS = 50
export const SERIES = 100
export const LARGE_DASHBOARD = '/explore/dashboards/large'

export async function startSite(): Promise<FixtureServer> {
  const server = await startFixtureServer()
  const dashboard = largeDashboard()
  const clusters = manyClusters()
  // Without the tour of a demo.
  server.answers.settings = () => ({ ...SETTINGS, isDemo: false })
  server.answers.dashboard = () => dashboard
  server.answers.dashboards = () => DASHBOARD_LIST
  server.answers.range = (_expr, start, end, step) => matrix(start, end, step)
  server.answers.fleet = (url) => (url.pathname === CLUSTERS_PATH ? clusters(url) : fleetAnswer(url, Date.now()))
  return server
}

const CLUSTERS_PATH = '/api/fleet/v1/clusters'

/** Pages of as many clusters as the target names, made once: those of the tests, again and again under other names. */
function manyClusters(): (url: URL) => unknown {
  const search = new URLSearchParams({ limit: '2000', facets: 'true' })
  const few = clusterItems(search, Date.now())
  const all = Array.from({ length: CLUSTERS }, (_, i): ClusterItem => {
    const one = few.clusters[i % few.clusters.length]!
    return i < few.clusters.length ? one : { ...one, cluster: `${one.cluster}-${Math.floor(i / few.clusters.length)}` }
  })
  return ({ searchParams }) => {
    const from = Number(searchParams.get('cursor') ?? '0')
    const until = from + Number(searchParams.get('limit') ?? '100')
    return {
      ...few,
      asOf: new Date().toISOString(),
      total: CLUSTERS,
      clusters: all.slice(from, until),
      facets: searchParams.get('facets') === 'true' ? few.facets : null,
      nextCursor: until < CLUSTERS ? String(until) : null,
    }
  }
}

/** Each series another course; as many steps as are asked for. */
function matrix(start: number, end: number, step: number): unknown {
  const steps = Math.round((end - start) / step) + 1
  const result = Array.from({ length: SERIES }, (_, series) => ({
    metric: { __name__: 'load', cluster: `cluster-${series}` },
    values: Array.from({ length: steps }, (_step, i) => [
      start + i * step,
      String(series + 10 * Math.sin(i / 20 + series)),
    ]),
  }))
  return { status: 'success', data: { resultType: 'matrix', result } }
}

function largeDashboard(): DashboardAnswer {
  const panel = (i: number): object => ({
    kind: 'Panel',
    spec: {
      display: { name: `Panel ${i}` },
      plugin: { kind: 'TimeSeriesChart', spec: { legend: { mode: 'list', position: 'bottom' } } },
      queries: [
        {
          kind: 'TimeSeriesQuery',
          spec: { plugin: { kind: 'PrometheusTimeSeriesQuery', spec: { query: `load{panel="${i}"}` } } },
        },
      ],
    },
  })
  const ids = Array.from({ length: PANELS }, (_, i) => `p${i}`)
  const items = ids.map((id, i) => ({
    ...{ x: (i % 3) * 8, y: Math.floor(i / 3) * 8, width: 8, height: 8 },
    content: { $ref: `#/spec/panels/${id}` },
  }))
  const source = JSON.stringify({
    kind: 'Dashboard',
    metadata: { name: 'large' },
    spec: {
      panels: Object.fromEntries(ids.map((id, i) => [id, panel(i)])),
      layouts: [{ kind: 'Grid', spec: { items } }],
    },
  })
  const { dashboard } = readDashboard('large.yaml', source)
  return { dashboard: dashboard.model, file: 'dashboards/large.yaml', source: '', faults: [], alerts: {} }
}
