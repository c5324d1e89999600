/**
 * What requests read on the query worker, for the whole fleet and for each scope. The services of a scope are built from
 * readers that see its clusters alone (`fleet/scope`), so no route filters what it gets.
 */
import { AdoptionIndex } from '../../fleet/adoption/adoption-index.ts'
import { readUsage } from '../../fleet/adoption/cluster-usage.ts'
import { createFleetViews, type FleetViews } from '../../fleet/fleet-views.ts'
import { createGraphRisks } from '../../fleet/graph/risks.ts'
import type { UpdateGraphs } from '../../fleet/graph/update-graphs.ts'
import type { GraphSource } from '../../fleet/fleet-view.ts'
import type { FleetLoop } from '../../fleet/loop/fleet-loop.ts'
import type { ClusterScopes, ScopedFleet } from '../../fleet/scope/cluster-scopes.ts'
import { scopedAdoption } from '../../fleet/scope/scoped-adoption.ts'
import {
  scopedAlertRuns,
  scopedFiredAlerts,
  scopedAudit,
  scopedDeliveries,
  scopedFacts,
  scopedLogs,
  scopedRunbookWork,
  scopeMatcher,
  type AuditReader,
} from '../../fleet/scope/scoped-records.ts'
import { scopedTraces, type SpanSearch } from '../../fleet/scope/scoped-traces.ts'
import type { AdoptionReader } from '../../model/adoption.ts'
import type { AlertRunReader, FiredAlertReader } from '../../model/alert-run.ts'
import type { ScopeAddress } from '../../model/cluster-scope.ts'
import type { DeliveryReader } from '../../model/delivery.ts'
import type { FleetFactsReader, ObservationReader } from '../../model/fleet-facts.ts'
import type { LogReader } from '../../model/log-record.ts'
import type { RunbookWorkReader } from '../../model/runbook-work.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { RolloutPolicy } from '../../model/rollout-verdict.ts'
import type { TraceReader } from '../../model/span.ts'
import type { LocalEngine } from '../../promql/engine.ts'
import type { ExplainedNode } from '../../promql/explanation.ts'
import type { ReplayAnswer, ReplayInput } from '../../rules/replay-request.ts'
import { makeBundle } from '../../bundle/make-bundle.ts'
import type { BundlePorts } from '../../bundle/make-bundle.ts'
import type { MakeBundle } from '../bundle/bundles.ts'
import type { ApiAdoption } from '../fleet/adoption.ts'
import { fleetReaderOf } from '../fleet/reader.ts'
import { riskReaderOf } from '../fleet/risk-reader.ts'
import { tracesOver, type ApiTraces } from '../jaeger/trace-answers.ts'
import { federateOver, type Federate } from '../prometheus/federate.ts'
import { answersOver, type QueryAnswers } from '../prometheus/query-answers.ts'

export interface RequestServices {
  readonly promql: LocalEngine
  readonly answers: QueryAnswers
  readonly federate: { readonly newest: Federate }
  readonly replay: { run(request: ReplayInput, signal?: AbortSignal): Promise<ReplayAnswer> }
  readonly alertRuns: AlertRunReader
  readonly audit: AuditReader
  readonly deliveries: DeliveryReader
  readonly runbookWork: RunbookWorkReader
  readonly traces: ApiTraces
  readonly logs: LogReader
  readonly fleet: FleetViews
  readonly adoption: ApiAdoption
  readonly bundles: { readonly make: MakeBundle }
}

export interface RequestServiceParts {
  /** Resolves when the index of the fleet is filled. */
  readonly scopes: Promise<ClusterScopes>
  /** The engine over the clusters of the matcher; absent: over all. Called once for each scope. */
  readonly engineOf: (scope?: () => Matcher) => LocalEngine
  /** Of one response. */
  readonly responseBytesMax: number
  readonly facts: {
    readonly fleet: FleetFactsReader
    readonly alertRuns: AlertRunReader & Pick<FiredAlertReader, 'firedOn'>
    readonly deliveries: DeliveryReader
    readonly audit: AuditReader
    readonly adoption: AdoptionReader
    readonly runbookWork: RunbookWorkReader
  }
  readonly spans: SpanSearch
  readonly logs: LogReader
  readonly objects: Pick<ObservationReader, 'changes'>
  readonly versions: BundlePorts['versions']
  readonly progress: FleetLoop['progress']
  /** Of the present imports. */
  readonly graphs: () => Promise<UpdateGraphs>
  readonly rolloutPolicy: () => RolloutPolicy
  readonly replay: (engine: LocalEngine, request: ReplayInput, signal?: AbortSignal) => Promise<ReplayAnswer>
  /** Of the whole fleet, which is warmed at the start. */
  readonly adoption: ApiAdoption
}

/** The services of each scope; of all clusters without a promise. */
export function createRequestServices(
  parts: RequestServiceParts,
): (address: ScopeAddress) => RequestServices | Promise<RequestServices> {
  const { facts, logs, spans } = parts
  const query = queryServices(parts, parts.engineOf())
  // Each scope reads what is known of its own clusters.
  const graphs: GraphSource = { current: parts.graphs, risks: createGraphRisks(riskReaderOf(query.promql)) }
  const whole: RequestServices = {
    ...query,
    ...{ alertRuns: facts.alertRuns, audit: facts.audit, deliveries: facts.deliveries, logs },
    runbookWork: facts.runbookWork,
    traces: tracesOver(spans, parts.responseBytesMax),
    bundles: bundlesOver(parts, { promql: query.promql, logs, spans, includes: () => true }),
    fleet: createFleetViews(
      facts.fleet,
      parts.scopes.then(({ fleet }) => fleet),
      () => parts.progress(),
      facts.alertRuns,
      graphs,
      parts.rolloutPolicy,
    ),
    adoption: parts.adoption,
  }
  // An entry ends with its scope.
  const known = new WeakMap<ScopedFleet, RequestServices>()
  return ({ clusters }) => {
    if (clusters === undefined) return whole
    return parts.scopes.then((scopes) => {
      const scope = scopes.scope(clusters)
      let services = known.get(scope)
      if (services === undefined) known.set(scope, (services = scopedServices(parts, scope, graphs)))
      return services
    })
  }
}

function queryServices(
  { responseBytesMax, replay }: RequestServiceParts,
  promql: LocalEngine,
): Pick<RequestServices, 'promql' | 'answers' | 'federate' | 'replay'> {
  return {
    promql,
    answers: answersOver(promql, responseBytesMax),
    federate: {
      newest: federateOver(promql, responseBytesMax),
    },
    replay: { run: (request, signal) => replay(promql, request, signal) },
  }
}

function scopedServices(parts: RequestServiceParts, scope: ScopedFleet, graphs: GraphSource): RequestServices {
  const query = queryServices(
    parts,
    parts.engineOf(() => scopeMatcher(scope)),
  )
  const explain: LocalEngine['explain'] = async (request, signal) => {
    const explained = await query.promql.explain(request, signal)
    return { ...explained, root: withoutStore(explained.root) }
  }
  const facts = scopedFacts(parts.facts.fleet, scope)
  const alertRuns = scopedAlertRuns(parts.facts.alertRuns, scope)
  const reader = fleetReaderOf(query.promql)
  let counted: { readonly revision: string; readonly adoption: AdoptionIndex } | undefined
  /** Cached days are of the clusters of one revision. */
  const adoption = (): AdoptionIndex => {
    const { revision } = scope.names()
    if (counted?.revision !== revision) {
      const days = () => parts.facts.adoption.days()
      const usageAt = (timeMs: number) => readUsage(reader, timeMs)
      counted = { revision, adoption: new AdoptionIndex(scopedAdoption({ facts, scope, days, usageAt })) }
    }
    return counted.adoption
  }
  const includes = (cluster: string): boolean => scope.includes(cluster)
  const logs = scopedLogs(parts.logs, scope)
  const traces = scopedTraces(parts.spans, includes)
  return {
    ...query,
    promql: { ...query.promql, explain },
    alertRuns,
    audit: scopedAudit(parts.facts.audit, alertRuns, scope),
    deliveries: scopedDeliveries(parts.facts.deliveries, alertRuns, scope),
    runbookWork: scopedRunbookWork(parts.facts.runbookWork, scope),
    logs,
    traces: tracesOver(traces, parts.responseBytesMax),
    bundles: bundlesOver(parts, { promql: query.promql, logs, spans: traces, includes }),
    fleet: createFleetViews(
      facts,
      Promise.resolve(scope.index),
      () => parts.progress(scope.clusters),
      { ...scopedFiredAlerts(parts.facts.alertRuns, scope), page: (query) => alertRuns.page(query) },
      graphs,
      parts.rolloutPolicy,
    ),
    adoption: {
      query: (request) => adoption().query(request),
      usage: (fromDay, toDay) => adoption().usage(fromDay, toDay),
      days: () => adoption().days(),
      operators: () => adoption().operators(),
    },
  }
}

interface BundleReaders {
  readonly promql: Pick<LocalEngine, 'range'>
  readonly logs: LogReader
  readonly spans: Pick<TraceReader, 'trace'>
  readonly includes: (cluster: string) => boolean
}

/** Bundles of what the readers see. Names of all clusters are replaced: a text of one may mention another. */
function bundlesOver(
  { objects, scopes, versions }: RequestServiceParts,
  { promql, logs, spans, includes }: BundleReaders,
): RequestServices['bundles'] {
  const ports: BundlePorts = {
    versions,
    clusterNames: async () =>
      Array.from((await scopes).fleet.known(), ({ cluster, record }) => [cluster, ...(record?.aliases ?? [])]),
    sources: {
      objects: async (cluster, range) => (includes(cluster) ? objects.changes(cluster, range) : []),
      logs: (query) => logs.logs(query),
      trace: (traceId, signal) => spans.trace(traceId, signal),
      range: async (query, signal) => {
        const { value, warnings } = await promql.range(query, signal)
        return { series: value.type === 'matrix' ? value.series : [], warnings }
      },
    },
  }
  return { make: (wish, signal) => makeBundle(wish, ports, signal) }
}

/** Packs have samples of all clusters. */
function withoutStore(node: ExplainedNode): ExplainedNode {
  return {
    ...node,
    reads: node.reads.map((read) => ({ ...read, store: undefined })),
    children: node.children.map(withoutStore),
  }
}
