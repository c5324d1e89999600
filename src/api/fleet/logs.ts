import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import { LogItems, LogsQuery, type LogItem } from '../../contract/fleet-logs.ts'
import type { Attributes, AttributeValue } from '../../model/attribute.ts'
import { LOG_SEVERITIES, type LogReader, type LogRecord } from '../../model/log-record.ts'
import { timeOf } from './items.ts'
import { msOf, pick } from './query.ts'
import { ownRoute } from '../server/own-route.ts'
import { invalidParam } from '../prometheus/params.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** Log records, newest first. */
export function registerFleetLogs(
  app: FastifyInstance,
  ports: PortsOf<{ readonly logRecords: LogReader }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/logs', {
    summary: 'Log records by cluster, service, trace, severity and text, newest first.',
    query: LogsQuery,
    lane: 'query',
    answer: LogItems,
    handler: async ({ query, request }) => {
      const { limit = PAGE_DEFAULT, traceId, severity } = query
      const nowMs = clock.nowMs()
      const found = await ports(request).logRecords.logs({
        ...pick(query, 'cluster', 'service', 'contains'),
        ...(traceId === undefined ? {} : { traceId: traceIdOf(traceId) }),
        ...(severity === undefined ? {} : { severityMin: LOG_SEVERITIES.indexOf(severity) * 4 + 1 }),
        fromNs: nsOf(msOf(query.from) ?? nowMs - HOUR_MS),
        // A sender's clock may be ahead. Up to the end of the millisecond.
        toNs: nsOf(msOf(query.to) ?? nowMs + HOUR_MS) + 999_999n,
        limit: limit + 1,
      })
      return { asOf: timeOf(nowMs), logs: found.slice(0, limit).map(logItem), hasMore: found.length > limit }
    },
  })
}

const HOUR_MS = 3_600_000

function nsOf(ms: number): bigint {
  return BigInt(Math.max(0, ms)) * 1_000_000n
}

function traceIdOf(text: string): string {
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase()
  throw invalidParam('traceId', `got ${JSON.stringify(text)}, want 32 hexadecimal digits`)
}

function logItem(record: LogRecord): LogItem {
  const { timeNs, cluster, service, severity, severityText, eventName, body, attributes, traceId, spanId } = record
  const withoutZone = new Date(Number(timeNs / 1_000_000n)).toISOString().slice(0, -1)
  return {
    time: `${withoutZone}${String(timeNs % 1_000_000n).padStart(6, '0')}Z`,
    ...{ cluster, service, severity, severityText, eventName, traceId, spanId },
    body: jsonOf(body),
    attributes: entriesOf(attributes),
  }
}

/** The last value of a repeated key wins. */
function entriesOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, jsonOf(value)]))
}

function jsonOf(value: AttributeValue): unknown {
  if (value === undefined) return null
  if (typeof value === 'bigint') return String(value)
  // JSON has no NaN and no infinities.
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'object') return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return 'entries' in value && !Array.isArray(value)
    ? entriesOf((value as { readonly entries: Attributes }).entries)
    : (value as readonly AttributeValue[]).map(jsonOf)
}
