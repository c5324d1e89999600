import type { FastifyInstance } from 'fastify'
import { itemAnswer } from '../../ingest/otlp/item-outcome.ts'
import type { OtlpLogsOutcome } from '../../ingest/otlp/logs.ts'
import { registerOtlpSignal, type OtlpHttpOptions, type WriteOtlp } from './otlp-http.ts'

/** `POST /v1/logs`: OTLP log records in protobuf or JSON, and Kubernetes objects as a Collector's k8sobjects receiver sends them. */
interface OtlpLogsOptions extends OtlpHttpOptions {
  readonly write: WriteOtlpLogs
}

export type WriteOtlpLogs = WriteOtlp<OtlpLogsOutcome>

export async function registerOtlpLogs(app: FastifyInstance, options: OtlpLogsOptions): Promise<void> {
  await registerOtlpSignal(app, options, {
    urls: ['/v1/logs'],
    format: 'otlp_logs',
    write: options.write,
    counts: (outcome) => outcome,
    answer: itemAnswer,
    count: (metrics, { leftOut }) => {
      for (const [why, count] of Object.entries(leftOut)) metrics.ingestObjectsLeftOut.inc({ why }, count)
    },
  })
}
