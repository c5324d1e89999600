import type { FastifyInstance } from 'fastify'
import { FleetError } from '../base/errors.ts'
import type { OwnMetrics } from '../base/metrics.ts'
import type { WriteOutcome } from '../ingest/write-outcome.ts'

/**
 * `POST /api/v1/write`, Prometheus remote write 1.0. Answers: 204 when all was taken and is on disk; 400 when some was
 * not (the rest is kept; the text says what and why); 415 and 413 before the body is read; 503 with Retry-After when
 * the fault is ours. Never 5xx for bad data: Prometheus repeats a 5xx for ever and everything behind it waits.
 */
export interface RemoteWriteOptions {
  readonly write: Write
  readonly bodyBytesMax: number
  readonly metrics: OwnMetrics
}

/**
 * Takes a body as it came, compressed. `cluster`: the one the sender's token speaks for. Resolves when what was taken
 * is durable; rejects with FleetError `overloaded`, `storage_full` or `storage_failed` when it is not.
 */
export type Write = (body: Uint8Array, cluster: string | undefined) => Promise<WriteOutcome>

const NOTHING = new Uint8Array(0)

export async function registerRemoteWrite(app: FastifyInstance, options: RemoteWriteOptions): Promise<void> {
  const { write, bodyBytesMax, metrics } = options
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, body, parsed) => {
      parsed(null, body)
    })
    scope.route<{ Body: Uint8Array | undefined }>({
      method: 'POST',
      url: '/api/v1/write',
      config: { access: 'ingest', speaks: 'text' },
      onRequest: (request, _reply, next) => {
        next(unsupported(request.headers['content-type'], request.headers['content-encoding']))
      },
      handler: async (request, reply) => {
        const answer = await counted(metrics, write(request.body ?? NOTHING, request.principal?.cluster))
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

/** Why a request of this type and encoding is not read at all. Absent headers are taken for the usual ones. */
function unsupported(type: string | undefined, encoding: string | undefined): FleetError | undefined {
  if (encoding !== undefined && encoding.toLowerCase() !== 'snappy') {
    return new FleetError(
      'unsupported_media',
      `content encoding: got ${JSON.stringify(encoding)}, want snappy (block format)`,
    )
  }
  if (type === undefined) return undefined
  const [media, ...params] = type.split(';').map((part) => part.trim().toLowerCase())
  const proto = params.find((param) => param.startsWith('proto='))?.slice('proto='.length)
  if (media === 'application/x-protobuf' && (proto === undefined || proto === 'prometheus.writerequest'))
    return undefined
  return new FleetError(
    'unsupported_media',
    `content type: got ${JSON.stringify(type)}, want application/x-protobuf with remote write 1.0 (prometheus.WriteRequest)`,
  )
}

async function counted(metrics: OwnMetrics, answering: Promise<WriteOutcome>): Promise<WriteOutcome> {
  const format = 'remote_write'
  try {
    const answer = await answering
    metrics.ingestRequests.inc({ format, outcome: answer.status === 204 ? 'taken' : 'refused' })
    metrics.ingestSamplesIn.inc({ format }, answer.samplesIn)
    metrics.ingestSamplesOut.inc({ format }, answer.samplesTaken)
    for (const { reason, count } of answer.refusals) metrics.ingestRefused.inc({ format, reason }, count)
    metrics.ingestExemplarsIgnored.inc(answer.exemplarsIgnored)
    metrics.ingestMetadataIgnored.inc(answer.metadataIgnored)
    metrics.ingestUnidentifiedSeries.inc(answer.newUnidentifiedSeries)
    return answer
  } catch (thrown) {
    metrics.ingestRequests.inc({ format, outcome: 'failed' })
    throw thrown
  }
}
