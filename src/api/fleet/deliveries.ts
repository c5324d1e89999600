import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { DebugNotify } from '../../contract/debug.ts'
import { DeliveryItem, DeliveryItems, ReceiverItems, RouteItem, RouteTest } from '../../contract/deliveries.ts'
import {
  DELIVERY_OUTCOMES,
  type DeliveryQuery,
  type DeliveryReader,
  type StoredDelivery,
} from '../../model/delivery.ts'
import { Labels } from '../../model/labels.ts'
import { formatMatcherText } from '../../model/matcher-text.ts'
import type { Pipeline } from '../../notify/pipeline.ts'
import type { Route } from '../../notify/route.ts'
import { LOOSE_PAGE, optionalText } from './alert-history.ts'
import { cutPage } from './cursor.ts'
import { pick } from './query.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/**
 * Notifications: `/api/fleet/v1/deliveries`, `/receivers`, `/routes`, and `/debug/notify`. No response contains a secret:
 * neither stored deliveries nor routes have any.
 */
export interface ApiNotify {
  readonly pipeline: Pick<Pipeline, 'route' | 'routesOf' | 'health' | 'groups' | 'marksOf'>
  readonly deliveries: DeliveryReader
  /** The name of the configuration file, if any. */
  readonly configFile: string | undefined
}

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1000

export function registerDeliveries(
  app: FastifyInstance,
  ports: PortsOf<{ readonly notify: ApiNotify }>,
  configFileName: string | undefined,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/deliveries', {
    summary: 'Notification attempts, newest first.',
    documentedQuery: Type.Object({
      receiver: optionalText('Name of the receiver.'),
      outcome: optionalText('`delivered`, `refused` or `failed`.'),
      fingerprint: optionalText('Fingerprint of the alert.'),
      ...LOOSE_PAGE,
    }),
    answer: DeliveryItems,
    handler: async ({ request }) => {
      const query = deliveryQuery(request.query as Parameters<typeof deliveryQuery>[0])
      const found = await ports(request).notify.deliveries.list({ ...query, limit: query.limit + 1 })
      const { shown, last } = cutPage(found, query.limit)
      return { deliveries: shown.map(deliveryItem), ...(last !== undefined && { nextCursor: String(last.id) }) }
    },
  })
  ownRoute(app, 'GET /api/fleet/v1/deliveries/:id', {
    summary: 'One delivery with request and response.',
    path: { id: 'ID of the delivery.' },
    answer: DeliveryItem,
    handler: async ({ params: { id }, request }) => {
      const found = /^\d{1,15}$/.test(id) ? await ports(request).notify.deliveries.get(Number(id)) : undefined
      if (found === undefined) {
        throw new FleetError('not_found', `there is no delivery ${id}`, { hint: 'the oldest have expired' })
      }
      return { ...deliveryItem(found), payload: found.payload, ...pick(found, 'answer') }
    },
  })
  const configFile = configFileName === undefined ? {} : { configFile: configFileName }
  ownRoute(app, 'GET /api/fleet/v1/receivers', {
    scope: 'fleet',
    summary: 'Receivers and their delivery status.',
    answer: ReceiverItems,
    handler: ({ request }) => ({ receivers: ports(request).notify.pipeline.health(), ...configFile }),
  })
  ownRoute(app, 'GET /api/fleet/v1/routes', {
    scope: 'fleet',
    summary: 'The routing tree.',
    answer: RouteItem,
    handler: ({ request }) => routeItem(ports(request).notify.pipeline.route),
  })
  ownRoute(app, 'POST /api/fleet/v1/routes/test', {
    scope: 'fleet',
    summary: 'Receivers that match an alert with these labels.',
    documentedBody: Type.Object({ labels: Type.Record(Type.String(), Type.String()) }),
    answer: RouteTest,
    handler: ({ request }) => ({
      matches: ports(request)
        .notify.pipeline.routesOf(labelsOf(request.body))
        .map(({ receiver, path, matchers }) => {
          return { receiver, path, matchers: matchers.map(formatMatcherText) }
        }),
    }),
  })
  app.get('/debug/notify', { config: { access: 'viewer', dialect: 'own', scope: 'fleet' } }, (request): DebugNotify => {
    const { notify } = ports(request)
    const nowMs = clock.nowMs()
    return {
      asOfMs: nowMs,
      ...configFile,
      groups: notify.pipeline.groups(nowMs).map(({ groupKey, receiver, labels, alerts, mutedBy, nextFlushMs }) => ({
        groupKey,
        receiver,
        labels: labels.toObject(),
        nextFlushMs,
        mutedBy,
        alerts: alerts.flatMap((alert) => {
          const decision = notify.pipeline.marksOf(alert, nowMs).decisions.find((one) => one.receiver === receiver)
          if (decision === undefined) return []
          const { sends, reason, atMs } = decision
          const { fingerprint, state } = alert
          return [{ fingerprint, alertname: alert.labels.get('alertname'), state, sends, reason, atMs }]
        }),
      })),
    }
  })
}

function deliveryQuery(params: Readonly<Record<string, string | readonly string[]>>): DeliveryQuery {
  const one = (name: string): string | undefined => {
    const value = params[name]
    if (value === undefined || value === '') return undefined
    if (typeof value !== 'string') throw new FleetError('bad_request', `${name} is given more than once`)
    return value
  }
  const whole = (name: string): number | undefined => {
    const text = one(name)
    if (text !== undefined && !/^\d{1,15}$/.test(text)) {
      throw new FleetError('bad_request', `${name}: got ${JSON.stringify(text)}, want a whole number`)
    }
    return text === undefined ? undefined : Number(text)
  }
  const receiver = one('receiver')
  const written = one('outcome')
  const outcome = DELIVERY_OUTCOMES.find((known) => known === written)
  if (written !== undefined && outcome === undefined) {
    const wanted = DELIVERY_OUTCOMES.join(', ')
    throw new FleetError('bad_request', `outcome: got ${JSON.stringify(written)}, want one of ${wanted}`)
  }
  const fingerprint = one('fingerprint')
  if (fingerprint !== undefined && !/^[0-9a-f]{16}$/.test(fingerprint)) {
    throw new FleetError('bad_request', `fingerprint: got ${JSON.stringify(fingerprint)}, want 16 hexadecimal digits`)
  }
  const before = whole('cursor')
  return {
    ...(receiver === undefined ? {} : { receiver }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
    ...(before === undefined ? {} : { before }),
    limit: Math.max(1, Math.min(whole('limit') ?? LIMIT_DEFAULT, LIMIT_MAX)),
  }
}

/** Without the payload and the receiver's response. */
export function deliveryItem(delivery: StoredDelivery): DeliveryItem {
  const names = ['id', 'atMs', 'receiver', 'integration', 'target', 'groupKey', 'alertnames', 'fingerprints'] as const
  const attempt = ['reason', 'outcome', 'attempt', 'status', 'latencyMs', 'error', 'retryAtMs'] as const
  return { ...pick(delivery, ...names, ...attempt), alerts: delivery.fingerprints.length }
}

function routeItem(route: Route): RouteItem {
  const { receiver, groupWaitMs, groupIntervalMs, repeatIntervalMs, muteTimeIntervals, activeTimeIntervals } = route
  return {
    ...{ receiver, groupWaitMs, groupIntervalMs, repeatIntervalMs, muteTimeIntervals, activeTimeIntervals },
    matchers: route.matchers.map(formatMatcherText),
    groupBy: route.groupBy === 'all' ? ['...'] : route.groupBy,
    continues: route.continues,
    routes: route.routes.map(routeItem),
  }
}

function labelsOf(body: unknown): Labels {
  const labels = typeof body === 'object' && body !== null && 'labels' in body ? body.labels : undefined
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    throw new FleetError('bad_request', 'want {"labels": {"alertname": "..."}}')
  }
  const pairs = Object.entries(labels as Readonly<Record<string, unknown>>)
  const bad = pairs.find(([, value]) => typeof value !== 'string')
  if (bad !== undefined) throw new FleetError('bad_request', `label ${bad[0]}: got ${typeof bad[1]}, want a text`)
  return Labels.of(labels as Readonly<Record<string, string>>)
}
