import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { FARO_LIMITS, receiveFaro, type FaroItems } from '../../ingest/faro.ts'
import { countsOf, isOfOwnPages, logRecordOf, type OwnPageCount } from '../../ingest/own-pages.ts'
import { SeenKeys } from '../../ingest/seen-keys.ts'
import type { LogRecord } from '../../model/log-record.ts'
import { gunzipBody } from '../server/body-limit.ts'

/**
 * `POST /collect`: browser telemetry of Daytwo's own pages (Grafana Faro's protocol), counted as series and stored as log
 * records. Public by nature, because any page can contain its address: it has a rate limit per client, stores a limited
 * number of records a minute, and answers only `ok`.
 */
export interface FaroOptions {
  /** Per client address. */
  readonly requestsPerSecond: number
  readonly burst: number
}

/** The limits of stock receivers. */
export const DEFAULT_FARO_OPTIONS: FaroOptions = { requestsPerSecond: 50, burst: 100 }

const CLIENTS_MAX = 10_000
const KEYS_MAX = 10_000

/** For all clients together; further records are only counted, so they cannot fill the disk. */
const STORED_PER_MINUTE_MAX = 600
const MINUTE_MS = 60_000

/** Stores log records; resolves when they are durable. */
export type StoreLogs = (records: readonly LogRecord[]) => Promise<void>

interface FaroDeps {
  readonly options: FaroOptions
  readonly clock: Clock
  readonly log: Log
  readonly metrics: OwnMetrics
  readonly storeLogs: StoreLogs
}

export async function registerFaro(app: FastifyInstance, deps: FaroDeps): Promise<void> {
  const { clock, log, metrics } = deps
  const limit = new RateLimit({ ...deps.options, clientsMax: CLIENTS_MAX })
  const seen = new SeenKeys(KEYS_MAX)
  const room = createRoom(STORED_PER_MINUTE_MAX, MINUTE_MS)
  const config = { access: 'public', dialect: 'text', isOpenToOrigins: true } as const

  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: FARO_LIMITS.bodyBytesMax },
      (_request, body, parsed) => {
        parsed(null, body)
      },
    )
    scope.addHook('onRequest', (request, reply, next) => {
      void reply.headers(corsHeaders(request.headers.origin))
      next()
    })
    // Counts any failure of a whole request, also one before its body is read.
    scope.addHook('onError', (_request, _reply, error, next) => {
      metrics.faroItems.inc({ kind: 'request', outcome: isTooLarge(error) ? 'too_large' : 'not_read' })
      next()
    })
    scope.options('/collect', { config }, (_request, reply) => reply.code(204).send())

    scope.route<{ Body: Buffer | undefined }>({
      method: 'POST',
      url: '/collect',
      config,
      onRequest: async (request, reply) => {
        const waitSeconds = limit.take(request.ip, clock.nowMs())
        if (waitSeconds === 0) return
        metrics.faroItems.inc({ kind: 'request', outcome: 'rate_limited' })
        await reply.code(429).header('retry-after', waitSeconds).type('text/plain').send('too many requests\n')
      },
      handler: async (request, reply) => {
        const key = request.headers['idempotency-key']
        // A repeated batch is acknowledged: its sender missed the response, the batch was not lost.
        if (typeof key === 'string' && seen.has(key)) return reply.code(202).type('text/plain').send('ok')
        const body = await decoded(request)
        const nowMs = clock.nowMs()
        const items = received(body, nowMs)
        record(items, log, metrics)
        const own = items.records.filter(isOfOwnPages)
        for (const count of own.flatMap(countsOf)) countOwnPage(count, metrics)
        const stored = own.slice(0, room(own.length, nowMs))
        if (stored.length > 0) await deps.storeLogs(stored.map(logRecordOf))
        const left = own.length - stored.length
        if (left > 0) metrics.faroItems.inc({ kind: 'item', outcome: 'not_kept' }, left)
        if (typeof key === 'string') seen.add(key)
        return reply.code(202).type('text/plain').send('ok')
      },
    })
    done()
  })
}

function isTooLarge(error: Error): boolean {
  return 'code' in error && (error.code === 'too_large' || error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
}

/** Takes up to `wanted` from the quota of the current period and returns how many it took. */
function createRoom(max: number, everyMs: number): (wanted: number, nowMs: number) => number {
  let [period, taken] = [-1, 0]
  return (wanted, nowMs) => {
    const present = Math.floor(nowMs / everyMs)
    if (present !== period) [period, taken] = [present, 0]
    const fits = Math.min(wanted, max - taken)
    taken += fits
    return fits
  }
}

function countOwnPage(count: OwnPageCount, metrics: OwnMetrics): void {
  const { page } = count
  switch (count.kind) {
    case 'load':
      metrics.webPageLoads.inc({ page })
      break
    case 'error':
      metrics.webErrors.inc({ page })
      break
    case 'slow_panel':
      metrics.webSlowPanels.inc({ page })
      break
    case 'vital': {
      const { vital, rating, value } = count
      metrics.webVitals.inc({ vital, rating, page })
      metrics.webVitalSum.inc({ vital, page }, value)
    }
  }
}

/** Any origin may send; none may read more than the response's two headers. Never with credentials. */
function corsHeaders(origin: string | undefined): Record<string, string> {
  const common = { vary: 'Origin' }
  if (origin === undefined) return common
  return {
    ...common,
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'POST, OPTIONS',
    // Without `idempotency-key` every send of SDK 2.12 fails its preflight.
    'access-control-allow-headers':
      'content-type, content-encoding, traceparent, x-api-key, x-faro-session-id, x-scope-orgid, idempotency-key',
    'access-control-expose-headers': 'X-Faro-Session-Status, Retry-After',
    'access-control-max-age': '7200',
  }
}

async function decoded(request: FastifyRequest<{ Body: Buffer | undefined }>): Promise<Buffer> {
  const { body = Buffer.alloc(0), bodyLease } = request
  const encoding = request.headers['content-encoding']
  switch (encoding?.toLowerCase()) {
    case undefined:
    case 'identity':
      return body
    case 'gzip':
      return gunzipBody(body, 'faro', bodyLease!, FARO_LIMITS.bodyBytesMax, () => {
        return new FleetError('too_large', `faro: got more than ${FARO_LIMITS.bodyBytesMax} bytes after decompression`)
      })
    default:
      throw new FleetError('unsupported_media', `content encoding: got ${JSON.stringify(encoding)}, want gzip or none`)
  }
}

function received(body: Buffer, nowMs: number): FaroItems {
  try {
    const outcome = receiveFaro(body, nowMs)
    if (outcome.kind === 'accepted') return outcome.items
    throw new FleetError('too_large', outcome.message)
  } catch (thrown) {
    // The decoder's error class belongs to a folder that this one may not import.
    if (thrown instanceof Error && thrown.name === 'DecodeError') throw new FleetError('bad_request', thrown.message)
    throw thrown
  }
}

function record(items: FaroItems, log: Log, metrics: OwnMetrics): void {
  for (const item of items.records) {
    metrics.faroItems.inc({ kind: item.kind, outcome: 'taken' })
    if (item.kind === 'exception') log.warn({ browser: item }, 'a page reports an error')
  }
  for (const { reason, count } of items.refusals) metrics.faroItems.inc({ kind: 'item', outcome: reason }, count)
  if (items.spansIgnored > 0) metrics.faroItems.inc({ kind: 'span', outcome: 'ignored' }, items.spansIgnored)
}

/**
 * A token bucket per client. Bounded: above `clientsMax` clients, the least recently seen one is dropped, and starts
 * with a full bucket when it returns.
 */
interface RateLimitOptions {
  readonly requestsPerSecond: number
  /** Requests that may come at once. */
  readonly burst: number
  readonly clientsMax: number
}

class RateLimit {
  readonly #options: RateLimitOptions
  // In order of insertion: the least recently seen client first.
  readonly #buckets = new Map<string, { readonly tokens: number; readonly atMs: number }>()

  constructor(options: RateLimitOptions) {
    this.#options = options
  }

  /** Counts one request of `client`; returns 0, or the seconds after which the next request is allowed. */
  take(client: string, nowMs: number): number {
    const { requestsPerSecond, burst, clientsMax } = this.#options
    const bucket = this.#buckets.get(client) ?? { tokens: burst, atMs: nowMs }
    const elapsedMs = Math.max(0, nowMs - bucket.atMs)
    const tokens = Math.min(burst, bucket.tokens + (elapsedMs / 1000) * requestsPerSecond)
    const isAllowed = tokens >= 1
    this.#buckets.delete(client)
    this.#buckets.set(client, { tokens: isAllowed ? tokens - 1 : tokens, atMs: nowMs })
    if (this.#buckets.size > clientsMax) this.#buckets.delete(this.#buckets.keys().next().value!)
    return isAllowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / requestsPerSecond))
  }
}
