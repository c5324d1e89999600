import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { FleetError } from '../../base/errors.ts'
import { RuleTests } from '../../contract/replay.ts'
import { ownRoute } from '../server/own-route.ts'

/** Runs the unit tests that mention an alert. */
export type RunRuleTests = (alertname: string) => Promise<RuleTests>

const NAME_CHARS_MAX = 200

export function registerRuleTests(app: FastifyInstance, run: RunRuleTests): void {
  ownRoute(app, 'GET /api/fleet/v1/rules/tests', {
    scope: 'none',
    summary: 'Runs the unit tests of an alert.',
    documentedQuery: Type.Object({ alertname: Type.String({ description: 'Name of the alert.' }) }),
    answer: RuleTests,
    handler: ({ request }) => {
      const { alertname } = request.query as Readonly<Record<string, unknown>>
      if (typeof alertname === 'string' && alertname !== '' && alertname.length <= NAME_CHARS_MAX) return run(alertname)
      const want = `want the name of one alert, of at most ${NAME_CHARS_MAX} characters`
      throw new FleetError('bad_request', `parameter alertname: ${want}`)
    },
  })
}
