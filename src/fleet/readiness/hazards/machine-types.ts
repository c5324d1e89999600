import {
  ABSENT,
  alertEvidence,
  alertNamed,
  evidenceOf,
  fix,
  found,
  notReported,
  clientOf,
  type Hazard,
} from '../hazard.ts'

/** Hazard 18. Nodes report deprecated types from KubeVirt 1.6 (HCO 1.16) on. */
export const machineTypes: Hazard = {
  id: 'machine_types',
  title: 'VMs with deprecated machine types',
  signals: 'kubevirt_vm_info and kubevirt_node_deprecated_machine_types (HCO 1.16 and later)',
  consequence: 'The VMs do not start, and do not migrate to updated nodes, when the machine type is removed.',
  runbook: 'DeprecatedMachineType',
  sources: ['https://github.com/kubevirt/monitoring/blob/main/docs/runbooks/DeprecatedMachineType.md'],
  verdicts: { 'kubevirt-hyperconverged': 'at_risk', openshift: 'at_risk' },
  evaluate: (cluster, target) => {
    const { deprecatedMachineTypes: types } = cluster.facts
    const alert = alertNamed(cluster, 'DeprecatedMachineType')
    const counts = Object.entries(types?.value ?? {})
    if (alert === undefined && counts.length === 0) {
      return types === undefined ? notReported('kubevirt_node_deprecated_machine_types (HCO 1.16 and later)') : ABSENT
    }
    const shown = counts.map(([type, vms]) => `${type} (${vms})`).join(', ')
    return found(machineTypes, target, () => ({
      text: counts.length === 0 ? 'VMs use deprecated machine types.' : `VMs by deprecated machine type: ${shown}.`,
      sinceMs: counts.length === 0 ? alert!.firedAtMs : types!.sinceMs,
      evidence: [
        ...(counts.length === 0 ? [] : [evidenceOf(types!, shown)]),
        ...(alert === undefined ? [] : [alertEvidence(alert)]),
      ],
      fix: fix(
        'Change the machine type, which takes effect at the next restart of the VM.',
        `${clientOf(cluster)} get vm -A -o custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,TYPE:.spec.template.spec.domain.machine.type`,
      ),
    }))
  },
}
