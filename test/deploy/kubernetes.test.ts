import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { readServeArguments } from '../../src/cli/serve-options.ts'
import { OPTIONS } from '../../src/config/config.ts'
import { VERSION } from '../../src/config/version.ts'
import { tokenCommand } from '../../src/cli/token.ts'
import { ROOT } from '../content/content.ts'
import { DIR, kustomization, manifestsOf, one, type Claim, type Container, type Manifest } from './manifests.ts'

// The manifests as a cluster and Kustomize would read them, as far as that can be said without either.

const base = manifestsOf('base')
const first = manifestsOf('first-token')
const set = one(base, 'StatefulSet')
const pod = set.spec.template.spec
const [server] = pod.containers as [Container]
const job = one(first, 'Job')

describe.each(['base', 'first-token', 'openshift'])('the kustomization %s', (folder) => {
  const { namespace, images } = kustomization(folder)
  test('names files that exist, and leaves none out but examples', () => {
    const { resources, configMapGenerator = [] } = kustomization(folder)
    const named = [...resources, ...configMapGenerator.flatMap(({ files }) => files), 'kustomization.yaml']
    for (const path of named) expect(existsSync(join(DIR, folder, path)), path).toBe(true)
    const files = readdirSync(join(DIR, folder)).filter((file) => !file.includes('example'))
    expect(files.filter((file) => !named.includes(file))).toEqual([])
    // Kustomize refuses a folder that contains the one that names it, and files outside of its own.
    for (const path of resources) expect(path).toMatch(/^[\w-]+\.yaml$|^\.\.\/[\w-]+$/)
  })

  test('has every manifest once, in one namespace', () => {
    const manifests = manifestsOf(folder)
    const names = manifests.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    expect(namespace).toBe(one(base, 'Namespace').metadata.name)
  })

  test('has the image of this version', () => {
    for (const { name, newTag } of images ?? []) expect([name, newTag]).toEqual(['daytwo', VERSION])
  })
})

test('the namespace is the same for both, and enforces the restricted standard', () => {
  expect(one(first, 'Namespace')).toEqual(one(base, 'Namespace'))
  expect(one(base, 'Namespace').metadata.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' })
})

describe.each([
  ['the server', set],
  ['the first token', job],
])('the pod of %s', (_, manifest) => {
  const spec = manifest.spec.template.spec
  test('is what the restricted Pod Security Standard wants, and more', () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(spec.securityContext.runAsUser).toBeGreaterThan(1000)
    expect(spec.automountServiceAccountToken).toBe(false)
    for (const key of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers']) expect(spec, key).not.toHaveProperty(key)
    expect(spec.volumes.filter(({ hostPath }) => hostPath !== undefined)).toEqual([])
    for (const { securityContext, resources } of spec.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(resources.requests.cpu).toMatch(/^\d+m$/)
      expect(resources.requests.memory).toMatch(/^\d+[MG]i$/)
      expect(resources.limits.memory).toMatch(/^\d+[MG]i$/)
    }
  })

  test('is the user of the image, which can write to its volume', () => {
    const user = Number(/^USER (\d+):/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1])
    expect([spec.securityContext.runAsUser, spec.securityContext.fsGroup]).toEqual([user, user])
  })

  test('mounts volumes that it has, each once', () => {
    const claims =
      manifest.kind === 'StatefulSet' ? manifest.spec.volumeClaimTemplates.map((claim) => claim.metadata.name) : []
    const volumes = [...spec.volumes.map(({ name }) => name), ...claims].sort()
    const [container] = spec.containers
    expect(container!.volumeMounts.map(({ name }) => name).sort()).toEqual(volumes)
  })
})

describe('the server', () => {
  test('is one, ever', () => {
    expect(set.spec.replicas).toBe(1)
    expect(base.map(({ kind }) => kind)).not.toContain('PodDisruptionBudget')
  })

  const [command, ...options] = server.args
  const configAt = options.indexOf('--config')
  const { config } = readServeArguments(options.toSpliced(configAt, 2))

  test('gets options that exist', () => {
    expect(command).toBe('serve')
    const file = parse(readFileSync(join(DIR, 'base/daytwo.yaml'), 'utf8')) as Readonly<Record<string, string>>
    expect(Object.keys(file).filter((key) => !Object.hasOwn(OPTIONS, key))).toEqual([])
    readServeArguments(['--config', join(DIR, 'base/daytwo.yaml')])
  })

  test('can write where it writes, and nowhere else', () => {
    const writable = server.volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath)
    expect(writable).toEqual([config.data, '/tmp'])
  })

  test('finds its configuration in the ConfigMap, and that of notifications where the example puts it', () => {
    const { configMapGenerator = [] } = kustomization('base')
    const mountOf = (name: string): string => server.volumeMounts.find((mount) => mount.name === name)!.mountPath
    expect(configMapGenerator).toEqual([
      { name: pod.volumes.find(({ name }) => name === 'config')?.configMap?.name, files: ['daytwo.yaml'] },
    ])
    expect(options[configAt + 1]).toBe(`${mountOf('config')}/daytwo.yaml`)
    const example = parse(readFileSync(join(DIR, 'base/notify.example.yaml'), 'utf8')) as Manifest
    expect(pod.volumes.find(({ name }) => name === 'notify')?.secret).toEqual({
      secretName: example.metadata.name,
      optional: true,
    })
    const written = /^# notify\.config: (\S+)$/m.exec(readFileSync(join(DIR, 'base/daytwo.yaml'), 'utf8'))?.[1]
    expect(Object.keys(example.stringData!).map((key) => `${mountOf('notify')}/${key}`)).toEqual([written])
  })

  test('is asked by probes what it answers without a token', () => {
    const { startupProbe, livenessProbe, readinessProbe } = server
    const paths = [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet.path)
    expect(paths).toEqual(['/-/ready', '/-/healthy', '/-/ready'])
    const routes = readFileSync(join(ROOT, 'test/api/routes.test.ts'), 'utf8')
    for (const path of paths) expect(routes).toMatch(new RegExp(`^GET,HEAD +public +text +none +${path!}$`, 'm'))
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) expect(probe?.httpGet.port).toBe('http')
    // The log of a large fleet takes minutes to read.
    expect(startupProbe!.periodSeconds * startupProbe!.failureThreshold!).toBeGreaterThanOrEqual(300)
  })

  test('is found by the service, the policy and the route, at the port it listens on', () => {
    const labels = set.spec.template.metadata!.labels
    const service = one(base, 'Service')
    expect(set.spec.selector?.matchLabels).toEqual(labels)
    expect(service.spec.selector).toEqual(labels)
    expect(set.spec.serviceName).toBe(service.metadata.name)
    expect(server.ports).toEqual([{ name: 'http', containerPort: config.listen.port }])
    expect(service.spec.ports).toEqual([{ name: 'http', port: config.listen.port, targetPort: 'http' }])
    const policy = one(base, 'NetworkPolicy')
    expect(policy.spec.podSelector?.matchLabels).toEqual(labels)
    expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress'])
    for (const { ports, from } of policy.spec.ingress!) {
      expect(ports.map(({ port }) => port)).toEqual(['http'])
      expect(from.length).toBeGreaterThan(0)
    }
    for (const { to } of policy.spec.egress!) expect(to.length).toBeGreaterThan(0)
    const route = one(manifestsOf('openshift'), 'Route')
    expect([route.spec.to?.name, route.spec.port?.targetPort]).toEqual([service.metadata.name, 'http'])
  })

  test('has an account without a token', () => {
    const account = one(base, 'ServiceAccount')
    expect([account.automountServiceAccountToken, account.metadata.name]).toEqual([false, pod.serviceAccountName])
  })
})

describe('the first token', () => {
  test('is made by a command that exists, in the volume of the server', () => {
    const [container] = job.spec.template.spec.containers as [Container]
    const [command, verb, ...options] = container.args
    expect([command, verb]).toEqual(['token', 'add'])
    for (const option of options.filter((word) => word.startsWith('--'))) expect(tokenCommand.help()).toContain(option)
    const claim = one(first, 'PersistentVolumeClaim') as unknown as Claim
    const [template] = set.spec.volumeClaimTemplates as [Claim]
    expect(claim.metadata.name).toBe(`${template.metadata.name}-${set.metadata.name}-0`)
    expect(claim.spec).toEqual(template.spec)
    expect(job.spec.template.spec.volumes[0]?.persistentVolumeClaim?.claimName).toBe(claim.metadata.name)
    const data = options[options.indexOf('--data') + 1]
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([data])
    expect(server.args).toContain(data)
  })
})

test('what OpenShift takes out is there', () => {
  const [patch] = kustomization('openshift').patches!
  expect(patch!.target).toEqual({ kind: set.kind, name: set.metadata.name })
  for (const { op, path } of parse(patch!.patch) as { readonly op: string; readonly path: string }[]) {
    expect(op).toBe('remove')
    const found = path
      .split('/')
      .slice(1)
      .reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], set)
    expect(found, path).toBeDefined()
  }
})

test('nothing in it names a registry', () => {
  for (const manifest of [set, job])
    for (const { image } of manifest.spec.template.spec.containers) expect(image).toBe('daytwo')
})
