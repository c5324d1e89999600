import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { DEBUG_INGEST_TOP_MAX, type DebugIngest } from '../../contract/debug.ts'
import type { IngestReport } from '../../ingest/intake.ts'

/** `GET /debug/ingest`: recent refusals, clusters by samples, usage of the limits, HA elections. */

/** Lists of clusters and of elections have at most `top` entries. */
export type ReadIngestReport = (nowMs: number, top: number) => Promise<IngestReport>

const TOP_DEFAULT = 20

export function registerDebugIngest(app: FastifyInstance, report: ReadIngestReport, clock: Clock): void {
  app.get<{ Querystring: Record<string, unknown> }>(
    '/debug/ingest',
    { config: { access: 'viewer', dialect: 'own', scope: 'fleet' } },
    async (request): Promise<DebugIngest> => {
      const nowMs = clock.nowMs()
      return { asOfMs: nowMs, ...(await report(nowMs, topParam(request.query['top'], DEBUG_INGEST_TOP_MAX))) }
    },
  )
}

/** The parameter `top` of the debug routes. @param max inclusive */
export function topParam(text: unknown, max: number): number {
  if (text === undefined) return TOP_DEFAULT
  const top = typeof text === 'string' && /^[0-9]{1,4}$/.test(text) ? Number(text) : NaN
  if (top >= 1 && top <= max) return top
  throw new FleetError(
    'bad_request',
    `parameter top: got ${JSON.stringify(text)}, want a whole number from 1 to ${max}`,
  )
}
