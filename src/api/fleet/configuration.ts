import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../../base/clock.ts'
import { FleetError } from '../../base/errors.ts'
import { PAGE_DEFAULT } from '../../contract/common.ts'
import {
  BaselineAnswer,
  BaselineRequest,
  ConfigurationAnswer,
  ConfigurationQuery,
  DifferencesAnswer,
  DifferencesQuery,
  SettingDetail,
  SettingQuery,
  type BaselineItem,
  type SettingClusterItem,
  type SettingUseItem,
} from '../../contract/fleet-configuration.ts'
import type * as answers from '../../fleet/configuration/configuration-answers.ts'
import { valueOf } from '../../fleet/configuration/cluster-configuration.ts'
import type { SettingInUse } from '../../fleet/configuration/settings-in-use.ts'
import { pageOf } from '../../fleet/past/keyset.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { ConfigurationBaseline } from '../../model/configuration.ts'
import { ownRoute } from '../server/own-route.ts'
import type { PortsOf } from '../scope/ports-of.ts'
import { csvOf } from './csv.ts'
import { pageAnswer, readCursor } from './cursor.ts'
import { knownOrNull, timeOf } from './items.ts'
import { fleetAt, UNAVAILABLE } from './moment.ts'
import { actorOf, type ApiPeople } from './people.ts'
import { pick } from './query.ts'

const SETTINGS_MAX = 1000
const VALUES_MAX = 20

/** The settings of the fleet, of one cluster, and the baseline that they are compared with. */
export function registerFleetConfiguration(
  app: FastifyInstance,
  ports: PortsOf<{ readonly fleet: FleetViews; readonly people: ApiPeople }>,
  clock: Clock,
): void {
  ownRoute(app, 'GET /api/fleet/v1/configuration', {
    summary: 'Settings in use: values by number of clusters, and clusters that differ from a baseline or from most.',
    query: ConfigurationQuery,
    answer: ConfigurationAnswer,
    handler: async ({ query, request, reply }) => {
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const [found, head] = await Promise.all([view.configuration(askedOf(query)), listHead(UNAVAILABLE.configuration)])
      const settings = found.settings.slice(0, SETTINGS_MAX).map(useItem)
      if (query.format === 'csv') return sendCsv(reply, 'configuration', settingsCsv(settings))
      const { clusters, reporting, differing } = found
      const total = found.settings.length
      return { ...head, clusters, reporting, differing, baseline: baselineItem(found.baseline), total, settings }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/configuration/settings/:setting', {
    summary: 'One setting: its values, and the clusters with each, those that differ first.',
    path: { setting: 'Name: `liveMigration.progressTimeout`, `featureGates.alignCPUs`, ...' },
    query: SettingQuery,
    answer: SettingDetail,
    handler: async ({ params: { setting: name }, query, request, reply }) => {
      const { limit = PAGE_DEFAULT, cursor, outliers = false, format } = query
      const list = { ...query, setting: name }
      const after = cursor === undefined ? undefined : readCursor('setting', list, cursor)
      const { view, listHead } = fleetAt(ports(request).fleet, clock, query.at)
      const asked = { ...askedOf(query), isOutliersOnly: outliers }
      const [found, head] = await Promise.all([view.setting(name, asked), listHead(UNAVAILABLE.configuration)])
      if (found === undefined) {
        throw new FleetError('not_found', `no cluster reports a setting ${JSON.stringify(name)}`, {
          hint: 'GET /api/fleet/v1/configuration lists those that are reported',
        })
      }
      if (format === 'csv') return sendCsv(reply, name, clustersCsv(found.clusters.map(clusterItem)))
      const page = pageOf(
        found.clusters,
        { keyOf: rankOf, idOf: ({ cluster }) => cluster },
        { isDescending: false, ...(after === undefined ? {} : { after }), limit: limit + 1 },
      )
      const { shown, nextCursor } = pageAnswer('setting', list, page, limit, (one) => ({
        key: rankOf(one),
        id: one.cluster,
      }))
      return {
        ...head,
        ...useItem(found.use),
        baseline: baselineItem(found.baseline),
        known: found.known,
        total: found.clusters.length,
        clusters: shown.map(clusterItem),
        nextCursor,
      }
    },
  })

  ownRoute(app, 'GET /api/fleet/v1/configuration/clusters/:cluster', {
    summary: 'How the settings of one cluster differ from the baseline, from most clusters, or from another cluster.',
    path: { cluster: 'Name or alias.' },
    query: DifferencesQuery,
    answer: DifferencesAnswer,
    handler: async ({ params: { cluster }, query: { against, at }, request }) => {
      const { view, nowMs, past } = fleetAt(ports(request).fleet, clock, at)
      const found = await view.differences(cluster, against)
      if (found.kind === 'unknown_cluster') {
        throw new FleetError('not_found', `no cluster is called ${JSON.stringify(found.name)}`)
      }
      return {
        asOf: timeOf(nowMs),
        ...(await past([])),
        cluster: found.cluster,
        against: found.against,
        reference: found.reference ?? null,
        compared: found.compared,
        differences: found.differences.map((one) => ({
          name: one.name,
          value: one.value ?? null,
          default: one.isDefault,
          expected: one.expected ?? null,
          expectedDefault: one.isExpectedDefault,
          since: timeOf(one.sinceMs),
          by: one.by ?? null,
        })),
      }
    },
  })

  ownRoute(app, 'PUT /api/fleet/v1/configuration/baseline', {
    access: 'responder',
    scope: 'fleet',
    summary: 'Chooses the baseline cluster, with whose configuration all others are compared.',
    body: BaselineRequest,
    answer: BaselineAnswer,
    handler: async ({ body, request }) => {
      const nowMs = clock.nowMs()
      const { fleet, people } = ports(request)
      const [known] = await fleet({ nowMs }).lastReports([body.cluster])
      if (known === undefined) throw new FleetError('not_found', `no cluster is called ${JSON.stringify(body.cluster)}`)
      const chosen = await people.baseline.choose(known.cluster, actorOf(request, body.by), nowMs)
      return { asOf: timeOf(nowMs), baseline: baselineItem(chosen) }
    },
  })

  ownRoute(app, 'DELETE /api/fleet/v1/configuration/baseline', {
    access: 'responder',
    scope: 'fleet',
    summary: 'Removes the choice of the baseline: clusters are compared with the majority again.',
    answer: BaselineAnswer,
    handler: async ({ request }) => {
      const nowMs = clock.nowMs()
      await ports(request).people.baseline.remove(actorOf(request), nowMs)
      return { asOf: timeOf(nowMs), baseline: null }
    },
  })
}

function askedOf({ version, against, ...query }: ConfigurationQuery): answers.ConfigurationQuery {
  return {
    filter: {
      ...pick(query, 'channel', 'platform', 'flavour', 'region'),
      ...(version === undefined ? {} : { versions: version }),
    },
    isMajority: against === 'majority',
  }
}

function baselineItem(baseline: ConfigurationBaseline | undefined): BaselineItem | null {
  if (baseline === undefined) return null
  return { cluster: baseline.cluster, by: baseline.by, chosenAt: timeOf(baseline.chosenMs) }
}

function useItem({ name, reporting, values, reference, outliers }: SettingInUse): SettingUseItem {
  const listed = values.slice(0, VALUES_MAX).map(({ setting, clusters }) => {
    return { value: valueOf(setting) ?? null, default: setting.isDefault, clusters }
  })
  const setting = reference?.setting
  return {
    ...{ name, reporting, outliers },
    values: listed,
    otherClusters: reporting - listed.reduce((sum, { clusters }) => sum + clusters, 0),
    reference:
      reference === undefined || setting === undefined
        ? null
        : { by: reference.by, value: valueOf(setting) ?? null, default: setting.isDefault },
  }
}

const rankOf = ({ isOutlier }: answers.SettingCluster): number => (isOutlier ? 0 : 1)

function clusterItem(one: answers.SettingCluster): SettingClusterItem {
  return {
    cluster: one.cluster,
    value: valueOf(one.setting) ?? null,
    default: one.setting.isDefault,
    outlier: one.isOutlier,
    since: timeOf(one.sinceMs),
    ...knownOrNull(one, 'version', 'by'),
  }
}

function textOf(value: SettingClusterItem['value']): string {
  if (value === null) return ''
  return typeof value === 'object' ? value.join(' ') : String(value)
}

function settingsCsv(settings: readonly SettingUseItem[]): string {
  return csvOf(
    ['setting', 'value', 'default', 'clusters', 'reporting', 'outliers'],
    settings.flatMap(({ name, values, reporting, outliers }) =>
      values.map(({ value, default: isDefault, clusters }) => {
        return [name, textOf(value), String(isDefault), clusters, reporting, outliers]
      }),
    ),
  )
}

function clustersCsv(clusters: readonly SettingClusterItem[]): string {
  return csvOf(
    ['cluster', 'version', 'value', 'default', 'outlier', 'since', 'by'],
    clusters.map((one) => [
      ...[one.cluster, one.version, textOf(one.value), String(one.default), String(one.outlier), one.since, one.by],
    ]),
  )
}

function sendCsv(reply: FastifyReply, name: string, csv: string): FastifyReply {
  // The name may be a sender's text.
  const disposition = `attachment; filename="${name.replace(/[^\w.-]/g, '_').slice(0, 100)}.csv"`
  return reply.type('text/csv; charset=utf-8').header('Content-Disposition', disposition).send(csv)
}
