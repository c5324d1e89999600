import { DecommissionItem, DecommissionItems, DecommissionRequest } from '../../contract/decommissions.ts'
import { ChangeEvent } from '../../contract/events.ts'
import { ObjectChangeItems, ObjectChangesQuery } from '../../contract/fleet-changes.ts'
import { ClusterDetail, ClusterItems, ClustersQuery } from '../../contract/fleet-clusters.ts'
import { MomentQuery } from '../../contract/fleet-common.ts'
import {
  CompareQuery,
  EdgeComparisonItem,
  EdgeItems,
  EdgesQuery,
  RunItems,
  RunsQuery,
} from '../../contract/fleet-edges.ts'
import { LogItems, LogsQuery } from '../../contract/fleet-logs.ts'
import { GateDetail, GateItems, GateQuery, GatesQuery } from '../../contract/fleet-gates.ts'
import { ModificationItems, ModificationsQuery } from '../../contract/fleet-modifications.ts'
import { StrandedItems, StrandedQuery } from '../../contract/fleet-stranded.ts'
import {
  StuckItems,
  StuckQuery,
  UpgradeDetailItem,
  UpgradeItem,
  UpgradeItems,
  UpgradesQuery,
} from '../../contract/fleet-upgrades.ts'
import { KnownMetricItems } from '../../contract/metric-catalog.ts'
import { Now } from '../../contract/now.ts'
import type { Operations } from './openapi-operation.ts'

/** The fleet's facts. */
export const FLEET_OPERATIONS: Operations = {
  'GET /api/fleet/v1/now': {
    summary: 'How the fleet stands: the landing page in one answer.',
    tag: 'fleet',
    query: MomentQuery,
    answer: Now,
  },
  'GET /api/fleet/v1/events': {
    summary: 'Server-sent events that say what changed, without the data. `Last-Event-ID` tells what was missed.',
    tag: 'fleet',
    answer: ChangeEvent,
    mediaType: 'text/event-stream',
  },
  'GET /api/fleet/v1/clusters': {
    summary: 'Clusters by version, channel, platform and state.',
    tag: 'fleet',
    query: ClustersQuery,
    answer: ClusterItems,
  },
  'GET /api/fleet/v1/clusters/:cluster': {
    summary: 'One cluster with its settings, versions over time, open upgrades and modifications.',
    tag: 'fleet',
    path: { cluster: 'Its name, or another name it goes by.' },
    query: MomentQuery,
    answer: ClusterDetail,
  },
  'GET /api/fleet/v1/clusters/:cluster/changes': {
    summary: 'What changed of the objects of a cluster, field by field, newest first.',
    tag: 'fleet',
    path: { cluster: 'Its name.' },
    query: ObjectChangesQuery,
    answer: ObjectChangeItems,
  },
  'GET /api/fleet/v1/decommissions': {
    summary: 'Clusters that people said were switched off for good, newest first; also those that came back.',
    tag: 'fleet',
    answer: DecommissionItems,
  },
  'POST /api/fleet/v1/decommissions': {
    summary: 'Says that clusters were switched off for good. Ends by itself for one that is heard again.',
    tag: 'fleet',
    body: DecommissionRequest,
    answer: DecommissionItems,
    status: 201,
  },
  'DELETE /api/fleet/v1/decommissions/:id': {
    summary: 'Takes back that a cluster was switched off for good.',
    tag: 'fleet',
    path: { id: 'Of what was said.' },
    answer: DecommissionItem,
  },
  'GET /api/fleet/v1/logs': {
    summary: 'Log records by cluster, service, trace, severity and text, newest first.',
    tag: 'fleet',
    query: LogsQuery,
    answer: LogItems,
  },
  'GET /api/fleet/v1/metrics': {
    summary: 'What is known of metrics, sent or not: type, unit, first version, and which rules and panels read them.',
    tag: 'fleet',
    answer: KnownMetricItems,
  },
  'GET /api/fleet/v1/upgrades': {
    summary: 'Upgrades with their phases and evidence.',
    tag: 'fleet',
    query: UpgradesQuery,
    answer: UpgradeItems,
  },
  'GET /api/fleet/v1/upgrades/:id': {
    summary: 'One upgrade.',
    tag: 'fleet',
    path: { id: 'Of the upgrade.' },
    query: MomentQuery,
    answer: UpgradeItem,
  },
  'GET /api/fleet/v1/upgrades/:id/detail': {
    summary: 'One upgrade with all that is known of it: components, CSV steps, workloads, verdict.',
    tag: 'fleet',
    path: { id: 'Of the upgrade.' },
    query: MomentQuery,
    answer: UpgradeDetailItem,
  },
  'GET /api/fleet/v1/stuck': {
    summary: 'Upgrades that do not get further, the one that stands longest first.',
    tag: 'fleet',
    query: StuckQuery,
    answer: StuckItems,
  },
  'GET /api/fleet/v1/edges': {
    summary: 'Edges of the upgrade graph: attempts, outcomes and durations.',
    tag: 'fleet',
    query: EdgesQuery,
    answer: EdgeItems,
  },
  'GET /api/fleet/v1/edges/runs': {
    summary: 'Single runs with how large their clusters were, and how long classes of sizes take.',
    tag: 'fleet',
    query: RunsQuery,
    answer: RunItems,
  },
  'GET /api/fleet/v1/edges/compare': {
    summary: 'Two edges beside each other: whether one succeeds more often, and whether it is faster.',
    tag: 'fleet',
    query: CompareQuery,
    answer: EdgeComparisonItem,
  },
  'GET /api/fleet/v1/modifications': {
    summary: 'What was changed past the API, newest first.',
    tag: 'fleet',
    query: ModificationsQuery,
    answer: ModificationItems,
  },
  'GET /api/fleet/v1/stranded': {
    summary: 'Versions from which no way out is known to work, the most clusters first.',
    tag: 'fleet',
    query: StrandedQuery,
    answer: StrandedItems,
  },
  'GET /api/fleet/v1/gates': {
    summary: 'Feature gates that are set: on, off, and by JSON patch.',
    tag: 'fleet',
    query: GatesQuery,
    answer: GateItems,
  },
  'GET /api/fleet/v1/gates/:gate': {
    summary: 'One feature gate: by which clusters it is set, and whether past HyperConverged.',
    tag: 'fleet',
    path: { gate: 'Its name, in any case of its letters.' },
    query: GateQuery,
    answer: GateDetail,
  },
}
