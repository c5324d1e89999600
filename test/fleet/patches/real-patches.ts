/** JSON patches of HyperConverged's annotations as people published them, each with its source. */

export interface RealPatch {
  readonly name: string
  readonly source: string
  readonly component: string
  /** The annotation, as written. */
  readonly text: string
  /** The classes of its findings, from HCO `from` to HCO `to`; the worst first. */
  readonly from: string
  readonly to: string
  readonly want: readonly string[]
}

const HCO_DOC = 'https://github.com/kubevirt/hyperconverged-cluster-operator/blob/main/docs/cluster-configuration.md'
const HCO = 'https://github.com/kubevirt/hyperconverged-cluster-operator'
const OPENSHIFT_DOCS = 'https://github.com/openshift/openshift-docs'
const GATES = '/spec/configuration/developerConfiguration/featureGates/-'

const gate = (name: string): string => JSON.stringify([{ op: 'add', path: GATES, value: name }])

export const REAL_PATCHES: readonly RealPatch[] = [
  {
    ...{ name: 'post-copy migration', source: HCO_DOC, component: 'kubevirt', from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "add", "path": "/spec/configuration/migrations", "value": {"allowPostCopy": true}}]',
    want: ['dangerous', 'dangerous', 'superseded'],
  },
  {
    ...{ name: 'CPUManager', source: HCO_DOC, component: 'kubevirt', from: '1.17.3', to: '1.18.1' },
    text: gate('CPUManager'),
    want: ['gate', 'redundant'],
  },
  {
    ...{ name: 'an argument of virt-handler', source: HCO_DOC, component: 'kubevirt', from: '1.17.3', to: '1.18.1' },
    text: `[{"op": "add", "path": "/spec/customizeComponents/patches", "value": [{
      "patch": "[{\\"op\\":\\"add\\",\\"path\\":\\"/spec/template/spec/containers/0/command/-\\",\\"value\\":\\"--max-devices=250\\"}]",
      "resourceName": "virt-handler", "resourceType": "Daemonset", "type": "json"}]}]`,
    want: ['dangerous', 'fragile'],
  },
  {
    ...{ name: 'address of the upload proxy', source: HCO_DOC, component: 'cdi', from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "add", "path": "/spec/config/uploadProxyURLOverride", "value": "myproxy.example.com"}]',
    want: [],
  },
  {
    ...{ name: 'old TLS of CDI', source: `${HCO}/pull/2140`, component: 'cdi', from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "replace", "path": "/spec/config/tlsSecurityProfile", "value": {"old":{}, "type": "Old", "intermediate": null, "modern": null, "custom": null}}]',
    want: ['dangerous', 'dangerous', 'superseded'],
  },
  {
    ...{
      name: 'old TLS of CNAO',
      source: `${HCO}/pull/2140`,
      component: 'network-addons',
      from: '1.17.3',
      to: '1.18.1',
    },
    text: '[{"op": "replace","path": "/spec/tlsSecurityProfile", "value": {"old":{}, "type": "Old", "intermediate": null, "modern": null, "custom": null}}]',
    want: ['dangerous', 'dangerous', 'superseded'],
  },
  {
    ...{ name: 'TLS 1.0 of KubeVirt', source: `${HCO}/pull/2140`, component: 'kubevirt', from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "replace","path": "/spec/configuration/tlsConfiguration", "value": {"ciphers": ["TLS_RSA_WITH_AES_128_CBC_SHA"], "minTLSVersion": "VersionTLS10"}}]',
    want: ['dangerous'],
  },
  {
    ...{
      name: 'address of the upload proxy, relative to the specification',
      source: `${HCO}/pull/1143`,
      component: 'cdi',
      from: '1.17.3',
      to: '1.18.1',
    },
    text: '[{"op": "add", "path": "/config/uploadProxyURLOverride", "value": "myproxy.example.com"}]',
    want: ['broken'],
  },
  {
    ...{
      name: 'rate limits of clients',
      source: `${HCO}/pull/2318`,
      component: 'kubevirt',
      from: '1.17.3',
      to: '1.18.1',
    },
    text: `[{"op":"add","path":"/spec/configuration","value":{
      "apiConfiguration":{"restClient":{"rateLimiter":{"tokenBucketRateLimiter":{"burst":200,"qps":100}}}},
      "controllerConfiguration":{"restClient":{"rateLimiter":{"tokenBucketRateLimiter":{"burst":400,"qps":200}}}},
      "handlerConfiguration":{"restClient":{"rateLimiter":{"tokenBucketRateLimiter":{"burst":400,"qps":200}}}},
      "webhookConfiguration":{"restClient":{"rateLimiter":{"tokenBucketRateLimiter":{"burst":400,"qps":200}}}}}}]`,
    want: ['dangerous', 'superseded'],
  },
  {
    ...{ name: 'no KubeMacPool', source: HCO_DOC, component: 'network-addons', from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "replace","path": "/spec/kubeMacPool","value": null}]',
    want: ['fragile'],
  },
  {
    ...{ name: 'Sidecar', source: `${HCO}/issues/2033`, component: 'kubevirt', from: '1.17.3', to: '1.18.1' },
    text: gate('Sidecar'),
    want: ['dangerous', 'gate'],
  },
  {
    ...{ name: 'log levels', source: `${HCO}/pull/1372`, component: 'kubevirt', from: '1.17.3', to: '1.18.1' },
    text: '[{"op":"add","path":"/spec/configuration/developerConfiguration/logVerbosity","value":{"virtAPI":4,"virtController":4,"virtHandler":4,"virtLauncher":4,"virtOperator":4}}]',
    want: ['superseded'],
  },
  {
    ...{
      name: 'one gate out and another in',
      source: `${HCO}/pull/3744`,
      component: 'kubevirt',
      from: '1.17.3',
      to: '1.18.1',
    },
    text: `[{"op": "remove", "path": "/spec/configuration/developerConfiguration/featureGates/2"}, {"op": "add", "path": "${GATES}", "value": "DeclarativeHotplugVolumes"}]`,
    want: ['dangerous', 'gate', 'fragile', 'superseded'],
  },
  {
    ...{
      name: 'a path without spec',
      source: `${HCO}/issues/1201`,
      component: 'kubevirt',
      from: '1.17.3',
      to: '1.18.1',
    },
    text: `[{"op": "add", "path": "/configuration/migrations", "value": "{'allowPostCopy': 'true'}"}]`,
    want: ['broken'],
  },
  {
    name: 'storage migration',
    ...{
      source: 'https://github.com/stormshift/support/issues/372',
      component: 'kubevirt',
      from: '1.17.3',
      to: '1.18.1',
    },
    text: `[{"op": "add", "path": "${GATES}", "value": "VolumesUpdateStrategy"}, {"op": "add", "path": "${GATES}", "value": "VolumeMigration"}]`,
    want: ['gate', 'gate'],
  },
  {
    ...{
      name: 'one CPU model for all',
      source: `${OPENSHIFT_DOCS}/pull/33981`,
      component: 'kubevirt',
      from: '1.6.0',
      to: '1.7.0',
    },
    text: '[{"op": "add", "path": "/spec/configuration/cpuModel", "value": "Skylake-Client"}]',
    want: ['superseded'],
  },
  {
    ...{
      name: 'no NMState before 4.11',
      source: `${OPENSHIFT_DOCS}/pull/50464`,
      component: 'network-addons',
      from: '4.10.5',
      to: '4.11.0',
    },
    text: '[{"op": "replace","path": "/spec/nmstate", "value": null}]',
    want: ['broken', 'fragile'],
  },
  {
    ...{
      name: 'Secure Execution',
      source: `${OPENSHIFT_DOCS}/pull/99764`,
      component: 'kubevirt',
      from: '1.17.3',
      to: '1.19.0',
    },
    text: gate('SecureExecution'),
    want: ['gate'],
  },
  {
    ...{
      name: 'RebootPolicy',
      source: `${OPENSHIFT_DOCS}/pull/110883`,
      component: 'kubevirt',
      from: '1.18.1',
      to: '1.19.0',
    },
    text: gate('RebootPolicy'),
    want: ['gate'],
  },
  {
    name: 'mediated devices by the GPU operator',
    ...{
      source: 'https://github.com/NVIDIA/cloud-native-docs/blob/main/openshift/openshift-virtualization.rst',
      component: 'kubevirt',
    },
    ...{ from: '4.20.0', to: '4.22.0', text: gate('DisableMDEVConfiguration'), want: ['gate', 'superseded'] },
  },
  {
    name: 'an old machine type',
    ...{
      source: 'https://github.com/kubevirt/common-templates/blob/master/templates/contrib/pc/README.md',
      component: 'kubevirt',
    },
    ...{ from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "add", "path": "/spec/configuration/emulatedMachines", "value": ["q35*", "pc-q35*", "pc-i440fx-rhel7.6.0"]}]',
    want: [],
  },
  {
    name: 'emulation, all of developerConfiguration',
    ...{
      source: 'https://github.com/red-hat-storage/ocs-ci/pull/14119',
      component: 'kubevirt',
      from: '1.17.3',
      to: '1.18.1',
    },
    text: '[{ "op": "add", "path": "/spec/configuration/developerConfiguration", "value": { "useEmulation": true } }]',
    want: ['dangerous'],
  },
  {
    ...{ name: 'emulation alone', source: `${HCO}/issues/2933`, component: 'kubevirt', from: '1.17.3', to: '1.18.1' },
    text: '[{"op":"add","path":"/spec/configuration/developerConfiguration/useEmulation","value":true}]',
    want: [],
  },
  {
    name: 'changed block tracking',
    ...{
      source: 'https://github.com/openshift/oadp-operator/pull/2398',
      component: 'kubevirt',
      from: '1.17.3',
      to: '1.18.1',
    },
    text: '[{"op":"add","path":"/spec/configuration/changedBlockTrackingLabelSelectors","value":{"virtualMachineLabelSelector":{"matchLabels":{"changedBlockTracking":"true"}}}}]',
    want: ['superseded'],
  },
  {
    name: 'HotplugNICs, and what had to be there first',
    ...{
      source: 'https://github.com/ovn-kubernetes/ovn-kubernetes/pull/5527',
      component: 'kubevirt',
      from: '1.13.0',
      to: '1.15.2',
    },
    text: `[{"op":"add","path":"/spec/configuration/developerConfiguration","value":{"featureGates":[]}},{"op":"add","path":"${GATES}","value":"NetworkBindingPlugins"},{"op":"add","path":"${GATES}","value":"DynamicPodInterfaceNaming"}]`,
    want: ['dangerous', 'gate', 'gate'],
  },
  {
    name: 'templates of SSP, replaced',
    ...{
      source: 'https://github.com/RedHatQE/openshift-virtualization-tests/blob/main/utilities/unittests/test_hco.py',
    },
    ...{ component: 'ssp', from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "replace", "path": "/spec/commonTemplates", "value": ["template1", "template2"]}]',
    want: ['broken'],
  },
  {
    name: 'scratch space',
    ...{
      source: 'https://github.com/RedHatQE/openshift-virtualization-tests/blob/main/utilities/unittests/test_hco.py',
    },
    ...{ component: 'cdi', from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "add", "path": "/spec/config/scratchSpaceStorageClass", "value": "local"}]',
    want: ['superseded'],
  },
  {
    name: 'the CPU model, removed where it is not set',
    ...{
      source: 'https://github.com/RedHatQE/openshift-virtualization-tests/blob/main/utilities/unittests/test_hco.py',
    },
    ...{ component: 'kubevirt', from: '1.17.3', to: '1.18.1' },
    text: '[{"op": "remove", "path": "/spec/configuration/cpuModel", "value": null}]',
    want: ['fragile'],
  },
]
