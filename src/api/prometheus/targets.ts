import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { PrometheusTarget } from '../../contract/prometheus-status.ts'
import type { Labels } from '../../model/labels.ts'
import type { QueryEngine, VectorSample } from '../../promql/query-engine.ts'
import { formatTime } from './format-value.ts'
import { namingParam, optionalCount, paramsOf } from './params.ts'
import { sendInPieces } from '../server/pieces.ts'
import { JSON_TYPE, sendSuccess } from './prometheus-json.ts'
import type { QueryParser } from './query-parser.ts'
import type { PortsOf } from '../scope/ports-of.ts'

type InstantEngine = Pick<QueryEngine, 'instant'>

/**
 * `/api/v1/targets`, `/targets/metadata` and `/scrape_pools`. Nothing is scraped here: targets are the series `up` of the
 * senders' Prometheis, whose samples have the time of the scrape. Address, interval and error are not known here, so these
 * fields are empty, and there are no dropped targets.
 */
export function registerTargets(
  app: FastifyInstance,
  ports: PortsOf<{ readonly query: InstantEngine }>,
  parser: QueryParser,
  clock: Clock,
): void {
  const config = { access: 'viewer', dialect: 'prometheus', scope: 'clusters', lane: 'query' } as const

  app.get('/api/v1/targets', { config }, async (request, reply) => {
    const params = paramsOf(request)
    const [state, pool] = [params.get('state').toLowerCase(), params.get('scrapePool')]
    const showsActive = ['', 'any', 'active'].includes(state)
    const targets = showsActive ? await readTargets(ports(request).query, clock.nowMs(), pool) : []
    return sendInPieces(reply, JSON_TYPE, targets.length, function* () {
      yield '{"status":"success","data":{"activeTargets":['
      for (let i = 0; i < targets.length; i++) yield `${i === 0 ? '' : ','}${JSON.stringify(targetView(targets[i]!))}`
      yield '],"droppedTargets":[],"droppedTargetCounts":{}}}'
    })
  })

  app.get('/api/v1/scrape_pools', { config }, async (request, reply) => {
    const targets = await readTargets(ports(request).query, clock.nowMs(), '')
    const scrapePools = [...new Set(targets.map(({ labels }) => labels.get('job')))].sort()
    return sendSuccess(reply, JSON.stringify({ scrapePools }))
  })

  // Metadata is not stored by target.
  app.get('/api/v1/targets/metadata', { config }, async (request, reply) => {
    const params = paramsOf(request)
    optionalCount(params, 'limit')
    const matching = params.get('match_target')
    if (matching !== '') await namingParam('match_target', () => parser.selectors([matching]))
    return sendSuccess(reply, '[]')
  })
}

interface Target {
  readonly labels: Labels
  readonly isUp: boolean
  readonly scrapedAtMs: number | undefined
  readonly scrapeSeconds: number | undefined
}

/** Targets whose last scrape is within the lookback, of one pool or, for the empty text, of all. */
async function readTargets(query: InstantEngine, timeMs: number, pool: string): Promise<readonly Target[]> {
  const ofPool = pool === '' ? '' : `{job=${JSON.stringify(pool)}}`
  const read = async (expr: string): Promise<readonly VectorSample[]> => {
    const { value } = await query.instant({ expr, timeMs })
    return value.type === 'vector' ? value.samples : []
  }
  const [ups, times, durations] = await Promise.all([
    read(`up${ofPool}`),
    read(`timestamp(up${ofPool})`),
    read(`scrape_duration_seconds${ofPool}`),
  ])
  const secondsByTarget = (samples: readonly VectorSample[]): ReadonlyMap<string, number> =>
    new Map(samples.map(({ labels, value }) => [labels.dropMetricName().key, value]))
  const scrapedAt = secondsByTarget(times)
  const secondsOfScrape = secondsByTarget(durations)
  return ups.map((up) => {
    const labels = up.labels.dropMetricName()
    const atSeconds = scrapedAt.get(labels.key)
    return {
      labels,
      isUp: up.value !== 0,
      scrapedAtMs: atSeconds === undefined ? undefined : Math.round(atSeconds * 1000),
      scrapeSeconds: secondsOfScrape.get(labels.key),
    }
  })
}

function targetView({ labels, isUp, scrapedAtMs, scrapeSeconds }: Target): PrometheusTarget {
  return {
    discoveredLabels: {},
    labels: labels.toObject(),
    scrapePool: labels.get('job'),
    scrapeUrl: '',
    globalUrl: '',
    lastError: '',
    lastScrape: formatTime(scrapedAtMs),
    lastScrapeDuration: scrapeSeconds ?? 0,
    health: isUp ? 'up' : 'down',
    scrapeInterval: '',
    scrapeTimeout: '',
  }
}
