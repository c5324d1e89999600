import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { OtlpLogsOutcome } from '../../ingest/otlp/logs.ts'
import type { OtlpMetricsOutcome } from '../../ingest/otlp/metrics.ts'
import { otlpAnswer, type OtlpEncoding, type OtlpOutcome } from '../../ingest/otlp/outcome.ts'
import type { BodyLease } from '../server/body-admission.ts'
import { gunzipBody, overLimit, watchBodyLimit, type RecordRefusal } from '../server/body-limit.ts'
import { counted, type WriteCounts } from './write-metrics.ts'

/**
 * OTLP/HTTP for all signals: content types, compression, body limits and responses. 200 when the request was decoded
 * (refused items are reported as partial success and must not be sent again); 400 when it cannot be decoded; 413 and 415;
 * 503 with Retry-After for a failure of the server. Never 500 for bad data.
 */
interface OtlpOptions {
  /** Of a body as sent. */
  readonly bodyBytesMax: number
  /** Of a body after decompression. */
  readonly decodedBytesMax: number
  readonly metrics: OwnMetrics
  readonly recordRefusal: RecordRefusal
  readonly writeOtlp: OtlpWrites
}

/**
 * Takes a decompressed body. `cluster`: to which the sender's token is bound. `lease`: what the request holds, for as long
 * as this takes. Resolves when the accepted data is durable; rejects with FleetError `overloaded`, `storage_full` or
 * `storage_failed` otherwise.
 */
type WriteOtlp<O> = (
  body: Uint8Array,
  encoding: OtlpEncoding,
  cluster: string | undefined,
  lease: BodyLease,
) => Promise<O>

export interface OtlpWrites {
  readonly metrics: WriteOtlp<OtlpMetricsOutcome>
  readonly traces: WriteOtlp<OtlpOutcome>
  /** Log records, and Kubernetes objects as a Collector's k8sobjects receiver sends them. */
  readonly logs: WriteOtlp<OtlpLogsOutcome>
}

/** One signal: its paths and its ingest function. */
interface SignalRoutes<O extends OtlpOutcome> {
  readonly urls: readonly string[]
  /** The label `format` of own metrics. */
  readonly format: string
  readonly write: WriteOtlp<O>
  /** Further metrics. */
  readonly count?: (outcome: O) => void
}

const NOTHING = Buffer.alloc(0)

export async function registerOtlp(app: FastifyInstance, options: OtlpOptions): Promise<void> {
  const { metrics, writeOtlp } = options
  await registerSignal(app, options, {
    // The second path is Prometheus' own.
    urls: ['/v1/metrics', '/api/v1/otlp/v1/metrics'],
    format: 'otlp',
    write: writeOtlp.metrics,
    count: ({ exemplarsIgnored, newUnidentifiedSeries }) => {
      metrics.ingestExemplarsIgnored.inc(exemplarsIgnored)
      metrics.ingestUnidentifiedSeries.inc(newUnidentifiedSeries)
    },
  })
  await registerSignal(app, options, { urls: ['/v1/traces'], format: 'otlp_traces', write: writeOtlp.traces })
  await registerSignal(app, options, {
    urls: ['/v1/logs'],
    format: 'otlp_logs',
    write: writeOtlp.logs,
    count: ({ leftOut }) => {
      for (const [why, count] of Object.entries(leftOut)) metrics.ingestObjectsLeftOut.inc({ why }, count)
    },
  })
}

async function registerSignal<O extends OtlpOutcome>(
  app: FastifyInstance,
  options: OtlpOptions,
  { urls, format, write, count }: SignalRoutes<O>,
): Promise<void> {
  const { bodyBytesMax, decodedBytesMax, metrics } = options
  await app.register((scope, _options, done) => {
    watchBodyLimit(scope, { ...options, formatOf: () => format })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, parsed) => {
      parsed(null, body)
    })
    for (const url of urls) {
      scope.route<{ Body: Buffer | undefined }>({
        method: 'POST',
        url,
        config: { access: 'ingest', dialect: 'otlp' },
        onRequest: (request, _reply, next) => {
          next(unsupported(request.headers['content-type']))
        },
        handler: async (request, reply) => {
          const encoding = otlpEncodingOf(request.headers['content-type']) ?? 'protobuf'
          const lease = request.bodyLease!
          const body = await decoded(request, lease, decodedBytesMax)
          const writing = write(body, encoding, request.principal?.cluster, lease)
          const outcome = await counted(metrics, format, writing, countsOf)
          count?.(outcome)
          // Senders accept only this exact type; a Buffer keeps Fastify from adding a charset.
          void reply.code(outcome.status).type(OTLP_TYPES[encoding])
          return reply.send(Buffer.from(otlpAnswer(outcome, encoding)))
        },
      })
    }
    done()
  })
}

/** The content types of both encodings, of requests and responses. */
export const OTLP_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
}

/** The encoding of a content type; parameters are ignored. */
export function otlpEncodingOf(type: string | undefined): OtlpEncoding | undefined {
  const media = type?.split(';')[0]?.trim().toLowerCase()
  if (media === OTLP_TYPES.protobuf) return 'protobuf'
  return media === OTLP_TYPES.json ? 'json' : undefined
}

function unsupported(type: string | undefined): FleetError | undefined {
  if (otlpEncodingOf(type) !== undefined) return undefined
  const got = type === undefined ? 'none' : JSON.stringify(type)
  return new FleetError(
    'unsupported_media',
    `content type: got ${got}, want application/x-protobuf or application/json`,
  )
}

/** Other content encodings are 400, not 415, as the protocol requires. */
async function decoded(
  { body = NOTHING, headers }: FastifyRequest<{ Body: Buffer | undefined }>,
  lease: BodyLease,
  bytesMax: number,
): Promise<Uint8Array> {
  const encoding = headers['content-encoding']
  const tooLarge = () => overLimit('decompressed', 'ingest.decompressed-bytes-max', bytesMax)
  switch (encoding?.toLowerCase()) {
    case undefined:
    case 'identity':
      if (body.length > bytesMax) throw tooLarge()
      return body
    case 'gzip':
      return gunzipBody(body, 'otlp', lease, bytesMax, tooLarge)
    default:
      throw new FleetError('bad_request', `content encoding: got ${JSON.stringify(encoding)}, want gzip or none`)
  }
}

function countsOf({ message, itemsIn, itemsTaken }: OtlpOutcome): WriteCounts {
  return { isRefused: message !== '', itemsIn, itemsTaken }
}
