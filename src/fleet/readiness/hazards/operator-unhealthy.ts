import { quoteShellWord } from '../../../base/quoting.ts'
import type { ClusterProblem } from '../../../model/cluster-record.ts'
import { ABSENT, clientOf, evidenceNow, fix, found, installNamespaceOf, notReported, type Hazard } from '../hazard.ts'

/** Problems of the installed operator and conditions of HyperConverged; the running upgrade has a hazard of its own. */
export const operatorUnhealthy: Hazard = {
  id: 'operator_unhealthy',
  title: 'Operator is unhealthy',
  signals: 'hyperconvergeds, clusterserviceversions, or kubevirt_hco_system_health_status',
  consequence: 'The upgrade starts from a broken state: it may not be planned, or not complete.',
  runbook: 'HCOOperatorConditionsUnhealthy',
  sources: ['https://github.com/kubevirt/hyperconverged-cluster-operator/blob/main/docs/cluster-configuration.md'],
  verdicts: { 'kubevirt-hyperconverged': 'not_recommended', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    const { record, open } = cluster
    const { problems = [], conditions, systemHealth } = record
    const isUpgrading = open.some(({ operator }) => operator !== 'openshift')
    const own = isUpgrading ? [] : problems
    const bad = isUpgrading
      ? []
      : conditions.filter(
          ({ type, status }) =>
            (type === 'Degraded' && status === 'True') || (type === 'Available' && status === 'False'),
        )
    const hasError = systemHealth === 'error' && !isUpgrading
    if (own.length === 0 && bad.length === 0 && !hasError) {
      const isKnown = conditions.length > 0 || systemHealth !== undefined
      return isKnown ? ABSENT : notReported('HyperConverged and kubevirt_hco_system_health_status')
    }
    const texts = [
      ...own.map(({ text }) => text),
      ...bad.map(({ type, status, reason }) => `HyperConverged reports ${type}=${status} (${reason}).`),
    ]
    const starts = [
      ...own.map(({ sinceMs }) => sinceMs),
      ...bad.flatMap(({ lastTransitionMs }) => lastTransitionMs ?? []),
    ]
    return found(operatorUnhealthy, target, () => ({
      text: texts[0] ?? 'HCO reports the health status error.',
      ...(starts.length === 0 ? {} : { sinceMs: Math.min(...starts) }),
      evidence: [
        ...own.flatMap(({ evidence }) => evidence),
        ...bad.map(({ type, status, reason, message, lastTransitionMs }) => {
          const text = `${type}=${status} (${reason}): ${message}`
          const now = evidenceNow(cluster, 'hyperconvergeds', text)
          return lastTransitionMs === undefined ? now : { ...now, atMs: lastTransitionMs }
        }),
        ...(hasError ? [evidenceNow(cluster, 'kubevirt_hco_system_health_status', 'System health: error.')] : []),
      ],
      fix: fix(
        `Repair the operator first: the runbook ${own.length === 0 ? operatorUnhealthy.runbook : PROBLEM_RUNBOOKS[own[0]!.cause]} has the steps.`,
        `${clientOf(cluster)} get clusterserviceversions,hyperconvergeds -n ${quoteShellWord(installNamespaceOf(cluster))}`,
      ),
    }))
  },
}

/** The alert whose runbook helps with a problem. */
export const PROBLEM_RUNBOOKS: Readonly<Record<ClusterProblem['cause'], string>> = {
  csv_unhealthy: 'CsvAbnormalFailedOver2Min',
  hyperconverged_unhealthy: 'HCOOperatorConditionsUnhealthy',
  virt_handler_outdated: 'VirtHandlerDaemonSetRolloutFailing',
  cannot_plan: 'DaytwoCannotPlanUpgrade',
  identity_conflict: 'DaytwoIdentityConflict',
}
