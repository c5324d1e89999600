import { Type } from 'typebox'
import { AcknowledgeRequest, AlertRuns, AlertStrips, AuditEntries } from '../../contract/alert-history.ts'
import { AlertMarks } from '../../contract/alert-marks.ts'
import { AlertDetail, AlertItems, AlertsQuery } from '../../contract/alerts.ts'
import { DeliveryItem, DeliveryItems, ReceiverItems, RouteItem, RouteTest } from '../../contract/deliveries.ts'
import { Replay, ReplayRequest, RuleTests } from '../../contract/replay.ts'
import { BoundRunbook, RunbookList, RunbookSource } from '../../contract/runbooks.ts'
import { MatcherItem, SilenceItem, SilenceItems, SilencePreview, SilenceRequest } from '../../contract/silences.ts'
import type { Operations } from './openapi-operation.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const number = (description: string) => Type.Optional(Type.Number({ description }))
const PAGE = { limit: number('Items of one page at most.'), cursor: text('`nextCursor` of the page before.') } as const
const FINGERPRINT = { fingerprint: "Of the alert: 16 hex digits, Alertmanager's own." } as const

/** Alerts, silences, notifications, rules and runbooks. */
export const ALERT_OPERATIONS: Operations = {
  'GET /api/fleet/v1/alerts': {
    summary: 'All alerts, with marks and runbooks; with `at` those that fired then.',
    tag: 'alerts',
    query: AlertsQuery,
    answer: AlertItems,
  },
  'GET /api/fleet/v1/alerts/:fingerprint': {
    summary: 'One alert with what happened around it.',
    tag: 'alerts',
    path: FINGERPRINT,
    answer: AlertDetail,
  },
  'POST /api/fleet/v1/alerts/:fingerprint/acknowledge': {
    summary: 'Somebody takes care of an alert.',
    tag: 'alerts',
    path: FINGERPRINT,
    body: AcknowledgeRequest,
    answer: AlertMarks,
  },
  'DELETE /api/fleet/v1/alerts/:fingerprint/acknowledge': {
    summary: 'Nobody takes care of an alert any more.',
    tag: 'alerts',
    path: FINGERPRINT,
    answer: AlertMarks,
  },
  'GET /api/fleet/v1/alerts/history': {
    summary: 'When alerts fired, newest first.',
    tag: 'alerts',
    query: Type.Object({
      fromMs: number('Milliseconds since the epoch; a week ago when left out.'),
      toMs: number('Milliseconds since the epoch; now when left out.'),
      alertname: text('Of this name.'),
      cluster: text('On this cluster.'),
      fingerprint: text('Of this alert.'),
      ...PAGE,
    }),
    answer: AlertRuns,
  },
  'GET /api/fleet/v1/alerts/strip': {
    summary: 'Over which share of each stretch of time alerts fired.',
    tag: 'alerts',
    query: Type.Object({
      fingerprint: Type.Optional(Type.Array(Type.String(), { description: 'Of an alert; give it again for more.' })),
      hours: number('How far back; 24 when left out.'),
      blocks: number('In how many stretches; 24 when left out.'),
    }),
    answer: AlertStrips,
  },
  'GET /api/fleet/v1/audit': {
    summary: 'What people did, newest first.',
    tag: 'alerts',
    query: Type.Object(PAGE),
    answer: AuditEntries,
  },
  'GET /api/fleet/v1/silences': { summary: 'All silences.', tag: 'alerts', answer: SilenceItems },
  'POST /api/fleet/v1/silences': {
    summary: 'Sets a silence.',
    tag: 'alerts',
    body: SilenceRequest,
    answer: SilenceItem,
    status: 201,
  },
  'GET /api/fleet/v1/silences/:id': {
    summary: 'One silence.',
    tag: 'alerts',
    path: { id: 'Of the silence.' },
    answer: SilenceItem,
  },
  'PUT /api/fleet/v1/silences/:id': {
    summary: 'Changes a silence.',
    tag: 'alerts',
    path: { id: 'Of the silence.' },
    body: SilenceRequest,
    answer: SilenceItem,
  },
  'DELETE /api/fleet/v1/silences/:id': {
    summary: 'Ends a silence.',
    tag: 'alerts',
    path: { id: 'Of the silence.' },
    answer: SilenceItem,
  },
  'POST /api/fleet/v1/silences/preview': {
    summary: 'Which alerts a silence would reach.',
    tag: 'alerts',
    body: Type.Object({ matchers: Type.Array(MatcherItem) }),
    answer: SilencePreview,
  },
  'GET /api/fleet/v1/deliveries': {
    summary: 'Who was told of what, newest first.',
    tag: 'notifications',
    query: Type.Object({
      receiver: text('To this receiver.'),
      outcome: text('`delivered`, `refused` or `failed`.'),
      fingerprint: text('Of this alert.'),
      ...PAGE,
    }),
    answer: DeliveryItems,
  },
  'GET /api/fleet/v1/deliveries/:id': {
    summary: 'One delivery with what was sent and answered.',
    tag: 'notifications',
    path: { id: 'Of the delivery.' },
    answer: DeliveryItem,
  },
  'GET /api/fleet/v1/receivers': {
    summary: 'Who is told, and how that goes.',
    tag: 'notifications',
    answer: ReceiverItems,
  },
  'GET /api/fleet/v1/routes': { summary: 'The routing tree.', tag: 'notifications', answer: RouteItem },
  'POST /api/fleet/v1/routes/test': {
    summary: 'Who would be told of an alert with these labels.',
    tag: 'notifications',
    body: Type.Object({ labels: Type.Record(Type.String(), Type.String()) }),
    answer: RouteTest,
  },
  'POST /api/fleet/v1/rules/replay': {
    summary: 'What a rule would have done in the past.',
    tag: 'rules',
    body: ReplayRequest,
    answer: Replay,
  },
  'GET /api/fleet/v1/rules/tests': {
    summary: 'The unit tests of an alert, run now.',
    tag: 'rules',
    query: Type.Object({ alertname: Type.String({ description: 'Name of the alert.' }) }),
    answer: RuleTests,
  },
  'GET /api/runbooks/v1/pages': { summary: 'All runbooks.', tag: 'runbooks', answer: RunbookList },
  'GET /api/runbooks/v1/pages/:name': {
    summary: 'One runbook, bound to an alert when one is named.',
    tag: 'runbooks',
    path: { name: 'Of the alert it is for.' },
    query: Type.Object({ instance: text('Fingerprint of the alert it is read for.') }),
    answer: BoundRunbook,
  },
  'GET /api/runbooks/v1/pages/:name/source': {
    summary: 'The file of a runbook, as it is kept.',
    tag: 'runbooks',
    path: { name: 'Of the alert it is for.' },
    answer: RunbookSource,
  },
}
