import type { Attributes, AttributeValue } from '../../model/attribute.ts'
import type { OtlpResource, OtlpScope } from './resource.ts'

/**
 * An OTLP logs request (opentelemetry-proto 1.x, logs.proto and logs_service.proto), decoded from either encoding. Only
 * types are validated here: times may be 0, ids of any length.
 */
export interface LogsRequest {
  readonly resources: readonly ResourceLogs[]
  readonly recordCount: number
}

export interface ResourceLogs {
  readonly resource: OtlpResource
  readonly scopes: readonly ScopeLogs[]
}

export interface ScopeLogs {
  readonly scope: OtlpScope
  readonly records: readonly OtlpLogRecord[]
}

export interface OtlpLogRecord {
  /** Nanoseconds since the epoch; 0 when it was not sent. */
  readonly timeNs: bigint
  /** When the sender saw it; 0 when it was not sent. */
  readonly observedNs: bigint
  readonly severity: number
  readonly severityText: string
  readonly body: AttributeValue
  readonly attributes: Attributes
  readonly droppedAttributes: number
  readonly flags: number
  /** In hexadecimal, empty when they were not sent. */
  readonly traceId: string
  readonly spanId: string
  readonly eventName: string
}

export interface LogsRequestLimits {
  /** Inclusive. */
  readonly recordsMax: number
  /** Inclusive: attributes and nested values of attributes and bodies, of all levels together; without skipped ones. */
  readonly attributesMax: number
  /** The keys whose values are skipped in the body of a record with these attributes; absent or `undefined`: none. */
  readonly skippedKeys?: (attributes: Attributes) => ReadonlySet<string> | undefined
}
