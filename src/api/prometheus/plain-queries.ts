import { constants, createGzip, gzipSync } from 'node:zlib'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Leaving } from '../../base/cancellation.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { QueryEngine, QueryResult } from '../../promql/query-engine.ts'
import type { Entry } from '../server/access.ts'
import { pointsOf, renderQueryAnswer } from './answer-json.ts'
import { RETRY_AFTER_SECONDS, asFailure, logFailure, prometheusError } from '../server/error-handler.ts'
import { namingParam, paramsFrom } from './params.ts'
import type { Params } from './params.ts'
import { VALUES_AT_ONCE, streamOf } from '../server/pieces.ts'
import { JSON_TYPE } from './prometheus-json.ts'
import { abortedWith } from './query-answers.ts'
import type { QueryAnswer, QueryAnswers } from './query-answers.ts'
import { QUERY_ROUTES, answerOptions, evaluateRequest } from './query-request.ts'
import type { QueryRequest, ReadQuery } from './query-request.ts'
import { DATA_HEADERS } from '../server/security-headers.ts'
import { readBody } from '../server/short-way.ts'
import type { ShortWay } from '../server/short-way.ts'

/**
 * The short way of `/api/v1/query` and `query_range` as programs ask them: dashboards, rule evaluators and scripts look up
 * single series many times a second, and then the way in and out is most of what is paid. It takes GET, and POST of a
 * form with a length, and answers as it is or as gzip. A page, another encoding, a server that traces itself or is not
 * ready: Fastify's. What it answers is what the route answers.
 */
export interface PlainQueriesParts {
  readonly query: QueryEngine
  readonly answers: QueryAnswers
  readonly clock: Clock
  readonly metrics: OwnMetrics
  readonly log: Log
  readonly readiness: () => string
  /** See `plainEntry`. */
  readonly enter: (headers: IncomingMessage['headers']) => Promise<Entry | undefined>
  /** Whether some pages of other origins may ask: then caches are told. */
  readonly isOpenToOrigins: boolean
}

const ROUTES: ReadonlyMap<string, ReadQuery> = new Map(Object.entries(QUERY_ROUTES))
/** Larger forms are read by the route, which has the limit. */
const FORM_BYTES_MAX = 64 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'
/** As for all other answers. */
const GZIP_BYTES_MIN = 1024
/** Up to this many it is done at once: a stream costs more than the compression. */
const GZIP_AT_ONCE_CHARS = 128 * 1024
const GZIP = { level: constants.Z_BEST_SPEED }

/** One request on its way. */
interface Plain {
  readonly route: string
  readonly read: ReadQuery
  /** What stands behind the question mark. */
  readonly search: string
  readonly isGzip: boolean
}

export function plainQueries(parts: PlainQueriesParts): ShortWay {
  const heads = headsOf(parts.isOpenToOrigins)
  return (request, response, goOn) => {
    const plain = plainOf(request, parts)
    if (plain === undefined) return false
    const reply = { response, heads, isGzip: plain.isGzip, isLast: () => parts.readiness() !== 'ready' }
    void answer(plain, request, reply, goOn, parts)
    return true
  }
}

/** HOT: once per request. */
function plainOf({ url = '', method, headers }: IncomingMessage, { readiness }: PlainQueriesParts): Plain | undefined {
  const start = url.indexOf('?')
  const route = start === -1 ? url : url.slice(0, start)
  const read = ROUTES.get(route)
  if (read === undefined || readiness() !== 'ready' || headers['transfer-encoding'] !== undefined) return undefined
  if (method === 'POST') {
    const isForm = headers['content-type'] === FORM_TYPE && headers['content-encoding'] === undefined
    if (!isForm || !(Number(headers['content-length']) <= FORM_BYTES_MAX)) return undefined
  } else if (method !== 'GET' || headers['content-length'] !== undefined) return undefined
  const encoding = headers['accept-encoding']
  // Of a list without weights the first is taken that is known.
  const isGzip = encoding !== undefined && /^gzip(?:,[^;]*)?$/.test(encoding)
  if ((encoding !== undefined && !isGzip) || headers['x-no-compression'] !== undefined) return undefined
  return { route, read, search: start === -1 ? '' : url.slice(start + 1), isGzip }
}

async function answer(
  { route, read, search }: Plain,
  request: IncomingMessage,
  reply: Reply,
  goOn: () => void,
  parts: PlainQueriesParts,
): Promise<void> {
  const startMs = performance.now()
  const { response } = reply
  try {
    if ((await parts.enter(request.headers)) === undefined) {
      goOn()
      return
    }
    const params = await paramsOf(search, request)
    if (params === undefined) return // the client went away in the middle: there is nobody to answer
    const asked = read(params, parts.clock.nowMs())
    const left = leavingWith(response)
    const found = await namingParam('query', () => ask(asked, left, parts))
    if (typeof found === 'string') sendText(reply, 200, found)
    else await sendResult(reply, asked, found, parts.clock)
  } catch (thrown) {
    const failure = asFailure(thrown)
    logFailure(parts.log, route, thrown, failure)
    if (response.headersSent) response.destroy()
    else sendText(reply, failure.status, JSON.stringify(prometheusError(failure)))
  }
  const { metrics } = parts
  metrics.httpRequests.inc({ route, method: request.method ?? 'none', status: String(response.statusCode) })
  metrics.httpSeconds.observe({ route }, (performance.now() - startMs) / 1000)
}

async function paramsOf(search: string, request: IncomingMessage): Promise<Params | undefined> {
  if (request.method === 'GET') return paramsFrom(search)
  const body = await readBody(request)
  return body && paramsFrom(search, new URLSearchParams(Buffer.concat(body).toString()))
}

/** What it took is known with the values only, so with `stats` these are asked for. */
function ask(request: QueryRequest, left: Leaving, { answers, query }: PlainQueriesParts): Promise<QueryAnswer> {
  const { asked, limit, stats } = request
  if (stats !== '') return evaluateRequest(query, request, abortedWith(left))
  return 'timeMs' in asked ? answers.instant(asked, limit, left) : answers.range(asked, limit, left)
}

function leavingWith(response: ServerResponse): Leaving {
  const left = new Leaving()
  response.once('close', () => {
    if (!response.writableFinished) left.abort()
  })
  return left
}

interface Reply {
  readonly response: ServerResponse
  readonly heads: Heads
  readonly isGzip: boolean
  /** Whether the process is about to end: then the connection ends with this answer. */
  readonly isLast: () => boolean
}

/** Names and values in turns, which `node:http` writes as they are. */
interface Heads {
  readonly plain: readonly string[]
  readonly gzip: readonly string[]
}

function headsOf(isOpenToOrigins: boolean): Heads {
  const all = [...Object.entries(DATA_HEADERS).flat(), 'content-type', JSON_TYPE]
  const vary = (texts: readonly string[]): string[] => (texts.length === 0 ? [] : ['vary', texts.join(', ')])
  const origins = isOpenToOrigins ? ['Origin'] : []
  return {
    plain: [...all, ...vary(origins)],
    gzip: [...all, ...vary([...origins, 'accept-encoding']), 'content-encoding', 'gzip'],
  }
}

function sendText({ response, heads, isGzip, isLast }: Reply, status: number, text: string): void {
  const more = [...(status === 503 ? ['retry-after', String(RETRY_AFTER_SECONDS)] : []), ...(isLast() ? CLOSE : [])]
  const bytes = Buffer.byteLength(text)
  if (!isGzip || bytes < GZIP_BYTES_MIN) {
    response.writeHead(status, [...heads.plain, ...more, 'content-length', String(bytes)])
    response.end(text)
    return
  }
  if (text.length > GZIP_AT_ONCE_CHARS) {
    response.writeHead(status, [...heads.gzip, ...more])
    const gzip = createGzip(GZIP)
    gzip.pipe(response)
    gzip.end(text)
    return
  }
  const packed = gzipSync(text, GZIP)
  response.writeHead(status, [...heads.gzip, ...more, 'content-length', String(packed.length)])
  response.end(packed)
}

const CLOSE = ['connection', 'close']

async function sendResult(reply: Reply, asked: QueryRequest, result: QueryResult, clock: Clock): Promise<void> {
  const pieces = renderQueryAnswer(result, answerOptions(asked, result, clock))
  if (pointsOf(result.value) <= VALUES_AT_ONCE) {
    sendText(reply, 200, [...pieces].join(''))
    return
  }
  const { response, heads, isGzip, isLast } = reply
  response.writeHead(200, [...(isGzip ? heads.gzip : heads.plain), ...(isLast() ? CLOSE : [])])
  if (isGzip) await pipeline(streamOf(pieces), createGzip(GZIP), response)
  else await pipeline(streamOf(pieces), response)
}
