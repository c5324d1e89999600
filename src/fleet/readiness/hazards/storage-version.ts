import { quoteShellWord } from '../../../base/quoting.ts'
import {
  ABSENT,
  crosses,
  evidenceOf,
  fix,
  found,
  NOT_APPLICABLE,
  notReported,
  clientOf,
  installNamespaceOf,
  type Hazard,
} from '../hazard.ts'

/** Hazard 20: HCO 1.19 stores HyperConverged as v1, whose settings are in other places. A client that writes it is a client that reads it. */
export const storageVersion: Hazard = {
  id: 'storage_version',
  title: 'Clients write HyperConverged v1beta1',
  signals: 'hyperconvergeds (field managers)',
  consequence: 'Clients that read v1beta1 paths find nothing in v1 objects, and may write settings to the old place.',
  runbook: 'DaytwoUpgradeNotRecommended',
  sources: ['https://github.com/kubevirt/hyperconverged-cluster-operator/pull/4426'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk' },
  byTarget: true,
  evaluate: (cluster, target) => {
    if (!crosses(cluster, target, 19)) return NOT_APPLICABLE
    const { hyperConvergedWriter: writer } = cluster.facts
    if (writer === undefined) return notReported('hyperconvergeds')
    const { manager, apiVersion } = writer.value
    if (manager === '' || apiVersion.endsWith('/v1')) return ABSENT
    return found(storageVersion, target, () => ({
      text: `${manager} writes HyperConverged as ${apiVersion}; HCO 1.19 stores v1.`,
      sinceMs: writer.sinceMs,
      evidence: [evidenceOf(writer, `Last written by ${manager}.`)],
      fix: fix(
        'Move the client to hco.kubevirt.io/v1, or have it read both layouts.',
        `${clientOf(cluster)} get hyperconverged kubevirt-hyperconverged -n ${quoteShellWord(installNamespaceOf(cluster))} -o yaml --show-managed-fields`,
      ),
    }))
  },
}
