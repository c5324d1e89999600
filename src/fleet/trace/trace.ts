/**
 * An upgrade as a trace, by the conventions of `CONVENTIONS.md`: pure, from its record alone. Ids are hashes of what
 * identifies the upgrade, so a repeated derivation writes the same spans, at most longer. An open span ends at the last
 * observation and has the attribute `upgrade.provisional`.
 */
import type { FiredAlert } from '../../model/alert-run.ts'
import type { Attributes } from '../../model/attribute.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { Span, SpanResource } from '../../model/span.ts'
import type { EvidenceSource, UpgradeOperator, UpgradeRecord, UpgradeState } from '../../model/upgrade.ts'
import { UPGRADE_SCOPE } from '../../model/upgrade-convention.ts'
import { alertEvent, attributesOf, conditionEvent, gateEvent, inOrder, nsOf, type SpanDraft } from './trace-draft.ts'
import { upgradeSpanId, upgradeTraceId } from './trace-ids.ts'
import { stepsOf } from './trace-steps.ts'

/** The version of the conventions, in the scope. */
const CONVENTIONS_VERSION = '0.1.0'

/**
 * The spans of an upgrade, the root first; empty when the start of no phase is known.
 * @param alerts alerts that fired on the cluster; those during the upgrade become events
 */
export function traceOf(
  record: UpgradeRecord,
  cluster: Pick<ClusterRecord, 'cluster' | 'aliases'>,
  alerts: readonly FiredAlert[] = [],
): readonly Span[] {
  const steps = stepsOf(record)
  const startMs = earliestMs(record, steps)
  if (startMs === undefined) return []
  const traceId = upgradeTraceId(record)
  const ends = steps.map((step) => endOf(step, record))
  const root = rootOf(record, startMs, ends, alerts)
  const common = {
    traceId,
    traceState: '',
    kind: 'internal' as const,
    links: [],
    flags: 0,
    resource: resourceOf(record, cluster),
    scope: { name: UPGRADE_SCOPE, version: CONVENTIONS_VERSION, attributes: [] },
  }
  const rootId = upgradeSpanId(traceId, root.draft.path)
  const spanOf = (draft: SpanDraft, end: SpanEnd): Omit<Span, 'parentSpanId'> => ({
    ...common,
    spanId: upgradeSpanId(traceId, draft.path),
    name: draft.name,
    startNs: nsOf(draft.startMs),
    endNs: nsOf(end.endMs),
    attributes: end.isProvisional ? [...draft.attributes, PROVISIONAL] : draft.attributes,
    events: draft.events,
    status: { code: draft.error === undefined ? 'unset' : 'error', message: draft.error ?? '' },
  })
  return [
    { ...spanOf(root.draft, root.end), status: rootStatus(record) },
    ...steps.map((step, i) => ({
      ...spanOf(step, ends[i]!),
      parentSpanId: step.parentPath === undefined ? rootId : upgradeSpanId(traceId, step.parentPath),
    })),
  ]
}

const PROVISIONAL = { key: 'upgrade.provisional', value: true }

interface SpanEnd {
  readonly endMs: number
  readonly isProvisional: boolean
}

/** Open spans end with the upgrade, apart from the workload update, which continues after a success. */
function endOf(step: SpanDraft, { upgrade, detail }: UpgradeRecord): SpanEnd {
  const isOver = upgrade.state !== 'in_progress' && step.outlives !== true
  const knownMs = step.endMs ?? (isOver ? upgrade.endedMs : undefined)
  return {
    endMs: Math.max(step.startMs, knownMs ?? detail.observedUntilMs),
    isProvisional: knownMs === undefined,
  }
}

function rootOf(
  record: UpgradeRecord,
  startMs: number,
  ends: readonly SpanEnd[],
  alerts: readonly FiredAlert[],
): { readonly draft: SpanDraft; readonly end: SpanEnd } {
  const { upgrade, detail } = record
  const isOpen = upgrade.state === 'in_progress' || upgrade.endedMs === undefined
  const lastMs = isOpen ? detail.observedUntilMs : upgrade.endedMs
  const endMs = Math.max(startMs, lastMs, ...ends.map((end) => end.endMs))
  const hasReconcile = ends.length > 0 && stepsOf(record).some((step) => step.name === 'hco.reconcile')
  return {
    draft: {
      path: `upgrade ${upgrade.operator}`,
      name: `upgrade ${upgrade.operator}`,
      startMs,
      attributes: rootAttributes(record),
      events: inOrder([
        ...detail.featureGateChanges.map(gateEvent),
        ...alerts
          .filter(({ firedAtMs }) => firedAtMs >= (upgrade.startedMs ?? startMs) && firedAtMs <= endMs)
          .map(alertEvent),
        ...(hasReconcile ? [] : orphanConditions(record)),
      ]),
    },
    end: { endMs, isProvisional: isOpen || ends.some((end) => end.isProvisional) },
  }
}

/** Condition changes of components without a span, if there is no `hco.reconcile` span to contain them. */
function orphanConditions({ detail }: UpgradeRecord): SpanDraft['events'] {
  const drawn = new Set(detail.components.filter(({ startedMs }) => startedMs !== undefined).map(({ name }) => name))
  return detail.conditionChanges.filter(({ component }) => !drawn.has(component)).map(conditionEvent)
}

/** Outcomes by OpenTelemetry's semantic conventions: of a deployment, and of a pipeline. */
const OUTCOMES: Readonly<Record<UpgradeState, { readonly status?: string; readonly result?: string }>> = {
  in_progress: {},
  succeeded: { status: 'succeeded', result: 'success' },
  failed: { status: 'failed', result: 'failure' },
  superseded: { result: 'cancellation' },
  rolled_back: { status: 'failed', result: 'failure' },
  unknown: {},
}

/** Best first. */
const SOURCES: readonly (readonly [EvidenceSource, string])[] = [
  ['objects', 'k8sobjects'],
  ['spans', 'operator'],
  ['metrics', 'metrics'],
]

function rootAttributes({ upgrade, detail }: UpgradeRecord): Attributes {
  const outcome = OUTCOMES[upgrade.state]
  return attributesOf({
    'olm.csv.name': detail.csvName,
    'deployment.id': detail.csvUid,
    'deployment.name': detail.csvName,
    'deployment.status': outcome.status,
    'cicd.pipeline.result': outcome.result,
    'upgrade.from.version': upgrade.from,
    'upgrade.to.version': upgrade.to,
    'upgrade.source': SOURCES.find(([source]) => upgrade.evidence.some((seen) => seen.source === source))?.[1],
    'olm.subscription.name': detail.subscription,
    'olm.channel': upgrade.channel,
    'olm.install_plan.name': detail.installPlan,
    'upgrade.nodes': upgrade.nodes,
  })
}

function rootStatus({ upgrade }: UpgradeRecord): Span['status'] {
  switch (upgrade.state) {
    case 'succeeded':
      return { code: 'ok', message: '' }
    case 'failed':
      return { code: 'error', message: upgrade.blockedBy?.text ?? 'the upgrade failed' }
    case 'rolled_back':
      return { code: 'error', message: 'the cluster went back to an older version' }
    case 'in_progress':
    case 'superseded':
    case 'unknown':
      return { code: 'unset', message: '' }
  }
}

/** The service that would send the trace if operators traced their upgrades. */
const SERVICES: Readonly<Record<UpgradeOperator, string>> = {
  'kubevirt-hyperconverged': 'hyperconverged-cluster-operator',
  kubevirt: 'virt-operator',
  openshift: 'cluster-version-operator',
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A cluster's key is a uid or a name, whichever it first reported; an alias that is a uid may be OpenShift's cluster id. */
function resourceOf(
  { upgrade, detail }: UpgradeRecord,
  cluster: Pick<ClusterRecord, 'cluster' | 'aliases'>,
): SpanResource {
  const service = SERVICES[upgrade.operator]
  const isUid = UUID.test(cluster.cluster)
  return {
    service,
    cluster: cluster.cluster,
    attributes: attributesOf({
      'service.name': service,
      'service.version': upgrade.to,
      'k8s.cluster.uid': isUid ? cluster.cluster : undefined,
      'k8s.cluster.name': isUid ? cluster.aliases.find((alias) => !UUID.test(alias)) : cluster.cluster,
      'k8s.namespace.name': detail.namespace,
    }),
  }
}

/** The start of the earliest phase: the offer and the approval are before the start of the upgrade. */
function earliestMs({ upgrade }: UpgradeRecord, steps: readonly SpanDraft[]): number | undefined {
  const starts = [upgrade, ...upgrade.phases].flatMap(({ startedMs }) => startedMs ?? [])
  const firstMs = Math.min(...starts, ...steps.map(({ startMs }) => startMs))
  return firstMs === Infinity ? undefined : firstMs
}
