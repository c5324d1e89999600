import type {
  CatalogSourceFacts,
  CsvFacts,
  InstallPlanFacts,
  OperatorConditionFacts,
  OperatorGroupFacts,
  SubscriptionFacts,
} from '../../../src/model/object-facts.ts'
import type { Body } from './body.ts'
import { conditionsOf, timeOf } from './time.ts'

/** A CSV without most of the 100 kB that it carries to install things. */
export function csvBody(facts: CsvFacts): Body {
  const { version, replaces, skips, skipRange, phase, reason, message, lastTransitionMs, history } = facts
  return {
    generation: 1,
    annotations: {
      'olm.operatorNamespace': 'kubevirt-hyperconverged',
      capabilities: 'Deep Insights',
      ...(skipRange === undefined ? {} : { 'olm.skipRange': skipRange }),
    },
    rest: {
      spec: {
        version,
        replaces,
        ...(skips.length === 0 ? {} : { skips }),
        displayName: 'KubeVirt HyperConverged Cluster Operator',
        minKubeVersion: '1.25.0',
        installModes: [{ type: 'AllNamespaces', supported: true }],
        install: {
          strategy: 'deployment',
          spec: { deployments: [{ name: 'hco-operator' }, { name: 'virt-operator' }] },
        },
      },
      status:
        phase === ''
          ? {}
          : {
              phase,
              reason,
              message,
              lastTransitionTime: timeOf(lastTransitionMs),
              lastUpdateTime: timeOf(history.at(-1)?.lastUpdateMs),
              conditions: history.map((step) => ({
                phase: step.phase,
                reason: step.reason,
                message: step.message,
                lastTransitionTime: timeOf(step.lastTransitionMs),
                lastUpdateTime: timeOf(step.lastUpdateMs),
              })),
              cleanup: {},
            },
    },
  }
}

export function subscriptionBody(facts: SubscriptionFacts): Body {
  const { installPlan } = facts
  return {
    generation: 1,
    rest: {
      spec: {
        name: facts.package,
        channel: facts.channel,
        source: facts.source,
        sourceNamespace: 'openshift-marketplace',
        installPlanApproval: facts.approval,
      },
      status: {
        state: facts.state,
        installedCSV: facts.installedCsv,
        currentCSV: facts.currentCsv,
        ...(installPlan === undefined
          ? {}
          : {
              installplan: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', name: installPlan },
              installPlanRef: { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', name: installPlan },
              installPlanGeneration: 1,
            }),
        lastUpdated: timeOf(facts.lastUpdatedMs),
        conditions: conditionsOf(facts.conditions),
        catalogHealth: [{ healthy: true, lastUpdated: timeOf(facts.lastUpdatedMs) }],
      },
    },
  }
}

export function installPlanBody(facts: InstallPlanFacts): Body {
  return {
    generation: 1,
    generateName: 'install-',
    rest: {
      spec: {
        approval: facts.approval,
        approved: facts.isApproved,
        clusterServiceVersionNames: facts.csvNames,
        generation: 1,
      },
      status: {
        phase: facts.phase,
        catalogSources: [],
        conditions: conditionsOf(facts.conditions),
        startTime: timeOf(facts.startMs),
        ...(facts.message === undefined ? {} : { message: facts.message }),
      },
    },
  }
}

export function operatorConditionBody({ conditions, overrides }: OperatorConditionFacts): Body {
  return {
    rest: {
      spec: {
        conditions: conditionsOf(conditions),
        ...(overrides.length === 0 ? {} : { overrides: conditionsOf(overrides) }),
        serviceAccounts: ['hyperconverged-cluster-operator'],
      },
      status: { conditions: conditionsOf(conditions) },
    },
  }
}

export function catalogSourceBody({ connectionState }: CatalogSourceFacts): Body {
  return {
    generation: 1,
    rest: {
      spec: { sourceType: 'grpc', image: 'quay.io/operatorhubio/catalog:latest', displayName: 'Community Operators' },
      status: { connectionState: { address: 'catalog.olm.svc:50051', lastObservedState: connectionState } },
    },
  }
}

export function operatorGroupBody({ upgradeStrategy }: OperatorGroupFacts): Body {
  return { generation: 1, rest: { spec: { upgradeStrategy }, status: { namespaces: [''] } } }
}
