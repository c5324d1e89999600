import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { DEBUG_SERIES_TOP_MAX } from '../../contract/debug-series.ts'
import type { DebugSeries } from '../../contract/debug-series.ts'

/** `GET /debug/series`: where the series come from. By metric, by label, by cluster, and which of them grow. */

interface CardinalityRequest {
  readonly nowMs: number
  /** The most entries of each list. */
  readonly top: number
  /** The label whose values are listed beside the metrics. */
  readonly by: string
}

export type ReadCardinality = (request: CardinalityRequest) => Promise<Omit<DebugSeries, 'asOfMs'>>

const TOP_DEFAULT = 20
const BY_DEFAULT = 'cluster'
const BY_CHARS_MAX = 1000

export function registerDebugSeries(app: FastifyInstance, read: ReadCardinality, clock: Clock): void {
  app.get<{ Querystring: Record<string, unknown> }>(
    '/debug/series',
    { config: { access: 'viewer', speaks: 'own' } },
    async (request): Promise<DebugSeries> => {
      const nowMs = clock.nowMs()
      const { top, by } = request.query
      return { asOfMs: nowMs, ...(await read({ nowMs, top: topOf(top), by: byOf(by) })) }
    },
  )
}

function topOf(text: unknown): number {
  if (text === undefined) return TOP_DEFAULT
  const top = typeof text === 'string' && /^[0-9]{1,4}$/.test(text) ? Number(text) : NaN
  if (top >= 1 && top <= DEBUG_SERIES_TOP_MAX) return top
  throw new FleetError(
    'bad_request',
    `parameter top: got ${JSON.stringify(text)}, want a whole number from 1 to ${DEBUG_SERIES_TOP_MAX}`,
  )
}

function byOf(text: unknown): string {
  if (text === undefined) return BY_DEFAULT
  if (typeof text === 'string' && text !== '' && text.length <= BY_CHARS_MAX) return text
  throw new FleetError('bad_request', `parameter by: want the name of one label, of at most ${BY_CHARS_MAX} characters`)
}
