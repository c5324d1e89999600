import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { OPERATIONS_MAX, parseJsonPatch } from '../../../src/fleet/derive/json-patches.ts'
import { analysePatches, breaksInTarget, type OperandPatch } from '../../../src/fleet/patches/analyse-patches.ts'
import { valueFaults } from '../../../src/fleet/patches/check-value.ts'
import { hyperConvergedSchema } from '../../../src/fleet/patches/schema.ts'
import { HCO_APIS } from '../../../src/fleet/patches/superseding.ts'
import { PATCH_CLASSES } from '../../../src/model/patch-analysis.ts'
import { REAL_PATCHES } from './real-patches.ts'

function patchOf(component: string, text: string): OperandPatch {
  const parsed = parseJsonPatch(text)
  if ('fault' in parsed) throw new Error(parsed.fault)
  const { operations } = parsed
  return { component, operations, count: operations.length, text: '' }
}

const gate = (name: string): OperandPatch => ({
  ...{ component: 'kubevirt', count: 1, text: '' },
  operations: [{ op: 'add', path: '/spec/configuration/developerConfiguration/featureGates/-', value: name }],
})

const add = (path: string, value: unknown, component = 'kubevirt'): OperandPatch => ({
  ...{ component, count: 1, text: '' },
  operations: [{ op: 'add', path, value }],
})

const classes = (...args: Parameters<typeof analysePatches>) => analysePatches(...args).map((one) => one.class)

describe('patches that people published', () => {
  test.each(REAL_PATCHES.map((one) => [one.name, one] as const))('%s', (_name, { component, text, from, to, want }) => {
    expect(classes(patchOf(component, text), from, to)).toEqual(want)
  })

  test('are at least twenty, each with its source; only `unknown` has none, which metrics alone make', () => {
    expect(REAL_PATCHES.length).toBeGreaterThanOrEqual(20)
    for (const { source } of REAL_PATCHES) expect(source).toMatch(/^https:\/\//)
    const found = new Set(REAL_PATCHES.flatMap(({ want }) => want))
    expect(PATCH_CLASSES.filter((one) => !found.has(one))).toEqual(['unknown'])
  })

  test('are listed in the figures with what is found', () => {
    const readme = readFileSync(new URL('../../../bench/README.md', import.meta.url), 'utf8')
    const rows = REAL_PATCHES.map(({ name, source, component, from, to, want }) => {
      return `| [${name}](${source}) | ${component} | ${from} | ${to} | ${want.length === 0 ? 'none' : want.join(', ')} |`
    })
    expect(rows.filter((row) => !readme.includes(row))).toEqual([])
  })

  test.each(HCO_APIS)('are replaced by a HyperConverged that its schema accepts, as %s', (api) => {
    const versions = ['1.7.0', '1.13.0', '1.16.0', '1.18.1', '1.20.0']
    let proposals = 0
    for (const { component, text } of REAL_PATCHES) {
      for (const version of versions) {
        for (const { proposal } of analysePatches(patchOf(component, text), version, version, api)) {
          if (proposal === undefined) continue
          proposals++
          const object = parse(proposal.yaml) as {
            apiVersion: string
            spec: unknown
            metadata: { annotations?: unknown }
          }
          expect(object).toMatchObject({ apiVersion: api, kind: 'HyperConverged', spec: proposal.spec })
          expect(valueFaults(hyperConvergedSchema(api, version)!, object.spec)).toEqual([])
        }
      }
    }
    expect(proposals).toBeGreaterThan(10)
  })
})

const of = (patch: OperandPatch, from: string, to: string, api?: string) => analysePatches(patch, from, to, api)

describe('broken', () => {
  test.each([
    ['a field that the next version drops', add('/spec/nmstate', {}, 'network-addons'), '1.6.0', '1.7.0', 'target'],
    [
      'a field that no version has',
      add('/spec/configuration/DefaultRuntimeClassName', 'x'),
      '1.17.3',
      '1.18.1',
      'both',
    ],
    [
      'a field that comes with the upgrade',
      add('/spec/configuration/hypervisors', []),
      '1.17.3',
      '1.18.0',
      'installed',
    ],
    ['a value of another type', add('/spec/configuration/cpuModel', 7), '1.17.3', '1.18.1', 'both'],
    [
      'a value that is not in the enum',
      add('/spec/configuration/vmRolloutStrategy', 'Later'),
      '1.17.3',
      '1.18.1',
      'both',
    ],
    [
      'a field within the value',
      add('/spec/configuration/migrations', { allowPostcopy: true }),
      '1.17.3',
      '1.18.1',
      'both',
    ],
    [
      'a parent that is not there',
      add('/spec/config/importProxy/HTTPProxy', 'http://p', 'cdi'),
      '1.17.3',
      '1.18.1',
      'both',
    ],
  ] as const)('%s', (_what, patch, from, to, at) => {
    const [first] = of(patch, from, to)
    expect(first).toMatchObject({ class: 'broken', at, operation: 0 })
    expect(breaksInTarget(first!)).toBe(at === 'target')
    expect(first!.weight).toBe(at === 'installed' ? 'check' : 'breaks')
  })

  test('a test that fails, a removal of what HCO never sets, and a move from nowhere', () => {
    const patch = patchOf(
      'kubevirt',
      `[{"op":"test","path":"/spec/configuration/network/defaultNetworkInterface","value":"bridge"},
        {"op":"remove","path":"/spec/configuration/memBalloonStatsPeriod"},
        {"op":"move","from":"/spec/imageTag","path":"/spec/imageRegistry"}]`,
    )
    const broken = of(patch, '1.17.3', '1.18.1').filter((one) => one.class === 'broken')
    expect(broken.map(({ operation }) => operation)).toEqual([0, 1, 2])
    expect(broken[0]!.text).toContain('The test of /spec/configuration/network/defaultNetworkInterface fails')
  })

  test('a test that holds is no finding', () => {
    const patch = patchOf('kubevirt', '[{"op":"test","path":"/spec/productName","value":"hyperconverged-cluster"}]')
    expect(of(patch, '1.17.3', '1.18.1')).toEqual([])
  })

  test('an annotation that is no patch stops HCO; one of which only the size is reported is unknown', () => {
    const patch = { component: 'kubevirt', text: 'the annotation is not a JSON patch: it is not JSON' }
    expect(of({ ...patch, count: 0 }, '1.17.3', '1.18.1')).toMatchObject([
      { class: 'broken', weight: 'breaks', at: 'both' },
    ])
    expect(of({ ...patch, count: 1 }, '1.17.3', '1.18.1')).toMatchObject([{ class: 'unknown' }])
  })
})

describe('unknown', () => {
  test.each([
    ['a version without a schema', '1.17.3', '1.99.0', 'The schema of KubeVirt in HCO 1.99.0 is not known.'],
    ['a cluster that reports no version', '', '1.18.1', 'The installed version of HCO is not reported.'],
    ['a text that is no version', 'latest', '1.18.1', 'The schema of KubeVirt in HCO latest is not known.'],
    ['a release before the schema', '1.3.0', '1.4.0', 'The schema of KubeVirt in HCO 1.3.0 is not known.'],
  ])('%s', (_what, from, to, text) => {
    expect(of(add('/spec/configuration/machineType', 'q35'), from, to)).toMatchObject([{ class: 'unknown', text }])
  })

  test('an operand without schemas, and fields below what schemas do not list', () => {
    expect(classes(add('/spec/x', 1, 'aaq'), '1.17.3', '1.18.1')).toEqual(['unknown'])
    const below = add('/spec/infra/affinity/nodeAffinity', {}, 'cdi')
    expect(classes(below, '1.17.3', '1.18.1')).toEqual(['unknown', 'fragile'])
  })

  test('z-streams of OpenShift Virtualization have the schema of their minor', () => {
    const patch = add('/spec/configuration/hypervisors', [])
    expect(of(patch, '4.21.9', '4.22.3')[0]).toMatchObject({ class: 'broken', at: 'installed' })
    expect(of(patch, '1.17.1', '1.17.9')[0]).toMatchObject({ class: 'broken', at: 'both' })
    expect(classes(patch, '5.0.0', '5.1.0')).not.toContain('broken')
  })
})

describe('gates', () => {
  const stage = (name: string, from: string, to: string) => {
    const found = of(gate(name), from, to).find((one) => one.class === 'gate')!
    return [found.gate!.installed, found.gate!.target, found.weight, found.at]
  }

  test.each([
    ['VSOCK', '1.17.3', '1.18.1', ['alpha', 'alpha', 'check', 'both']],
    ['HotplugNICs', '1.13.0', '1.14.0', ['beta', 'ga', 'note', 'target']],
    ['HotplugNICs', '1.10.0', '1.11.0', ['absent', 'alpha', 'check', 'target']],
    ['ExperimentalVirtiofsSupport', '1.16.0', '1.17.0', ['alpha', 'discontinued', 'breaks', 'target']],
    ['PasstIPStackMigration', '1.18.1', '1.19.0', ['unknown', 'discontinued', 'breaks', 'target']],
    ['HotplugVolumes', '1.18.1', '1.20.0', ['alpha', 'deprecated', 'check', 'target']],
    ['LiveMigration', '1.8.0', '1.14.0', ['unknown', 'ga', 'note', 'target']],
    ['NoSuchGate', '1.17.3', '1.18.1', ['unknown', 'unknown', 'check', 'both']],
  ])('%s from %s to %s', (name, from, to, want) => {
    expect(stage(name, from, to)).toEqual(want)
  })

  test('HCO refuses a path outside of spec, also one that spec has', () => {
    const [first] = of(add('/metadata/configuration', {}), '1.17.3', '1.18.1')
    expect(first!.text).toContain('below /spec/ only')
  })

  test('a gate that lowers security is dangerous where it is switched on', () => {
    const off = add('/spec/configuration/developerConfiguration/disabledFeatureGates/-', 'Root')
    expect(classes(gate('Root'), '1.18.1', '1.19.0')).toContain('dangerous')
    expect(classes(off, '1.18.1', '1.19.0')).not.toContain('dangerous')
  })

  test('a beta gate is in both lists from 1.19 on', () => {
    expect(of(gate('Template'), '1.18.1', '1.19.0')[0]!.text).toContain('disabledFeatureGates')
    expect(of(gate('NodeRestriction'), '1.17.3', '1.18.1')[0]!.text).not.toContain('disabledFeatureGates')
  })

  test('a gate that HyperConverged manages is proposed in the layout of the cluster, until it needs no gate', () => {
    const proposal = (from: string, to: string, api?: string) =>
      of(gate('VideoConfig'), from, to, api).find((one) => one.class === 'superseded')?.proposal
    expect(proposal('1.17.3', '1.18.1')).toMatchObject({
      from: 'installed',
      spec: { featureGates: { videoConfig: true } },
    })
    expect(proposal('1.18.1', '1.18.1', 'hco.kubevirt.io/v1')).toMatchObject({
      spec: { featureGates: [{ name: 'videoConfig', state: 'Enabled' }] },
    })
    expect(proposal('1.16.0', '1.17.3')).toMatchObject({ from: 'target' })
    expect(proposal('1.19.0', '1.20.0')).toBeUndefined()
  })
})

describe('superseded', () => {
  const proposed = (patch: OperandPatch, version: string, api?: string) =>
    of(patch, version, version, api).find((one) => one.class === 'superseded')?.proposal

  test.each([
    [
      'devices have other names in HyperConverged',
      add('/spec/configuration/permittedHostDevices', {
        pciHostDevices: [{ pciVendorSelector: '10DE:1EB8', resourceName: 'n/t4' }],
      }),
      { permittedHostDevices: { pciHostDevices: [{ pciDeviceSelector: '10DE:1EB8', resourceName: 'n/t4' }] } },
    ],
    [
      'an empty object is true',
      add('/spec/configuration/virtualMachineOptions', { disableSerialConsoleLog: {} }),
      { virtualMachineOptions: { disableSerialConsoleLog: true } },
    ],
    [
      'one more item of a list',
      add('/spec/config/insecureRegistries/-', 'registry:5000', 'cdi'),
      { storageImport: { insecureRegistries: ['registry:5000'] } },
    ],
    [
      'a field below a field',
      add('/spec/configuration/migrations/bandwidthPerMigration', 64),
      { liveMigrationConfig: { bandwidthPerMigration: '64' } },
    ],
    [
      'names that are true',
      add('/spec/configuration/obsoleteCPUModels', { a: true, b: false }),
      { obsoleteCPUs: { cpuModels: ['a'] } },
    ],
    [
      'a field that HyperConverged does not have',
      add('/spec/configuration/migrations', { disableTLS: true }),
      undefined,
    ],
    ['an index', add('/spec/configuration/permittedHostDevices/pciHostDevices/0/resourceName', 'x'), undefined],
    ['null', add('/spec/configuration/cpuModel', null), undefined],
  ])('%s', (_what, patch, spec) => {
    expect(proposed(patch, '1.17.3')?.spec).toEqual(spec)
  })

  test('limits of requests are an annotation for all parts', () => {
    const limits = (burst: number) => ({
      restClient: { rateLimiter: { tokenBucketRateLimiter: { burst, qps: burst / 2 } } },
    })
    const value = { apiConfiguration: limits(400), handlerConfiguration: limits(100) }
    const proposal = proposed(add('/spec/configuration', value), '1.18.1', 'hco.kubevirt.io/v1')
    expect(proposal).toMatchObject({
      spec: { virtualization: { tuningPolicy: 'annotation' } },
      annotations: { 'hco.kubevirt.io/tuningPolicy': '{"qps":200,"burst":400}' },
    })
    expect(parse(proposal!.yaml)).toMatchObject({ metadata: { annotations: proposal!.annotations } })
  })

  test('the other layout, and a field that only the target has', () => {
    const patch = add('/spec/configuration/cpuModel', 'Haswell')
    expect(proposed(patch, '1.18.1', 'hco.kubevirt.io/v1')?.yaml).toBe(
      'apiVersion: hco.kubevirt.io/v1\nkind: HyperConverged\nmetadata:\n  name: kubevirt-hyperconverged\nspec:\n' +
        '  virtualization:\n    virtualMachineOptions:\n      defaultCPUModel: Haswell\n',
    )
    expect(of(patch, '1.6.0', '1.7.0').find((one) => one.class === 'superseded')?.proposal?.from).toBe('target')
  })
})

describe('redundant', () => {
  test.each([
    [
      'the default of HyperConverged',
      add('/spec/configuration/migrations/completionTimeoutPerGiB', 150),
      '1.17.3',
      '1.18.1',
      'both',
    ],
    [
      'that changes with the upgrade',
      add('/spec/configuration/migrations/completionTimeoutPerGiB', 20),
      '1.18.1',
      '1.19.0',
      'target',
    ],
    ['the default of the schema', add('/spec/templateValidator/replicas', 2, 'ssp'), '1.17.3', '1.18.1', 'both'],
    [
      'a gate that HCO always sets',
      add('/spec/config/featureGates/-', 'HonorWaitForFirstConsumer', 'cdi'),
      '1.17.3',
      '1.18.1',
      'both',
    ],
  ] as const)('%s', (_what, patch, from, to, at) => {
    expect(of(patch, from, to).find((one) => one.class === 'redundant')).toMatchObject({ at })
  })

  test('the default that the upgrade ends is not', () => {
    const patch = add('/spec/configuration/migrations/completionTimeoutPerGiB', 150)
    expect(classes(patch, '1.18.1', '1.19.0')).not.toContain('redundant')
  })

  test('another value is not', () => {
    expect(
      classes(add('/spec/configuration/migrations/completionTimeoutPerGiB', 151), '1.17.3', '1.18.1'),
    ).not.toContain('redundant')
  })
})

describe('annotations that nobody should write', () => {
  test('one of a megabyte, or with ten thousand operations, or with deep values, is refused with the limit', () => {
    const many = JSON.stringify(Array.from({ length: 10_000 }, () => ({ op: 'remove', path: '/spec/x' })))
    expect(parseJsonPatch('x'.repeat(1_048_576))).toEqual({ fault: 'it has 1048576 characters, want 262144 at most' })
    expect(parseJsonPatch(many.slice(0, 1) + many.slice(1))).toMatchObject({
      fault: expect.stringMatching(/^it has/) as string,
    })
    const short = JSON.stringify(Array.from({ length: OPERATIONS_MAX + 1 }, () => ({ op: 'remove', path: '/spec/x' })))
    expect(parseJsonPatch(short)).toEqual({ fault: 'it has 1001 operations, want 1000 at most' })
    const deep = `[{"op":"add","path":"/spec/x","value":${'['.repeat(5000)}${']'.repeat(5000)}}]`
    expect(parseJsonPatch(deep)).toEqual({ fault: 'operation 1: the value has more than 32 levels' })
  })

  test('one that was stored before the limits is unknown', () => {
    const operations = Array.from({ length: OPERATIONS_MAX + 1 }, () => ({ op: 'remove', path: '/spec/x' }))
    expect(classes({ component: 'kubevirt', operations, count: 1, text: '' }, '1.17.3', '1.18.1')).toEqual(['unknown'])
    let value: unknown = 1
    for (let i = 0; i < 5000; i++) value = { value }
    expect(classes(add('/spec/configuration/smbios', value), '1.17.3', '1.18.1')).toEqual(['unknown'])
  })

  test('names of prototypes are names', () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const path = `/spec/configuration/developerConfiguration/nodeSelectors/${name}`
      expect(of(patchOf('kubevirt', `[{"op":"add","path":"${path}","value":"x"}]`), '1.17.3', '1.18.1')).toBeDefined()
      expect(
        of(patchOf('kubevirt', `[{"op":"add","path":"/spec/${name}/x","value":1}]`), '1.17.3', '1.18.1')[0]!.class,
      ).toBe('broken')
      const value = `{"${name}":{"polluted":1}}`
      expect(
        of(patchOf('kubevirt', `[{"op":"add","path":"/spec/configuration","value":${value}}]`), '1.17.3', '1.18.1'),
      ).toBeDefined()
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})
