import { describe, expect, test } from 'vitest'
import {
  bomOf,
  isAllowed,
  LICENCES_DEVELOPMENT,
  LICENCES_RUNTIME,
  licenceTable,
  lockedPackages,
  readLockfile,
} from '../../scripts/bill-of-materials.ts'

const lockfile = readLockfile()
const packages = lockedPackages(lockfile)

test('every package has a licence that is allowed where it is used', () => {
  const refused = packages.filter(
    ({ licence, isDevelopment }) => !isAllowed(licence, isDevelopment ? LICENCES_DEVELOPMENT : LICENCES_RUNTIME),
  )
  expect(refused.map(({ name, version, licence }) => `${name}@${version}: ${licence}`)).toEqual([])
})

test.each([
  ['MIT', true],
  ['(MIT OR WTFPL)', true],
  ['(GPL-3.0 OR MIT)', true],
  ['MIT AND ISC', true],
  ['MIT AND GPL-3.0', false],
  ['GPL-3.0', false],
  ['', false],
  ['SEE LICENSE IN x', false],
])('the licence %j is allowed: %s', (licence, want) => {
  expect(isAllowed(licence, LICENCES_RUNTIME)).toBe(want)
})

describe('the bill of materials', () => {
  interface Bom {
    readonly specVersion: string
    readonly components: readonly { readonly 'bom-ref': string; readonly version: string; readonly scope: string }[]
    readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
  }
  const bom = bomOf(lockfile, packages) as Bom
  const refs = new Set(bom.components.map((component) => component['bom-ref']))

  test('has each package of the lockfile once', () => {
    const wanted = new Set(packages.map(({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`))
    expect([...refs].sort()).toEqual([...wanted].sort())
    expect(bom.components).toHaveLength(refs.size)
    expect(bom.components.filter(({ version }) => version === '')).toEqual([])
  })

  test('names only its own components as dependencies, and what the server needs under the server', () => {
    for (const { dependsOn } of bom.dependencies) for (const ref of dependsOn) expect(refs).toContain(ref)
    const [root] = bom.dependencies
    const names = (root?.dependsOn ?? []).map((ref) => ref.replace(/@[^@]*$/, ''))
    expect(names).toEqual(expect.arrayContaining(['pkg:npm/fastify', 'pkg:npm/better-sqlite3', 'pkg:npm/vitest']))
    expect(bom.components.find((one) => one['bom-ref'].startsWith('pkg:npm/fastify@'))?.scope).toBe('required')
    expect(bom.components.find((one) => one['bom-ref'].startsWith('pkg:npm/vitest@'))?.scope).toBe('excluded')
  })
})

test('a package finds its dependency beside itself before the one of all', () => {
  const found = lockedPackages({
    ...{ name: 'x', version: '1.0.0' },
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0', dependencies: { b: '1', c: '1' } },
      'node_modules/a/node_modules/b': { version: '1.0.0', dependencies: { c: '1', '@s/d': '1' } },
      'node_modules/b': { version: '2.0.0' },
      'node_modules/c': { version: '1.0.0', optionalDependencies: { gone: '1' } },
      'node_modules/@s/d': { version: '1.0.0' },
    },
  })
  expect(found.map(({ name, dependencies }) => `${name}: ${dependencies.join(' ')}`)).toEqual([
    'a: node_modules/a/node_modules/b node_modules/c',
    'b: node_modules/c node_modules/@s/d',
    'b: ',
    'c: ',
    '@s/d: ',
  ])
})

test('the table has a line for each package and version', () => {
  const lines = licenceTable(packages).split('\n')
  expect(lines).toHaveLength(new Set(packages.map(({ name, version }) => `${name}@${version}`)).size)
  expect(lines.find((line) => line.includes(' fastify@'))).toMatch(/^MIT +fastify@/)
})
