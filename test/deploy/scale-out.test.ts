import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { describe, expect, test } from 'vitest'
import { FACTS_OPTIONS } from '../../src/cli/data-folder.ts'
import { readServeArguments } from '../../src/cli/serve-options.ts'
import { OPTIONS } from '../../src/config/config.ts'
import { tokenCommand } from '../../src/cli/token.ts'
import { VERSION } from '../../src/config/version.ts'
import { ROOT } from '../content/content.ts'
import { requirePeer } from '../support/peers.ts'
import { DIR, kustomization, manifestsOf, one, type Container, type Manifest } from './manifests.ts'

// Several processes on PostgreSQL and VictoriaMetrics, as Kustomize and Compose would start them, as far as that can be said
// without a cluster: what refers to what, options that exist, flags of the real programs.

const all = manifestsOf('scale-out')
const { patches = [], configMapGenerator = [] } = kustomization('scale-out')

interface Operation {
  readonly op: 'add' | 'replace'
  readonly path: string
  readonly value: unknown
}

/** A manifest with the patches of the kustomization, which add and replace only (RFC 6902). */
function patched(kind: string, name: string): Manifest {
  const found = all.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
  const result = structuredClone(found!) as unknown as Record<string, unknown>
  const ofIt = patches.filter(({ target }) => target.kind === kind && target.name === name)
  for (const { op, path, value } of ofIt.flatMap(({ patch }) => parse(patch) as Operation[])) {
    const keys = path.split('/').slice(1)
    const last = keys.pop()!
    const parent = keys.reduce((part, key) => part[key] as Record<string, unknown>, result)
    expect(typeof parent, path).toBe('object')
    if (op === 'replace') expect(parent, path).toHaveProperty(last)
    if (Array.isArray(parent) && last === '-') parent.push(value)
    else parent[last] = value
  }
  return result as unknown as Manifest
}

const set = patched('StatefulSet', 'daytwo')
const [server] = set.spec.template.spec.containers as [Container & { readonly env: readonly object[] }]
const file = parse(readFileSync(join(DIR, 'scale-out/daytwo.yaml'), 'utf8')) as Readonly<Record<string, string>>

test('every patch has a target', () => {
  for (const { target } of patches) {
    const { kind, name } = target
    expect(all.filter((one) => one.kind === kind && one.metadata.name === name)).toHaveLength(1)
  }
})

test('files are there, and manifests have one name each', () => {
  for (const path of kustomization('scale-out').resources) expect(existsSync(join(DIR, 'scale-out', path))).toBe(true)
  const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  expect(new Set(names).size).toBe(names.length)
})

describe('the processes', () => {
  test('are three, of which a drain may stop one', () => {
    expect(set.spec.replicas).toBe(3)
    const budget = one(all, 'PodDisruptionBudget').spec as unknown as { maxUnavailable: number; selector: object }
    expect(budget).toEqual({ maxUnavailable: 1, selector: set.spec.selector })
  })

  test('have options that exist, and say where both stores are', () => {
    expect(Object.keys(file).filter((key) => !Object.hasOwn(OPTIONS, key))).toEqual([])
    expect(configMapGenerator).toEqual([{ name: 'daytwo', behavior: 'replace', files: ['daytwo.yaml'] }])
    const { config } = readServeArguments(['--config', join(DIR, 'scale-out/daytwo.yaml')])
    const hosts = [config['store.facts'], config['store.metrics']].map((url) => new URL(url).hostname)
    const services = all.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name)
    for (const host of hosts) expect(services).toContain(host)
  })

  test('have a name of their own that a restart does not change', () => {
    expect(server.env).toEqual([
      { name: 'DAYTWO_PROCESS_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    ])
    expect(OPTIONS).toHaveProperty(['process.name'])
  })

  test('find the password in the Secret of the example', () => {
    const example = parse(readFileSync(join(DIR, 'scale-out/postgres-secret.example.yaml'), 'utf8')) as Manifest
    const volume = set.spec.template.spec.volumes.find(({ name }) => name === 'postgres')
    expect(volume?.secret).toEqual({ secretName: example.metadata.name })
    const mount = server.volumeMounts.find(({ name }) => name === 'postgres')
    const [key] = Object.keys(example.stringData!)
    expect(file['store.facts-password-file']).toBe(`${mount!.mountPath}/${key!}`)
  })

  test('may connect to both stores, which accept nothing else', () => {
    const egress = patched('NetworkPolicy', 'daytwo').spec.egress as unknown as readonly {
      readonly to: readonly { readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> } }[]
      readonly ports: readonly { readonly port: number }[]
    }[]
    for (const url of [file['store.facts']!, file['store.metrics']!]) {
      const { hostname, port } = new URL(url)
      const rule = egress.find(({ to }) => to[0]?.podSelector?.matchLabels['app.kubernetes.io/name'] === hostname)
      expect(rule?.ports).toEqual([{ protocol: 'TCP', port: Number(port) }])
      const policy = all.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === hostname)!
      expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress'])
      expect(policy.spec.egress).toBeUndefined()
      expect(policy.spec.ingress).toHaveLength(1)
    }
  })
})

describe.each(['daytwo-postgres', 'daytwo-victoria-metrics'])('the store %s', (name) => {
  const store = all.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === name)!
  const spec = store.spec.template.spec
  const [container] = spec.containers as [Container]

  test('is what the restricted Pod Security Standard wants', () => {
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
    expect(spec.automountServiceAccountToken).toBe(false)
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
  })

  test('mounts volumes that it has, and is found by its service', () => {
    const claims = store.spec.volumeClaimTemplates.map(({ metadata }) => metadata.name)
    const volumes = [...spec.volumes.map(({ name }) => name), ...claims].sort()
    expect(container.volumeMounts.map(({ name }) => name).sort()).toEqual(volumes)
    const service = all.find(({ kind, metadata }) => kind === 'Service' && metadata.name === name)!
    expect(service.spec.selector).toEqual(store.spec.selector?.matchLabels)
    expect(store.spec.template.metadata?.labels).toEqual(store.spec.selector?.matchLabels)
    const [port] = service.spec.ports!
    expect(container.ports).toEqual([{ name: port!.targetPort, containerPort: port!.port }])
  })
})

interface Service {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: object
  readonly configs?: readonly { readonly source: string }[]
}

describe('deploy/compose.yaml', () => {
  const compose = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>
    readonly volumes: object
    readonly configs: Readonly<Record<string, { readonly content: string }>>
  }
  const { services } = compose
  const processes = Object.entries(services).filter(([, { image }]) => image.startsWith('daytwo:'))

  test('has three processes of this version, each with its own name and folder', () => {
    expect(processes.map(([name]) => name)).toEqual(['daytwo-1', 'daytwo-2', 'daytwo-3'])
    for (const [name, { image, environment, volumes }] of processes) {
      expect([image, environment!['DAYTWO_PROCESS_NAME'], volumes]).toEqual([
        `daytwo:${VERSION}`,
        name,
        [`${name}:/var/lib/daytwo`],
      ])
    }
  })

  test('refers to services, volumes and options that exist', () => {
    for (const { command, environment, volumes = [], depends_on = {} } of Object.values(services)) {
      const needed = Array.isArray(depends_on) ? (depends_on as string[]) : Object.keys(depends_on)
      for (const name of needed) expect(services).toHaveProperty([name])
      for (const volume of volumes) expect(compose.volumes).toHaveProperty([volume.split(':')[0]!])
      if (command?.[0] !== 'serve') continue
      readServeArguments(command.slice(1))
      const own = Object.keys(environment!).filter((name) => name.startsWith('DAYTWO_'))
      const known = new Set(Object.keys(OPTIONS).map((name) => `DAYTWO_${name.toUpperCase().replace(/[.-]/g, '_')}`))
      expect(own.filter((name) => !known.has(name))).toEqual([])
      for (const name of ['DAYTWO_STORE_FACTS', 'DAYTWO_STORE_METRICS'])
        expect(services).toHaveProperty([new URL(environment![name]!).hostname])
    }
  })

  test('balances over all processes by their readiness', () => {
    const [config] = services['balancer']!.configs!
    const { content } = compose.configs[config!.source]!
    expect(Array.from(content.matchAll(/^ {2}server (\S+) (\S+):4318 check$/gm), ([, name]) => name)).toEqual(
      processes.map(([name]) => name),
    )
    expect(content).toContain('httpchk GET /-/ready')
  })
})

test('the flags of VictoriaMetrics are known to the real one', (context) => {
  const program = requirePeer('victoria-metrics', context)
  const help = execFileSync(program, ['-help'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const store = all.find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'daytwo-victoria-metrics')!
  const compose = parse(readFileSync(join(ROOT, 'deploy/compose.yaml'), 'utf8'), { merge: true }) as {
    readonly services: { readonly 'victoria-metrics': Service }
  }
  const flags = [...store.spec.template.spec.containers[0]!.args, ...compose.services['victoria-metrics'].command!]
  for (const flag of flags) expect(help).toMatch(new RegExp(`^\\s+${/^-[\w.]+/.exec(flag)![0]}\\b`, 'm'))
})

test('the first token is made in the database of the processes', () => {
  const job = one(manifestsOf('scale-out-token'), 'Job')
  const { containers, volumes, securityContext } = job.spec.template.spec
  const [container] = containers as [Container]
  const [command, verb, ...options] = container.args
  expect([command, verb]).toEqual(['token', 'add'])
  const own = options.filter((word) => word.startsWith('--') && !FACTS_OPTIONS.has(word.slice(2)))
  for (const option of own) expect(tokenCommand.help()).toContain(option)
  const valueOf = (option: string): string => options[options.indexOf(`--${option}`) + 1]!
  for (const name of ['store.facts', 'store.facts-password-file', 'store.facts-tls'])
    expect(valueOf(name)).toBe(file[name])
  expect(volumes).toEqual([{ name: 'password', secret: { secretName: 'daytwo-postgres' } }])
  expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  const policy = all.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'daytwo-postgres')!
  const [{ from }] = policy.spec.ingress as unknown as readonly [
    { from: readonly [{ podSelector: { matchLabels: object } }] },
  ]
  expect(job.spec.template.metadata?.labels).toEqual(from[0].podSelector.matchLabels)
})

test('nothing in it names a registry', () => {
  const sets = all.filter(({ kind }) => kind === 'StatefulSet')
  const images = sets.flatMap(({ spec }) => spec.template.spec.containers.map(({ image }) => image))
  expect(images).toHaveLength(3)
  for (const image of images) expect(image).toMatch(/^[\w-]+(\/[\w-]+)?$/)
  const tagged = [...(kustomization('base').images ?? []), ...(kustomization('scale-out').images ?? [])]
  expect(tagged.map(({ name }) => name).sort()).toEqual([...images].sort())
})
