import { DecodeError } from './decode-error.ts'

/**
 * Faro (grafana/faro-web-sdk, payloads of 2.10 to 2.12): what a browser says about itself, JSON. Lenient on purpose:
 * SDKs add fields with each release and one field has two shapes already (`browser.brands`), so whatever is not
 * understood is left out and the rest is kept. Only a body that is no JSON object is an error.
 */

const FORMAT = 'faro'

export interface FaroPayload {
  readonly meta: FaroMeta
  readonly exceptions: readonly FaroException[]
  readonly logs: readonly FaroLog[]
  readonly measurements: readonly FaroMeasurement[]
  readonly events: readonly FaroEvent[]
  /** Spans that came along (OTLP/JSON): counted and not read. */
  readonly spanCount: number
  /** Entries of the four lists that are not objects. */
  readonly malformedCount: number
}

/** Absent texts are empty. */
export interface FaroMeta {
  readonly appName: string
  readonly appVersion: string
  readonly sdkVersion: string
  readonly sessionId: string
  readonly pageUrl: string
  readonly viewName: string
  readonly browserName: string
  readonly browserVersion: string
  readonly browserOs: string
}

interface FaroItem {
  /** The browser's clock, milliseconds since the epoch; absent when it is not a time. */
  readonly timeMs?: number
  /** `context` or, for events, `attributes`. */
  readonly attributes: Readonly<Record<string, string>>
}

export interface FaroException extends FaroItem {
  readonly type: string
  readonly value: string
  readonly frames: readonly FaroFrame[]
}

export interface FaroFrame {
  readonly filename: string
  readonly function: string
  /** 0 when not known. */
  readonly line: number
  readonly column: number
}

export interface FaroLog extends FaroItem {
  readonly level: string
  readonly message: string
}

export interface FaroMeasurement extends FaroItem {
  readonly type: string
  /** Finite numbers only. */
  readonly values: Readonly<Record<string, number>>
}

export interface FaroEvent extends FaroItem {
  readonly name: string
  readonly domain: string
}

/** Reads a request body. @throws DecodeError when it is not UTF-8, not JSON, or not an object */
export function parseFaro(body: Uint8Array): FaroPayload {
  const payload = parseObject(body)
  const lists = {
    exceptions: asArray(payload['exceptions']),
    logs: asArray(payload['logs']),
    measurements: asArray(payload['measurements']),
    events: asArray(payload['events']),
  }
  const isMalformed = (item: unknown): boolean => asObject(item) === undefined
  return {
    meta: readMeta(objectOf(payload['meta'])),
    exceptions: lists.exceptions.flatMap((item) => readItem(item, readException)),
    logs: lists.logs.flatMap((item) => readItem(item, readLog)),
    measurements: lists.measurements.flatMap((item) => readItem(item, readMeasurement)),
    events: lists.events.flatMap((item) => readItem(item, readEvent)),
    spanCount: countSpans(objectOf(payload['traces'])),
    malformedCount: Object.values(lists).flat().filter(isMalformed).length,
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function parseObject(body: Uint8Array): JsonObject {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new DecodeError(FORMAT, 'bytes that are not UTF-8', 'UTF-8', 0)
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined
    // Cut-off JSON comes without a position: it broke at its end.
    const at = position === undefined ? body.length : Buffer.byteLength(text.slice(0, Number(position)))
    throw new DecodeError(FORMAT, 'text that is not JSON', 'a JSON object', at)
  }
  const object = asObject(parsed)
  if (object === undefined) throw new DecodeError(FORMAT, 'JSON that is not an object', 'a JSON object', 0)
  return object
}

function readMeta(meta: JsonObject): FaroMeta {
  const app = objectOf(meta['app'])
  const browser = objectOf(meta['browser'])
  return {
    appName: asText(app['name']),
    appVersion: asText(app['version']),
    sdkVersion: asText(objectOf(meta['sdk'])['version']),
    sessionId: asText(objectOf(meta['session'])['id']),
    pageUrl: asText(objectOf(meta['page'])['url']),
    viewName: asText(objectOf(meta['view'])['name']),
    browserName: asText(browser['name']),
    browserVersion: asText(browser['version']),
    browserOs: asText(browser['os']),
  }
}

function readItem<T extends FaroItem>(item: unknown, read: (item: JsonObject, common: FaroItem) => T): T[] {
  const object = asObject(item)
  if (object === undefined) return []
  const timeMs = timeOf(object['timestamp'])
  const attributes = textsOf(objectOf(object['context'] ?? object['attributes']))
  return [read(object, timeMs === undefined ? { attributes } : { timeMs, attributes })]
}

function readException(item: JsonObject, common: FaroItem): FaroException {
  const frames = asArray(objectOf(item['stacktrace'])['frames']).flatMap((frame) => {
    const object = asObject(frame)
    if (object === undefined) return []
    return [
      {
        filename: asText(object['filename']),
        function: asText(object['function']),
        line: asNumber(object['lineno']) ?? 0,
        column: asNumber(object['colno']) ?? 0,
      },
    ]
  })
  return { ...common, type: asText(item['type']), value: asText(item['value']), frames }
}

function readLog(item: JsonObject, common: FaroItem): FaroLog {
  return { ...common, level: asText(item['level']), message: asText(item['message']) }
}

function readMeasurement(item: JsonObject, common: FaroItem): FaroMeasurement {
  const values = Object.entries(objectOf(item['values'])).flatMap(([name, value]): [string, number][] => {
    const number = asNumber(value)
    return number === undefined ? [] : [[name, number]]
  })
  return { ...common, type: asText(item['type']), values: recordOf(values) }
}

function readEvent(item: JsonObject, common: FaroItem): FaroEvent {
  return { ...common, name: asText(item['name']), domain: asText(item['domain']) || 'browser' }
}

function countSpans(traces: JsonObject): number {
  return asArray(traces['resourceSpans'])
    .flatMap((resource) => asArray(objectOf(resource)['scopeSpans']))
    .reduce<number>((count, scope) => count + asArray(objectOf(scope)['spans']).length, 0)
}

function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

function objectOf(value: unknown): JsonObject {
  return asObject(value) ?? {}
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** Entries whose value is a text; numbers and booleans as text, since senders' own attributes are not always texts. */
function textsOf(object: JsonObject): Record<string, string> {
  const texts = Object.entries(object).flatMap(([name, value]): [string, string][] => {
    if (typeof value === 'string') return [[name, value]]
    return typeof value === 'number' || typeof value === 'boolean' ? [[name, String(value)]] : []
  })
  return recordOf(texts)
}

/** A record without a prototype, so that a sender's key `__proto__` is a key like any other. */
function recordOf<T>(entries: readonly (readonly [string, T])[]): Record<string, T> {
  const record = Object.create(null) as Record<string, T>
  for (const [name, value] of entries) record[name] = value
  return record
}

/** ISO 8601 with a date and a time; milliseconds since the epoch. */
function timeOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value)) return undefined
  const timeMs = Date.parse(value)
  return Number.isNaN(timeMs) ? undefined : timeMs
}
