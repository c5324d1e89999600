import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError, messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { FARO_LIMITS, receiveFaro } from '../../ingest/faro.ts'
import type { FaroItems } from '../../ingest/faro.ts'
import { countsOf, isOfOwnPages, logRecordOf } from '../../ingest/own-pages.ts'
import type { OwnPageCount } from '../../ingest/own-pages.ts'
import { SeenKeys } from '../../ingest/seen-keys.ts'
import type { LogRecord } from '../../model/log-record.ts'
import { RateLimit } from '../server/rate-limit.ts'

/**
 * `POST /collect`: what browsers tell about our own pages (Grafana Faro's protocol): counted as series, kept among the log
 * records. Public by nature, any page can hold its address, so it has a rate per client, keeps a bounded number of records
 * a minute, and answers nothing but `ok`.
 */
export interface FaroOptions {
  /** Per client address. */
  readonly requestsPerSecond: number
  readonly burst: number
}

/** What stock receivers allow. */
export const DEFAULT_FARO_OPTIONS: FaroOptions = { requestsPerSecond: 50, burst: 100 }

const CLIENTS_MAX = 10_000
const KEYS_MAX = 10_000

/** Of all clients together; whoever sends more is counted, and fills no disk. */
const KEPT_PER_MINUTE_MAX = 600
const MINUTE_MS = 60_000

/** Keeps log records; resolves when they are durable. */
export type KeepLogs = (records: readonly LogRecord[]) => Promise<void>

const unzip = promisify(gunzip)

interface FaroDeps {
  readonly options: FaroOptions
  readonly clock: Clock
  readonly log: Log
  readonly metrics: OwnMetrics
  readonly storeLogs: KeepLogs
}

export async function registerFaro(app: FastifyInstance, deps: FaroDeps): Promise<void> {
  const { clock, log, metrics } = deps
  const limit = new RateLimit({ ...deps.options, clientsMax: CLIENTS_MAX })
  const seen = new SeenKeys(KEYS_MAX)
  const room = createRoom(KEPT_PER_MINUTE_MAX, MINUTE_MS)
  const config = { access: 'public', speaks: 'text', isOpenToOrigins: true } as const

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
    // Whatever is wrong with a whole request, its size before it is read too.
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
        // A batch that came before is told so: its sender missed our answer, not we the batch.
        if (typeof key === 'string' && seen.has(key)) return reply.code(202).type('text/plain').send('ok')
        const body = await decoded(request.body ?? Buffer.alloc(0), request.headers['content-encoding'])
        const nowMs = clock.nowMs()
        const items = received(body, nowMs)
        record(items, log, metrics)
        const own = items.records.filter(isOfOwnPages)
        for (const count of own.flatMap(countsOf)) countOwnPage(count, metrics)
        const kept = own.slice(0, room(own.length, nowMs))
        if (kept.length > 0) await deps.storeLogs(kept.map(logRecordOf))
        const left = own.length - kept.length
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

/** How many of `wanted` still fit into this stretch of time; they are taken. */
function createRoom(max: number, everyMs: number): (wanted: number, nowMs: number) => number {
  let [stretch, taken] = [-1, 0]
  return (wanted, nowMs) => {
    const present = Math.floor(nowMs / everyMs)
    if (present !== stretch) [stretch, taken] = [present, 0]
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

/** Any origin may send; none may read more than the answer's two headers. Never with credentials. */
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

async function decoded(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  switch (encoding?.toLowerCase()) {
    case undefined:
    case 'identity':
      return body
    case 'gzip':
      try {
        return await unzip(body, { maxOutputLength: FARO_LIMITS.bodyBytesMax })
      } catch (thrown) {
        const isTooLarge = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE'
        if (isTooLarge) {
          throw new FleetError('too_large', `faro: got more than ${FARO_LIMITS.bodyBytesMax} bytes after decompression`)
        }
        throw new FleetError('bad_request', `faro: the body is not gzip: ${messageOf(thrown)}`)
      }
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
    // The decoder's own error; its class belongs to a folder this one does not know.
    if (thrown instanceof Error && thrown.name === 'DecodeError') throw new FleetError('bad_request', thrown.message)
    throw thrown
  }
}

function record(items: FaroItems, log: Log, metrics: OwnMetrics): void {
  for (const item of items.records) {
    metrics.faroItems.inc({ kind: item.kind, outcome: 'taken' })
    if (item.kind === 'exception') log.warn({ browser: item }, 'a page reports an error')
    else log.debug({ browser: item }, 'a page reports')
  }
  for (const { reason, count } of items.refusals) metrics.faroItems.inc({ kind: 'item', outcome: reason }, count)
  if (items.spansIgnored > 0) metrics.faroItems.inc({ kind: 'span', outcome: 'ignored' }, items.spansIgnored)
}
