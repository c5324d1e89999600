import type { FastifyInstance, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { parseDuration } from '../../model/duration.ts'
import { escapeFault, multipartFields, searchOf, utf8Body } from '../server/request-text.ts'

/**
 * Parameters of the Prometheus routes: query string and form body as one, body first; unknown ones are ignored.
 * Texts of refusals are Prometheus' own, because its clients show them as they are.
 */
export interface Params {
  /** The first value, or the empty string. */
  get(name: string): string
  /** All values, those of the body first. */
  all(name: string): readonly string[]
}

/** The largest form body; Go's own limit, which Prometheus has too. */
const FORM_BYTES_MAX = 10 * 2 ** 20

/**
 * Lets routes of this scope accept forms. A body of another type is read and ignored, as in Prometheus: some
 * clients send `Content-Type: application/json` with an empty body.
 */
export function acceptForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer' as const, bodyLimit: FORM_BYTES_MAX }
  app.addContentTypeParser<Buffer>('application/x-www-form-urlencoded', options, (_request, body, done) => {
    utf8Body(body, done, (text) => {
      done(escapeFault(text) ?? null, new URLSearchParams(text))
    })
  })
  app.addContentTypeParser('multipart/form-data', options, (request: FastifyRequest, body: Buffer) =>
    multipartFields(body, request.headers['content-type'] ?? ''),
  )
  app.addContentTypeParser('*', options, (_request, _body, done) => {
    done(null, undefined)
  })
}

/** Registers a route that takes its parameters from the query string or from a form. */
export function getOrPost(app: FastifyInstance, url: string, handler: RouteHandlerMethod): void {
  const config = { access: 'viewer', dialect: 'prometheus', scope: 'clusters', lane: 'query' } as const
  app.route({ method: ['GET', 'POST'], url, config, handler })
}

export function paramsOf(request: FastifyRequest): Params {
  return paramsFrom(searchOf(request), request.body instanceof URLSearchParams ? request.body : undefined)
}

/** @param search the part of the URL after the question mark */
export function paramsFrom(search: string, form?: URLSearchParams): Params {
  const query = new URLSearchParams(search)
  return {
    get: (name) => form?.get(name) ?? query.get(name) ?? '',
    all: (name) => [...(form?.getAll(name) ?? []), ...query.getAll(name)],
  }
}

/** `invalid parameter "step": ...` */
export function invalidParam(name: string, reason: string): FleetError {
  return new FleetError('bad_request', `invalid parameter ${JSON.stringify(name)}: ${reason}`)
}

/** Failures of the engine caused by the query's text: a parse error, or a type that the route does not accept. */
const BAD_QUERY: ReadonlySet<string> = new Set(['query_parse', 'bad_request'])

/** Runs `run`; a bad query is reported as a bad parameter. */
export function namingParam<T>(name: string, run: () => T): T {
  const rename = (thrown: unknown): never => {
    if (!(thrown instanceof FleetError) || !BAD_QUERY.has(thrown.code)) throw thrown
    const message = `invalid parameter ${JSON.stringify(name)}: ${thrown.message}`
    throw new FleetError(thrown.code, message, { cause: thrown })
  }
  try {
    const value = run()
    return value instanceof Promise ? (value.catch(rename) as T) : value
  } catch (thrown) {
    return rename(thrown)
  }
}

/**
 * The ends of time: no sample lies beyond them (ingest refuses it), and both are whole milliseconds that a Date can
 * hold. Times outside are moved to the nearer end.
 */
export const TIME_MIN_MS = -8.64e15
export const TIME_MAX_MS = 8.64e15

/** Prometheus' own minimum and maximum time, which are beyond ours. */
const FAR_TIMES: ReadonlyMap<string, number> = new Map([
  ['-292273086-05-16T16:47:06Z', TIME_MIN_MS],
  ['292277025-08-18T07:12:54.999999999Z', TIME_MAX_MS],
])

/** A required time: `start` and `end` of a range query. */
export function requiredTime(params: Params, name: string): number {
  const text = params.get(name)
  const timeMs = parseTime(text)
  if (timeMs === undefined) throw invalidParam(name, `cannot parse ${JSON.stringify(text)} to a valid timestamp`)
  return timeMs
}

/** An optional time. */
export function optionalTime(params: Params, name: string, absentMs: number): number {
  const text = params.get(name)
  if (text === '') return absentMs
  const timeMs = parseTime(text)
  if (timeMs !== undefined) return timeMs
  throw invalidParam(
    name,
    `invalid time value for '${name}': cannot parse ${JSON.stringify(text)} to a valid timestamp`,
  )
}

/**
 * Seconds since the epoch with a fraction, or RFC 3339. As in Prometheus, the fraction alone is rounded to milliseconds,
 * so that 1.0005 is 1 s: the float is a little less than that decimal.
 */
export function parseTime(text: string): number | undefined {
  const float = parseFloat64(text)
  if (float !== undefined) {
    if (Number.isNaN(float)) return undefined
    const seconds = Math.min(TIME_MAX_MS / 1000, Math.max(TIME_MIN_MS / 1000, float))
    const whole = Math.trunc(seconds)
    return whole * 1000 + Math.sign(seconds) * Math.round(Math.abs(seconds - whole) * 1000)
  }
  return FAR_TIMES.get(text) ?? parseRfc3339(text)
}

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)([.,]\d+)?(Z|[+-](\d\d):(\d\d))$/

function parseRfc3339(text: string): number | undefined {
  const parts = RFC3339.exec(text)
  if (parts === null) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const [zoneHour, zoneMinute] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 24 || zoneMinute > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  // 30 February rolls over to March: then the date did not exist.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const fractionMs = Math.floor(Number(`0.${(parts[7] ?? '.0').slice(1)}`) * 1000)
  const zoneMs = (zoneHour * 60 + zoneMinute) * 60_000 * (parts[8]!.startsWith('-') ? -1 : 1)
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + fractionMs - zoneMs
}

const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i

/** A float as Go reads it in decimal; infinities and NaN by name. `undefined`: not a float. */
export function parseFloat64(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined
  const lower = text.toLowerCase()
  if (lower.includes('nan')) return NaN
  if (lower.includes('inf')) return lower.startsWith('-') ? -Infinity : Infinity
  return Number(text)
}

/** What Go's nanosecond durations can hold, in seconds: 292 years. */
const DURATION_SECONDS_MAX = 2 ** 63 / 1e9

/** Seconds as a float, or a duration such as `1m`. Throws Prometheus' message, without the parameter's name. */
function parseApiDuration(text: string): number {
  const seconds = parseFloat64(text)
  if (seconds !== undefined && !Number.isNaN(seconds)) {
    if (Math.abs(seconds) > DURATION_SECONDS_MAX) {
      throw new FleetError(
        'bad_request',
        `cannot parse ${JSON.stringify(text)} to a valid duration. It overflows int64`,
      )
    }
    return Math.trunc(seconds * 1e6) / 1e3
  }
  const durationMs = parseDuration(text)
  if (durationMs === undefined) {
    throw new FleetError('bad_request', `cannot parse ${JSON.stringify(text)} to a valid duration`)
  }
  return durationMs
}

/** Milliseconds, possibly with a fraction and possibly not positive. */
export function durationParam(params: Params, name: string): number {
  try {
    return parseApiDuration(params.get(name))
  } catch (thrown) {
    throw thrown instanceof FleetError ? invalidParam(name, thrown.message) : thrown
  }
}

/** `undefined` when absent or zero: then the engine's default applies, as in Prometheus. */
export function lookbackParam(params: Params): number | undefined {
  const text = params.get('lookback_delta')
  if (text === '') return undefined
  let lookbackMs: number
  try {
    lookbackMs = Math.trunc(parseApiDuration(text))
  } catch (thrown) {
    if (!(thrown instanceof FleetError)) throw thrown
    throw new FleetError('bad_request', `error parsing lookback delta duration: ${thrown.message}`)
  }
  return lookbackMs > 0 ? lookbackMs : undefined
}

/** The maximum of results; `Infinity` without a limit (absent or 0). */
export function limitParam(params: Params): number {
  const text = params.get('limit')
  if (text === '') return Infinity
  if (!/^[+-]?\d+$/.test(text)) throw invalidParam('limit', 'limit must be a number')
  const limit = Number(text)
  if (limit < 0) throw invalidParam('limit', 'limit must be non-negative')
  return limit === 0 ? Infinity : limit
}

/** A whole number, also below 0; `undefined` when absent. */
export function optionalCount(params: Params, name: string): number | undefined {
  const text = params.get(name)
  if (text === '') return undefined
  if (!/^[+-]?\d+$/.test(text)) throw new FleetError('bad_request', `${name} must be a number`)
  return Number(text)
}

/** `limit` of a route with a default and a maximum. */
export function cappedLimit(params: Params, absent: number, most: number): number {
  const text = params.get('limit')
  if (text === '') return absent
  const limit = /^[+-]?\d+$/.test(text) ? Number(text) : NaN
  if (!(limit >= 1)) throw new FleetError('bad_request', 'limit must be a positive number')
  if (limit > most) throw new FleetError('bad_request', `limit must not exceed ${most}`)
  return limit
}
