import type { OperandFacts } from '../../../src/model/object-facts.ts'
import type { Body } from './body.ts'
import { conditionsOf } from './time.ts'

/** KubeVirt has names of its own for its versions. */
export function kubevirtBody(facts: OperandFacts): Body {
  return {
    ...(facts.generation === undefined ? {} : { generation: facts.generation }),
    rest: {
      spec: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist', configuration: { developerConfiguration: {} } },
      status: {
        phase: facts.phase,
        operatorVersion: facts.operatorVersion,
        targetKubeVirtVersion: facts.targetVersion,
        observedKubeVirtVersion: facts.observedVersion,
        targetDeploymentID: facts.targetDeploymentId,
        observedDeploymentID: facts.observedDeploymentId,
        outdatedVirtualMachineInstanceWorkloads: facts.outdatedWorkloads,
        conditions: conditionsOf(facts.conditions),
      },
    },
  }
}

/** CDI, SSP and NetworkAddonsConfig share those of their common SDK. */
export function cdiBody(facts: OperandFacts): Body {
  return {
    ...(facts.generation === undefined ? {} : { generation: facts.generation }),
    rest: {
      spec: {},
      status: {
        phase: facts.phase,
        operatorVersion: facts.operatorVersion,
        targetVersion: facts.targetVersion,
        observedVersion: facts.observedVersion,
        conditions: conditionsOf(facts.conditions),
      },
    },
  }
}
