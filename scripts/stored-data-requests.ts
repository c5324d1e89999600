/** The requests of `make-stored-data.ts`: each family of routes that read stored data. */
import { END_MS } from './stored-data-by-hand.ts'

/** Ids in the stored data. */
export interface RequestIds {
  readonly silence: string
  readonly fingerprint: string
  readonly traceId: string
  /** Upgrades. */
  readonly open: string
  readonly stuck: string
  readonly ended: string
  readonly upgradeTrace: string
}

const HOUR_SECONDS = 3600
const END = END_MS / 1000
/** The day before an upgrade that is open at the end began. */
const PAST = 'at=2026-07-14T12:00:00Z'
const SPAN = `start=${END - HOUR_SECONDS}&end=${END}`

/** 50 paths with their parameters; characters that a URL cannot contain are not encoded yet. */
export function requestsOf(ids: RequestIds): readonly string[] {
  const { silence, fingerprint, traceId, open, stuck, ended, upgradeTrace } = ids
  return [
    ...prometheusRequests(),
    ...alertRequests(silence, fingerprint),
    ...traceRequests(traceId, upgradeTrace),
  ].concat([
    '/api/fleet/v1/now',
    `/api/fleet/v1/now?${PAST}`,
    '/api/fleet/v1/clusters',
    `/api/fleet/v1/clusters?${PAST}`,
    '/api/fleet/v1/clusters/mad-edge-898',
    `/api/fleet/v1/clusters/mad-edge-642?${PAST}`,
    '/api/fleet/v1/clusters/mad-edge-898/changes?limit=10',
    '/api/fleet/v1/upgrades?operator=kubevirt-hyperconverged&limit=4',
    `/api/fleet/v1/upgrades?${PAST}&limit=3`,
    `/api/fleet/v1/upgrades/${ended}`,
    `/api/fleet/v1/upgrades/${open}/detail`,
    `/api/fleet/v1/upgrades/${stuck}/detail?${PAST.replace('14T', '15T')}`,
    '/api/fleet/v1/stuck',
    '/api/fleet/v1/edges?limit=3',
    '/api/fleet/v1/edges/compare?first=4.19.2..4.20.0&second=4.21.2..4.21.3',
    '/api/fleet/v1/modifications',
    '/api/fleet/v1/gates',
    '/api/fleet/v1/stranded',
    '/api/fleet/v1/logs?cluster=fixture-a',
    '/api/fleet/v1/decommissions',
    '/api/adoption/v1/share?from=2026-07-01',
    '/api/adoption/v1/spread?from=2026-06-21',
    '/api/adoption/v1/behind',
    '/api/runbooks/v1/pages/FixtureLoadHigh',
    '/api/dashboards/v1/fixture',
  ])
}

function prometheusRequests(): readonly string[] {
  const range = (query: string, hours: number, step: string): string =>
    `/api/v1/query_range?query=${query}&start=${END - hours * HOUR_SECONDS}&end=${END}&step=${step}`
  return [
    `/api/v1/query?query=sum by (cluster, version) (csv_succeeded)&time=${END}`,
    `/api/v1/query?query=rate(fixture_requests_total[10m])&time=${END}`,
    `/api/v1/query?query=histogram_quantile(0.9, rate(fixture_phase_seconds[30m]))&time=${END}`,
    `/api/v1/query?query=fixture_phase_seconds&time=${END}`,
    range('fixture_load', 2, '300'),
    range('avg by (cluster) (avg_over_time(fixture_load[6h]))', 20 * 24, '86400'),
    range('max_over_time(kubevirt_hco_system_health_status[1d])', 20 * 24, '172800'),
    `/api/v1/series?match[]={cluster="fixture-a"}&${SPAN}`,
    `/api/v1/labels?${SPAN}`,
    '/api/v1/label/__name__/values',
    '/api/v1/metadata',
    `/api/v1/query_exemplars?query=fixture_requests_total&${SPAN}`,
    '/federate?match[]={__name__=~"fixture_.*|queue_.*"}',
    '/api/v1/rules?type=alert&rule_group[]=fixture',
  ]
}

function alertRequests(silence: string, fingerprint: string): readonly string[] {
  return [
    '/api/v1/alerts',
    '/api/v2/alerts',
    `/api/v2/silence/${silence}`,
    `/api/fleet/v1/alerts/${fingerprint}`,
    '/api/fleet/v1/alerts/history?limit=20',
    '/api/fleet/v1/audit',
  ]
}

function traceRequests(traceId: string, upgradeTrace: string): readonly string[] {
  return [
    '/api/services',
    `/api/traces/${traceId}`,
    '/api/traces?service=hyperconverged-cluster-operator&limit=1',
    `/api/v3/traces/${upgradeTrace}`,
    '/api/v3/operations?service=checkout',
  ]
}
