import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { DEBUG_SERIES_TOP_MAX, type DebugSeries } from '../../contract/debug.ts'
import { topParam } from './ingest.ts'

/** `GET /debug/series`: cardinality by metric, label and cluster, and its growth. */

interface CardinalityRequest {
  readonly nowMs: number
  /** The maximum of entries of each list. */
  readonly top: number
  /** The label whose values are listed beside the metrics. */
  readonly by: string
}

export type ReadCardinality = (request: CardinalityRequest) => Promise<Omit<DebugSeries, 'asOfMs'>>

const BY_DEFAULT = 'cluster'
const BY_CHARS_MAX = 1000

export function registerDebugSeries(app: FastifyInstance, read: ReadCardinality, clock: Clock): void {
  app.get<{ Querystring: Record<string, unknown> }>(
    '/debug/series',
    { config: { access: 'viewer', dialect: 'own', scope: 'fleet', lane: 'query' } },
    async (request): Promise<DebugSeries> => {
      const nowMs = clock.nowMs()
      const { top, by } = request.query
      return { asOfMs: nowMs, ...(await read({ nowMs, top: topParam(top, DEBUG_SERIES_TOP_MAX), by: byOf(by) })) }
    },
  )
}

function byOf(text: unknown): string {
  if (text === undefined) return BY_DEFAULT
  if (typeof text === 'string' && text !== '' && text.length <= BY_CHARS_MAX) return text
  throw new FleetError('bad_request', `parameter by: want the name of one label, of at most ${BY_CHARS_MAX} characters`)
}
