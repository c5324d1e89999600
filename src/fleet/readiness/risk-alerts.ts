/**
 * Firing alerts that the cluster version operator counts as risks of an update: critical ones, those with the label
 * `openShiftUpdatePrecheck`, and a few by name, of which some are read by hazards of their own.
 */
import { severityOf, type Alert } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import type { RiskAlert } from '../../model/readiness.ts'
import { compareTexts } from '../version-order.ts'

const NAMES: ReadonlySet<string> = new Set([
  // Counted by the cluster version operator whatever their severity.
  'PodDisruptionBudgetAtLimit',
  'VirtHandlerDaemonSetRolloutFailing',
  'VMCannotBeEvicted',
  // The signals of hazards.
  'CDIDataImportCronOutdated',
  'CnaoNmstateMigration',
  'DeprecatedMachineType',
  'HCOMisconfiguredDescheduler',
  'KubeVirtDeprecatedAPIRequested',
  'KubeVirtVMIExcessiveMigrations',
  'NMOInUse',
  'OutdatedVirtualMachineInstanceWorkloads',
])
/** Of hazards that read them; no risks of their own. */
export const SIGNAL_ALERTS: ReadonlySet<string> = new Set(
  [...NAMES].filter((name) => name !== 'VirtHandlerDaemonSetRolloutFailing'),
)

type FiringAlert = Pick<Alert, 'labels' | 'state' | 'activeAtMs' | 'firedAtMs'>

/** Alerts of this server about its own telemetry are no risk of an upgrade. */
const PART_OF_SERVER = 'daytwo'

/** Of one name and cluster the first that fired. In the order of clusters and names. */
export function riskAlertsOf(alerts: Iterable<FiringAlert>): readonly RiskAlert[] {
  const found = new Map<string, RiskAlert>()
  for (const { labels, state, activeAtMs, firedAtMs = activeAtMs } of alerts) {
    if (state !== 'firing') continue
    const [cluster, alertname] = [clusterOf(labels), labels.get('alertname')]
    if (cluster === '' || labels.get('kubernetes_operator_part_of') === PART_OF_SERVER) continue
    const severity = severityOf(labels)
    const isRisk = severity === 'critical' || NAMES.has(alertname) || labels.get('openShiftUpdatePrecheck') === 'true'
    const key = `${cluster}\u0000${alertname}`
    if (!isRisk || (found.get(key)?.firedAtMs ?? Infinity) <= firedAtMs) continue
    found.set(key, { cluster, alertname, severity, firedAtMs })
  }
  return [...found.values()].sort(
    (a, b) => compareTexts(a.cluster, b.cluster) || compareTexts(a.alertname, b.alertname),
  )
}

const CHECK_EVERY_MS = 10_000
/** Also when nothing changed: the receiver may have been restarted. */
const PASS_EVERY_MS = 60_000

/** Passes the risks of each moment on, when they changed and once a minute. Call it as often as you like. */
export function createRiskAlertFeed(
  alertsAt: (nowMs: number) => Iterable<FiringAlert>,
  pass: (alerts: readonly RiskAlert[]) => Promise<void>,
): (nowMs: number) => Promise<void> {
  let checkedMs = -Infinity
  let passed = { atMs: -Infinity, text: '' }
  return async (nowMs) => {
    if (Math.abs(nowMs - checkedMs) < CHECK_EVERY_MS) return
    checkedMs = nowMs
    const risks = riskAlertsOf(alertsAt(nowMs))
    const text = JSON.stringify(risks)
    if (text === passed.text && Math.abs(nowMs - passed.atMs) < PASS_EVERY_MS) return
    await pass(risks)
    passed = { atMs: nowMs, text }
  }
}
