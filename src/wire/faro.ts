import { DecodeError } from './decode-error.ts'

/**
 * Faro (grafana/faro-web-sdk, payloads of 2.10 to 2.12): browser telemetry as JSON. Lenient on purpose: SDKs add fields
 * with each release and one field already has two shapes (`browser.brands`), so unknown fields are skipped. Only a body
 * that is not a JSON object is an error.
 */

const FORMAT = 'faro'

export interface FaroPayload {
  readonly meta: FaroMeta
  readonly exceptions: readonly FaroException[]
  readonly logs: readonly FaroLog[]
  readonly measurements: readonly FaroMeasurement[]
  readonly events: readonly FaroEvent[]
  /** Items beyond `itemsMax`: counted and not read. */
  readonly overflowCount: number
  /** Number of spans (OTLP/JSON); they are not read. */
  readonly spanCount: number
  /** Entries of the four lists that are not objects. */
  readonly malformedCount: number
}

/** Limits for a payload; otherwise a few megabytes of `{}` would become gigabytes of objects. */
interface FaroLimits {
  /** Over all four lists, which are read in the order of `FaroPayload`. */
  readonly itemsMax: number
  /** Attributes or values of one item, and frames of one stack; more are left out. */
  readonly entriesMax: number
}

/** Absent texts are empty. */
interface FaroMeta {
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

interface FaroFrame {
  readonly filename: string
  readonly function: string
  /** 0 if unknown. */
  readonly line: number
  readonly column: number
}

interface FaroLog extends FaroItem {
  readonly level: string
  readonly message: string
}

interface FaroMeasurement extends FaroItem {
  readonly type: string
  /** Finite numbers only. */
  readonly values: Readonly<Record<string, number>>
}

interface FaroEvent extends FaroItem {
  readonly name: string
  readonly domain: string
}

/** Reads a request body. @throws DecodeError when it is not UTF-8, not JSON, or not an object */
export function parseFaro(body: Uint8Array, limits: FaroLimits): FaroPayload {
  const payload = parseObject(body)
  const list = new ItemReader(limits)
  return {
    meta: readMeta(objectOf(payload['meta'])),
    exceptions: list.read(payload['exceptions'], readException),
    logs: list.read(payload['logs'], readLog),
    measurements: list.read(payload['measurements'], readMeasurement),
    events: list.read(payload['events'], readEvent),
    spanCount: countSpans(objectOf(payload['traces'])),
    overflowCount: list.overflowCount,
    malformedCount: list.malformedCount,
  }
}

type ReadItem<T> = (item: JsonObject, common: FaroItem, limits: FaroLimits) => T

/** Reads one list after the other, until the payload's items are used up. */
class ItemReader {
  overflowCount = 0
  malformedCount = 0
  readonly #limits: FaroLimits
  #left: number

  constructor(limits: FaroLimits) {
    this.#limits = limits
    this.#left = limits.itemsMax
  }

  read<T>(list: unknown, readItem: ReadItem<T>): T[] {
    const all = asArray(list)
    const taken = all.slice(0, this.#left)
    this.#left -= taken.length
    this.overflowCount += all.length - taken.length
    return taken.flatMap((item) => {
      const object = asObject(item)
      if (object !== undefined) return [readItem(object, this.#common(object), this.#limits)]
      this.malformedCount++
      return []
    })
  }

  #common(item: JsonObject): FaroItem {
    const timeMs = timeOf(item['timestamp'])
    const attributes = textsOf(objectOf(item['context'] ?? item['attributes']), this.#limits.entriesMax)
    return timeMs === undefined ? { attributes } : { timeMs, attributes }
  }
}

type JsonObject = Readonly<Record<string, unknown>>

function parseObject(body: Uint8Array): JsonObject {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw new DecodeError(FORMAT, 'bytes that are not UTF-8', 'UTF-8')
  }
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    // The engine's message contains the position only in some cases, together with a quote of the body.
    throw new DecodeError(FORMAT, 'text that is not JSON', 'a JSON object')
  }
  const object = asObject(parsed)
  if (object === undefined) throw new DecodeError(FORMAT, 'JSON that is not an object', 'a JSON object')
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

function readException(item: JsonObject, common: FaroItem, limits: FaroLimits): FaroException {
  const frames = asArray(objectOf(item['stacktrace'])['frames']).slice(0, limits.entriesMax)
  return { ...common, type: asText(item['type']), value: asText(item['value']), frames: frames.flatMap(readFrame) }
}

function readFrame(frame: unknown): FaroFrame[] {
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
}

function readLog(item: JsonObject, common: FaroItem): FaroLog {
  return { ...common, level: asText(item['level']), message: asText(item['message']) }
}

function readMeasurement(item: JsonObject, common: FaroItem, limits: FaroLimits): FaroMeasurement {
  const values = Object.entries(objectOf(item['values'])).flatMap(([name, value]): [string, number][] => {
    const number = asNumber(value)
    return number === undefined ? [] : [[name, number]]
  })
  return { ...common, type: asText(item['type']), values: recordOf(values.slice(0, limits.entriesMax)) }
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

/**
 * Entries whose value is a text; numbers and booleans become texts, since attributes of applications are not always
 * texts.
 */
function textsOf(object: JsonObject, entriesMax: number): Record<string, string> {
  const texts = Object.entries(object).flatMap(([name, value]): [string, string][] => {
    if (typeof value === 'string') return [[name, value]]
    return typeof value === 'number' || typeof value === 'boolean' ? [[name, String(value)]] : []
  })
  return recordOf(texts.slice(0, entriesMax))
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
