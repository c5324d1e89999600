import type {
  ClusterOperatorFacts,
  ClusterVersionFacts,
  MachineConfigPoolFacts,
  NodeFacts,
} from '../../../src/model/object-facts.ts'
import type { Body } from './body.ts'
import { conditionsOf, timeOf } from './time.ts'

export function clusterVersionBody(facts: ClusterVersionFacts): Body {
  return {
    generation: 1,
    rest: {
      spec: { clusterID: facts.clusterId, channel: facts.channel },
      status: {
        desired: { version: facts.desiredVersion, image: 'quay.io/openshift-release-dev/ocp-release@sha256:0' },
        history: facts.history.map(({ state, version, startedMs, completedMs }) => ({
          state,
          version,
          startedTime: timeOf(startedMs),
          completionTime: timeOf(completedMs) ?? null,
          verified: true,
        })),
        conditions: conditionsOf(facts.conditions),
        availableUpdates:
          facts.availableUpdates.length === 0 ? null : facts.availableUpdates.map((version) => ({ version })),
      },
    },
  }
}

export function machineConfigPoolBody(facts: MachineConfigPoolFacts): Body {
  return {
    ...(facts.generation === undefined ? {} : { generation: facts.generation }),
    rest: {
      spec: { paused: facts.isPaused, configuration: { name: 'rendered' } },
      status: {
        machineCount: facts.machines,
        updatedMachineCount: facts.updated,
        readyMachineCount: facts.ready,
        degradedMachineCount: facts.degraded,
        conditions: conditionsOf(facts.conditions),
      },
    },
  }
}

export function clusterOperatorBody(facts: ClusterOperatorFacts): Body {
  return {
    generation: 1,
    rest: {
      spec: {},
      status: {
        versions: facts.operatorVersion === undefined ? [] : [{ name: 'operator', version: facts.operatorVersion }],
        conditions: conditionsOf(facts.conditions),
        relatedObjects: [],
      },
    },
  }
}

export function nodeBody(facts: NodeFacts): Body {
  return {
    labels: Object.fromEntries(facts.roles.map((role) => [`node-role.kubernetes.io/${role}`, ''])),
    rest: {
      spec: facts.isSchedulable ? {} : { unschedulable: true },
      status: {
        allocatable: {
          cpu: '31500m',
          memory: '128Gi',
          ...(facts.hasKvm === true ? { 'devices.kubevirt.io/kvm': '1k' } : {}),
        },
        conditions: [
          { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
          {
            type: 'Ready',
            status: facts.isReady ? 'True' : 'Unknown',
            reason: facts.isReady ? 'KubeletReady' : 'NodeStatusUnknown',
            lastTransitionTime: timeOf(facts.readyChangedMs),
          },
        ],
        nodeInfo: { kubeletVersion: facts.kubeletVersion, operatingSystem: 'linux' },
        images: [{ names: ['quay.io/kubevirt/virt-launcher'], sizeBytes: 123_456_789 }],
      },
    },
  }
}
