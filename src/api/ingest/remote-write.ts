import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { WriteOutcome, WriteProtocol } from '../../ingest/write-outcome.ts'
import type { BodyLease } from '../server/body-admission.ts'
import { watchBodyLimit, type RecordRefusal } from '../server/body-limit.ts'
import { FORMATS, countedWrite } from './write-metrics.ts'

/**
 * `POST /api/v1/write`, Prometheus remote write 1.0 and 2.0, distinguished by the content type. Responses: 204 when all
 * samples are accepted and durable; 400 when some were refused (the others are stored; the text states what and why);
 * 415 and 413 before the body is read; 503 with Retry-After for a failure of the server. Never 5xx for bad data:
 * Prometheus retries a 5xx for ever, and all later samples wait.
 *
 * Every response to 2.0, also an error, states how much was written: without it a sender assumes a receiver of 1.0 only,
 * which decodes its request as empty. For the same reason, samples of a standby replica, which another replica delivers,
 * count as written. Responses to 1.0 never state it.
 */
interface RemoteWriteOptions {
  readonly write: Write
  readonly bodyBytesMax: number
  readonly metrics: OwnMetrics
  readonly recordRefusal: RecordRefusal
}

/**
 * Takes a body as received: compressed and in pieces. `cluster`: to which the sender's token is bound. `lease`: what the
 * request holds, for as long as this takes. Resolves when the accepted samples are durable; rejects with FleetError `overloaded`, `storage_full` or `storage_failed` otherwise.
 */
export type Write = (
  body: readonly Uint8Array[],
  cluster: string | undefined,
  protocol: WriteProtocol,
  lease: BodyLease,
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
    // Every response passes here, also those of the error handler and of access control.
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
      config: { access: 'ingest', dialect: 'text', isDroppedOn429: true },
      onRequest: (request, _reply, next) => {
        next(unsupported(request.headers['content-type'], request.headers['content-encoding']))
      },
      handler: async (request, reply) => {
        const protocol = protocolOf(request.headers['content-type']) ?? '1.0'
        const body = request.body === undefined ? [] : [request.body]
        const writing = write(body, request.principal?.cluster, protocol, request.bodyLease!)
        const answer = await countedWrite(metrics, FORMATS[protocol], writing)
        if (protocol === '2.0') void reply.headers(writtenHeaders(answer))
        void reply.code(answer.status).type('text/plain; charset=utf-8')
        if (answer.status === 400) return reply.send(`${answer.message}\n`)
        // A 204 has no body, so refusals are in a header; encoded, because label values may contain any character.
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

/** The refusal of an unsupported type or encoding. Absent headers count as the usual ones. */
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

/** By the message in the content type; `undefined` when it is unknown. An absent type is 1.0. */
export function protocolOf(type: string | undefined): WriteProtocol | undefined {
  if (type === undefined || type === 'application/x-protobuf') return '1.0'
  const [media, ...params] = type.split(';').map((part) => part.trim().toLowerCase())
  if (media !== 'application/x-protobuf') return undefined
  const proto = params.find((param) => param.startsWith('proto='))?.slice('proto='.length)
  if (proto === undefined || proto === 'prometheus.writerequest') return '1.0'
  return proto === 'io.prometheus.write.v2.request' ? '2.0' : undefined
}
