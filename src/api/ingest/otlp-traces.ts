import type { FastifyInstance } from 'fastify'
import { itemAnswer, type OtlpItemOutcome } from '../../ingest/otlp/item-outcome.ts'
import { registerOtlpSignal, type OtlpHttpOptions, type WriteOtlp } from './otlp-http.ts'

/** `POST /v1/traces`: OTLP traces in protobuf or JSON. */
interface OtlpTracesOptions extends OtlpHttpOptions {
  readonly write: WriteOtlpTraces
}

export type WriteOtlpTraces = WriteOtlp<OtlpItemOutcome>

export async function registerOtlpTraces(app: FastifyInstance, options: OtlpTracesOptions): Promise<void> {
  await registerOtlpSignal(app, options, {
    urls: ['/v1/traces'],
    format: 'otlp_traces',
    write: options.write,
    counts: (outcome) => outcome,
    answer: itemAnswer,
  })
}
