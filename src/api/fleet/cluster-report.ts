import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { StoredItems } from '../../contract/cluster-report.ts'
import type { ClusterReport, StoredKind } from '../../model/cluster-report.ts'
import { ownRoute } from '../server/own-route.ts'
import { timeOf } from './items.ts'
import type { PortsOf } from '../scope/ports-of.ts'

export type ReadClusterReport = (cluster: string) => Promise<ClusterReport | undefined>

/** The option with the retention of each part. */
const RETENTION: ReadonlyMap<StoredKind, string> = new Map([
  ['samples', 'retention.raw'],
  ['rollups', 'retention.1d'],
  ['series', 'retention.1d'],
  ['objects', 'retention.objects'],
  ['metric_runs', 'retention.objects'],
  ['traces', 'retention.traces'],
  ['log_records', 'retention.logs'],
  ['alerts', 'retention.alerts'],
  ['audit', 'retention.alerts'],
  ['silences', 'retention.silences'],
  ['sessions', 'auth.session-lifetime'],
])

/** What is stored about a cluster. @param options effective values by name */
export function registerClusterReport(
  app: FastifyInstance,
  ports: PortsOf<{ readonly clusterReport: ReadClusterReport }>,
  options: Readonly<Record<string, string>>,
  clock: Clock,
): void {
  const valueOf = new Map(Object.entries(options))
  ownRoute(app, 'GET /api/fleet/v1/clusters/:cluster/stored', {
    access: 'admin',
    summary: 'Stored data of a cluster: amount, time range and retention.',
    path: { cluster: 'Name or alias.' },
    answer: StoredItems,
    handler: async ({ params: { cluster }, request }) => {
      const found = await ports(request).clusterReport(cluster)
      if (found === undefined) throw new FleetError('not_found', `no cluster is called ${JSON.stringify(cluster)}`)
      return {
        asOf: timeOf(clock.nowMs()),
        names: [...found.names],
        stored: found.stored.map(({ what, kind, count, bytes, oldestMs, newestMs, names, labels, isPartial }) => {
          const option = RETENTION.get(what)
          return {
            ...{ what, count, kind: kind ?? null, bytes: bytes ?? null },
            oldestAt: timeOf(oldestMs),
            newestAt: timeOf(newestMs),
            retention: option === undefined ? null : { option, value: valueOf.get(option) ?? '' },
            names: [...(names ?? [])],
            labels: [...(labels ?? [])],
            partial: isPartial === true,
          }
        }),
      }
    },
  })
}
