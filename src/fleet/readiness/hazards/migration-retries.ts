import { ABSENT, clientOf, evidenceOf, fix, found, notReported, type Hazard } from '../hazard.ts'

/** Hazard 13. */
export const migrationRetries: Hazard = {
  id: 'migration_retries',
  title: 'Migrations fail again and again',
  signals: 'virtualmachineinstancemigrations',
  consequence: 'The workload update and node drains do not complete, and the API server is under load.',
  runbook: 'KubeVirtVMIExcessiveMigrations',
  sources: ['https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/KubeVirtVMIExcessiveMigrations.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    const { retriedMigrations } = cluster.facts
    if (retriedMigrations === undefined) return notReported('virtualmachineinstancemigrations')
    const { vms, tries, reason } = retriedMigrations.value
    if (vms === 0) return ABSENT
    return found(migrationRetries, target, () => ({
      text: `${vms === 1 ? '1 VM' : `${vms} VMs`} failed to migrate ${tries} times in a day.`,
      sinceMs: retriedMigrations.sinceMs,
      evidence: [evidenceOf(retriedMigrations, `${tries} failed migrations; most frequent reason: ${reason}.`)],
      fix: fix(
        'Fix capacity, node selectors, CPU models or taints that keep the target pod from being scheduled.',
        `${clientOf(cluster)} get vmim -A --sort-by=.metadata.creationTimestamp -o custom-columns=NAMESPACE:.metadata.namespace,VMI:.spec.vmiName,PHASE:.status.phase,REASON:.status.migrationState.failureReason`,
      ),
    }))
  },
}
