import type {
  DaemonSetFacts,
  DataImportCronFacts,
  EventFacts,
  MigrationFacts,
} from '../../../src/model/object-facts.ts'
import type { Body } from './body.ts'
import { conditionsOf, timeOf } from './time.ts'

export function daemonSetBody(facts: DaemonSetFacts): Body {
  const { maxUnavailable } = facts
  return {
    ...(facts.generation === undefined ? {} : { generation: facts.generation }),
    labels: { 'kubevirt.io': 'virt-handler' },
    rest: {
      spec: {
        selector: { matchLabels: { 'kubevirt.io': 'virt-handler' } },
        template: { spec: { containers: [{ name: 'virt-handler' }] } },
        updateStrategy: {
          type: 'RollingUpdate',
          // An IntOrString.
          rollingUpdate: { maxUnavailable: maxUnavailable === '1' ? 1 : maxUnavailable, maxSurge: 0 },
        },
      },
      status: {
        desiredNumberScheduled: facts.desired,
        currentNumberScheduled: facts.current,
        numberMisscheduled: 0,
        numberReady: facts.ready,
        // Go leaves a zero out.
        ...(facts.updated === 0 ? {} : { updatedNumberScheduled: facts.updated }),
        ...(facts.available === 0 ? {} : { numberAvailable: facts.available }),
        observedGeneration: facts.observedGeneration,
      },
    },
  }
}

const CAUSE_MARKS = {
  workload_update: { prefix: 'kubevirt-workload-update-', annotations: { 'kubevirt.io/workloadUpdateMigration': '' } },
  evacuation: { prefix: 'kubevirt-evacuation-', annotations: { 'kubevirt.io/evacuationMigration': 'node' } },
  other: { prefix: 'migration-', annotations: {} },
} as const

export function migrationBody(facts: MigrationFacts): Body {
  const { prefix, annotations } = CAUSE_MARKS[facts.cause]
  return {
    generation: 1,
    generateName: prefix,
    annotations,
    rest: {
      spec: { vmiName: facts.vmi },
      status: {
        phase: facts.phase,
        phaseTransitionTimestamps: Object.entries(facts.phaseTimesMs).map(([phase, atMs]) => ({
          phase,
          phaseTransitionTimestamp: timeOf(atMs),
        })),
        migrationState: {
          startTimestamp: timeOf(facts.startMs),
          endTimestamp: timeOf(facts.endMs),
          sourceNode: facts.sourceNode,
          targetNode: facts.targetNode,
          failureReason: facts.failureReason,
        },
        conditions: conditionsOf(facts.conditions),
      },
    },
  }
}

export function dataImportCronBody(facts: DataImportCronFacts): Body {
  return {
    generation: 1,
    rest: {
      spec: { managedDataSource: facts.managedDataSource, schedule: facts.schedule, template: { spec: {} } },
      status: { conditions: conditionsOf(facts.conditions), lastImportTimestamp: timeOf(facts.lastImportMs) },
    },
  }
}

export function eventBody(facts: EventFacts): Body {
  return {
    rest: {
      involvedObject: { kind: facts.objectKind, name: facts.objectName, namespace: facts.objectNamespace },
      reason: facts.reason,
      message: facts.message,
      type: facts.type,
      count: facts.count,
      firstTimestamp: timeOf(facts.firstMs),
      lastTimestamp: timeOf(facts.lastMs),
      source: { component: 'hyperconverged-cluster-operator' },
      eventTime: null,
    },
  }
}
