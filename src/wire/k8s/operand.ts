import type { OperandFacts } from '../../model/object-facts.ts'
import { conditionsAt } from './conditions.ts'
import { timesOf } from './meta.ts'
import { integerAt, present, textAt, type ObjectValue } from './object-value.ts'

/**
 * The CRs of HCO's operands. KubeVirt has its own field names for versions; the others share those of their common SDK.
 */
export function operandFacts(kind: OperandFacts['kind']): (object: ObjectValue) => OperandFacts {
  const isKubeVirt = kind === 'kubevirts'
  return (object) =>
    present<OperandFacts>({
      kind,
      ...timesOf(object),
      phase: textAt(object, 'status', 'phase'),
      operatorVersion: textAt(object, 'status', 'operatorVersion'),
      targetVersion: textAt(object, 'status', isKubeVirt ? 'targetKubeVirtVersion' : 'targetVersion'),
      observedVersion: textAt(object, 'status', isKubeVirt ? 'observedKubeVirtVersion' : 'observedVersion'),
      targetDeploymentId: textAt(object, 'status', 'targetDeploymentID'),
      observedDeploymentId: textAt(object, 'status', 'observedDeploymentID'),
      outdatedWorkloads: integerAt(object, 'status', 'outdatedVirtualMachineInstanceWorkloads'),
      conditions: conditionsAt(object, 'status', 'conditions'),
      generation: integerAt(object, 'metadata', 'generation'),
    })
}
