import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { OtlpEncoding } from '../../ingest/otlp/outcome.ts'
import type { Refusal } from '../../model/refusal.ts'
import { gunzipBody, overLimit, watchBodyLimit, type RecordRefusal } from '../server/body-limit.ts'

/**
 * OTLP/HTTP for all signals: content types, compression, body limits and responses. 200 when the request was decoded
 * (refused items are reported as partial success and must not be sent again); 400 when it cannot be decoded; 413 and 415;
 * 503 with Retry-After for a failure of the server. Never 500 for bad data.
 */
export interface OtlpHttpOptions {
  /** Of a body as sent. */
  readonly bodyBytesMax: number
  /** Of a body after decompression. */
  readonly decodedBytesMax: number
  readonly metrics: OwnMetrics
  readonly recordRefusal: RecordRefusal
}

/**
 * Takes a decompressed body. `cluster`: to which the sender's token is bound. Resolves when the accepted data is durable;
 * rejects with FleetError `overloaded`, `storage_full` or `storage_failed` otherwise.
 */
export type WriteOtlp<O> = (body: Uint8Array, encoding: OtlpEncoding, cluster: string | undefined) => Promise<O>

/** The outcome of a request that all signals share: for metrics and the response. */
interface OtlpAnswered {
  readonly status: 200 | 400
  /** Empty when nothing was refused. */
  readonly message: string
  readonly refusals: readonly Refusal[]
}

/** One signal: its paths, its ingest function and its counts. */
interface OtlpSignalRoutes<O extends OtlpAnswered> {
  readonly urls: readonly string[]
  /** The label `format` of own metrics. */
  readonly format: string
  readonly write: WriteOtlp<O>
  /** The number of items in the request, and of those accepted. */
  readonly counts: (outcome: O) => { readonly itemsIn: number; readonly itemsTaken: number }
  /** The body of the response. */
  readonly answer: (outcome: O, encoding: OtlpEncoding) => Uint8Array
  /** Further metrics. */
  readonly count?: (metrics: OwnMetrics, outcome: O) => void
}

const NOTHING = Buffer.alloc(0)

export async function registerOtlpSignal<O extends OtlpAnswered>(
  app: FastifyInstance,
  options: OtlpHttpOptions,
  signal: OtlpSignalRoutes<O>,
): Promise<void> {
  const { bodyBytesMax, decodedBytesMax, metrics } = options
  await app.register((scope, _options, done) => {
    watchBodyLimit(scope, { ...options, formatOf: () => signal.format })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, parsed) => {
      parsed(null, body)
    })
    for (const url of signal.urls) {
      scope.route<{ Body: Buffer | undefined }>({
        method: 'POST',
        url,
        config: { access: 'ingest', dialect: 'otlp' },
        onRequest: (request, _reply, next) => {
          next(unsupported(request.headers['content-type']))
        },
        handler: async (request, reply) => {
          const encoding = otlpEncodingOf(request.headers['content-type']) ?? 'protobuf'
          const body = await decoded(request.body ?? NOTHING, request.headers['content-encoding'], decodedBytesMax)
          const outcome = await counted(metrics, signal, signal.write(body, encoding, request.principal?.cluster))
          // Senders accept only this exact type; a Buffer keeps Fastify from adding a charset.
          void reply.code(outcome.status).type(OTLP_TYPES[encoding])
          return reply.send(Buffer.from(signal.answer(outcome, encoding)))
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
async function decoded(body: Buffer, encoding: string | undefined, bytesMax: number): Promise<Uint8Array> {
  const tooLarge = () => overLimit('decompressed', 'ingest.decompressed-bytes-max', bytesMax)
  switch (encoding?.toLowerCase()) {
    case undefined:
    case 'identity':
      if (body.length > bytesMax) throw tooLarge()
      return body
    case 'gzip':
      return gunzipBody(body, 'otlp', bytesMax, tooLarge)
    default:
      throw new FleetError('bad_request', `content encoding: got ${JSON.stringify(encoding)}, want gzip or none`)
  }
}

async function counted<O extends OtlpAnswered>(
  metrics: OwnMetrics,
  signal: OtlpSignalRoutes<O>,
  answering: Promise<O>,
): Promise<O> {
  const { format } = signal
  try {
    const answer = await answering
    const { itemsIn, itemsTaken } = signal.counts(answer)
    metrics.ingestRequests.inc({ format, outcome: answer.message === '' ? 'taken' : 'refused' })
    metrics.ingestSamplesIn.inc({ format }, itemsIn)
    metrics.ingestSamplesOut.inc({ format }, itemsTaken)
    for (const { reason, count } of answer.refusals) metrics.ingestRefused.inc({ format, reason }, count)
    signal.count?.(metrics, answer)
    return answer
  } catch (thrown) {
    metrics.ingestRequests.inc({ format, outcome: 'failed' })
    throw thrown
  }
}
