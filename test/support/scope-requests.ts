/**
 * Requests of every route that answers about clusters: for a team, and for one that is outside. A route that is not here has
 * to be added, or it is not known what it shows to whom.
 */
import { clustersOf, END_MS, type Team, type TeamIds } from './scoped-fleet.ts'

export interface ScopedRequest {
  readonly path: string
  readonly body?: unknown
}

export interface RouteRequests {
  /** What a team reads; the same on a server without the other team. */
  readonly reads?: (ids: TeamIds, team: Team) => readonly (string | ScopedRequest)[]
  /** Of things of the other team: each is refused with one of these statuses, or answers an empty list (200). */
  readonly outside?: (ids: TeamIds, team: Team) => readonly (string | ScopedRequest)[]
}

const END = END_MS / 1000
const SPAN = `start=${END - 7200}&end=${END}`
const PAST = 'at=2026-07-15T12:00:00Z'
const REPLAY = '/api/fleet/v1/configuration/baseline/replay?from=2026-07-01T00:00:00Z'
const ALL_DECISIONS = 'proceed,hold,insufficient,not_comparable'
const workOf = (fingerprint: string): string => `/api/runbooks/v1/work/${fingerprint}/${END_MS}`
const form = (query: string): string => encodeURIComponent(query)
/** Upgrades are named by their clusters: the tests replace this by ids that the list has. */
export const UPGRADE_ID = 'UPGRADE_ID'
export const SILENCE_END_MS = END_MS + 7_200_000

const QUERIES = [
  'shop_load',
  'sum(shop_load)',
  'count by (cluster) ({__name__=~".+"})',
  'shop_load:sum',
  'absent(shop_load)',
  'csv_succeeded',
  'ALERTS',
  'count(count by (__name__) ({__name__=~"daytwo_.+"}))',
  'max_over_time(shop_load[1d])',
  'shop_load or vector(1)',
  'label_replace(shop_load, "x", "$1", "cluster", "(.*)")',
  'avg_over_time(sum(shop_load)[1h:10m])',
]

export const REQUESTS: Readonly<Record<string, RouteRequests>> = {
  'GET /api/v1/query': {
    reads: () => QUERIES.map((query) => `/api/v1/query?query=${form(query)}&time=${END}`),
    outside: (_, team) => [`/api/v1/query?query=${form(`shop_load{cluster="${team}-shop"}`)}&time=${END}`],
  },
  'POST /api/v1/query': {},
  'GET /api/v1/query_range': {
    reads: () => QUERIES.map((query) => `/api/v1/query_range?query=${form(query)}&${SPAN}&step=600`),
  },
  'POST /api/v1/query_range': {},
  'GET /api/v1/explain': { reads: () => [`/api/v1/explain?query=${form('sum(shop_load)')}&time=${END}`] },
  'POST /api/v1/explain': {},
  'GET /api/v1/format_query': { reads: () => ['/api/v1/format_query?query=up'] },
  'POST /api/v1/format_query': {},
  'GET /api/v1/parse_query': { reads: () => ['/api/v1/parse_query?query=up'] },
  'POST /api/v1/parse_query': {},
  'GET /api/v1/series': {
    reads: () => [
      `/api/v1/series?match[]=shop_load&${SPAN}`,
      `/api/v1/series?match[]=${form('{__name__=~".+"}')}&${SPAN}`,
    ],
    outside: (_, team) => [`/api/v1/series?match[]=${form(`{cluster="${team}-shop"}`)}`],
  },
  'POST /api/v1/series': {},
  'GET /api/v1/labels': { reads: () => ['/api/v1/labels', `/api/v1/labels?match[]=up&${SPAN}`] },
  'POST /api/v1/labels': {},
  'GET /api/v1/label/:name/values': {
    reads: () => ['cluster', '__name__', 'instance', 'region', 'pod'].map((name) => `/api/v1/label/${name}/values`),
  },
  'GET /api/v1/metadata': { reads: () => ['/api/v1/metadata'] },
  'GET /api/v1/query_exemplars': { reads: () => [`/api/v1/query_exemplars?query=shop_load&${SPAN}`] },
  'POST /api/v1/query_exemplars': {},
  'GET /api/v1/rules': { reads: () => ['/api/v1/rules', '/api/v1/rules?type=alert'] },
  'GET /api/v1/alerts': { reads: () => ['/api/v1/alerts'] },
  'GET /api/v1/targets': { reads: () => ['/api/v1/targets'] },
  'GET /api/v1/targets/metadata': { reads: () => ['/api/v1/targets/metadata'] },
  'GET /api/v1/scrape_pools': { reads: () => ['/api/v1/scrape_pools'] },
  'GET /federate': { reads: () => [`/federate?match[]=${form('{__name__=~".+"}')}`] },

  'GET /api/v2/alerts': { reads: () => ['/api/v2/alerts', `/api/v2/alerts?filter=${form('alertname="NodeDown"')}`] },
  'GET /api/v2/alerts/groups': { reads: () => ['/api/v2/alerts/groups'] },
  'GET /api/v2/receivers': { reads: () => ['/api/v2/receivers'] },
  'GET /api/v2/silences': { reads: () => ['/api/v2/silences'] },
  'GET /api/v2/silence/:silenceID': {
    reads: ({ silence }) => [`/api/v2/silence/${silence}`],
    outside: ({ silence }) => [`/api/v2/silence/${silence}`],
  },
  'DELETE /api/v2/silence/:silenceID': { outside: ({ silence }) => [`/api/v2/silence/${silence}`] },
  'GET /api/v2/status': { reads: () => ['/api/v2/status'] },
  'POST /api/v2/silences': {
    outside: (_, team) => [
      { path: '/api/v2/silences', body: postableSilence(`${team}-shop`) },
      { path: '/api/v2/silences', body: postableSilence(undefined) },
    ],
  },
  'POST /api/v2/alerts': {
    outside: (_, team) => [
      { path: '/api/v2/alerts', body: [{ labels: { alertname: 'Made', cluster: `${team}-shop` } }] },
      { path: '/api/v2/alerts', body: [{ labels: { alertname: 'Made' } }] },
    ],
  },

  ...jaegerRequests(),
  ...fleetRequests(),
  ...alertRequests(),

  'GET /api/adoption/v1/share': { reads: () => adoption('share?', 'share?by=platform&', 'share?by=region&') },
  'GET /api/adoption/v1/older-than': { reads: () => adoption('older-than?version=4.21.0&') },
  'GET /api/adoption/v1/spread': { reads: () => adoption('spread?') },
  'GET /api/adoption/v1/behind': { reads: () => adoption('behind?', 'behind?format=csv&') },
  'GET /api/adoption/v1/workloads': { reads: () => adoption('workloads?') },
  'GET /api/adoption/v1/usage': { reads: () => adoption('usage?') },
  'GET /api/adoption/v1/operators': { reads: () => ['/api/adoption/v1/operators'] },

  'GET /api/runbooks/v1/pages': { reads: () => ['/api/runbooks/v1/pages'] },
  'GET /api/runbooks/v1/pages/:name/source': { reads: () => ['/api/runbooks/v1/pages/ShopLoadHigh/source'] },
  'GET /api/runbooks/v1/pages/:name': {
    reads: ({ fingerprint }) => [
      '/api/runbooks/v1/pages/ShopLoadHigh',
      `/api/runbooks/v1/pages/ShopLoadHigh?instance=${fingerprint}`,
    ],
    outside: ({ fingerprint }) => [`/api/runbooks/v1/pages/ShopLoadHigh?instance=${fingerprint}`],
  },
  'GET /rb/:name': { reads: () => ['/rb/ShopLoadHigh'] },
  'HEAD /rb/:name': { reads: () => ['/rb/ShopLoadHigh'] },
  'GET /api/dashboards/v1': { reads: () => ['/api/dashboards/v1'] },
  'GET /api/dashboards/v1/:name': { reads: () => ['/api/dashboards/v1/none'] },
  'GET /api/ui/v1/settings': { reads: () => ['/api/ui/v1/settings'] },
}

function adoption(...paths: readonly string[]): readonly string[] {
  return paths.map((path) => `/api/adoption/v1/${path}from=2026-07-10`)
}

function jaegerRequests(): Readonly<Record<string, RouteRequests>> {
  const times = `startTime=2026-07-15T00:00:00Z&endTime=2026-07-17T00:00:00Z`
  const v3 = 'query.startTimeMin=2026-07-15T00:00:00Z&query.startTimeMax=2026-07-17T00:00:00Z'
  const ms = `endTs=${END_MS + 60_000}&lookback=86400000`
  const one = (path: string): RouteRequests => ({
    reads: ({ traceId }) => [`${path}/${traceId}`],
    outside: ({ traceId }) => [`${path}/${traceId}`],
  })
  return {
    'GET /api/services': { reads: () => ['/api/services'] },
    'GET /api/services/:service/operations': {
      reads: (_, team) => [`/api/services/only-${team}/operations`],
      outside: (_, team) => [`/api/services/only-${team}/operations`],
    },
    'GET /api/operations': {
      reads: () => ['/api/operations?service=hyperconverged-cluster-operator'],
      outside: (_, team) => [`/api/operations?service=only-${team}`],
    },
    'GET /api/traces': {
      reads: (_, team) => [`/api/traces?service=only-${team}`, '/api/traces?service=hyperconverged-cluster-operator'],
      outside: (ids, team) => [`/api/traces?service=only-${team}`, `/api/traces?traceID=${ids.traceId}`],
    },
    'GET /api/traces/:traceId': one('/api/traces'),
    'GET /api/dependencies': { reads: () => [`/api/dependencies?${ms}`] },
    'GET /api/v3/services': { reads: () => ['/api/v3/services'] },
    'GET /api/v3/operations': { outside: (_, team) => [`/api/v3/operations?service=only-${team}`] },
    'GET /api/v3/traces': { reads: () => [`/api/v3/traces?${v3}`] },
    'GET /api/v3/traces/:traceId': one('/api/v3/traces'),
    'GET /api/v3/trace-summaries': { reads: () => [`/api/v3/trace-summaries?${v3}`] },
    'GET /api/v3/dependencies': { reads: () => [`/api/v3/dependencies?${times}`] },
  }
}

function fleetRequests(): Readonly<Record<string, RouteRequests>> {
  const list = (path: string, ...more: readonly string[]): RouteRequests => ({
    reads: () => [
      `/api/fleet/v1/${path}`,
      `/api/fleet/v1/${path}${path.includes('?') ? '&' : '?'}${PAST}`,
      ...more.map((one) => `/api/fleet/v1/${one}`),
    ],
  })
  const ofCluster = (suffix: string): RouteRequests => ({
    reads: (_, team) => clustersOf(team).map((cluster) => `/api/fleet/v1/clusters/${cluster}${suffix}`),
    outside: (_, team) => clustersOf(team).map((cluster) => `/api/fleet/v1/clusters/${cluster}${suffix}`),
  })
  const ofUpgrade = (suffix: string): RouteRequests => ({
    reads: () => [`/api/fleet/v1/upgrades/${UPGRADE_ID}${suffix}`],
    outside: () => [
      `/api/fleet/v1/upgrades/${UPGRADE_ID}${suffix}`,
      `/api/fleet/v1/upgrades/${UPGRADE_ID}${suffix}?${PAST}`,
    ],
  })
  const erase = (cluster: string): ScopedRequest => {
    return { path: '/api/fleet/v1/erasures', body: { cluster, confirm: cluster } }
  }
  return {
    'GET /api/fleet/v1/now': list('now'),
    'GET /api/fleet/v1/clusters': list('clusters?facets=true', 'clusters?text=shop', 'clusters?sort=version&limit=1'),
    'GET /api/fleet/v1/clusters/:cluster': ofCluster(''),
    'GET /api/fleet/v1/clusters/:cluster/changes': ofCluster('/changes?limit=10'),
    'GET /api/fleet/v1/clusters/:cluster/stored': ofCluster('/stored'),
    'GET /api/fleet/v1/upgrades': {
      reads: () => [
        '/api/fleet/v1/upgrades',
        `/api/fleet/v1/upgrades?${PAST}`,
        '/api/fleet/v1/upgrades?sort=cluster&limit=2',
        '/api/fleet/v1/upgrades?state=in_progress',
      ],
      outside: (_, team) => clustersOf(team).map((cluster) => `/api/fleet/v1/upgrades?cluster=${cluster}`),
    },
    'GET /api/fleet/v1/upgrades/:id': ofUpgrade(''),
    'GET /api/fleet/v1/upgrades/:id/detail': ofUpgrade('/detail'),
    'GET /api/fleet/v1/stuck': list('stuck'),
    'GET /api/fleet/v1/edges': list('edges', 'edges?window=60d'),
    'GET /api/fleet/v1/edges/runs': list('edges/runs'),
    'GET /api/fleet/v1/edges/compare': {
      reads: () => ['/api/fleet/v1/edges/compare?first=4.19.2..4.20.0&second=4.21.2..4.21.3'],
    },
    'GET /api/fleet/v1/modifications': list('modifications'),
    'GET /api/fleet/v1/patches': list('patches', 'patches?to=1.19.0&limit=1'),
    // Of the same patches as the list: a key is known only from there.
    'GET /api/fleet/v1/patches/:key': { outside: () => ['/api/fleet/v1/patches/0000000000000000'] },
    'GET /api/fleet/v1/update-graph': { reads: () => ['/api/fleet/v1/update-graph?operator=kubevirt-hyperconverged'] },
    'GET /api/fleet/v1/stranded': list('stranded'),
    'GET /api/fleet/v1/rollouts': list('rollouts'),
    'GET /api/fleet/v1/rollouts/:version': { reads: () => ['/api/fleet/v1/rollouts/1.17.0'] },
    'POST /api/fleet/v1/rollouts/:version/gate': {
      reads: () => [{ path: '/api/fleet/v1/rollouts/1.17.0/gate', body: { metadata: { accept: ALL_DECISIONS } } }],
    },
    'GET /api/fleet/v1/unjoined': list('unjoined'),
    'GET /api/fleet/v1/gates': list('gates'),
    'GET /api/fleet/v1/gates/:gate': { reads: () => ['/api/fleet/v1/gates/deployKubeSecondaryDNS'] },
    'GET /api/fleet/v1/configuration': {
      reads: () => ['/api/fleet/v1/configuration', '/api/fleet/v1/configuration?format=csv'],
    },
    'GET /api/fleet/v1/configuration/baseline/replay': {
      reads: (_, team) => clustersOf(team).map((cluster) => `${REPLAY}&baseline=${cluster}`),
      outside: (_, team) => [`${REPLAY}&baseline=${team}-shop`],
    },
    'GET /api/fleet/v1/configuration/settings/:setting': {
      reads: () => ['/api/fleet/v1/configuration/settings/evictionStrategy'],
    },
    'GET /api/fleet/v1/configuration/clusters/:cluster': {
      reads: (_, team) => clustersOf(team).map((cluster) => `/api/fleet/v1/configuration/clusters/${cluster}`),
      outside: (_, team) => [
        `/api/fleet/v1/configuration/clusters/${team}-shop`,
        `/api/fleet/v1/configuration/clusters/a-shop?against=${team}-shop`,
      ],
    },
    'GET /api/fleet/v1/kvm-stack': { reads: () => ['/api/fleet/v1/kvm-stack', `/api/fleet/v1/kvm-stack?${PAST}`] },
    'GET /api/fleet/v1/deprecated-apis': { reads: () => ['/api/fleet/v1/deprecated-apis?target=1.18.1'] },
    'GET /api/fleet/v1/logs': {
      reads: () => ['/api/fleet/v1/logs', '/api/fleet/v1/logs?contains=slow'],
      outside: (ids, team) => [`/api/fleet/v1/logs?cluster=${team}-shop`, `/api/fleet/v1/logs?traceId=${ids.traceId}`],
    },
    'GET /api/fleet/v1/metrics': { reads: () => ['/api/fleet/v1/metrics'] },
    'GET /api/fleet/v1/decommissions': { reads: () => ['/api/fleet/v1/decommissions'] },
    'POST /api/fleet/v1/decommissions': {
      outside: (_, team) => [
        { path: '/api/fleet/v1/decommissions', body: { clusters: [`${team}-shop`], reason: 'none' } },
      ],
    },
    'DELETE /api/fleet/v1/decommissions/:id': {
      outside: ({ decommission }) => [`/api/fleet/v1/decommissions/${decommission}`],
    },
    'GET /api/fleet/v1/readiness': {
      reads: () => [
        '/api/fleet/v1/readiness?to=1.99.0&facets=true',
        `/api/fleet/v1/readiness?to=${encodeURIComponent('openshift 4.99.0')}&facets=true`,
        '/api/fleet/v1/readiness?facets=true',
      ],
    },
    'GET /api/fleet/v1/readiness/hazards': { reads: () => ['/api/fleet/v1/readiness/hazards'] },
    'GET /api/fleet/v1/readiness/acceptances': { reads: () => ['/api/fleet/v1/readiness/acceptances'] },
    'POST /api/fleet/v1/readiness/acceptances': {
      outside: (_, team) => [
        {
          path: '/api/fleet/v1/readiness/acceptances',
          body: { hazard: 'nodes', clusters: [`${team}-shop`], reason: 'none', expiresAt: '2026-07-20T00:00:00Z' },
        },
      ],
    },
    'DELETE /api/fleet/v1/readiness/acceptances/:id': { outside: () => ['/api/fleet/v1/readiness/acceptances/none'] },
    'GET /api/fleet/v1/erasures': { reads: () => ['/api/fleet/v1/erasures'] },
    'POST /api/fleet/v1/erasures': { outside: (_, team) => [erase(`${team}-shop`)] },
    'POST /api/fleet/v1/erasures/:id/allow': { outside: () => ['/api/fleet/v1/erasures/none/allow'] },
    'GET /api/fleet/v1/rules/tests': { reads: () => [] },
    'POST /api/fleet/v1/plans': {
      reads: () => [{ path: '/api/fleet/v1/plans', body: { target: '1.18', start: '2036-01-05T00:00:00Z' } }],
    },
    'POST /api/fleet/v1/rules/replay': {
      reads: () => [
        {
          path: '/api/fleet/v1/rules/replay',
          body: { alertname: 'ShopLoadHigh', fromMs: END_MS - 3_600_000, toMs: END_MS },
        },
      ],
    },
  }
}

function alertRequests(): Readonly<Record<string, RouteRequests>> {
  const silence = (cluster: string | undefined): unknown => ({
    matchers: [
      { name: 'alertname', op: '=~', value: '.+' },
      ...(cluster === undefined ? [] : [{ name: 'cluster', op: '=', value: cluster }]),
    ],
    endsAtMs: SILENCE_END_MS,
    comment: 'of another team',
  })
  const acknowledge = (fingerprint: string): ScopedRequest => {
    return { path: `/api/fleet/v1/alerts/${fingerprint}/acknowledge`, body: { note: 'mine', by: 'ada' } }
  }
  return {
    // What is in the archives: test/e2e/bundles.test.ts.
    'GET /api/fleet/v1/bundles/alerts/:fingerprint': {
      outside: ({ fingerprint }) => [`/api/fleet/v1/bundles/alerts/${fingerprint}`],
    },
    'GET /api/fleet/v1/bundles/upgrades/:id': { outside: () => [`/api/fleet/v1/bundles/upgrades/${UPGRADE_ID}`] },
    'GET /api/fleet/v1/bundles/rollouts/:version': {},
    'GET /api/runbooks/v1/work/:fingerprint/:activeAtMs': { outside: ({ fingerprint }) => [workOf(fingerprint)] },
    'POST /api/runbooks/v1/work/:fingerprint/:activeAtMs': {
      outside: ({ fingerprint }) => [
        { path: workOf(fingerprint), body: { kind: 'note', text: 'of another team', by: 'ada', seen: 0 } },
      ],
    },
    'GET /api/runbooks/v1/outcomes': { reads: () => ['/api/runbooks/v1/outcomes'] },
    'GET /api/runbooks/v1/outcomes/:name': { reads: () => ['/api/runbooks/v1/outcomes/VirtAPIDown'] },
    'GET /api/runbooks/v1/reviews/alerts/:fingerprint/:activeAtMs': {
      outside: ({ fingerprint }) => [`/api/runbooks/v1/reviews/alerts/${fingerprint}/${END_MS}`],
    },
    'GET /api/runbooks/v1/reviews/upgrades/:id': { outside: () => [`/api/runbooks/v1/reviews/upgrades/${UPGRADE_ID}`] },
    'GET /api/fleet/v1/alerts': {
      reads: () => ['/api/fleet/v1/alerts', `/api/fleet/v1/alerts?at=${new Date(END_MS).toISOString()}`],
    },
    'GET /api/fleet/v1/alerts/:fingerprint': {
      reads: ({ fingerprint }) => [`/api/fleet/v1/alerts/${fingerprint}`],
      outside: ({ fingerprint }) => [`/api/fleet/v1/alerts/${fingerprint}`],
    },
    'POST /api/fleet/v1/alerts/:fingerprint/acknowledge': {
      outside: ({ fingerprint }) => [acknowledge(fingerprint)],
    },
    'DELETE /api/fleet/v1/alerts/:fingerprint/acknowledge': {
      outside: ({ fingerprint }) => [`/api/fleet/v1/alerts/${fingerprint}/acknowledge`],
    },
    'GET /api/fleet/v1/alerts/history': {
      reads: () => ['/api/fleet/v1/alerts/history', '/api/fleet/v1/alerts/history?limit=1'],
      outside: ({ fingerprint }, team) => [
        `/api/fleet/v1/alerts/history?fingerprint=${fingerprint}`,
        `/api/fleet/v1/alerts/history?cluster=${team}-shop`,
      ],
    },
    'GET /api/fleet/v1/alerts/strip': {
      reads: ({ fingerprint }) => [`/api/fleet/v1/alerts/strip?fingerprint=${fingerprint}`],
    },
    'GET /api/fleet/v1/audit': { reads: () => ['/api/fleet/v1/audit', '/api/fleet/v1/audit?limit=2'] },
    'GET /api/fleet/v1/silences': { reads: () => ['/api/fleet/v1/silences'] },
    'POST /api/fleet/v1/silences': {
      outside: (_, team) => [
        { path: '/api/fleet/v1/silences', body: silence(`${team}-shop`) },
        { path: '/api/fleet/v1/silences', body: silence(undefined) },
      ],
    },
    'GET /api/fleet/v1/silences/:id': {
      reads: ({ silence: id }) => [`/api/fleet/v1/silences/${id}`],
      outside: ({ silence: id }) => [`/api/fleet/v1/silences/${id}`],
    },
    'PUT /api/fleet/v1/silences/:id': {
      outside: ({ silence: id }, team) => [
        { path: `/api/fleet/v1/silences/${id}`, body: silence(`${team}-shop`) },
        // To one of the clusters of team A.
        { path: `/api/fleet/v1/silences/${id}`, body: silence('a-shop') },
      ],
    },
    'DELETE /api/fleet/v1/silences/:id': { outside: ({ silence: id }) => [`/api/fleet/v1/silences/${id}`] },
    'POST /api/fleet/v1/silences/preview': {
      reads: () => [
        {
          path: '/api/fleet/v1/silences/preview',
          body: { matchers: [{ name: 'alertname', op: '=~', value: '.+' }] },
        },
      ],
    },
    'GET /api/fleet/v1/deliveries': {
      reads: () => ['/api/fleet/v1/deliveries'],
      outside: ({ fingerprint }) => [`/api/fleet/v1/deliveries?fingerprint=${fingerprint}`],
    },
    // Ids of deliveries are found by the test: all that there are.
    'GET /api/fleet/v1/deliveries/:id': {
      outside: () => Array.from({ length: 12 }, (_, id) => `/api/fleet/v1/deliveries/${id}`),
    },
  }
}

function postableSilence(cluster: string | undefined): unknown {
  const matcher = (name: string, value: string) => ({ name, value, isRegex: true, isEqual: true })
  return {
    matchers: [matcher('alertname', '.+'), ...(cluster === undefined ? [] : [matcher('cluster', cluster)])],
    startsAt: new Date(END_MS).toISOString(),
    endsAt: new Date(SILENCE_END_MS).toISOString(),
    createdBy: 'ada',
    comment: 'of another team',
  }
}
