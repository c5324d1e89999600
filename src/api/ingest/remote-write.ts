import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { WriteOutcome, WriteProtocol } from '../../ingest/write-outcome.ts'
import { watchBodyLimit } from '../server/body-limit.ts'
import type { NoteRefusal } from '../server/body-limit.ts'
import { FORMATS, counted } from './write-metrics.ts'

/**
 * `POST /api/v1/write`, Prometheus remote write 1.0 and 2.0, told apart by the content type. Answers: 204 when all was taken and is on disk; 400 when some was
 * not (the rest is kept; the text says what and why); 415 and 413 before the body is read; 503 with Retry-After when
 * the fault is ours. Never 5xx for bad data: Prometheus repeats a 5xx for ever and everything behind it waits.
 *
 * Every answer to 2.0, errors too, says how much was written: without that a sender takes us for a receiver that knows
 * only 1.0 and has read its request as an empty one; for the same reason the samples of a standby replica, which another
 * one delivers, count as written. Answers to 1.0 never say it.
 */
interface RemoteWriteOptions {
  readonly write: Write
  readonly bodyBytesMax: number
  readonly metrics: OwnMetrics
  readonly recordRefusal: NoteRefusal
}

/**
 * Takes a body as it came, compressed and in pieces. `cluster`: the one the sender's token speaks for. Resolves when what was taken
 * is durable; rejects with FleetError `overloaded`, `storage_full` or `storage_failed` when it is not.
 */
export type Write = (
  body: readonly Uint8Array[],
  cluster: string | undefined,
  protocol: WriteProtocol,
) => Promise<WriteOutcome>

const SAMPLES_WRITTEN = 'x-prometheus-remote-write-samples-written'
const HISTOGRAMS_WRITTEN = 'x-prometheus-remote-write-histograms-written'
const EXEMPLARS_WRITTEN = 'x-prometheus-remote-write-exemplars-written'

export async function registerRemoteWrite(app: FastifyInstance, options: RemoteWriteOptions): Promise<void> {
  const { write, bodyBytesMax, metrics } = options
  await app.register((scope, _options, done) => {
    const formatOf = (request: FastifyRequest): string => FORMATS[protocolOf(request.headers['content-type']) ?? '1.0']
    watchBodyLimit(scope, { ...options, formatOf })
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, parsed) => {
      parsed(null, body)
    })
    // Whoever answers (this route, the error handler, the door), it passes here.
    scope.addHook('onSend', (request, reply, _payload, sent) => {
      if (protocolOf(request.headers['content-type']) === '2.0') {
        for (const written of [SAMPLES_WRITTEN, HISTOGRAMS_WRITTEN, EXEMPLARS_WRITTEN]) {
          if (!reply.hasHeader(written)) void reply.header(written, '0')
        }
      }
      sent()
    })
    scope.route<{ Body: Uint8Array | undefined }>({
      method: 'POST',
      url: '/api/v1/write',
      config: { access: 'ingest', speaks: 'text' },
      onRequest: (request, _reply, next) => {
        next(unsupported(request.headers['content-type'], request.headers['content-encoding']))
      },
      handler: async (request, reply) => {
        const protocol = protocolOf(request.headers['content-type']) ?? '1.0'
        const writing = write(request.body === undefined ? [] : [request.body], request.principal?.cluster, protocol)
        const answer = await counted(metrics, FORMATS[protocol], writing)
        if (protocol === '2.0') void reply.headers(writtenHeaders(answer))
        void reply.code(answer.status).type('text/plain; charset=utf-8')
        if (answer.status === 400) return reply.send(`${answer.message}\n`)
        // A 204 has no body, and what was not kept is told all the same. Label values may hold what headers may not.
        if (answer.message !== '') void reply.header('x-daytwo-refused', encodeURI(answer.message))
        return reply.send()
      },
    })
    done()
  })
}

function writtenHeaders(answer: WriteOutcome): Record<string, string> {
  return {
    [SAMPLES_WRITTEN]: String(answer.samplesTaken + answer.samplesDuplicate),
    [HISTOGRAMS_WRITTEN]: String(answer.histogramsTaken + answer.histogramsDuplicate),
    [EXEMPLARS_WRITTEN]: String(answer.exemplarsTaken),
  }
}

/** Why a request of this type and encoding is not read at all. Absent headers are taken for the usual ones. */
function unsupported(type: string | undefined, encoding: string | undefined): FleetError | undefined {
  if (encoding !== undefined && encoding.toLowerCase() !== 'snappy') {
    return new FleetError(
      'unsupported_media',
      `content encoding: got ${JSON.stringify(encoding)}, want snappy (block format)`,
    )
  }
  if (protocolOf(type) !== undefined) return undefined
  return new FleetError(
    'unsupported_media',
    `content type: got ${JSON.stringify(type)}, want application/x-protobuf, alone for remote write 1.0 or with proto=io.prometheus.write.v2.Request for 2.0`,
  )
}

/** By the message that the content type names; `undefined` when it is none of ours. Absent is 1.0. */
export function protocolOf(type: string | undefined): WriteProtocol | undefined {
  if (type === undefined || type === 'application/x-protobuf') return '1.0'
  const [media, ...params] = type.split(';').map((part) => part.trim().toLowerCase())
  if (media !== 'application/x-protobuf') return undefined
  const proto = params.find((param) => param.startsWith('proto='))?.slice('proto='.length)
  if (proto === undefined || proto === 'prometheus.writerequest') return '1.0'
  return proto === 'io.prometheus.write.v2.request' ? '2.0' : undefined
}
