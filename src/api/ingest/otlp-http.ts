import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { FleetError, messageOf } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { OtlpEncoding } from '../../ingest/otlp/outcome.ts'
import type { Refusal } from '../../model/refusal.ts'
import { overLimit, watchBodyLimit } from '../server/body-limit.ts'
import type { NoteRefusal } from '../server/body-limit.ts'

/**
 * OTLP/HTTP, whatever the signal: content types, compression, limits on the body, and how it is answered. 200 when the
 * request was read (what was refused of it is told as partial success, and must not be sent again); 400 when it cannot be
 * read; 413 and 415; 503 with Retry-After when the fault is ours. Never 500 for bad data.
 */
export interface OtlpHttpOptions {
  /** Of a body as sent. */
  readonly bodyBytesMax: number
  /** Of a body after decompression. */
  readonly decodedBytesMax: number
  readonly metrics: OwnMetrics
  readonly recordRefusal: NoteRefusal
}

/**
 * Takes a decompressed body. `cluster`: the one the sender's token speaks for. Resolves when what was taken is durable;
 * rejects with FleetError `overloaded`, `storage_full` or `storage_failed` when it is not.
 */
export type WriteOtlp<O> = (body: Uint8Array, encoding: OtlpEncoding, cluster: string | undefined) => Promise<O>

/** What all signals tell of a request: what is counted and answered. */
interface OtlpAnswered {
  readonly status: 200 | 400
  /** Empty when nothing was refused. */
  readonly message: string
  readonly refusals: readonly Refusal[]
}

/** One signal: where it is sent to, who takes it, and what it says of itself. */
interface OtlpSignalRoutes<O extends OtlpAnswered> {
  readonly urls: readonly string[]
  /** As our own metrics call it. */
  readonly format: string
  readonly write: WriteOtlp<O>
  /** How many items were in the request, and how many of them were taken. */
  readonly counts: (outcome: O) => { readonly itemsIn: number; readonly itemsTaken: number }
  /** The body of an answer. */
  readonly answer: (outcome: O, encoding: OtlpEncoding) => Uint8Array
  /** What else is counted. */
  readonly count?: (metrics: OwnMetrics, outcome: O) => void
}

/** Off the main thread, on Node's own pool. */
const unzip = promisify(gunzip)

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
        config: { access: 'ingest', speaks: 'otlp' },
        onRequest: (request, _reply, next) => {
          next(unsupported(request.headers['content-type']))
        },
        handler: async (request, reply) => {
          const encoding = otlpEncodingOf(request.headers['content-type']) ?? 'protobuf'
          const body = await decoded(request.body ?? NOTHING, request.headers['content-encoding'], decodedBytesMax)
          const outcome = await counted(metrics, signal, signal.write(body, encoding, request.principal?.cluster))
          // Senders read the answer only under exactly this type; a Buffer keeps Fastify from adding a charset.
          void reply.code(outcome.status).type(OTLP_TYPES[encoding])
          return reply.send(Buffer.from(signal.answer(outcome, encoding)))
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
