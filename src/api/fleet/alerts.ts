import type { FastifyInstance } from 'fastify'
import { FleetError } from '../../base/errors.ts'
import { inSlices, ownTurn } from '../../base/thread-slices.ts'
import type { Clock } from '../../base/clock.ts'
import { rankInstances, rankInSteps } from '../../catalog/rank-instances.ts'
import { AcknowledgeRequest } from '../../contract/alert-history.ts'
import { AlertMarks, AlertItems, AlertsQuery, type AlertItem } from '../../contract/alerts.ts'
import type { RuleGroupStatus } from '../../rules/rule-status.ts'
import { alertItems } from './alert-item.ts'
import { alertsAt } from './alerts-at.ts'
import { marksReader } from './alert-marks.ts'
import { pastMoment } from './moment.ts'
import { separated } from '../prometheus/answer-json.ts'
import { ownRoute } from '../server/own-route.ts'
import { sendInPieces, VALUES_OF_ALERT } from '../server/pieces.ts'
import type { AnyAlert } from '../../notify/alerts.ts'
import { actorOf } from './people.ts'
import type { ApiPeople } from './people.ts'
import type { PipelineView } from '../../notify/pipeline.ts'
import type { RuleReader } from '../prometheus/rules.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import type { RunbookCatalog } from './runbooks.ts'

export interface AlertDeps {
  readonly ports: PortsOf<{ readonly people: ApiPeople; readonly pipeline?: PipelineView; readonly rules: RuleReader }>
  readonly catalog: RunbookCatalog
  readonly clock: Clock
}

const NOTE_CHARS_MAX = 4000
const JSON_TYPE = 'application/json; charset=utf-8'
export const FINGERPRINT = { fingerprint: 'Fingerprint of the alert: 16 hex digits, as in Alertmanager.' } as const

/**
 * `/api/fleet/v1/alerts`: all alerts, the most severe and newest first, each with its rule, runbook and marks; and their
 * acknowledgements.
 */
export function registerAlerts(app: FastifyInstance, deps: AlertDeps): void {
  const { ports, catalog, clock } = deps

  ownRoute(app, 'GET /api/fleet/v1/alerts', {
    summary: 'All alerts, with marks and runbooks; with `at` those that fired then.',
    query: AlertsQuery,
    answer: AlertItems,
    handler: async ({ query, reply, request }) => {
      const { people, pipeline, rules } = ports(request)
      const atMs = pastMoment(query.at, clock.nowMs())
      if (atMs !== undefined) return alertsAt({ people, catalog }, atMs)
      const groups = await rules.groups()
      const nowMs = clock.nowMs()
      const itemOf = alertItems(catalog, marksReader(people, pipeline, nowMs))
      const alerts = await inSlices(rankInSteps(people.alerts()), ownTurn)
      return sendInPieces(reply, JSON_TYPE, alerts.length * VALUES_OF_ALERT, function* () {
        yield `{"asOfMs":${nowMs},"alerts":[`
        yield* separated(alerts, (alert) => JSON.stringify(itemOf(alert) satisfies AlertItem))
        yield `],"failing":${JSON.stringify(failingRules(groups))}}`
      })
    },
  })

  ownRoute(app, 'POST /api/fleet/v1/alerts/:fingerprint/acknowledge', {
    access: 'responder',
    summary: 'Acknowledges alerts.',
    path: FINGERPRINT,
    body: AcknowledgeRequest,
    answer: AlertMarks,
    handler: async ({ params, body: { note, by }, request }) => {
      if (note.length > NOTE_CHARS_MAX) {
        throw new FleetError('bad_request', `got a note of ${note.length} characters, want at most ${NOTE_CHARS_MAX}`)
      }
      const { people, pipeline } = ports(request)
      const alert = activeAlert(people.alerts(), params.fingerprint)
      const { fingerprint, activeAtMs } = alert
      const atMs = clock.nowMs()
      await people.acknowledgements.put({ fingerprint, activeAtMs, by: actorOf(request, by), atMs, note })
      return marksReader(people, pipeline, atMs)(alert)
    },
  })

  ownRoute(app, 'DELETE /api/fleet/v1/alerts/:fingerprint/acknowledge', {
    access: 'responder',
    summary: 'Removes acknowledgements.',
    path: FINGERPRINT,
    answer: AlertMarks,
    handler: async ({ params, request }) => {
      const { people, pipeline } = ports(request)
      const alert = activeAlert(people.alerts(), params.fingerprint)
      const nowMs = clock.nowMs()
      if (!(await people.acknowledgements.remove(alert, actorOf(request), nowMs))) {
        throw new FleetError('not_found', `no acknowledgement of alert ${alert.fingerprint}`)
      }
      return marksReader(people, pipeline, nowMs)(alert)
    },
  })
}

/** The pending or firing alert; of two with equal labels the firing one. Throws `not_found`. */
function activeAlert(alerts: readonly AnyAlert[], fingerprint: string): AnyAlert {
  const [found] = rankInstances(alerts.filter((alert) => alert.fingerprint === fingerprint))
  if (found === undefined) throw new FleetError('not_found', `no alert has the fingerprint ${fingerprint}`)
  if (found.state !== 'resolved') return found
  throw new FleetError('not_found', `alert ${fingerprint} is resolved`, {
    hint: 'its occurrences are in /api/fleet/v1/alerts/history',
  })
}

/** A rule that fails keeps its previous alerts, so the list may be incomplete and names the failing rules. */
function failingRules(groups: readonly RuleGroupStatus[]): AlertItems['failing'] {
  return groups.flatMap((group) =>
    group.rules
      .filter(({ health }) => health === 'err')
      .map((rule) => ({ group: group.name, rule: rule.name, error: rule.lastError ?? 'unknown error' })),
  )
}
