/**
 * Requests and responses of Alertmanager's API v2 (0.25, api/v2/openapi.yaml and the go-openapi runtime): a refusal of the
 * handler is a JSON text, a refusal of the shape is `{code, message}` with go-openapi's own codes, empty bodies are empty.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { compileAnchoredRegex, compileRegex, RegexError, type AnchoredRegex } from '../../model/regex.ts'
import type { MatchOp, Matcher } from '../../model/matcher.ts'
import type { Params } from '../prometheus/params.ts'
import { utf8Body } from '../server/request-text.ts'
import { sendInPieces } from '../server/pieces.ts'

/** A request whose shape is wrong. `code` is go-openapi's, the status follows from it. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError'
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }

  /** Codes of validations are above 599, and all are 422. */
  get status(): number {
    return this.code > 599 ? 422 : this.code
  }
}

/** A refusal of a handler, in one sentence. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Of a body: it is parsed in one piece, and Prometheus sends some hundred kilobytes. */
const JSON_BYTES_MAX = 4 * 1024 * 1024

/** Routes of this scope read bodies as text, and answer exceptions as Alertmanager does. */
export function useAlertmanagerFormat(scope: FastifyInstance, bodyBytesMax: number): void {
  scope.removeAllContentTypeParsers()
  const bodyLimit = Math.min(bodyBytesMax, JSON_BYTES_MAX)
  scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer', bodyLimit }, (_request, body, done) => {
    utf8Body(body, done, (text) => {
      done(null, text)
    })
  })
  const inherited = scope.errorHandler
  scope.setErrorHandler((thrown, request, reply) => {
    if (thrown instanceof ShapeError) {
      void sendJson(reply.code(thrown.status), { code: thrown.code, message: thrown.message })
    } else if (thrown instanceof Refused) void sendJson(reply.code(thrown.status), thrown.message)
    else inherited(thrown, request, reply)
  })
}

/** With the line break that Go's encoder writes; as bytes, because Fastify would add a charset to a text. */
export function sendJson(reply: FastifyReply, value: unknown): FastifyReply {
  return reply
    .type('application/json')
    .header('cache-control', 'no-store')
    .send(Buffer.from(`${JSON.stringify(value)}\n`))
}

/** A list of about `values` values, the JSON of one item after the other. An item may have several pieces. */
export function sendList(
  reply: FastifyReply,
  values: number,
  items: () => Iterable<string | Iterable<string>>,
): FastifyReply {
  return sendInPieces(reply.header('cache-control', 'no-store'), JSON_TYPE, values, function* () {
    let before = '['
    for (const item of items()) {
      let isFirst = true
      for (const piece of typeof item === 'string' ? [item] : item) {
        yield isFirst ? before + piece : piece
        isFirst = false
        before = ','
      }
    }
    yield before === '[' ? '[]\n' : ']\n'
  })
}

const JSON_TYPE = 'application/json'

/** The body as JSON. @param name of the parameter, as the specification calls it */
export function jsonBody(request: FastifyRequest, name: string): unknown {
  const text = typeof request.body === 'string' ? request.body : ''
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (type !== JSON_TYPE) {
    const got = type === '' ? 'application/octet-stream' : type
    throw new ShapeError(415, `unsupported media type ${JSON.stringify(got)}, only [${JSON_TYPE}] are allowed`)
  }
  if (text.trim() === '') throw new ShapeError(602, `${name} in body is required`)
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw unreadable(name, syntaxFault(text, thrown))
  }
}

export function unreadable(name: string, why: string): ShapeError {
  return new ShapeError(400, `parsing ${name} body from "" failed, because ${why}`)
}

/** As Go words it, where known: a text that ends early. */
function syntaxFault(text: string, thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const endsEarly = /end of JSON input|Unterminated string/.test(message)
  const ends = /position (\d+)/.exec(message)
  return endsEarly || Number(ends?.[1] ?? -1) >= text.length ? 'unexpected EOF' : `invalid JSON: ${message}`
}

/** The JSON type of a value, as Go names it. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return typeof value === 'boolean' ? 'bool' : typeof value
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Milliseconds of a date-time, `undefined` for Go's zero time. The forms are those of go-openapi's strfmt: RFC 3339, and
 * a date with a time of day without a zone, which is UTC.
 */
export function readTime(value: unknown, name: string): number | undefined {
  if (typeof value !== 'string') throw unreadable(name, `json: cannot unmarshal ${goKind(value)} into a date-time`)
  if (value === '') return undefined
  const parts = /^\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?([Zz]|[+-]\d{2}:?\d{2})?$/.exec(value)
  const timeMs = parts === null ? NaN : Date.parse(parts[1] === undefined ? `${value.replace(' ', 'T')}Z` : value)
  if (Number.isNaN(timeMs)) {
    const shown = JSON.stringify(value)
    throw unreadable(name, `parsing time ${shown} as "2006-01-02 15:04:05": cannot parse ${shown} as "2006"`)
  }
  return timeMs <= ZERO_TIME_MS ? undefined : timeMs
}

/** The first moment of the year 1, which stands for no time. */
const ZERO_TIME_MS = Date.parse('0001-01-01T00:00:00Z')

export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

const TRUE_TEXTS = new Set(['true', '1', 'yes', 'ok', 'y', 'on', 'selected', 'checked', 't', 'enabled'])

/** As go-openapi reads flags: an unknown value is false. */
export function flagParam(params: Params, name: string, byDefault: boolean): boolean {
  const text = params.get(name)
  return text === '' ? byDefault : TRUE_TEXTS.has(text.toLowerCase())
}

/** `receiver`: a pattern for whole names; `undefined` when absent. */
export function receiverParam(params: Params): ((name: string) => boolean) | undefined {
  const pattern = params.get('receiver')
  if (pattern === '') return undefined
  try {
    const regex = anchored(pattern)
    return (name) => regex.test(name)
  } catch (thrown) {
    if (!(thrown instanceof RegexError)) throw thrown
    throw new Refused(400, `failed to parse receiver param: ${thrown.message}`)
  }
}

/** `filter`, once for each matcher. */
export function filterParam(params: Params): readonly Matcher[] {
  return params.all('filter').map(readFilter)
}

const CLASSIC = /^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(=~|=|!=|!~)\s*(.*?)\s*$/s
/** Since 0.27: a quoted name, of any characters. */
const QUOTED_NAME = /^\s*"((?:[^"\\]|\\.)+)"\s*(=~|=|!=|!~)\s*(.*?)\s*$/s

function readFilter(text: string): Matcher {
  const classic = CLASSIC.exec(text)
  const parts = classic ?? QUOTED_NAME.exec(text)
  if (parts === null) throw new Refused(400, `bad matcher format: ${text}`)
  const name = classic === null ? unescape(parts[1]!) : parts[1]!
  const matcher = { name, op: parts[2] as MatchOp, value: matcherValue(parts[3]!) }
  if (matcher.op === '=~' || matcher.op === '!~') {
    try {
      anchored(matcher.value)
    } catch (thrown) {
      if (!(thrown instanceof RegexError)) throw thrown
      throw new Refused(400, thrown.message)
    }
  }
  return matcher
}

/** A value bare or in quotes. A backslash before a character that needs none stands for itself. */
function matcherValue(raw: string): string {
  const isQuoted = raw.startsWith('"')
  const fault = new Refused(400, `matcher value contains unescaped double quote: ${raw}`)
  const inner = isQuoted ? raw.slice(1) : raw
  const body = isQuoted && /(?:^|[^\\])(?:\\\\)*"$/.test(inner) ? inner.slice(0, -1) : inner
  if ((isQuoted && body === inner) || /(?:^|[^\\])(?:\\\\)*"/.test(body)) throw fault
  return unescape(body)
}

function unescape(text: string): string {
  return text.replace(/\\([n"\\])/g, (_, char: string) => (char === 'n' ? '\n' : char))
}

/** Compiles as Alertmanager does, so that a fault shows the pattern that it would show. */
function anchored(pattern: string): AnchoredRegex {
  compileRegex(`^(?:${pattern})$`)
  return compileAnchoredRegex(pattern)
}
