import { hashOf } from '../random.ts'
import type { Component } from './cluster-history.ts'

/** An operation of a JSON patch (RFC 6902). */
interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value?: unknown
}

const VERBOSITY = '/spec/configuration/developerConfiguration/logVerbosity'
const GATES = '/spec/configuration/developerConfiguration/featureGates/-'

/** What people patch, by operand: gates, log levels, pods of the operator, places in lists. */
const OPERATIONS: Readonly<Record<Component, readonly PatchOperation[]>> = {
  kubevirt: [
    { op: 'add', path: GATES, value: 'CPUManager' },
    { op: 'add', path: VERBOSITY, value: { virtAPI: 5, virtHandler: 5 } },
    { op: 'add', path: '/spec/configuration/migrations/disableTLS', value: true },
    {
      op: 'add',
      path: '/spec/customizeComponents/patches',
      value: [{ resourceType: 'Deployment', resourceName: 'virt-controller', type: 'json', patch: '[]' }],
    },
    { op: 'add', path: GATES, value: 'HotplugNICs' },
    { op: 'replace', path: '/spec/workloads/nodePlacement/tolerations/0/operator', value: 'Exists' },
    { op: 'add', path: '/spec/configuration/cpuModel', value: 'host-model' },
    { op: 'add', path: '/spec/configuration/evictionStrategy', value: 'LiveMigrateIfPossible' },
    { op: 'add', path: '/spec/configuration/network/permitSlirpInterface', value: false },
  ],
  cdi: [
    { op: 'add', path: '/spec/config/featureGates/-', value: 'HonorWaitForFirstConsumer' },
    { op: 'replace', path: '/spec/config/filesystemOverhead/global', value: '0.08' },
    { op: 'add', path: '/spec/config/insecureRegistries/-', value: 'registry.example.net:5000' },
    { op: 'add', path: '/spec/config/podResourceRequirements', value: { limits: { cpu: '4', memory: '2Gi' } } },
    { op: 'add', path: '/spec/config/scratchSpaceStorageClass', value: 'local-nvme' },
  ],
  'network-addons': [
    { op: 'add', path: '/spec/kubeMacPool', value: { rangeStart: '02:00:00:00:00:00', rangeEnd: '02:00:00:00:FF:FF' } },
    { op: 'replace', path: '/spec/imagePullPolicy', value: 'Always' },
    { op: 'replace', path: '/spec/placementConfiguration/workloads/tolerations/0/operator', value: 'Exists' },
    { op: 'remove', path: '/spec/linuxBridge' },
  ],
  ssp: [
    { op: 'replace', path: '/spec/templateValidator/replicas', value: 3 },
    { op: 'add', path: '/spec/commonTemplates/dataImportCronTemplates/0/spec/retentionPolicy', value: 'All' },
    { op: 'add', path: '/spec/tlsSecurityProfile', value: { type: 'Intermediate', intermediate: {} } },
    { op: 'remove', path: '/spec/commonTemplates/dataImportCronTemplates/2' },
  ],
}

/** So many operations of one patch, others from cluster to cluster. */
export function patchOperations(seed: string, component: Component, count: number): readonly PatchOperation[] {
  const known = OPERATIONS[component]
  const first = hashOf(seed, 'patch', component)
  return Array.from({ length: count }, (_, i) => known[(first + i) % known.length]!)
}
