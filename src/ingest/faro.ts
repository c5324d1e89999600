import { parseFaro, type FaroException, type FaroPayload } from '../wire/faro.ts'
import { clipText } from './clip-text.ts'

/**
 * Browser telemetry (errors, logs, web vitals, events) for the server's own log: counted, bounded and with a plausible
 * time. Creates no samples. Any browser may send it, so no field is trusted: texts are cut to one line, URLs lose parts
 * that may contain a secret, and a batch has a size limit.
 */

type FaroKind = 'exception' | 'log' | 'measurement' | 'event'

export const FARO_LIMITS = {
  /** Of a request, before anything is read. */
  bodyBytesMax: 5 * 1024 * 1024,
  /** Stock SDKs put 50 into a batch. */
  itemsMax: 500,
  entriesMax: 32,
  messageCharsMax: 4096,
  textCharsMax: 256,
  stackCharsMax: 4096,
  /** Limits for the browser's clock to be ahead, and for the age of an item; beyond them the server's time is used. */
  aheadMsMax: 60_000,
  behindMsMax: 24 * 3_600_000,
} as const

/** One log item. Missing texts are empty. */
export interface FaroRecord {
  readonly kind: FaroKind
  /** An exception's or measurement's type, a log's level, an event's name. */
  readonly type: string
  /** An exception's value or a log's message; empty for the others. */
  readonly message: string
  /** Frames of an exception, ` < ` between them, innermost first. */
  readonly stack: string
  /** A measurement's numbers. */
  readonly values: Readonly<Record<string, number>>
  readonly attributes: Readonly<Record<string, string>>
  readonly timeMs: number
  /** The browser's time was absent or not to be believed; `timeMs` is when it was received. */
  readonly isTimeOurs: boolean
  readonly session: string
  /** Without query and fragment: they may hold what a person typed. */
  readonly pageUrl: string
  /** Name and version. */
  readonly browser: string
  /** Name and version of the page's program. */
  readonly app: string
}

type FaroRefusalReason = 'too_many_items' | 'malformed_item'

export interface FaroItems {
  readonly records: readonly FaroRecord[]
  /** Only reasons that occurred. */
  readonly refusals: readonly { readonly reason: FaroRefusalReason; readonly count: number }[]
  /** Number of spans in the payload; they are not stored. */
  readonly spansIgnored: number
}

/** What becomes of a request body: items, or nothing with a status and a text for the browser's console. */
type FaroOutcome =
  | { readonly kind: 'accepted'; readonly items: FaroItems }
  | { readonly kind: 'too_large'; readonly status: 413; readonly message: string }

/**
 * A request body, decompressed, to its items.
 * @throws DecodeError (a 400) when it is not JSON or not an object
 */
export function receiveFaro(body: Uint8Array, nowMs: number): FaroOutcome {
  if (body.length > FARO_LIMITS.bodyBytesMax) {
    const message = `faro: got ${body.length} bytes, want at most ${FARO_LIMITS.bodyBytesMax}`
    return { kind: 'too_large', status: 413, message }
  }
  return { kind: 'accepted', items: acceptFaro(parseFaro(body, FARO_LIMITS), nowMs) }
}

/** Converts a payload to log items, in the order of its four lists. At most `FARO_LIMITS.itemsMax` items. */
export function acceptFaro(payload: FaroPayload, nowMs: number): FaroItems {
  const all = [
    ...payload.exceptions.map((item) => ({ item, ...ofKind('exception', item.type, item.value, stackOf(item)) })),
    ...payload.logs.map((item) => ({ item, ...ofKind('log', item.level, item.message) })),
    ...payload.measurements.map((item) => ({ item, ...ofKind('measurement', item.type), values: item.values })),
    ...payload.events.map((item) => ({ item, ...ofKind('event', item.name) })),
  ]
  const common = commonOf(payload)
  const records = all.slice(0, FARO_LIMITS.itemsMax).map(({ item, ...own }): FaroRecord => {
    return {
      ...own,
      values: boundedRecord(own.values, (value) => value),
      attributes: boundedRecord(item.attributes, (value) => clipText(value, FARO_LIMITS.textCharsMax)),
      ...believableTime(item.timeMs, nowMs),
      ...common,
    }
  })
  const refusals = [
    { reason: 'too_many_items', count: payload.overflowCount + all.length - records.length },
    { reason: 'malformed_item', count: payload.malformedCount },
  ] as const
  return { records, refusals: refusals.filter(({ count }) => count > 0), spansIgnored: payload.spanCount }
}

function ofKind(kind: FaroKind, type: string, message = '', stack = '') {
  const values: Readonly<Record<string, number>> = {}
  return {
    kind,
    type: clipText(type, FARO_LIMITS.textCharsMax),
    message: clipText(message, FARO_LIMITS.messageCharsMax),
    stack: clipText(stack, FARO_LIMITS.stackCharsMax),
    values,
  }
}

function commonOf({ meta }: FaroPayload): Pick<FaroRecord, 'session' | 'pageUrl' | 'browser' | 'app'> {
  const text = (...parts: readonly string[]): string => clipText(parts.join(' ').trim(), FARO_LIMITS.textCharsMax)
  return {
    session: text(meta.sessionId),
    pageUrl: text(withoutQuery(meta.pageUrl)),
    browser: text(meta.browserName, meta.browserVersion),
    app: text(meta.appName, meta.appVersion),
  }
}

function stackOf({ frames }: FaroException): string {
  return frames
    .map(({ function: name, filename, line, column }) => `${name} (${withoutQuery(filename)}:${line}:${column})`)
    .join(' < ')
}

/** An address up to its query or fragment, and without a user name and password in front of its host. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
}

function believableTime(timeMs: number | undefined, nowMs: number): Pick<FaroRecord, 'timeMs' | 'isTimeOurs'> {
  const isBelievable =
    timeMs !== undefined && timeMs <= nowMs + FARO_LIMITS.aheadMsMax && timeMs >= nowMs - FARO_LIMITS.behindMsMax
  return isBelievable ? { timeMs, isTimeOurs: false } : { timeMs: nowMs, isTimeOurs: true }
}

/** At most `entriesMax` entries with short names. No prototype: `__proto__` is an ordinary name. */
function boundedRecord<T>(record: Readonly<Record<string, T>>, bound: (value: T) => T): Record<string, T> {
  const bounded = Object.create(null) as Record<string, T>
  for (const [name, value] of Object.entries(record).slice(0, FARO_LIMITS.entriesMax)) {
    bounded[clipText(name, FARO_LIMITS.textCharsMax)] = bound(value)
  }
  return bounded
}
