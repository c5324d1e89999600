import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import type { TsdbStatus } from '../../contract/prometheus-status.ts'
import type { ReadReload } from '../debug/rules.ts'
import { formatTime } from './format-value.ts'
import { cappedLimit, paramsOf } from './params.ts'
import { sendSuccess } from './prometheus-json.ts'

/**
 * `/api/v1/status/*`, `/api/v1/alertmanagers` and `/api/v1/notifications`: this process and its store in Prometheus'
 * formats. A field without an equivalent here has the nearest value.
 */
interface PrometheusStatusOptions {
  readonly clock: Clock
  readonly version: string
  readonly startedAtMs: number
  /** Effective options by name, as texts, without secrets. */
  readonly options: Readonly<Record<string, string>>
  /** Addresses of Alertmanagers, without secrets. */
  readonly alertmanagers: readonly string[]
  readonly process: () => ProcessFacts
  readonly storeStatus: ReadStoreStatus
  readonly reloadStatus: ReadReload
}

/** This process, as the operating system and the engine report it. */
export interface ProcessFacts {
  readonly folder: string
  readonly hostname: string
  /** Threads that run in parallel. */
  readonly threads: number
  readonly processors: number
  readonly heapBytesMax: number
}

/** Lists have at most `top` entries, the largest first. */
export type ReadStoreStatus = (top: number) => Promise<StoreStatus>

interface StoreStatus {
  readonly series: number
  readonly labelPairs: number
  /** Pages of the head in use. */
  readonly headPages: number
  readonly oldestMs: number | undefined
  readonly newestMs: number | undefined
  readonly seriesByMetric: readonly NamedCount[]
  readonly valuesByLabel: readonly NamedCount[]
  readonly bytesByLabel: readonly NamedCount[]
  readonly seriesByPair: readonly NamedCount[]
}

export interface NamedCount {
  readonly name: string
  readonly value: number
}

/**
 * The Prometheus whose HTTP API and PromQL this is: clients enable features by it. Our own version is
 * in `revision` and in `daytwo_build_info`.
 */
const PROMETHEUS_VERSION = '3.14.0'

const TOP_DEFAULT = 10
const TOP_MAX = 10_000

export function registerPrometheusStatus(app: FastifyInstance, options: PrometheusStatusOptions): void {
  const config = { access: 'viewer', dialect: 'prometheus', scope: 'none' } as const
  // Options name groups and clusters of all teams.
  const fleet = { ...config, scope: 'fleet' } as const

  app.get('/api/v1/status/buildinfo', { config }, (_request, reply) => {
    // Grafana treats a server with `features` as a Mimir with a ruler.
    const buildInfo = {
      version: PROMETHEUS_VERSION,
      revision: `daytwo ${options.version}`,
      branch: '',
      buildUser: '',
      buildDate: '',
      goVersion: '',
    }
    return sendSuccess(reply, JSON.stringify(buildInfo))
  })

  app.get('/api/v1/status/runtimeinfo', { config }, (_request, reply) =>
    sendSuccess(reply, JSON.stringify(runtimeInfo(options))),
  )

  app.get('/api/v1/status/flags', { config: fleet }, (_request, reply) =>
    sendSuccess(reply, JSON.stringify(options.options)),
  )

  app.get('/api/v1/status/config', { config: fleet }, (_request, reply) => {
    // A JSON text is a YAML text, and a dotted key is one of `--config`'s ways to write it.
    const lines = Object.entries(options.options).map(([key, text]) => `${key}: ${JSON.stringify(text)}\n`)
    return sendSuccess(reply, JSON.stringify({ yaml: lines.join('') }))
  })

  app.get('/api/v1/status/tsdb', { config: { ...fleet, lane: 'query' } }, async (request, reply) => {
    const top = cappedLimit(paramsOf(request), TOP_DEFAULT, TOP_MAX)
    return sendSuccess(reply, JSON.stringify(tsdbStatus(await options.storeStatus(top))))
  })

  app.get('/api/v1/status/walreplay', { config }, (_request, reply) =>
    sendSuccess(reply, JSON.stringify({ min: 0, max: 0, current: 0 })),
  )

  app.get('/api/v1/alertmanagers', { config: fleet }, (_request, reply) => {
    const activeAlertmanagers = options.alertmanagers.map((url) => ({ url: `${url}/api/v2/alerts` }))
    return sendSuccess(reply, JSON.stringify({ activeAlertmanagers, droppedAlertmanagers: [] }))
  })

  // Alerts report faults of the server. The stream is for a UI; after a response without a body a browser does not retry.
  app.get('/api/v1/notifications', { config }, (_request, reply) => sendSuccess(reply, '[]'))
  app.get('/api/v1/notifications/live', { config }, (_request, reply) => reply.code(204).send())
}

function runtimeInfo({ clock, startedAtMs, options, process, reloadStatus }: PrometheusStatusOptions): object {
  const { isSuccessful, lastSuccessMs } = reloadStatus()
  const { folder, hostname, threads, processors, heapBytesMax } = process()
  return {
    startTime: formatTime(startedAtMs),
    CWD: folder,
    hostname,
    serverTime: formatTime(clock.nowMs()),
    reloadConfigSuccess: isSuccessful,
    lastConfigTime: formatTime(lastSuccessMs),
    corruptionCount: 0,
    goroutineCount: threads,
    GOMAXPROCS: processors,
    GOMEMLIMIT: heapBytesMax,
    GOGC: '',
    GODEBUG: '',
    storageRetention: options['retention.raw'] ?? '',
  }
}

function tsdbStatus(status: StoreStatus): TsdbStatus['data'] {
  return {
    headStats: {
      numSeries: status.series,
      numLabelPairs: status.labelPairs,
      chunkCount: status.headPages,
      minTime: status.oldestMs ?? 0,
      maxTime: status.newestMs ?? 0,
    },
    seriesCountByMetricName: status.seriesByMetric,
    labelValueCountByLabelName: status.valuesByLabel,
    memoryInBytesByLabelName: status.bytesByLabel,
    seriesCountByLabelValuePair: status.seriesByPair,
  }
}
