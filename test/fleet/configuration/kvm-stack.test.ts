import { describe, expect, test } from 'vitest'
import data from '../../../src/fleet/data/kvm-stack.json' with { type: 'json' }
import { kubevirtOf, migrationStep, stackOf } from '../../../src/fleet/configuration/kvm-stack.ts'
import {
  machineTypesInUse,
  machineTypeState,
  readMachineTypes,
  removalOf,
} from '../../../src/fleet/configuration/machine-types.ts'
import { Labels } from '../../../src/model/labels.ts'

test.each([
  ['v1.5.2', '10.10.0', '9.1.0'],
  ['1.3.1', '10.0.0', '8.2.0'],
  ['v0.58.1', null, null],
  ['v1.7.4', null, null],
  ['nonsense', null, null],
])('KubeVirt %s has libvirt %s and QEMU %s', (version, libvirt, qemu) => {
  expect(stackOf(version)).toMatchObject({ libvirt, qemu })
})

test('each row names its sources, public addresses', () => {
  for (const { sources } of [...data.stack, ...data.machineTypes]) {
    expect(sources.length).toBeGreaterThan(0)
    for (const source of sources) expect(source).toMatch(/^https:\/\/(github|gitlab)\.com\//)
  }
})

test.each([
  ['1.18.1', 'v1.8.4'],
  ['4.22.1', 'v1.8.4'],
  ['1.15.2', 'v1.5.2'],
  ['1.15.99', 'v1.5.2'],
  ['2.0.0', undefined],
])('HCO %s has KubeVirt %s', (hco, kubevirt) => {
  expect(kubevirtOf(hco)).toBe(kubevirt)
})

test.each([
  ['v1.4.0', 'v1.5.2', 'hazard', false, 0],
  ['v1.5.2', 'v1.6.2', 'none', false, 0],
  ['v1.5.2', 'v1.5.0', 'none', false, 0],
  ['v1.6.2', 'v1.7.1', 'unknown', false, 1],
  ['v1.6.2', 'v1.8.4', 'hazard', true, 2],
  ['v1.5.2', 'v1.8.4', 'hazard', true, 2],
  ['v1.7.1', 'v1.8.4', 'unknown', false, 0],
  ['v0.59.0', 'v1.0.1', 'none', false, 0],
  ['v0.58.1', 'v1.0.1', 'unknown', true, 0],
] as const)(
  'from KubeVirt %s to %s going back is %s; minors are skipped: %s',
  (from, to, backward, skipsMinors, known) => {
    const step = migrationStep(from, to)
    expect([step.backward, step.skipsMinors, step.known.length]).toEqual([backward, skipsMinors, known])
  },
)

describe('machine types', () => {
  test.each([
    ['q35', 'el9', 'alias'],
    ['pc-q35-rhel8.6.0', 'el8', 'current'],
    ['pc-q35-rhel8.6.0', 'el9', 'deprecated'],
    ['pc-q35-rhel8.6.0', 'el10', 'removed'],
    ['pc-q35-rhel8.6.0', null, 'unknown'],
    ['pc-q35-rhel9.4.0', 'el9', 'current'],
    ['pc-q35-rhel9.4.0', 'el10', 'deprecated'],
    ['pc-q35-rhel10.0.0', 'el10', 'unknown'],
    ['virt-rhel9.2.0', 'el10', 'removed'],
    ['virt-rhel9.4.0', 'el9', 'unknown'],
    ['pc-q35-8.2', 'el9', 'foreign'],
  ] as const)('%s on %s is %s', (type, base, want) => {
    expect(machineTypeState(type, base)).toBe(want)
  })

  test('the base that removes one, as far as a source tells', () => {
    expect(removalOf('pc-i440fx-rhel7.6.0')?.base).toBe('el10')
    expect(removalOf('pc-q35-rhel9.4.0')).toBeUndefined()
    expect(removalOf('q35')).toBeUndefined()
  })

  test('of metrics first, of VMIs where a cluster sends no metric; clusters that are gone do not count', async () => {
    const samples = (expr: string) =>
      expr.startsWith('count')
        ? [
            { labels: Labels.of({ cluster: 'a', machine_type: 'q35' }), value: 3 },
            { labels: Labels.of({ cluster: 'gone', machine_type: 'q35' }), value: 9 },
          ]
        : [{ labels: Labels.of({ cluster: 'a', machine_type: 'q35' }), value: 1 }]
    const use = await readMachineTypes({ instant: (expr) => Promise.resolve(samples(expr)) }, 0)
    const stacks = [
      { cluster: 'b', machineTypes: { q35: 1, x: 9 } },
      { cluster: 'a', machineTypes: { x: 1 } },
      { cluster: 'c' },
    ]
    expect(machineTypesInUse(use, stacks)).toEqual([
      { machineType: 'x', vms: 9, clusters: ['b'], deprecatedOn: 0 },
      { machineType: 'q35', vms: 4, clusters: ['a', 'b'], deprecatedOn: 1 },
    ])
  })
})
