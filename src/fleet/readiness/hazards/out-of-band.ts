import { ABSENT, DAY_MS, clientOf, fix, found, isReported, notReported, type Hazard } from '../hazard.ts'

/** Older modifications are no hazard of the next upgrade. */
export const MODIFICATION_AGE_MS = 30 * DAY_MS
/** Modifications of one burst, from which on a client and not a person makes them. */
const LOOP_MIN = 3

/** Hazard 2. The counter starts with the first modification, so its absence says something only beside HCO's other metrics. */
export const outOfBand: Hazard = {
  id: 'out_of_band',
  title: 'Out-of-band modifications of operands',
  signals: 'kubevirt_hco_out_of_band_modifications_total, or events (Overwritten)',
  consequence: 'HCO reverts the changes; a client that repeats them slows the upgrade down and may stop it.',
  runbook: 'KubeVirtCRModified',
  sources: [
    'https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/KubeVirtCRModified.md',
    'https://github.com/kubevirt/hyperconverged-cluster-operator/pull/2072',
  ],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  evaluate: (cluster, target) => {
    const { modifications, record, nowMs } = cluster
    const recent = modifications.filter(({ kind, isUpgradeMode, startedMs, endedMs }) => {
      return kind === 'out_of_band' && !isUpgradeMode && (endedMs ?? startedMs ?? nowMs) >= nowMs - MODIFICATION_AGE_MS
    })
    if (recent.length === 0) {
      const isKnown = isReported(cluster, 'events') || (record.coverage.metrics && record.systemHealth !== undefined)
      return isKnown ? ABSENT : notReported('events of HyperConverged and the metrics of HCO')
    }
    const count = recent.reduce((sum, one) => sum + one.count, 0)
    const components = [...new Set(recent.map(({ component }) => component))].sort().join(', ')
    const isLoop = recent.some((burst) => burst.count >= LOOP_MIN)
    const last = recent.toSorted((a, b) => (b.startedMs ?? 0) - (a.startedMs ?? 0))
    return found(outOfBand, target, () => ({
      text: `${count} out-of-band ${count === 1 ? 'modification' : 'modifications'} of ${components} in the last 30 days${isLoop ? ': a client keeps overwriting the object' : ''}.`,
      ...(last.at(-1)!.startedMs === undefined ? {} : { sinceMs: last.at(-1)!.startedMs! }),
      evidence: last.slice(0, 3).map(({ text, startedMs, endedMs, component }) => {
        return { source: 'objects', atMs: startedMs ?? endedMs ?? nowMs, text, ref: component }
      }),
      fix: fix(
        'Change HyperConverged instead. The field managers of the object name the client that writes it.',
        `${clientOf(cluster)} get kubevirt -A -o yaml --show-managed-fields`,
      ),
    }))
  },
}
