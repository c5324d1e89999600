import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { FleetError, messageOf } from '../base/errors.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import { otlpAnswer } from '../ingest/otlp-outcome.ts'
import type { OtlpEncoding, OtlpOutcome } from '../ingest/otlp-outcome.ts'
import { overLimit, watchBodyLimit } from './body-limit.ts'
import type { NoteRefusal } from './body-limit.ts'

/**
 * `POST /v1/metrics` and, where Prometheus has it, `/api/v1/otlp/v1/metrics`: OTLP/HTTP metrics in protobuf or JSON.
 * Answers: 200 when the request was read (what was refused of it is told as partial success, and must not be sent again);
 * 400 when it cannot be read; 413 and 415; 503 with Retry-After when the fault is ours. Never 500 for bad data.
 */
export interface OtlpMetricsOptions {
  readonly write: WriteOtlpMetrics
  /** Of a body as sent. */
  readonly bodyBytesMax: number
  /** Of a body after decompression. */
  readonly decodedBytesMax: number
  readonly metrics: OwnMetrics
  readonly noteRefusal: NoteRefusal
}

/**
 * Takes a decompressed body. `cluster`: the one the sender's token speaks for. Resolves when what was taken is durable;
 * rejects with FleetError `overloaded`, `storage_full` or `storage_failed` when it is not.
 */
export type WriteOtlpMetrics = (
  body: Uint8Array,
  encoding: OtlpEncoding,
  cluster: string | undefined,
) => Promise<OtlpOutcome>

/** Off the main thread, on Node's own pool. */
const unzip = promisify(gunzip)

const NOTHING = Buffer.alloc(0)

/** As our own metrics call it. */
const FORMAT = 'otlp'

export async function registerOtlpMetrics(app: FastifyInstance, options: OtlpMetricsOptions): Promise<void> {
  const { write, bodyBytesMax, decodedBytesMax, metrics } = options
  await app.register((scope, _options, done) => {
    watchBodyLimit(scope, { ...options, formatOf: () => FORMAT })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, parsed) => {
      parsed(null, body)
    })
    for (const url of ['/v1/metrics', '/api/v1/otlp/v1/metrics']) {
      scope.route<{ Body: Buffer | undefined }>({
        method: 'POST',
        url,
        config: { access: 'ingest', speaks: 'otlp' },
        onRequest: (request, _reply, next) => {
          next(unsupported(request.headers['content-type']))
        },
        handler: async (request, reply) => {
          const encoding = otlpEncodingOf(request.headers['content-type']) ?? 'protobuf'
          const body = await decoded(request.body ?? NOTHING, request.headers['content-encoding'], decodedBytesMax)
          const outcome = await counted(metrics, write(body, encoding, request.principal?.cluster))
          // Senders read the answer only under exactly this type; a Buffer keeps Fastify from adding a charset.
          void reply.code(outcome.status).type(OTLP_TYPES[encoding])
          return reply.send(Buffer.from(otlpAnswer(outcome, encoding)))
        },
      })
    }
    done()
  })
}

/** The content types of both encodings, of requests and of their answers. */
export const OTLP_TYPES: Readonly<Record<OtlpEncoding, string>> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
}

/** The encoding that a content type names; parameters do not matter. */
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

/** Other encodings than these two are bad requests, not bad media: so says the protocol. */
async function decoded(body: Buffer, encoding: string | undefined, bytesMax: number): Promise<Uint8Array> {
  switch (encoding?.toLowerCase()) {
    case undefined:
    case 'identity':
      if (body.length > bytesMax) throw overLimit('decompressed', 'ingest.decompressed-bytes-max', bytesMax)
      return body
    case 'gzip':
      try {
        return await unzip(body, { maxOutputLength: bytesMax })
      } catch (thrown) {
        const isTooLarge = thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE'
        if (isTooLarge) throw overLimit('decompressed', 'ingest.decompressed-bytes-max', bytesMax)
        throw new FleetError('bad_request', `otlp: the body is not gzip: ${messageOf(thrown)}`)
      }
    default:
      throw new FleetError('bad_request', `content encoding: got ${JSON.stringify(encoding)}, want gzip or none`)
  }
}

async function counted(metrics: OwnMetrics, answering: Promise<OtlpOutcome>): Promise<OtlpOutcome> {
  const format = FORMAT
  try {
    const answer = await answering
    metrics.ingestRequests.inc({ format, outcome: answer.message === '' ? 'taken' : 'refused' })
    metrics.ingestSamplesIn.inc({ format }, answer.pointsIn)
    metrics.ingestSamplesOut.inc({ format }, answer.pointsTaken)
    for (const { reason, count } of answer.refusals) metrics.ingestRefused.inc({ format, reason }, count)
    metrics.ingestExemplarsIgnored.inc(answer.exemplarsIgnored)
    metrics.ingestUnidentifiedSeries.inc(answer.newUnidentifiedSeries)
    return answer
  } catch (thrown) {
    metrics.ingestRequests.inc({ format, outcome: 'failed' })
    throw thrown
  }
}
