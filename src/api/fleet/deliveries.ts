import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { DebugNotify } from '../../contract/debug-notify.ts'
import type { DeliveryItem, DeliveryItems, ReceiverItems, RouteItem, RouteTest } from '../../contract/deliveries.ts'
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
import { cutPage } from './cursor.ts'

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

export function registerDeliveries(app: FastifyInstance, notify: ApiNotify, clock: Clock): void {
  const config = { access: 'viewer', dialect: 'own' } as const

  app.get<{ Querystring: Record<string, string | readonly string[]> }>(
    '/api/fleet/v1/deliveries',
    { config },
    async (request): Promise<DeliveryItems> => {
      const query = deliveryQuery(request.query)
      const found = await notify.deliveries.list({ ...query, limit: query.limit + 1 })
      const { shown, last } = cutPage(found, query.limit)
      return { deliveries: shown.map(deliveryItem), ...(last !== undefined && { nextCursor: String(last.id) }) }
    },
  )
  app.get<{ Params: { id: string } }>(
    '/api/fleet/v1/deliveries/:id',
    { config },
    async (request): Promise<DeliveryItem> => {
      const { id } = request.params
      const found = /^\d{1,15}$/.test(id) ? await notify.deliveries.get(Number(id)) : undefined
      if (found === undefined) {
        throw new FleetError('not_found', `there is no delivery ${id}`, { hint: 'the oldest are forgotten' })
      }
      const { payload, answer } = found
      return { ...deliveryItem(found), payload, ...(answer === undefined ? {} : { answer }) }
    },
  )
  app.get('/api/fleet/v1/receivers', { config }, (): ReceiverItems => {
    const receivers = notify.pipeline.health().map(({ name, integrations }) => ({
      name,
      integrations: integrations.map((integration) => ({ ...integration })),
    }))
    return { receivers, ...(notify.configFile === undefined ? {} : { configFile: notify.configFile }) }
  })
  app.get('/api/fleet/v1/routes', { config }, (): RouteItem => routeItem(notify.pipeline.route))
  app.post('/api/fleet/v1/routes/test', { config }, (request): RouteTest => {
    const labels = labelsOf(request.body)
    return {
      matches: notify.pipeline.routesOf(labels).map(({ receiver, path, matchers }) => ({
        receiver,
        path: [...path],
        matchers: matchers.map(formatMatcherText),
      })),
    }
  })
  app.get('/debug/notify', { config }, (): DebugNotify => {
    const nowMs = clock.nowMs()
    return {
      asOfMs: nowMs,
      ...(notify.configFile === undefined ? {} : { configFile: notify.configFile }),
      groups: notify.pipeline.groups(nowMs).map(({ groupKey, receiver, labels, alerts, mutedBy, nextFlushMs }) => ({
        groupKey,
        receiver,
        labels: labels.toObject(),
        nextFlushMs,
        mutedBy: [...mutedBy],
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
  const { alertnames, fingerprints, status, error, retryAtMs } = delivery
  return {
    id: delivery.id,
    atMs: delivery.atMs,
    receiver: delivery.receiver,
    integration: delivery.integration,
    target: delivery.target,
    groupKey: delivery.groupKey,
    alerts: fingerprints.length,
    alertnames: [...alertnames],
    fingerprints: [...fingerprints],
    reason: delivery.reason,
    outcome: delivery.outcome,
    attempt: delivery.attempt,
    ...(status === undefined ? {} : { status }),
    latencyMs: delivery.latencyMs,
    ...(error === undefined ? {} : { error }),
    ...(retryAtMs === undefined ? {} : { retryAtMs }),
  }
}

function routeItem(route: Route): RouteItem {
  return {
    receiver: route.receiver,
    matchers: route.matchers.map(formatMatcherText),
    groupBy: route.groupBy === 'all' ? ['...'] : [...route.groupBy],
    groupWaitMs: route.groupWaitMs,
    groupIntervalMs: route.groupIntervalMs,
    repeatIntervalMs: route.repeatIntervalMs,
    muteTimeIntervals: [...route.muteTimeIntervals],
    activeTimeIntervals: [...route.activeTimeIntervals],
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
