import type { FastifyInstance, FastifyRequest } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import type { Refusal } from '../../model/refusal.ts'

/** Tells whoever keeps the notes behind `/debug/ingest` of a body that never came as far as `ingest`. Not awaited. */
export type NoteRefusal = (refusal: Refusal, cluster: string | undefined) => void

/**
 * In the scope of a route that takes samples: a body above a limit is told by the option that sets it, counted and
 * noted. Whatever else goes wrong passes through.
 */
export function watchBodyLimit(
  scope: FastifyInstance,
  parts: {
    readonly formatOf: (request: FastifyRequest) => string
    readonly bodyBytesMax: number
    readonly metrics: OwnMetrics
    readonly recordRefusal: NoteRefusal
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

/** Ours, or Fastify's own. */
function isTooLarge(thrown: unknown): boolean {
  if (thrown instanceof FleetError) return thrown.code === 'too_large'
  return thrown instanceof Error && 'statusCode' in thrown && thrown.statusCode === 413
}

/** A 413. @param state of the body, when it was measured: `sent`, `decompressed` */
export function overLimit(state: string, option: string, bytesMax: number): FleetError {
  return new FleetError('too_large', `got a body of more bytes, ${state}, than ${option}, ${bytesMax}`)
}
