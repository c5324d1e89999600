import type { FastifyInstance } from 'fastify'
import { otlpAnswer, type OtlpOutcome } from '../../ingest/otlp/outcome.ts'
import { registerOtlpSignal, type OtlpHttpOptions, type WriteOtlp } from './otlp-http.ts'

/** `POST /v1/metrics` and, where Prometheus has it, `/api/v1/otlp/v1/metrics`: OTLP metrics in protobuf or JSON. */
interface OtlpMetricsOptions extends OtlpHttpOptions {
  readonly write: WriteOtlpMetrics
}

export type WriteOtlpMetrics = WriteOtlp<OtlpOutcome>

export async function registerOtlpMetrics(app: FastifyInstance, options: OtlpMetricsOptions): Promise<void> {
  await registerOtlpSignal(app, options, {
    urls: ['/v1/metrics', '/api/v1/otlp/v1/metrics'],
    format: 'otlp',
    write: options.write,
    counts: ({ pointsIn, pointsTaken }) => ({ itemsIn: pointsIn, itemsTaken: pointsTaken }),
    answer: otlpAnswer,
    count: (metrics, outcome) => {
      metrics.ingestExemplarsIgnored.inc(outcome.exemplarsIgnored)
      metrics.ingestUnidentifiedSeries.inc(outcome.newUnidentifiedSeries)
    },
  })
}
