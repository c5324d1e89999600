import { quoteShellWord } from '../../../base/quoting.ts'
import { ABSENT, evidenceOf, fix, found, NOT_APPLICABLE, notReported, type Hazard } from '../hazard.ts'

/** Hazard 9. On purpose during an EUS upgrade; a forgotten pause blocks fixes and the rotation of certificates. */
export const pausedPool: Hazard = {
  id: 'paused_pool',
  title: 'Machine config pool is paused',
  signals: 'machineconfigpools',
  consequence: 'The nodes of the pool stay on the old kubelet, without security fixes and renewed certificates.',
  runbook: 'DaytwoPoolPaused',
  sources: ['https://docs.redhat.com/en/documentation/openshift_container_platform/4.18/html/updating_clusters/'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    if (cluster.record.platform?.kind === 'kubernetes') return NOT_APPLICABLE
    const { pausedPools } = cluster.facts
    if (pausedPools === undefined) return notReported('machineconfigpools')
    if (pausedPools.value.length === 0) return ABSENT
    const pools = cluster.record.pools.filter(({ name }) => pausedPools.value.includes(name))
    const counts = pools.map(({ name, updated, machines }) => `${name} (${updated} of ${machines} nodes updated)`)
    return found(pausedPool, target, () => ({
      text: `Paused: ${(counts.length === 0 ? pausedPools.value : counts).join(', ')}.`,
      sinceMs: pausedPools.sinceMs,
      evidence: [evidenceOf(pausedPools, `spec.paused of ${pausedPools.value.join(', ')} is true.`)],
      fix: fix(
        'Resume the pool after the last step of the EUS upgrade.',
        pausedPools.value
          .map(
            (name) => `oc patch machineconfigpool ${quoteShellWord(name)} --type merge -p '{"spec":{"paused":false}}'`,
          )
          .join('\n'),
      ),
    }))
  },
}
