import { hashOf } from '../random.ts'
import type { Component } from './cluster-history.ts'

/** An operation of a JSON patch (RFC 6902). */
interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove'
  readonly path: string
  readonly value?: unknown
}

const GATES = '/spec/configuration/developerConfiguration/featureGates/-'
const OLD_TLS = { type: 'Old', old: {}, intermediate: null, modern: null, custom: null }
const MORE_DEVICES = '[{"op":"add","path":"/spec/template/spec/containers/0/command/-","value":"--max-devices=250"}]'

/**
 * What people patch, by operand, from documents and issues that they published: gates of every stage, whole objects instead of
 * fields, arguments of pods, places in lists, fields that a release dropped, and fields that HyperConverged has by now.
 */
const OPERATIONS: Readonly<Record<Component, readonly PatchOperation[]>> = {
  kubevirt: [
    { op: 'add', path: GATES, value: 'VSOCK' },
    {
      op: 'add',
      path: '/spec/configuration/developerConfiguration/logVerbosity',
      value: { virtAPI: 4, virtHandler: 4 },
    },
    { op: 'add', path: GATES, value: 'HotplugNICs' },
    { op: 'add', path: '/spec/configuration/migrations', value: { allowPostCopy: true } },
    { op: 'add', path: GATES, value: 'PasstIPStackMigration' },
    {
      op: 'add',
      path: '/spec/customizeComponents/patches',
      value: [{ resourceType: 'Daemonset', resourceName: 'virt-handler', type: 'json', patch: MORE_DEVICES }],
    },
    { op: 'add', path: GATES, value: 'Sidecar' },
    { op: 'add', path: '/spec/configuration/cpuModel', value: 'Skylake-Client' },
    { op: 'remove', path: '/spec/configuration/developerConfiguration/featureGates/2' },
    { op: 'add', path: GATES, value: 'DisableMDEVConfiguration' },
    { op: 'add', path: '/spec/configuration/developerConfiguration/useEmulation', value: true },
    { op: 'add', path: GATES, value: 'CPUManager' },
    {
      op: 'add',
      path: '/spec/configuration/changedBlockTrackingLabelSelectors',
      value: { virtualMachineLabelSelector: { matchLabels: { changedBlockTracking: 'true' } } },
    },
    { op: 'add', path: GATES, value: 'ExperimentalVirtiofsSupport' },
    { op: 'add', path: '/spec/configuration/emulatedMachines', value: ['q35*', 'pc-q35*', 'pc-i440fx-rhel7.6.0'] },
  ],
  cdi: [
    { op: 'add', path: '/spec/config/uploadProxyURLOverride', value: 'uploads.example.com' },
    { op: 'add', path: '/spec/config/featureGates/-', value: 'HonorWaitForFirstConsumer' },
    { op: 'add', path: '/spec/config/filesystemOverhead', value: { global: '0.08' } },
    { op: 'add', path: '/spec/config/scratchSpaceStorageClass', value: 'local-nvme' },
    { op: 'replace', path: '/spec/config/tlsSecurityProfile', value: OLD_TLS },
    { op: 'add', path: '/spec/config/podResourceRequirements', value: { limits: { cpu: '4', memory: '2Gi' } } },
    { op: 'add', path: '/spec/cloneStrategyOverride', value: 'copy' },
  ],
  'network-addons': [
    { op: 'replace', path: '/spec/kubeMacPool', value: null },
    { op: 'replace', path: '/spec/tlsSecurityProfile', value: OLD_TLS },
    { op: 'add', path: '/spec/kubeMacPool', value: { rangeStart: '02:00:00:00:00:00', rangeEnd: '02:00:00:00:FF:FF' } },
    { op: 'replace', path: '/spec/nmstate', value: null },
    { op: 'add', path: '/spec/imagePullPolicy', value: 'Always' },
  ],
  ssp: [
    { op: 'replace', path: '/spec/templateValidator/replicas', value: 3 },
    { op: 'add', path: '/spec/commonTemplates/dataImportCronTemplates/0/spec/retentionPolicy', value: 'All' },
    { op: 'replace', path: '/spec/tlsSecurityProfile', value: OLD_TLS },
    { op: 'add', path: '/spec/featureGates', value: { deployVmConsoleProxy: true } },
    { op: 'remove', path: '/spec/commonTemplates/dataImportCronTemplates/2' },
  ],
}

/** So many operations of one patch, others from cluster to cluster. */
export function patchOperations(seed: string, component: Component, count: number): readonly PatchOperation[] {
  const known = OPERATIONS[component]
  const first = hashOf(seed, 'patch', component)
  return Array.from({ length: count }, (_, i) => known[(first + i) % known.length]!)
}
