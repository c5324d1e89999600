import { ownValue } from '../../../base/own-value.ts'
import {
  ABSENT,
  crosses,
  evidenceNow,
  fix,
  found,
  inVirtualization,
  isReported,
  NOT_APPLICABLE,
  notReported,
  patchHyperConverged,
  type Hazard,
} from '../hazard.ts'

/** The default before 1.19, which an upgrade replaces even where it is set. */
const OLD_TIMEOUT = 150

/** Hazard 21. */
export const migrationDefaults: Hazard = {
  id: 'migration_defaults',
  title: 'Defaults of live migration change',
  signals: 'hyperconvergeds (liveMigrationConfig)',
  consequence:
    'From HCO 1.19 on migrations are cancelled after 20 s per GiB instead of 150 s, and a node migrates 1 VM at a time instead of 2: large VMs fail to migrate, and drains take longer.',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: ['https://github.com/kubevirt/hyperconverged-cluster-operator/pull/4426'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  byTarget: true,
  evaluate: (cluster, target) => {
    if (!crosses(cluster, target, 19)) return NOT_APPLICABLE
    if (!isReported(cluster, 'hyperconvergeds')) return notReported('hyperconvergeds')
    const { liveMigration } = cluster.record.settings
    const timeout = ownValue(liveMigration, 'completionTimeoutPerGiB')
    const outbound = ownValue(liveMigration, 'parallelOutboundMigrationsPerNode')
    const changed = [
      ...(timeout === undefined || timeout === OLD_TIMEOUT ? ['completionTimeoutPerGiB (to 20)'] : []),
      ...(outbound === undefined ? ['parallelOutboundMigrationsPerNode (to 1)'] : []),
    ]
    if (changed.length === 0) return ABSENT
    return found(migrationDefaults, target, () => ({
      text: `The upgrade changes ${changed.join(' and ')}.`,
      evidence: [
        evidenceNow(
          cluster,
          'hyperconvergeds, liveMigrationConfig',
          `completionTimeoutPerGiB: ${timeout ?? 'default'}, parallelOutboundMigrationsPerNode: ${outbound ?? 'default'}.`,
        ),
      ],
      fix: fix(
        'Set explicit values before the upgrade. The upgrade replaces exactly 150, so set another value.',
        patchHyperConverged(
          cluster,
          inVirtualization(cluster, {
            liveMigrationConfig: {
              completionTimeoutPerGiB: timeout === undefined || timeout === OLD_TIMEOUT ? OLD_TIMEOUT + 1 : timeout,
              parallelOutboundMigrationsPerNode: outbound ?? 2,
            },
          }),
        ),
      ),
    }))
  },
}
