import { gzipSync } from 'node:zlib'
import {
  FARO,
  LOGS_JSON,
  LOGS_PROTOBUF,
  OTLP_JSON,
  OTLP_PROTOBUF,
  TRACES_JSON,
  TRACES_PROTOBUF,
  V1,
  V2,
} from './bodies.ts'
import { mutated, mutatedJson, mutatedText, pick, type Random } from './mutate.ts'
import { mutatedProtobuf } from './mutate-protobuf.ts'
import { mutatedQuery } from './queries.ts'
import type { Credentials } from './http-server.ts'
import { isAllowed, type Access, type Role } from '../../src/model/token.ts'
import { encodeSnappy } from '../../src/wire/snappy.ts'

/** Requests to every route: own routes by their description in OpenAPI, those of other projects by a table here. */

export interface ApiRequest {
  readonly method: string
  /** With the query string, as it is sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** Its sender has no role that the route allows. */
  readonly isForbidden: boolean
}

export interface RouteEntry {
  readonly method: string
  readonly url: string
  readonly access: Access
}

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly minimum?: number
  readonly maximum?: number
}

interface DocumentedOperation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** The part of the OpenAPI document that requests are drawn from. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}

/** What the server has, so that requests get past "not found". */
export interface KnownNames {
  /** Of the server, when these names were read. */
  readonly nowMs: number
  readonly cluster: string
  /** May be erased. */
  readonly erasedCluster: string
  readonly credentials: Credentials
  readonly fingerprints: readonly string[]
  readonly upgradeIds: readonly string[]
  readonly silenceIds: readonly string[]
  readonly queries: readonly string[]
  readonly dictionary: readonly string[]
}

/** Texts that no parameter wants, and that some code takes for something else. */
const ODD_TEXTS = [
  ...['', '0', '-1', '1e400', 'NaN', 'null', 'true', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
  ...[
    '../../etc/passwd',
    '%',
    '%00',
    '\0',
    '\r\nX: y',
    'é',
    '😀',
    '\ud83d',
    '\u202e',
    '<script>',
    "' OR 1=1 --",
    '$(id)',
  ],
  ...[
    '9999-12-31T23:59:59Z',
    '2026-02-30',
    '0001-01-01T00:00:00Z',
    '-1d',
    '1y',
    '5m',
    '99999999999999999999',
    '{',
    '[]',
  ],
  ...['x'.repeat(3000), 'a,b,,c', '((a|ab)(c|bc)){20}', '(a|b|c|d)*'.repeat(20), '{a=~"(.*)*"}', '{"a":1}'],
]
const TIMES = [
  'now',
  '1787220000',
  '1787220000.123',
  '2026-08-20T10:00:00Z',
  '1787220000000',
  '0',
  '-62135596800',
  '1e18',
]

/** Parameters of routes that follow other projects, by prefix of the route. */
const PARAMETERS: readonly (readonly [route: RegExp, names: string])[] = [
  [
    /^\/api\/v1\/|^\/federate/,
    'query start end time step timeout limit lookback_delta stats match[] name type rule_name[] rule_group[] file[] ' +
      'group_limit group_next_token metric limit_per_metric state matchers exclude_alerts explain',
  ],
  [/^\/api\/v2\//, 'filter receiver active silenced inhibited muted unprocessed expired pending'],
  [
    /^\/api\/(traces|services|operations|dependencies)/,
    'service operation tags start end limit lookback minDuration maxDuration traceID endTs spanKind',
  ],
  [
    /^\/api\/v3\//,
    'service query.service_name query.operation_name query.start_time_min query.start_time_max query.search_depth ' +
      'query.duration_min query.duration_max query.attributes start_time end_time span_kind raw_traces',
  ],
  [/^\/debug\//, 'top limit cluster at sort'],
  [/^\/(rb|sign-in|query|graph)/, 'instance cluster next to at with role code state iss error g0.expr g0.tab'],
]

/** Bodies that senders would send. */
const SENT: readonly (readonly [url: RegExp, draw: (random: Random) => Pick<ApiRequest, 'headers' | 'body'>])[] = [
  [
    /^\/api\/v1\/write$/,
    (random) => {
      const isNew = random(2) === 0
      const proto = isNew ? ';proto=io.prometheus.write.v2.Request' : ''
      const { messages, blocks } = isNew ? V2 : V1
      const body = random(3) === 0 ? mutated(random, blocks) : encodeSnappy(mutatedProtobuf(random, messages))
      return { headers: { 'content-type': `application/x-protobuf${proto}`, 'content-encoding': 'snappy' }, body }
    },
  ],
  [/\/v1\/metrics$/, (random) => otlpBody(random, OTLP_PROTOBUF, OTLP_JSON)],
  [/^\/v1\/traces$/, (random) => otlpBody(random, TRACES_PROTOBUF, TRACES_JSON)],
  [/^\/v1\/logs$/, (random) => otlpBody(random, LOGS_PROTOBUF, LOGS_JSON)],
  [/^\/collect$/, (random) => ({ headers: JSON_TYPE, body: mutated(random, FARO) })],
]
const JSON_TYPE = { 'content-type': 'application/json' }

function otlpBody(random: Random, protobuf: readonly Uint8Array[], json: readonly Uint8Array[]) {
  const isJson = random(2) === 0
  const body = isJson ? mutated(random, json) : mutatedProtobuf(random, protobuf)
  const type = { 'content-type': isJson ? 'application/json' : 'application/x-protobuf' }
  if (random(3) > 0) return { headers: type, body }
  return { headers: { ...type, 'content-encoding': 'gzip' }, body: Uint8Array.from(gzipSync(body)) }
}

const ODD_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  [
    'accept',
    ['*/*', 'text/csv', 'application/json;q=0', 'text/html', 'x/y', '', 'application/openmetrics-text;version=1.0.0'],
  ],
  ['accept-encoding', ['gzip', 'deflate', 'br;q=1', 'identity;q=0', '*;q=0', 'gzip;q=x']],
  [
    'content-type',
    ['application/json', 'text/plain', 'application/x-protobuf', 'multipart/form-data; boundary=x', 'x', ''],
  ],
  ['content-encoding', ['gzip', 'snappy', 'deflate', 'zstd', 'identity', 'gzip, gzip', 'x']],
  ['origin', ['http://evil.example', 'null', 'http://127.0.0.1']],
  ['sec-fetch-site', ['cross-site', 'same-site', 'same-origin', 'none']],
  ['if-none-match', ['*', '"x"', 'W/"x"']],
  ['if-modified-since', ['Wed, 21 Oct 2099 07:28:00 GMT', 'x']],
  ['range', ['bytes=0-10', 'bytes=-1', 'bytes=9-1', 'x']],
  ['x-forwarded-user', ['root', '__proto__']],
  ['x-daytwo-proxy-secret', ['x']],
  ['x-forwarded-for', ['1.2.3.4', 'x']],
  ['x-prometheus-remote-write-version', ['0.1.0', '2.0.0', 'x']],
  ['x-http-method-override', ['DELETE']],
  ['last-event-id', ['1', '-1', 'x']],
  ['traceparent', ['00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01', 'x']],
]

/** Headers of who is nobody. */
const ODD_CREDENTIALS: readonly Readonly<Record<string, string>>[] = [
  ...['Bearer x', 'Basic eDp5', 'Basic ***', 'Bearer', '', 'Digest x', `Bearer ${'x'.repeat(5000)}`, 'Basic Og=='].map(
    (authorization) => ({ authorization }),
  ),
  ...[
    'a=b',
    '__proto__=x',
    '=;;=',
    'daytwo-session=x',
    'daytwo-sign-in=x',
    '__Host-daytwo-session=',
    'daytwo-session',
  ].map((cookie) => ({ cookie })),
]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Routes that cost as much as a thousand others. */
const SELDOM = /^\/api\/lint$|\/rules\/(tests|replay)$|^\/-\/reload$/

export function requestDrawer(
  routes: readonly RouteEntry[],
  { paths }: OpenApi,
  known: KnownNames,
): (random: Random) => ApiRequest {
  const common = routes.filter(({ url }) => !SELDOM.test(url))
  const seldom = routes.filter(({ url }) => SELDOM.test(url))

  function valueOf(random: Random, name: string, schema: Schema = {}): string {
    if (random(5) === 0) return pick(random, ODD_TEXTS)
    const choices = [schema, ...(schema.anyOf ?? []), ...(schema.items === undefined ? [] : [schema.items])].flatMap(
      (one) => [...(one.enum ?? []), ...(one.const === undefined ? [] : [one.const])],
    )
    if (choices.length > 0) return String(pick(random, choices))
    if (/query|expr|match/i.test(name) && !name.startsWith('query.'))
      return mutatedQuery(random, known.queries, known.dictionary)
    if (name === 'confirm') return known.erasedCluster
    if (/cluster/i.test(name)) return random(10) === 0 ? known.erasedCluster : known.cluster
    if (/filter|matchers/.test(name)) return pick(random, ['alertname="Ext"', 'a=~"b.*"', '{a!="b"}', 'a', 'a=~"("'])
    if (/time|start|end|^at$|from|to$|since|before|after/i.test(name)) return pick(random, TIMES)
    if (/step|timeout|duration|lookback|window/i.test(name))
      return pick(random, ['15', '1m', '5m30s', '0', '1e9', '30d'])
    if (/limit|depth|top|count|size/i.test(name) || /integer|number/.test(schema.type ?? ''))
      return pick(random, ['1', '10', '1000', '0', '-1', '1e6', '2147483648'])
    if (/service/i.test(name)) return 'hco'
    if (/fingerprint|instance/i.test(name)) return pick(random, [...known.fingerprints, '0'.repeat(16)])
    if (/cursor|token/i.test(name))
      return pick(random, ['eyJhIjoxfQ', 'e30', 'x', Buffer.from('[1,"a"]').toString('base64url')])
    return pick(random, ['a', 'VirtAPIDown', 'kubevirt', '1.17.0', 'job', 'true', 'false', '1'])
  }

  /** Headers of a sender, and the role that it has. Most may do what the route does. */
  function senderOf(
    random: Random,
    { url, access }: RouteEntry,
  ): { readonly role: Role | undefined; headers: Readonly<Record<string, string>> } {
    const { valid, disposable, callbacks, expired } = known.credentials
    if (url === '/api/ui/v1/sign-out') {
      return { role: undefined, headers: random(20) === 0 ? pick(random, disposable) : pick(random, ODD_CREDENTIALS) }
    }
    if (url.startsWith('/sign-in/') && random(4) > 0)
      return {
        role: undefined,
        headers: { cookie: mutatedText(pick(random, callbacks).cookie, random(2) === 0 ? undefined : random(2 ** 30)) },
      }
    switch (random(12)) {
      case 0:
        return { role: undefined, headers: {} }
      case 1:
        return { role: undefined, headers: pick(random, [...ODD_CREDENTIALS, ...expired]) }
      case 2:
        return pick(random, valid)
      case 3: {
        // Changed: of nobody, or as before where a change means nothing.
        const { role, headers } = pick(random, valid)
        const [[name, value] = ['', '']] = Object.entries(headers)
        return { role, headers: { [name]: mutatedText(value, random(2 ** 30)) } }
      }
      default:
        return pick(
          random,
          valid.filter(({ role }) => isAllowed(role, access)),
        )
    }
  }

  function partOf(random: Random, name: string): string {
    switch (random(6)) {
      case 0:
        return pick(random, ODD_TEXTS)
      case 1:
        return pick(random, ['VirtAPIDown', 'fleet', 'job', 'up', '1', 'hco'])
      default:
        if (/fingerprint/.test(name)) return pick(random, [...known.fingerprints, 'ab'])
        if (/silenceID|^id$/.test(name)) return pick(random, [...known.silenceIds, ...known.upgradeIds, '1', '2'])
        if (/trace/i.test(name)) return pick(random, ['0'.repeat(31) + '1', 'x', '1'])
        return valueOf(random, name)
    }
  }

  function pathOf(random: Random, url: string): string {
    return url
      .replace(/:(\w+)/g, (_, name: string) => encoded(random, partOf(random, name)))
      .replace('*', () => encoded(random, pick(random, ['a', 'main.js', '..%2f..', ...ODD_TEXTS])))
  }

  function searchOf(random: Random, url: string, operation: DocumentedOperation | undefined): string {
    if (url === '/sign-in/callback' && random(3) > 0) {
      const search = new URLSearchParams(pick(random, known.credentials.callbacks).search)
      const name = pick(random, [...search.keys(), 'error', 'response', 'id_token'])
      if (random(3) === 0) search.delete(name)
      else if (random(2) === 0) search.append(name, pick(random, ODD_TEXTS))
      else search.set(name, pick(random, ODD_TEXTS))
      return `?${search.toString()}`
    }
    const documented = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query')
    const named = PARAMETERS.filter(([pattern]) => pattern.test(url)).flatMap(([, names]) => names.split(' '))
    const chosen = [
      ...documented.filter(() => random(3) > 0).map(({ name, schema }) => [name, schema] as const),
      ...named.filter(() => random(5) === 0).map((name) => [name, undefined] as const),
      ...(random(4) === 0
        ? [[pick(random, ['x', '__proto__', 'at', 'limit', 'constructor', '', 'a[]']), undefined] as const]
        : []),
    ]
    const repeated = random(8) === 0 ? [...chosen, ...chosen] : chosen
    const pairs = repeated.map(
      ([name, schema]) => `${encoded(random, name)}=${encoded(random, valueOf(random, name, schema))}`,
    )
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  }

  function bodyOf(random: Random, { url, method }: RouteEntry, operation: DocumentedOperation | undefined) {
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') {
      return { headers: {}, body: random(40) === 0 ? Buffer.from('{}') : new Uint8Array(0) }
    }
    const sent = SENT.find(([pattern]) => pattern.test(url))?.[1]
    if (sent !== undefined) return sent(random)
    if (/^\/api\/v1\//.test(url) && random(4) > 0) {
      const form = Buffer.from(searchOf(random, url, undefined).slice(1))
      return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form }
    }
    const schema = Object.values(operation?.requestBody?.content ?? {})[0]?.schema ?? {}
    let value = /^\/api\/v2\/alerts/.test(url) ? [{ labels: { alertname: 'A' } }] : example(random, schema)
    for (let i = random(3); i > 0; i--) value = mutatedJson(random, value)
    const text = Buffer.from(JSON.stringify(value))
    return { headers: JSON_TYPE, body: random(10) === 0 ? mutated(random, [text]) : text }
  }

  /** A value of a schema. */
  function example(random: Random, schema: Schema, name = ''): unknown {
    const { anyOf, properties, items, type } = schema
    if (schema.const !== undefined) return schema.const
    if (anyOf !== undefined) return example(random, pick(random, anyOf), name)
    if (properties !== undefined) {
      const entries = Object.entries(properties).filter(() => random(8) > 0)
      return Object.fromEntries(entries.map(([key, part]) => [key, example(random, part, key)]))
    }
    if (type === 'array') return Array.from({ length: random(4) }, () => example(random, items ?? {}, name))
    if (type === 'object') return { alertname: 'VirtAPIDown', cluster: known.cluster }
    if (type === 'boolean') return random(2) === 0
    if (type === 'integer' || type === 'number') {
      return name.endsWith('Ms') ? known.nowMs + random(2 ** 31) - 2 ** 30 : random(10) === 0 ? -1 : random(100)
    }
    return valueOf(random, name, schema)
  }

  return (random) => {
    const route = pick(random, random(300) === 0 && seldom.length > 0 ? seldom : common)
    const documentedUrl = route.url.replace(/:(\w+)/g, '{$1}')
    const operation = paths[documentedUrl]?.[route.method.toLowerCase()]
    const { headers, body } = bodyOf(random, route, operation)
    const sender = senderOf(random, route)
    const method = random(25) === 0 ? pick(random, METHODS) : route.method
    const path = pathOf(random, route.url)
    const odd = Array.from({ length: random(3) === 0 ? 1 + random(3) : 0 }, () => {
      const [name, values] = pick(random, ODD_HEADERS)
      return [name, pick(random, values)] as const
    })
    return {
      method,
      path: path + searchOf(random, route.url, operation),
      headers: { ...headers, ...Object.fromEntries(odd), ...sender.headers },
      body,
      isForbidden: method === route.method && !isAllowed(sender.role, route.access),
    }
  }
}

/** Escaped as it should be, or now and then not. */
function encoded(random: Random, text: string): string {
  if (random(30) === 0) return pick(random, ['%zz', '%ff', '%ed%a0%80', '%', '+', '%2e%2e%2f', '%00'])
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}
