import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonPatch } from '../../../src/fleet/derive/json-patches.ts'
import { analysePatches } from '../../../src/fleet/patches/analyse-patches.ts'
import { detailOf, fleetPatches, rankOfPatch } from '../../../src/fleet/patches/fleet-patches.ts'
import { patchKeyOf } from '../../../src/fleet/patches/patch-key.ts'
import { createPatchSeries } from '../../../src/fleet/patches/patch-series.ts'
import {
  kubevirtVersionOf,
  nextMinorOf,
  schemaVersionAt,
  SCHEMA_VERSIONS,
} from '../../../src/fleet/patches/schema-versions.ts'
import { yamlText } from '../../../src/fleet/patches/yaml-text.ts'
import type { Modification } from '../../../src/model/cluster-record.ts'
import { emptyRecord } from '../../support/cluster-record.ts'
import { parse } from 'yaml'

const GATES = '/spec/configuration/developerConfiguration/featureGates/-'

function patch(cluster: string, text: string, more: Partial<Modification> = {}): Modification {
  const parsed = parseJsonPatch(text)
  return {
    ...{
      id: cluster,
      cluster,
      kind: 'jsonpatch',
      component: 'kubevirt',
      count: 1,
      text: 'as written',
      startedMs: 1000,
    },
    ...('operations' in parsed ? { operations: parsed.operations } : {}),
    ...{ annotation: 'kubevirt.kubevirt.io/jsonpatch', isUpgradeMode: false, resolutionSeconds: 1 },
    ...more,
  }
}

const record = (cluster: string, hcoVersion?: string, apiVersion = 'hco.kubevirt.io/v1beta1') => {
  const empty = emptyRecord(cluster, hcoVersion === undefined ? {} : { hcoVersion })
  return { ...empty, settings: { ...empty.settings, apiVersion } }
}

const PASST = `[{"op":"add","path":"${GATES}","value":"PasstIPStackMigration"}]`

describe('the patches of a fleet', () => {
  const records = [record('a', '1.18.1'), record('b', '1.18.1'), record('c', '1.17.3'), record('d')]
  const patches = [
    patch('a', PASST, { by: 'argocd' }),
    patch('b', `[ { "value": "PasstIPStackMigration", "path": "${GATES}", "op": "add" } ]`),
    patch('c', PASST),
    patch('d', '[{"op":"add","path":"/spec/configuration/cpuModel","value":"Haswell"}]'),
    patch('a', 'no JSON', { component: 'cdi', count: 0 }),
  ]

  test('are together when their operations are equal, however they are written; the worst first', () => {
    const groups = fleetPatches(records, patches)
    expect(
      groups.map(({ component, members, classes }) => [component, members.map((one) => one.cluster), classes]),
    ).toEqual([
      ['kubevirt', ['a', 'b', 'c'], ['gate']],
      ['cdi', ['a'], ['broken']],
      ['kubevirt', ['d'], ['unknown']],
    ])
    expect(groups.map(rankOfPatch)).toEqual([0, 1, 3])
  })

  test('are checked against the next minor of each cluster, or against one version', () => {
    const [gate] = fleetPatches(records, patches)
    expect(gate!.members).toMatchObject([
      { cluster: 'a', version: '1.18.1', target: '1.19.0', isBreaking: true, by: 'argocd', sinceMs: 1000 },
      { cluster: 'b', isBreaking: true },
      { cluster: 'c', version: '1.17.3', target: '1.18.1', isBreaking: false },
    ])
    expect(gate!.variants.map(({ installed, target, clusters }) => [installed, target, clusters])).toEqual([
      ['1.18.1', '1.19.0', 2],
      ['1.17.3', '1.18.1', 1],
    ])
    const [same] = fleetPatches(records, patches, '1.18.1').filter(({ key }) => key === gate!.key)
    expect(same!.members.map(({ target, isBreaking }) => [target, isBreaking])).toEqual(
      Array(3).fill(['1.18.1', false]),
    )
  })

  test('the newest version is checked against itself', () => {
    const [group] = fleetPatches([record('e', '1.20.0')], [patch('e', PASST)])
    expect(group!.members).toEqual([expect.objectContaining({ cluster: 'e', version: '1.20.0', isBreaking: false })])
    expect(group!.members[0]).not.toHaveProperty('target')
  })

  test('one has the changed fields of the operand by default, and one HyperConverged for all its operations', () => {
    const text = `[{"op":"add","path":"/spec/configuration/migrations","value":{"allowPostCopy":true}},
      {"op":"add","path":"/spec/configuration/cpuModel","value":"Haswell"}]`
    const [group] = fleetPatches([record('a', '1.17.3')], [patch('a', text)])
    const detail = detailOf(group!)
    expect(detail.differencesOf).toBe('1.17.3')
    expect(detail.differences).toEqual([
      { path: '/spec/configuration/cpuModel', with: '"Haswell"' },
      { path: '/spec/configuration/migrations/allowAutoConverge', without: 'false' },
      { path: '/spec/configuration/migrations/allowPostCopy', without: 'false', with: 'true' },
      { path: '/spec/configuration/migrations/completionTimeoutPerGiB', without: '150' },
      { path: '/spec/configuration/migrations/parallelMigrationsPerCluster', without: '5' },
      { path: '/spec/configuration/migrations/parallelOutboundMigrationsPerNode', without: '2' },
      { path: '/spec/configuration/migrations/progressTimeout', without: '150' },
    ])
    expect(parse(detail.proposal!.yaml)).toMatchObject({
      spec: { liveMigrationConfig: { allowPostCopy: true }, defaultCPUModel: 'Haswell' },
    })
    expect(detailOf(fleetPatches([], [patch('x', 'no JSON')])[0]!)).toMatchObject({ differences: [] })
  })

  test('are series by cluster and class, and what the next minor breaks', () => {
    const series = createPatchSeries()
    const values = () => series([{ record: records[0]!, patches: [patches[0]!] }])
    const breaking = { cluster: 'a', component: 'kubevirt', version: '1.18.1', to: '1.19.0' }
    expect(values()).toEqual([
      { name: 'daytwo_json_patch_findings', labels: { cluster: 'a', component: 'kubevirt', class: 'gate' }, value: 1 },
      { name: 'daytwo_json_patch_breaking', labels: breaking, value: 1 },
    ])
    expect(values()).toEqual(values())
    expect(series([{ record: records[2]!, patches: [patches[2]!] }]).map(({ name }) => name)).toEqual([
      'daytwo_json_patch_findings',
    ])
  })
})

describe('versions', () => {
  test.each([
    ['1.18.1', '1.18.1', '1.8.4', '1.19.0'],
    ['1.10.9', '1.10.7', '1.0.1', '1.11.1'],
    ['4.20.7', '1.16.0', '1.6.2', '1.17.3'],
    ['1.19.0', 'main', '1.9.0', '1.20.0'],
    ['5.0.3', 'main', '1.9.0', '1.20.0'],
    ['1.20.0', 'main', '1.9.0', undefined],
    ['1.21.0', undefined, undefined, undefined],
    ['none', undefined, undefined, undefined],
  ])('%s', (version, schema, kubevirt, next) => {
    const at = schemaVersionAt(version)
    expect(at === undefined ? undefined : SCHEMA_VERSIONS[at]).toBe(schema)
    expect([kubevirtVersionOf(version), nextMinorOf(version)]).toEqual([kubevirt, next])
  })
})

test('any value is YAML that is read as the same value', () => {
  const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
  fc.assert(
    fc.property(json, (value) => {
      expect(parse(yamlText(JSON.parse(JSON.stringify(value))))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 300 },
  )
})

test('whatever the operations are, they are analysed, and equal ones alike', () => {
  const path = fc.oneof(
    fc.constantFrom(
      GATES,
      '/spec/configuration',
      '/spec/customizeComponents/patches',
      '/spec',
      '',
      '/spec/config/tlsSecurityProfile/custom',
    ),
    fc.string(),
    fc
      .array(fc.constantFrom('spec', 'configuration', 'migrations', '0', '-', '__proto__', 'a~1b'))
      .map((steps) => `/${steps.join('/')}`),
  )
  const operation = fc.record(
    {
      op: fc.constantFrom('add', 'replace', 'remove', 'move', 'copy', 'test'),
      path,
      from: path,
      value: fc.jsonValue(),
    },
    { requiredKeys: ['op', 'path'] },
  )
  const component = fc.constantFrom('kubevirt', 'cdi', 'network-addons', 'ssp', 'other')
  const version = fc.constantFrom('1.5.0', '1.17.3', '1.19.0', '4.20.0', '')
  fc.assert(
    fc.property(component, fc.array(operation, { maxLength: 4 }), version, version, (operand, operations, from, to) => {
      const own = patch('a', '[]', { component: operand, operations: operations })
      const findings = analysePatches(own, from, to)
      for (const { text } of findings) expect(text.length).toBeGreaterThan(0)
      const turned = operations.map((one) => Object.fromEntries(Object.entries(one).reverse()))
      const other = { ...own, operations: turned as never }
      expect(analysePatches(other, from, to)).toEqual(findings)
      expect(patchKeyOf(other)).toBe(patchKeyOf(own))
    }),
    { numRuns: 300 },
  )
})
