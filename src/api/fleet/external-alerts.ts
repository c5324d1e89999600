import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import type { OwnMetrics } from '../../base/metrics.ts'
import { ExternalAlertFilter, ExternalAlertsRemoved, ExternalAlertShares } from '../../contract/external-alerts.ts'
import { ownRoute } from '../server/own-route.ts'
import { timeOf } from './items.ts'
import { actorOf } from './people.ts'
import type { ApiPeople } from './people.ts'
import type { PortsOf } from '../scope/ports-of.ts'

/** `/api/fleet/v1/external-alerts`: the shares of senders, and the removal of what a sender should not have posted. */
export function registerExternalAlerts(
  app: FastifyInstance,
  {
    ports,
    metrics,
    clock,
  }: { readonly ports: PortsOf<{ readonly people: ApiPeople }>; readonly metrics: OwnMetrics; readonly clock: Clock },
): void {
  ownRoute(app, 'GET /api/fleet/v1/external-alerts', {
    summary: 'Number of alerts posted to this server, by sender and cluster.',
    scope: 'fleet',
    answer: ExternalAlertShares,
    handler: ({ request }) => {
      const senders = ports(request).people.external.shares()
      return { asOf: timeOf(clock.nowMs()), alerts: senders.reduce((sum, one) => sum + one.alerts, 0), senders }
    },
  })

  ownRoute(app, 'DELETE /api/fleet/v1/external-alerts', {
    access: 'admin',
    scope: 'fleet',
    summary: 'Removes alerts posted to this server, by sender, cluster or fingerprint.',
    query: ExternalAlertFilter,
    answer: ExternalAlertsRemoved,
    handler: async ({ query, request }) => {
      const { sender, cluster, fingerprint } = query
      if (sender === undefined && cluster === undefined && fingerprint === undefined) {
        throw new FleetError('bad_request', 'got no filter, want at least one of sender, cluster and fingerprint')
      }
      const nowMs = clock.nowMs()
      const removed = await ports(request).people.external.remove(query, actorOf(request), nowMs)
      metrics.externalAlerts.inc({ outcome: 'removed' }, removed)
      return { asOf: timeOf(nowMs), removed }
    },
  })
}
