import type { AttributeValue } from '../model/attribute.ts'
import type { LogRecord } from '../model/log-record.ts'
import type { FaroRecord } from './faro.ts'

/**
 * Telemetry of Daytwo's own pages: page loads, web vitals, errors and slow panels, as counts and as log records. Any
 * client may claim to be such a page, so every label comes from a fixed list in this file.
 */

/** As the pages name themselves (web/telemetry.ts). */
const OWN_PAGES_APP = 'daytwo-web'
/** The type of a measurement: an answer of the API that a panel waited for too long. */
export const SLOW_PANEL = 'slow_panel'
const PAGE_LOAD = 'faro.performance.navigation'

const PLACES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    '': 'now',
    fleet: 'fleet',
    adoption: 'adoption',
    alerts: 'alerts',
    explore: 'explore',
    rb: 'runbook',
  }),
)
/** Milliseconds but for `cls`, which has no unit. */
const VITALS = ['lcp', 'inp', 'cls', 'fcp', 'ttfb'] as const
type WebVital = (typeof VITALS)[number]
const RATINGS: ReadonlySet<string> = new Set(['good', 'needs-improvement', 'poor'])

/** One count, with the part of the UI that it belongs to. */
export type OwnPageCount =
  | { readonly kind: 'load' | 'error' | 'slow_panel'; readonly page: string }
  | {
      readonly kind: 'vital'
      readonly page: string
      readonly vital: WebVital
      readonly rating: string
      /** Seconds, and of `cls` the score. */
      readonly value: number
    }

export function isOfOwnPages({ app }: FaroRecord): boolean {
  return app === OWN_PAGES_APP || app.startsWith(`${OWN_PAGES_APP} `)
}

/** The counts of one item of the own pages; empty for items without a count. */
export function countsOf(record: FaroRecord): readonly OwnPageCount[] {
  const page = placeOf(record.pageUrl)
  if (record.kind === 'exception') return [{ kind: 'error', page }]
  if (record.kind === 'event') return record.type === PAGE_LOAD ? [{ kind: 'load', page }] : []
  if (record.kind !== 'measurement') return []
  if (record.type === SLOW_PANEL) return [{ kind: 'slow_panel', page }]
  const { rating = '' } = record.attributes
  return VITALS.flatMap((vital) => {
    const value = record.values[vital]
    // An invalid duration would spoil a sum permanently.
    if (value === undefined || !(value >= 0 && value < LONGEST_MS)) return []
    const knownRating = RATINGS.has(rating) ? rating : 'unknown'
    return [{ kind: 'vital', page, vital, rating: knownRating, value: vital === 'cls' ? value : value / 1000 } as const]
  })
}

const LONGEST_MS = 600_000

/** `other`: no place of the UI, or no address. */
function placeOf(pageUrl: string): string {
  if (!URL.canParse(pageUrl)) return 'other'
  const [, first = ''] = new URL(pageUrl).pathname.split('/')
  return PLACES.get(first) ?? 'other'
}

/** OpenTelemetry's severity numbers. */
const SEVERITIES: ReadonlyMap<string, number> = new Map(
  Object.entries({ trace: 1, debug: 5, info: 9, log: 9, warn: 13, error: 17 }),
)

/** Converts an item to a log record, with OpenTelemetry's attribute names. */
export function logRecordOf(record: FaroRecord): LogRecord {
  const { kind, type, message, stack, values, attributes, session, pageUrl, browser, app, timeMs } = record
  const level = kind === 'exception' ? 'error' : kind === 'log' ? type : 'info'
  const entries: readonly (readonly [string, AttributeValue])[] = [
    ['kind', kind],
    ...(kind === 'exception'
      ? ([
          ['exception.type', type],
          ['exception.message', message],
          ['exception.stacktrace', stack],
        ] as const)
      : []),
    ['url.full', pageUrl],
    ['session.id', session],
    ['user_agent.name', browser],
    ['service.version', app.slice(OWN_PAGES_APP.length + 1)],
    ...Object.entries(values),
    ...Object.entries(attributes),
  ]
  return {
    timeNs: BigInt(timeMs) * 1_000_000n,
    cluster: '',
    service: OWN_PAGES_APP,
    severity: SEVERITIES.get(level) ?? 0,
    severityText: level,
    eventName: kind === 'log' ? '' : type,
    body: bodyOf(record),
    attributes: entries.filter(([, value]) => value !== '').map(([key, value]) => ({ key, value })),
    traceId: '',
    spanId: '',
  }
}

/** The text that a search reads. */
function bodyOf({ kind, type, message, values }: FaroRecord): string {
  if (kind === 'exception') return `${type}: ${message}`
  if (kind === 'log') return message
  const numbers = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  return [type, ...numbers].join(' ')
}
