/** All ports of the routes: of the whole fleet as the program wires them, of a scope by `scoped-ports.ts`. */
import type { Erasures } from '../../fleet/clusters/erasures.ts'
import type { FleetViews } from '../../fleet/fleet-views.ts'
import type { GraphImports } from '../../fleet/graph/imports.ts'
import type { AuditReader } from '../../fleet/scope/scoped-records.ts'
import type { AlertRunReader } from '../../model/alert-run.ts'
import type { ClusterScope, ClusterSelectors } from '../../model/cluster-scope.ts'
import type { DeliveryReader } from '../../model/delivery.ts'
import type { LogReader } from '../../model/log-record.ts'
import type { RunbookWorkReader } from '../../model/runbook-work.ts'
import type { PipelineView } from '../../notify/pipeline.ts'
import type { QueryEngine, QueryExplainer } from '../../promql/query-engine.ts'
import type { ApiAdoption } from '../fleet/adoption.ts'
import type { AlertContext } from '../fleet/alert-detail.ts'
import type { ReadObjectChanges } from '../fleet/changes.ts'
import type { ReadClusterReport } from '../fleet/cluster-report.ts'
import type { ApiNotify } from '../fleet/deliveries.ts'
import type { ApiPeople } from '../fleet/people.ts'
import type { RunReplay } from '../fleet/replay.ts'
import type { ApiTraces } from '../jaeger/trace-answers.ts'
import type { Federate } from '../prometheus/federate.ts'
import type { QueryAnswers } from '../prometheus/query-answers.ts'
import type { MakeBundle } from '../bundle/bundles.ts'
import type { ApiUsage } from '../fleet/kvm-stack.ts'
import type { RuleReader } from '../prometheus/rules.ts'
import type { ReadInventory } from '../fleet/runbooks.ts'

export interface FleetPorts extends QueryPorts {
  readonly rules: RuleReader
  /** Silences, acknowledgements, external alerts, and their history. */
  readonly people: ApiPeople
  /** Notification decisions, with their reasons. */
  readonly pipeline?: PipelineView
  /** Receivers, routes and what was sent. */
  readonly notify: ApiNotify
  readonly objectChanges: ReadObjectChanges
  /** The values for the placeholders of runbooks. */
  readonly inventory: ReadInventory
  readonly erasures: Erasures
  /** Nothing of them is about clusters. */
  readonly graphImports: GraphImports
  readonly clusterReport: ReadClusterReport
}

/** The part that is answered on the query worker. */
export interface QueryPorts {
  readonly query: Pick<QueryEngine, 'instant'>
  readonly answers: QueryAnswers
  readonly explain: QueryExplainer['explain']
  readonly replay: RunReplay
  readonly federate: Federate
  readonly bundles: MakeBundle
  readonly traces: ApiTraces
  readonly logRecords: LogReader
  /** What happened around an alert, from the fleet's series. */
  readonly context: AlertContext
  /** The derived clusters, upgrades, edges and modifications. */
  readonly fleet: FleetViews
  readonly adoption: ApiAdoption
  /** Machine types and versions of APIs that clusters report by metrics. */
  readonly usage: ApiUsage
}

/** The same of a scope, and the stored records that the whole fleet's `people` and `notify` read themselves. */
export interface ScopedReaders extends QueryPorts {
  readonly alertRuns: AlertRunReader
  readonly audit: AuditReader
  readonly deliveries: DeliveryReader
  readonly runbookWork: RunbookWorkReader
}

export interface Scopes {
  /** The clusters that the selectors have now. */
  readonly resolve: (clusters: ClusterSelectors) => Promise<ClusterScope>
  readonly readers: (scope: ClusterScope) => ScopedReaders
}
