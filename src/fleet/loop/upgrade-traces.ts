/** The traces of a cluster's upgrades, with the alerts that fired while they ran. */
import { traceOf } from '../trace/trace.ts'
import { msOf } from '../trace/trace-draft.ts'
import { upgradeTraceId } from '../trace/trace-ids.ts'
import type { FiredAlert, FiredAlertReader } from '../../model/alert-run.ts'
import type { ClusterRecord } from '../../model/cluster-record.ts'
import type { ClusterFacts, FactsChange } from '../../model/fleet-facts.ts'
import type { DerivedTrace, Span } from '../../model/span.ts'
import type { UpgradeRecord } from '../../model/upgrade.ts'
import { UPGRADE_SCOPE } from '../../model/upgrade-convention.ts'

/** Maximum of alerts of one trace: the oldest. */
const ALERTS_MAX = 100

/** Traces of a cluster's upgrades that a change of its facts writes: empty ones for upgrades that are removed. */
export async function changedTraces(
  before: ClusterFacts | undefined,
  after: ClusterFacts,
  change: FactsChange,
  alerts: Pick<FiredAlertReader, 'firedOn'>,
): Promise<readonly DerivedTrace[]> {
  const present = new Set(after.upgrades.map(upgradeTraceId))
  const removed = new Set(before?.upgrades.map(upgradeTraceId).filter((traceId) => !present.has(traceId)))
  const traces: DerivedTrace[] = Array.from(removed, (traceId) => ({ traceId, scope: UPGRADE_SCOPE, spans: [] }))
  const isRenamed = JSON.stringify(before?.cluster.aliases) !== JSON.stringify(after.cluster.aliases)
  for (const record of isRenamed ? after.upgrades : change.upgrades.put) {
    const alerted = await alertedTrace(record, after.cluster, alerts)
    traces.push({ traceId: upgradeTraceId(record), scope: UPGRADE_SCOPE, ...alerted })
  }
  return traces
}

export interface AlertedTrace extends DerivedTrace {
  readonly alerts: readonly FiredAlert[]
}

/** Traces of those of a cluster's upgrades during which alerts began to fire. */
export async function alertedTraces(
  { cluster, upgrades }: ClusterFacts,
  alerts: Pick<FiredAlertReader, 'firedOn'>,
): Promise<readonly AlertedTrace[]> {
  const traces: AlertedTrace[] = []
  for (const record of upgrades) {
    const alerted = await alertedTrace(record, cluster, alerts)
    if (alerted.alerts.length > 0) traces.push({ traceId: upgradeTraceId(record), scope: UPGRADE_SCOPE, ...alerted })
  }
  return traces
}

async function alertedTrace(
  record: UpgradeRecord,
  cluster: ClusterRecord,
  alerts: Pick<FiredAlertReader, 'firedOn'>,
): Promise<{ readonly spans: readonly Span[]; readonly alerts: readonly FiredAlert[] }> {
  const spans = traceOf(record, cluster)
  const [root] = spans
  if (root === undefined) return { spans, alerts: [] }
  const range = { fromMs: record.upgrade.startedMs ?? msOf(root.startNs), toMs: msOf(root.endNs) }
  const fired = await alerts.firedOn(cluster.cluster, range, ALERTS_MAX)
  return { spans: fired.length === 0 ? spans : traceOf(record, cluster, fired), alerts: fired }
}
