import { Type } from 'typebox'
import { LOG_SEVERITIES } from '../model/log-record.ts'
import { limitSchema, PAGE_DEFAULT, PAGE_MAX, Time, wordOf, type Shape } from './common.ts'

/** Log records received over OTLP, other than Kubernetes objects. */

export const LogItem = Type.Object({
  /** To the nanosecond: `2026-08-20T10:00:00.000000001Z`. */
  time: Type.String({ format: 'date-time' }),
  /** Empty when the sender names none. */
  cluster: Type.String(),
  service: Type.String(),
  /** 0 is unspecified; 1 to 24 as the protocol counts, four to each of trace, debug, info, warn, error, fatal. */
  severity: Type.Integer(),
  severityText: Type.String(),
  eventName: Type.String(),
  /** As JSON; a 64-bit integer beyond JSON's numbers is a string, bytes are base64. */
  body: Type.Unknown(),
  attributes: Type.Record(Type.String(), Type.Unknown()),
  /** In hexadecimal; empty when there is none. */
  traceId: Type.String(),
  spanId: Type.String(),
})
export type LogItem = Shape<typeof LogItem>

/** `GET /api/fleet/v1/logs`, newest first. */
export const LogsQuery = Type.Object({
  cluster: Type.Optional(Type.String()),
  service: Type.Optional(Type.String()),
  traceId: Type.Optional(Type.String({ description: '32 hexadecimal digits.' })),
  contains: Type.Optional(Type.String({ description: 'Text in the body, case-insensitive.' })),
  severity: Type.Optional(wordOf(LOG_SEVERITIES, 'Minimum severity.')),
  from: Type.Optional(Type.String({ format: 'date-time', description: 'Start of the range; default: 1 h ago.' })),
  to: Type.Optional(Type.String({ format: 'date-time', description: 'End of the range.' })),
  limit: limitSchema(PAGE_DEFAULT, PAGE_MAX),
})

export const LogItems = Type.Object({
  asOf: Time,
  logs: Type.Array(LogItem),
  /** Whether the range has older records. */
  hasMore: Type.Boolean(),
})
export type LogItems = Shape<typeof LogItems>
