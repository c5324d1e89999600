import type { Attributes, AttributeValue } from './attribute.ts'

/** A log record of OpenTelemetry (logs.proto). Records about objects become observations instead. */
export interface LogRecord {
  /** Of the event, or of its observation when the event has none. */
  readonly timeNs: bigint
  /** As `ingest` names it; empty when none is named. */
  readonly cluster: string
  readonly service: string
  /** 0 is unspecified; 1 to 24 as the protocol counts. */
  readonly severity: number
  readonly severityText: string
  readonly eventName: string
  readonly body: AttributeValue
  readonly attributes: Attributes
  /** Empty when there is none. */
  readonly traceId: string
  readonly spanId: string
}

/** Names of the ranges of four severities, from the least severe. */
export const LOG_SEVERITIES = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const

export interface LogSink {
  /** Durable with the next commit of the appender. A record that equals a stored one in all fields is stored once. */
  putLogs(records: readonly LogRecord[]): void
}

export interface LogQuery {
  readonly cluster?: string
  /** Of these clusters alone; absent: of all. */
  readonly clusters?: readonly string[]
  readonly service?: string
  readonly traceId?: string
  /** In the body's text, case-insensitive. */
  readonly contains?: string
  readonly severityMin?: number
  readonly fromNs: bigint
  readonly toNs: bigint
  /** Newest first. */
  readonly limit: number
}

export interface LogReader {
  logs(query: LogQuery): Promise<readonly LogRecord[]>
}
