import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import type { RuleTests } from '../../contract/replay.ts'

/** `GET /api/fleet/v1/rules/tests?alertname=`: runs the unit tests that mention an alert. */
export type RunRuleTests = (alertname: string) => Promise<RuleTests>

const NAME_CHARS_MAX = 200

export function registerRuleTests(app: FastifyInstance, run: RunRuleTests): void {
  app.get<{ Querystring: Record<string, unknown> }>(
    '/api/fleet/v1/rules/tests',
    { config: { access: 'viewer', dialect: 'own' } },
    async (request): Promise<RuleTests> => run(nameOf(request.query['alertname'])),
  )
}

function nameOf(name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= NAME_CHARS_MAX) return name
  throw new FleetError(
    'bad_request',
    `parameter alertname: want the name of one alert, of at most ${NAME_CHARS_MAX} characters`,
  )
}
