import type { ObjectFacts } from '../../../src/model/object-facts.ts'

/** One object of each watched kind as an API server has it, shortened, and what is kept of it. */
export interface ObjectCase {
  readonly resource: ObjectFacts['kind']
  readonly object: Readonly<Record<string, unknown>>
  readonly facts: ObjectFacts
}

const T = '2026-08-20T10:00:00Z'
const T_MS = 1_787_220_000_000
const LATER = '2026-08-20T10:01:35Z'
const LATER_MS = T_MS + 95_000

const meta = (name: string, more: Record<string, unknown> = {}): unknown => ({
  name,
  namespace: 'kubevirt-hyperconverged',
  uid: `uid-of-${name}`,
  resourceVersion: '1001',
  generation: 3,
  creationTimestamp: T,
  managedFields: [
    { manager: 'kubectl-create', operation: 'Update', time: T, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': {} } },
    { manager: 'olm', operation: 'Update', subresource: 'status', time: LATER, fieldsV1: { 'f:manager': {} } },
  ],
  ...more,
})

const CONDITION = {
  type: 'Available',
  status: 'True',
  reason: 'AllGood',
  message: 'all is good',
  lastTransitionTime: T,
  lastHeartbeatTime: LATER,
}
const CONDITION_FACTS = {
  type: 'Available',
  status: 'True',
  reason: 'AllGood',
  message: 'all is good',
  lastTransitionMs: T_MS,
}

const LIVE_MIGRATION = {
  completionTimeoutPerGiB: 150,
  parallelMigrationsPerCluster: 5,
  allowPostCopy: false,
  network: 'mig',
}
const UPDATE_STRATEGY = { workloadUpdateMethods: ['LiveMigrate'], batchEvictionSize: 10, batchEvictionInterval: '1m0s' }
const CERT_CONFIG = {
  ca: { duration: '48h0m0s', renewBefore: '24h0m0s' },
  server: { duration: '12h0m0s', renewBefore: '6h0m0s' },
}
const HCO_STATUS = {
  versions: [{ name: 'operator', version: '1.16.0' }],
  conditions: [CONDITION],
  systemHealthStatus: 'healthy',
  observedGeneration: 3,
  infrastructureHighlyAvailable: true,
  dataImportCronTemplates: [{}, {}],
  relatedObjects: [{ kind: 'KubeVirt' }],
}
const HCO_FACTS = {
  kind: 'hyperconvergeds',
  createdMs: T_MS,
  operatorVersion: '1.16.0',
  conditions: [CONDITION_FACTS],
  systemHealth: 'healthy',
  generation: 3,
  observedGeneration: 3,
  workloadUpdateMethods: ['LiveMigrate'],
  batchEvictionSize: 10,
  batchEvictionInterval: '1m0s',
  evictionStrategy: 'LiveMigrate',
  uninstallStrategy: 'BlockUninstallIfWorkloadsExist',
  liveMigration: {
    allowPostCopy: false,
    completionTimeoutPerGiB: 150,
    network: 'mig',
    parallelMigrationsPerCluster: 5,
  },
  featureGates: { alignCPUs: true, videoConfig: false },
  jsonPatches: { 'kubevirt.kubevirt.io/jsonpatch': '[{"op":"add","path":"/spec/x"}]' },
  tuningPolicy: 'highBurst',
  others: {
    'certConfig.ca.duration': '48h0m0s',
    'certConfig.ca.renewBefore': '24h0m0s',
    'certConfig.server.duration': '12h0m0s',
    'certConfig.server.renewBefore': '6h0m0s',
    commonBootImageNamespace: 'images',
    commonInstancetypesDeployment: false,
    commonTemplatesNamespace: 'templates',
    defaultCPUModel: 'Haswell-noTSX',
    enableCommonBootImageImport: true,
    instancetypeReferencePolicy: 'expand',
    memoryOvercommitPercentage: 120,
    scratchSpaceStorageClass: 'fast',
    vmStateStorageClass: 'shared',
  },
  isInfrastructureHighlyAvailable: true,
  dataImportCronTemplates: 2,
} as const
const HCO_META = meta('kubevirt-hyperconverged', {
  annotations: { 'kubevirt.kubevirt.io/jsonpatch': '[{"op":"add","path":"/spec/x"}]', other: 'x' },
})

const OPERAND_STATUS = {
  phase: 'Deployed',
  operatorVersion: 'v1.6.0',
  targetVersion: 'v1.6.0',
  observedVersion: 'v1.5.2',
  conditions: [CONDITION],
}
const OPERAND_FACTS = {
  createdMs: T_MS,
  phase: 'Deployed',
  operatorVersion: 'v1.6.0',
  targetVersion: 'v1.6.0',
  observedVersion: 'v1.5.2',
  conditions: [CONDITION_FACTS],
  generation: 3,
} as const
const operand = (
  resource: 'cdis' | 'ssps' | 'networkaddonsconfigs' | 'hostpathprovisioners' | 'aaqs',
  kind: string,
): ObjectCase => ({
  resource,
  object: { kind, metadata: meta('one'), spec: {}, status: OPERAND_STATUS },
  facts: { kind: resource, ...OPERAND_FACTS },
})

export const OBJECTS: readonly ObjectCase[] = [
  {
    resource: 'clusterserviceversions',
    object: {
      kind: 'ClusterServiceVersion',
      metadata: meta('kubevirt-hyperconverged-operator.v1.17.0', {
        deletionTimestamp: LATER,
        annotations: { 'olm.skipRange': '>=1.15.0 <1.17.0' },
      }),
      spec: {
        version: '1.17.0',
        replaces: 'kubevirt-hyperconverged-operator.v1.16.0',
        skips: ['kubevirt-hyperconverged-operator.v1.16.1'],
        install: { spec: { deployments: [{ name: 'hco-operator' }] } },
      },
      status: {
        phase: 'Installing',
        reason: 'InstallSucceeded',
        message: 'waiting for install components to report healthy',
        lastTransitionTime: LATER,
        conditions: [
          { phase: 'Pending', reason: 'RequirementsNotMet', message: 'm', lastTransitionTime: T, lastUpdateTime: T },
          {
            phase: 'Installing',
            reason: 'InstallSucceeded',
            message: '',
            lastTransitionTime: LATER,
            lastUpdateTime: LATER,
          },
        ],
      },
    },
    facts: {
      kind: 'clusterserviceversions',
      createdMs: T_MS,
      deletingMs: LATER_MS,
      version: '1.17.0',
      replaces: 'kubevirt-hyperconverged-operator.v1.16.0',
      skips: ['kubevirt-hyperconverged-operator.v1.16.1'],
      skipRange: '>=1.15.0 <1.17.0',
      phase: 'Installing',
      reason: 'InstallSucceeded',
      message: 'waiting for install components to report healthy',
      lastTransitionMs: LATER_MS,
      history: [
        { phase: 'Pending', reason: 'RequirementsNotMet', message: 'm', lastTransitionMs: T_MS, lastUpdateMs: T_MS },
        {
          phase: 'Installing',
          reason: 'InstallSucceeded',
          message: '',
          lastTransitionMs: LATER_MS,
          lastUpdateMs: LATER_MS,
        },
      ],
    },
  },
  {
    resource: 'subscriptions',
    object: {
      kind: 'Subscription',
      metadata: meta('hco'),
      spec: {
        name: 'community-kubevirt-hyperconverged',
        channel: 'stable',
        source: 'community-operators',
        installPlanApproval: 'Manual',
      },
      status: {
        state: 'UpgradePending',
        installedCSV: 'a.v1.16.0',
        currentCSV: 'a.v1.17.0',
        installPlanRef: { name: 'install-abc' },
        lastUpdated: LATER,
        conditions: [
          {
            type: 'CatalogSourcesUnhealthy',
            status: 'False',
            reason: 'AllCatalogSourcesHealthy',
            lastTransitionTime: T,
          },
        ],
      },
    },
    facts: {
      kind: 'subscriptions',
      createdMs: T_MS,
      package: 'community-kubevirt-hyperconverged',
      channel: 'stable',
      source: 'community-operators',
      approval: 'Manual',
      state: 'UpgradePending',
      installedCsv: 'a.v1.16.0',
      currentCsv: 'a.v1.17.0',
      installPlan: 'install-abc',
      lastUpdatedMs: LATER_MS,
      conditions: [
        {
          type: 'CatalogSourcesUnhealthy',
          status: 'False',
          reason: 'AllCatalogSourcesHealthy',
          message: '',
          lastTransitionMs: T_MS,
        },
      ],
    },
  },
  {
    resource: 'installplans',
    object: {
      kind: 'InstallPlan',
      metadata: meta('install-abc'),
      spec: { approval: 'Manual', approved: true, clusterServiceVersionNames: ['a.v1.17.0'] },
      status: {
        phase: 'Installing',
        startTime: LATER,
        message: 'working',
        conditions: [CONDITION],
        plan: [{ resource: { manifest: 'x'.repeat(100) } }],
      },
    },
    facts: {
      kind: 'installplans',
      createdMs: T_MS,
      approval: 'Manual',
      isApproved: true,
      csvNames: ['a.v1.17.0'],
      phase: 'Installing',
      startMs: LATER_MS,
      conditions: [CONDITION_FACTS],
      message: 'working',
    },
  },
  {
    resource: 'operatorconditions',
    object: {
      kind: 'OperatorCondition',
      metadata: meta('a.v1.16.0'),
      spec: { conditions: [{ ...CONDITION, type: 'Upgradeable' }], overrides: [CONDITION] },
    },
    facts: {
      kind: 'operatorconditions',
      createdMs: T_MS,
      conditions: [{ ...CONDITION_FACTS, type: 'Upgradeable' }],
      overrides: [CONDITION_FACTS],
    },
  },
  {
    resource: 'catalogsources',
    object: {
      kind: 'CatalogSource',
      metadata: meta('hco-catalog'),
      status: { connectionState: { lastObservedState: 'TRANSIENT_FAILURE', lastConnect: LATER } },
    },
    facts: { kind: 'catalogsources', createdMs: T_MS, connectionState: 'TRANSIENT_FAILURE' },
  },
  {
    resource: 'operatorgroups',
    object: { kind: 'OperatorGroup', metadata: meta('og'), spec: { upgradeStrategy: 'TechPreviewUnsafeFailForward' } },
    facts: { kind: 'operatorgroups', createdMs: T_MS, upgradeStrategy: 'TechPreviewUnsafeFailForward' },
  },
  {
    resource: 'hyperconvergeds',
    object: {
      apiVersion: 'hco.kubevirt.io/v1beta1',
      kind: 'HyperConverged',
      metadata: HCO_META,
      spec: {
        featureGates: { alignCPUs: true, videoConfig: false, broken: 'yes' },
        liveMigrationConfig: LIVE_MIGRATION,
        workloadUpdateStrategy: UPDATE_STRATEGY,
        evictionStrategy: 'LiveMigrate',
        uninstallStrategy: 'BlockUninstallIfWorkloadsExist',
        tuningPolicy: 'highBurst',
        certConfig: CERT_CONFIG,
        CommonInstancetypesDeployment: { enabled: false },
        instancetypeConfig: { referencePolicy: 'expand' },
        enableCommonBootImageImport: true,
        commonBootImageNamespace: 'images',
        commonTemplatesNamespace: 'templates',
        defaultCPUModel: 'Haswell-noTSX',
        higherWorkloadDensity: { memoryOvercommitPercentage: 120 },
        scratchSpaceStorageClass: 'fast',
        vmStateStorageClass: 'shared',
      },
      status: HCO_STATUS,
    },
    facts: { ...HCO_FACTS, apiVersion: 'hco.kubevirt.io/v1beta1' },
  },
  {
    resource: 'hyperconvergeds',
    object: {
      apiVersion: 'hco.kubevirt.io/v1',
      kind: 'HyperConverged',
      metadata: HCO_META,
      spec: {
        featureGates: [{ name: 'alignCPUs' }, { name: 'videoConfig', state: 'Disabled' }, { state: 'Enabled' }],
        virtualization: {
          liveMigrationConfig: LIVE_MIGRATION,
          workloadUpdateStrategy: UPDATE_STRATEGY,
          evictionStrategy: 'LiveMigrate',
          tuningPolicy: 'highBurst',
          virtualMachineOptions: { defaultCPUModel: 'Haswell-noTSX' },
          higherWorkloadDensity: { memoryOvercommitPercentage: 120 },
        },
        deployment: { uninstallStrategy: 'BlockUninstallIfWorkloadsExist' },
        security: { certConfig: CERT_CONFIG },
        storage: { scratchSpaceStorageClass: 'fast', vmStateStorageClass: 'shared' },
        workloadSources: {
          commonInstancetypesDeployment: { enabled: false },
          instancetypeConfig: { referencePolicy: 'expand' },
          enableCommonBootImageImport: true,
          commonBootImageNamespace: 'images',
          commonTemplatesNamespace: 'templates',
        },
      },
      status: HCO_STATUS,
    },
    facts: { ...HCO_FACTS, apiVersion: 'hco.kubevirt.io/v1' },
  },
  {
    resource: 'kubevirts',
    object: {
      kind: 'KubeVirt',
      metadata: meta('kubevirt-kubevirt-hyperconverged'),
      status: {
        phase: 'Deployed',
        operatorVersion: 'v1.6.0',
        targetKubeVirtVersion: 'v1.6.0',
        observedKubeVirtVersion: 'v1.5.2',
        targetDeploymentID: 'b',
        observedDeploymentID: 'a',
        outdatedVirtualMachineInstanceWorkloads: 42,
        conditions: [CONDITION],
        generations: [{ name: 'virt-api' }],
      },
    },
    facts: {
      kind: 'kubevirts',
      ...OPERAND_FACTS,
      targetDeploymentId: 'b',
      observedDeploymentId: 'a',
      outdatedWorkloads: 42,
    },
  },
  operand('cdis', 'CDI'),
  operand('ssps', 'SSP'),
  operand('networkaddonsconfigs', 'NetworkAddonsConfig'),
  operand('hostpathprovisioners', 'HostPathProvisioner'),
  operand('aaqs', 'AAQ'),
  {
    resource: 'kubedeschedulers',
    object: {
      kind: 'KubeDescheduler',
      metadata: meta('cluster'),
      spec: {
        profiles: ['LongLifecycle'],
        profileCustomizations: { devEnableEvictionsInBackground: true },
      },
    },
    facts: {
      kind: 'kubedeschedulers',
      createdMs: T_MS,
      profiles: ['LongLifecycle'],
      evictsInBackground: true,
      generation: 3,
    },
  },
  {
    resource: 'daemonsets',
    object: {
      kind: 'DaemonSet',
      metadata: meta('virt-handler'),
      spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 1 } }, template: { spec: { containers: [{}] } } },
      status: {
        desiredNumberScheduled: 10,
        currentNumberScheduled: 10,
        updatedNumberScheduled: 1,
        numberReady: 9,
        numberAvailable: 8,
        observedGeneration: 3,
      },
    },
    facts: {
      kind: 'daemonsets',
      createdMs: T_MS,
      desired: 10,
      current: 10,
      updated: 1,
      ready: 9,
      available: 8,
      generation: 3,
      observedGeneration: 3,
      maxUnavailable: '1',
    },
  },
  {
    resource: 'virtualmachineinstancemigrations',
    object: {
      kind: 'VirtualMachineInstanceMigration',
      metadata: meta('kubevirt-workload-update-x', {
        generateName: 'kubevirt-workload-update-',
        annotations: { 'kubevirt.io/workloadUpdateMigration': '' },
      }),
      spec: { vmiName: 'vm-1' },
      status: {
        phase: 'Failed',
        phaseTransitionTimestamps: [
          { phase: 'Pending', phaseTransitionTimestamp: T },
          { phase: 'Failed', phaseTransitionTimestamp: LATER },
        ],
        migrationState: {
          startTimestamp: T,
          endTimestamp: LATER,
          sourceNode: 'a',
          targetNode: 'b',
          failureReason: 'no room',
        },
        conditions: [CONDITION],
      },
    },
    facts: {
      kind: 'virtualmachineinstancemigrations',
      createdMs: T_MS,
      vmi: 'vm-1',
      phase: 'Failed',
      cause: 'workload_update',
      phaseTimesMs: { Failed: LATER_MS, Pending: T_MS },
      startMs: T_MS,
      endMs: LATER_MS,
      sourceNode: 'a',
      targetNode: 'b',
      failureReason: 'no room',
      conditions: [CONDITION_FACTS],
    },
  },
  {
    resource: 'virtualmachineinstances',
    object: {
      kind: 'VirtualMachineInstance',
      metadata: meta('vm-1', {
        labels: { 'kubevirt.io/outdatedLauncherImage': '' },
        annotations: { 'kubevirt.io/cluster-instancetype-name': 'u1.medium', 'kubevirt.io/preference-name': 'fedora' },
      }),
      spec: { evictionStrategy: 'LiveMigrate' },
      status: {
        phase: 'Running',
        nodeName: 'a',
        launcherContainerImageVersion: 'quay.io/kubevirt/virt-launcher:v1.5.2',
        conditions: [{ type: 'LiveMigratable', status: 'False', reason: 'DisksNotLiveMigratable' }],
      },
    },
    facts: {
      kind: 'virtualmachineinstances',
      createdMs: T_MS,
      phase: 'Running',
      isOutdated: true,
      launcherImage: 'quay.io/kubevirt/virt-launcher:v1.5.2',
      isMigratable: false,
      notMigratableReason: 'DisksNotLiveMigratable',
      evictionStrategy: 'LiveMigrate',
      instanceType: 'u1.medium',
      preference: 'fedora',
      nodeName: 'a',
    },
  },
  {
    resource: 'dataimportcrons',
    object: {
      kind: 'DataImportCron',
      metadata: meta('fedora-image-cron'),
      spec: { managedDataSource: 'fedora', schedule: '0 0 * * 5', template: {} },
      status: { lastImportTimestamp: LATER, conditions: [CONDITION] },
    },
    facts: {
      kind: 'dataimportcrons',
      createdMs: T_MS,
      managedDataSource: 'fedora',
      conditions: [CONDITION_FACTS],
      lastImportMs: LATER_MS,
      schedule: '0 0 * * 5',
    },
  },
  {
    resource: 'machineconfigpools',
    object: {
      kind: 'MachineConfigPool',
      metadata: meta('worker'),
      spec: { paused: true },
      status: {
        machineCount: 6,
        updatedMachineCount: 4,
        readyMachineCount: 5,
        degradedMachineCount: 1,
        conditions: [CONDITION],
      },
    },
    facts: {
      kind: 'machineconfigpools',
      createdMs: T_MS,
      isPaused: true,
      machines: 6,
      updated: 4,
      ready: 5,
      degraded: 1,
      conditions: [CONDITION_FACTS],
      generation: 3,
    },
  },
  {
    resource: 'clusterversions',
    object: {
      kind: 'ClusterVersion',
      metadata: meta('version'),
      spec: { clusterID: '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d', channel: 'stable-4.20' },
      status: {
        desired: { version: '4.20.1' },
        history: [
          { state: 'Partial', version: '4.20.1', startedTime: LATER, completionTime: null },
          { state: 'Completed', version: '4.19.9', startedTime: T, completionTime: T },
        ],
        conditions: [CONDITION],
        availableUpdates: [{ version: '4.20.2' }],
        conditionalUpdates: [{}],
      },
    },
    facts: {
      kind: 'clusterversions',
      createdMs: T_MS,
      clusterId: '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d',
      channel: 'stable-4.20',
      desiredVersion: '4.20.1',
      history: [
        { state: 'Partial', version: '4.20.1', startedMs: LATER_MS },
        { state: 'Completed', version: '4.19.9', startedMs: T_MS, completedMs: T_MS },
      ],
      conditions: [CONDITION_FACTS],
      availableUpdates: ['4.20.2'],
    },
  },
  {
    resource: 'clusteroperators',
    object: {
      kind: 'ClusterOperator',
      metadata: meta('machine-config'),
      status: {
        versions: [
          { name: 'operand', version: 'x' },
          { name: 'operator', version: '4.20.1' },
        ],
        conditions: [CONDITION],
      },
    },
    facts: { kind: 'clusteroperators', createdMs: T_MS, operatorVersion: '4.20.1', conditions: [CONDITION_FACTS] },
  },
  {
    resource: 'nodes',
    object: {
      kind: 'Node',
      metadata: meta('node-1', {
        labels: { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/infra': '', a: 'b' },
      }),
      spec: { unschedulable: true },
      status: {
        conditions: [
          { type: 'MemoryPressure', status: 'False', lastHeartbeatTime: LATER },
          { type: 'Ready', status: 'True', lastHeartbeatTime: LATER, lastTransitionTime: T },
        ],
        nodeInfo: { kubeletVersion: 'v1.33.4' },
        allocatable: { 'devices.kubevirt.io/kvm': '1k' },
        images: [{ names: ['x'] }],
      },
    },
    facts: {
      kind: 'nodes',
      createdMs: T_MS,
      isReady: true,
      readyChangedMs: T_MS,
      isSchedulable: false,
      roles: ['infra', 'worker'],
      kubeletVersion: 'v1.33.4',
      hasKvm: true,
    },
  },
  {
    resource: 'events',
    object: {
      kind: 'Event',
      metadata: meta('kubevirt-hyperconverged.17f'),
      reason: 'UpgradeHCO',
      type: 'Normal',
      message: 'Upgrading the HyperConverged to version 1.17.0',
      count: 2,
      firstTimestamp: T,
      lastTimestamp: LATER,
      involvedObject: { kind: 'HyperConverged', name: 'kubevirt-hyperconverged', namespace: 'kubevirt-hyperconverged' },
    },
    facts: {
      kind: 'events',
      createdMs: T_MS,
      reason: 'UpgradeHCO',
      type: 'Normal',
      message: 'Upgrading the HyperConverged to version 1.17.0',
      count: 2,
      firstMs: T_MS,
      lastMs: LATER_MS,
      objectKind: 'HyperConverged',
      objectName: 'kubevirt-hyperconverged',
      objectNamespace: 'kubevirt-hyperconverged',
    },
  },
  {
    resource: 'storageclasses',
    object: {
      kind: 'StorageClass',
      metadata: meta('ceph-rbd', {
        annotations: {
          'storageclass.kubernetes.io/is-default-class': 'false',
          'storageclass.kubevirt.io/is-default-virt-class': 'true',
        },
      }),
      provisioner: 'rbd.csi.ceph.com',
      parameters: { pool: 'vms' },
    },
    facts: {
      kind: 'storageclasses',
      createdMs: T_MS,
      provisioner: 'rbd.csi.ceph.com',
      isDefault: false,
      isVirtDefault: true,
    },
  },
  {
    resource: 'apirequestcounts',
    object: {
      kind: 'APIRequestCount',
      metadata: meta('virtualmachines.v1alpha3.kubevirt.io'),
      status: {
        removedInRelease: '1.36',
        currentHour: { byNode: [{ nodeName: 'a', byUser: [{ username: 'system:admin', userAgent: 'virtctl/v1.1' }] }] },
        last24h: [
          {
            byNode: [
              { byUser: [{ username: 'system:serviceaccount:x:y' }, { userAgent: 'virtctl/v1.1' }] },
              { byUser: [{ userAgent: 'forklift' }] },
            ],
          },
          {},
        ],
        requestCount: 12,
      },
    },
    facts: {
      kind: 'apirequestcounts',
      createdMs: T_MS,
      removedIn: '1.36',
      clients: ['forklift', 'system:serviceaccount:x:y', 'virtctl/v1.1'],
    },
  },
]
