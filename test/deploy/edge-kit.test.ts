import { describe, expect, test } from 'vitest'
import { clusterOfResource } from '../../src/ingest/cluster-claim.ts'
import { INGEST_DEFAULTS } from '../../src/ingest/options.ts'
import { clusterOf } from '../../src/model/cluster-identity.ts'
import { Labels } from '../../src/model/labels.ts'
import type { ObjectKind } from '../../src/model/object-facts.ts'
import { KINDS, SKIPPED_KEYS } from '../../src/wire/k8s/kinds.ts'
import { remoteWriteSnippet } from '../../src/web/lib/sender-snippets.ts'
import { collectorConfig, deployText, manifest, manifests, type WatchedObject } from './edge-kit.ts'

const UID = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'

// What a cluster sends is what the decoders read: no kind is missing, and none leaves a cluster for nothing.

const OLM = 'operators.coreos.com'

/** The API group of each kind, as its operator serves it. */
const GROUPS: Readonly<Record<ObjectKind, string>> = {
  clusterserviceversions: OLM,
  subscriptions: OLM,
  installplans: OLM,
  operatorconditions: OLM,
  operatorgroups: OLM,
  catalogsources: OLM,
  hyperconvergeds: 'hco.kubevirt.io',
  kubevirts: 'kubevirt.io',
  virtualmachineinstancemigrations: 'kubevirt.io',
  virtualmachineinstances: 'kubevirt.io',
  cdis: 'cdi.kubevirt.io',
  dataimportcrons: 'cdi.kubevirt.io',
  ssps: 'ssp.kubevirt.io',
  networkaddonsconfigs: 'networkaddonsoperator.network.kubevirt.io',
  hostpathprovisioners: 'hostpathprovisioner.kubevirt.io',
  aaqs: 'aaq.kubevirt.io',
  kubedeschedulers: 'operator.openshift.io',
  clusterversions: 'config.openshift.io',
  clusteroperators: 'config.openshift.io',
  machineconfigpools: 'machineconfiguration.openshift.io',
  daemonsets: 'apps',
  nodes: '',
  events: '',
  storageclasses: 'storage.k8s.io',
  apirequestcounts: 'apiserver.openshift.io',
}

/** Off until somebody wants them: a large cluster has thousands of machines, and megabytes of counts. */
const OPTIONAL: readonly string[] = ['virtualmachineinstances', 'apirequestcounts']
/** Events expire, so that one which is not listed says nothing. */
const NEVER_PULLED = 'events'
/** Not a kind that is kept: its uid is the cluster's. */
const IDENTITY = 'namespaces'

const objects = collectorConfig().receivers['k8sobjects']!.objects
const { rules } = manifest('edge-kit.yaml', 'ClusterRole', 'daytwo-edge')

const named = (name: string): readonly WatchedObject[] => objects.filter((object) => object.name === name)

describe('the Collector', () => {
  test.each(Object.entries(GROUPS).filter(([kind]) => !OPTIONAL.includes(kind)))(
    'watches and pulls %s of "%s"',
    (kind, group) => {
      const told = named(kind)
      expect(told.map(({ mode }) => mode)).toEqual(kind === NEVER_PULLED ? ['watch'] : ['watch', 'pull'])
      for (const object of told) expect(object.group ?? '').toBe(group)
      const [watch, pull] = told.map((object) => ({ ...object, mode: '', interval: '' }))
      if (pull !== undefined) expect(pull).toEqual(watch)
      for (const { mode, interval } of told) expect(interval === undefined).toBe(mode === 'watch')
    },
  )

  test('names the cluster as Prometheus does, so that both are one cluster, with a bound token and without one', () => {
    const env: Readonly<Record<string, string>> = { CLUSTER_NAME: 'prague', CLUSTER_UID: UID }
    const attributes = (collectorConfig().processors['resource/cluster']!.attributes ?? []).map(({ key, value }) => ({
      key,
      value: value.replace(/\$\{env:(\w+)\}/, (_, name: string) => env[name] ?? ''),
    }))
    const { identityLabels } = INGEST_DEFAULTS
    for (const bound of [undefined, 'prague'])
      expect(clusterOfResource(attributes, bound, identityLabels)).toEqual({
        kind: 'named',
        sender: { cluster: 'prague', isBound: bound !== undefined, names: [{ name: UID, kind: 'uid' }] },
      })
    // Metrics: a label `cluster` counts before OpenShift's id.
    const labels = Labels.of({ __name__: 'up', cluster: 'prague', cluster_id: '2c0d4e9a-5b77-4d0c-9c55-8f1e2a3b4c5d' })
    expect(clusterOf(labels, identityLabels)).toBe('prague')
    for (const sender of ['openshift', 'prometheus'] as const)
      expect(remoteWriteSnippet(sender, 'https://d.example')).toMatch(/cluster(:|\n +replacement:) my-cluster/)
  })

  test('tells of nothing that no decoder reads', () => {
    const known = new Set([...Object.keys(KINDS), IDENTITY])
    expect(objects.filter(({ name }) => !known.has(name))).toEqual([])
    expect(OPTIONAL.flatMap(named)).toEqual([])
    expect(named(IDENTITY)).toEqual([
      { name: 'namespaces', mode: 'pull', interval: '1h', field_selector: 'metadata.name=kube-system' },
    ])
  })

  test('asks for no copies of the CSV, of daemon sets for one, and for what many operators have in three namespaces', () => {
    for (const { label_selector } of named('clusterserviceversions')) expect(label_selector).toBe('!olm.copiedFrom')
    for (const { field_selector } of named('daemonsets')) expect(field_selector).toBe('metadata.name=virt-handler')
    for (const kind of ['clusterserviceversions', 'subscriptions', 'installplans', 'events']) {
      for (const { namespaces } of named(kind)) {
        expect(namespaces).toEqual(['kubevirt-hyperconverged', 'openshift-cnv', 'kubevirt'])
      }
    }
  })

  test('has every part that its pipeline names, and sends through a queue on disk', () => {
    const { receivers, processors, exporters, extensions, service } = collectorConfig()
    const { logs } = service.pipelines as { logs: (typeof service.pipelines)[string] }
    expect(Object.keys(service.pipelines)).toEqual(['logs'])
    expect(logs.receivers).toEqual(Object.keys(receivers))
    expect([...logs.processors].sort()).toEqual(Object.keys(processors).sort())
    expect(logs.exporters).toEqual(Object.keys(exporters))
    expect([...service.extensions].sort()).toEqual(Object.keys(extensions).sort())
    const queue = exporters['otlphttp/daytwo']!.sending_queue
    expect(service.extensions).toContain(queue.storage)
    // A pull must stay one request: a part of one would look like a listing in which objects are missing.
    expect(logs.processors).not.toContain('batch')
  })

  test('strips what the decoders pass over anyway, in watched and in pulled objects alike', () => {
    const [block] = collectorConfig().processors['transform/slim']!.log_statements!
    const statements = block!.statements
    const [watched, pulled] = [
      statements
        .filter((line) => line.includes('body["object"]'))
        .map((line) => line.replaceAll('body["object"]', 'body')),
      statements.filter((line) => !line.includes('body["object"]')),
    ]
    expect(watched).toEqual(pulled)
    const deleted = pulled.flatMap((line) => /^delete_key\(.*, "([^"]+)"\)/.exec(line)?.[1] ?? [])
    expect(deleted.length).toBeGreaterThan(6)
    expect(deleted.filter((key) => !SKIPPED_KEYS.has(key))).toEqual([])
    for (const line of statements)
      expect(line).toMatch(/^(delete_key|keep_keys)\(body(\["[^"]+"\]|\[\d\])+, .+\) where .*Is(Map|List)\(/)
  })
})

describe('the cluster role', () => {
  test('lets read what is sent, and nothing else: no secrets, no config maps, no pods', () => {
    const granted = rules!.flatMap(({ apiGroups, resources }) =>
      apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
    )
    const wanted = [...new Set(objects.map(({ group, name }) => `${group ?? ''}/${name}`))]
    expect([...granted].sort()).toEqual(wanted.sort())
    for (const { verbs } of rules!) expect(verbs).toEqual(['get', 'list', 'watch'])
    for (const { apiGroups, resources } of rules!) expect([...apiGroups, ...resources]).not.toContain('*')
  })

  test('where only one object is asked for, only that one may be read', () => {
    for (const { name, field_selector } of objects) {
      const rule = rules!.find(({ resources }) => resources.includes(name))
      const only = field_selector?.replace('metadata.name=', '')
      expect({ name, only: rule?.resourceNames }).toEqual({ name, only: only === undefined ? undefined : [only] })
    }
  })

  test('is bound to the account the pod runs as', () => {
    const binding = manifest('edge-kit.yaml', 'ClusterRoleBinding', 'daytwo-edge')
    const deployment = manifest('edge-kit.yaml', 'Deployment', 'daytwo-edge')
    expect(binding.roleRef!.name).toBe('daytwo-edge')
    expect(binding.subjects).toEqual([{ kind: 'ServiceAccount', name: 'daytwo-edge', namespace: 'daytwo-edge' }])
    expect(deployment.spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'Recreate' },
      template: { spec: { serviceAccountName: 'daytwo-edge' } },
    })
  })
})

describe('the manifests', () => {
  test('are these, all in one namespace', () => {
    expect(manifests('edge-kit.yaml').map(({ kind }) => kind)).toEqual([
      'Namespace',
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Secret',
      'ConfigMap',
      'Deployment',
    ])
    const namespaces = manifests('edge-kit.yaml').flatMap(({ metadata }) => metadata.namespace ?? [])
    expect(new Set(namespaces)).toEqual(new Set(['daytwo-edge']))
  })

  test('the Secret has what the Collector asks its environment for, and the commands of the page fill all of it in', () => {
    const secret = manifest('edge-kit.yaml', 'Secret', 'daytwo-edge').stringData!
    const text = deployText('edge-kit.yaml')
    const asked = [...text.matchAll(/\$\{env:([A-Z_]+)\}/g)].map(([, name]) => name!)
    expect([...new Set(asked)].sort()).toEqual(Object.keys(secret).sort())
    for (const placeholder of Object.values(secret)) {
      expect(placeholder).toMatch(/^REPLACE_WITH_[A-Z_]+$/)
      expect(text.split(placeholder)).toHaveLength(2)
      expect(deployText('README.md')).toContain(`s|${placeholder}|`)
    }
  })
})
