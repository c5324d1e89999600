import { createGunzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FleetError, messageOf } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { Refusal } from '../../model/refusal.ts'
import type { BodyLease } from './body-admission.ts'

/** Records the refusal of a body that never reached `ingest`, for `/debug/ingest`. Not awaited. */
export type RecordRefusal = (refusal: Refusal, cluster: string | undefined) => void

/**
 * For the scope of a write route: the refusal of a body above a limit names the option of the limit, is counted and
 * recorded. All other errors pass through.
 */
export function watchBodyLimit(
  scope: FastifyInstance,
  parts: {
    readonly formatOf: (request: FastifyRequest) => string
    readonly bodyBytesMax: number
    readonly metrics: OwnMetrics
    readonly recordRefusal: RecordRefusal
  },
): void {
  const { formatOf, bodyBytesMax, metrics, recordRefusal } = parts
  scope.setErrorHandler((thrown, request) => {
    if (!isTooLarge(thrown)) throw thrown
    const failure = thrown instanceof FleetError ? thrown : overLimit('sent', 'web.body-bytes-max', bodyBytesMax)
    const format = formatOf(request)
    const reason = 'request_too_large'
    metrics.ingestRequests.inc({ format, outcome: 'refused' })
    metrics.ingestRefused.inc({ format, reason })
    recordRefusal({ reason, count: 1, example: failure.message }, request.principal?.cluster)
    throw failure
  })
}

/** Daytwo's own error, or Fastify's. */
function isTooLarge(thrown: unknown): boolean {
  if (thrown instanceof FleetError) return thrown.code === 'too_large'
  return thrown instanceof Error && 'statusCode' in thrown && thrown.statusCode === 413
}

/** A 413. @param state of the body when it was measured: `sent`, `decompressed` */
export function overLimit(state: string, option: string, bytesMax: number): FleetError {
  return new FleetError('too_large', `got a body of more bytes, ${state}, than ${option}, ${bytesMax}`)
}

/** Of the decompressed body, in one piece. */
const PIECE_BYTES = 64 * 1024

/**
 * Decompresses off the main thread, on Node's own pool; the lease grows with the body. Throws `tooLarge()` when the
 * decompressed body has more than `bytesMax`, and `bad_request` when it is not gzip.
 */
export async function gunzipBody(
  body: Buffer,
  protocol: string,
  lease: BodyLease,
  bytesMax: number,
  tooLarge: () => FleetError,
): Promise<Buffer> {
  const unzip = createGunzip({ chunkSize: PIECE_BYTES })
  const pieces: Buffer[] = []
  let bytes = 0
  unzip.end(body)
  try {
    for await (const piece of unzip as AsyncIterable<Buffer>) {
      bytes += piece.length
      if (bytes > bytesMax) throw tooLarge()
      lease.grow(piece.length)
      pieces.push(piece)
    }
  } catch (thrown) {
    if (thrown instanceof FleetError) throw thrown
    throw new FleetError('bad_request', `${protocol}: the body is not gzip: ${messageOf(thrown)}`)
  }
  return Buffer.concat(pieces, bytes)
}
