/** A CycloneDX 1.6 bill of materials of a lockfile, and which licences packages may have. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Licences of packages that are part of the built program. */
export const LICENCES_RUNTIME: ReadonlySet<string> = new Set(
  'MIT MIT-0 Apache-2.0 ISC BSD-2-Clause BSD-3-Clause 0BSD BlueOak-1.0.0 Unlicense'.split(' '),
)
/** Licences of packages that only build and test it. */
export const LICENCES_DEVELOPMENT: ReadonlySet<string> = new Set([...LICENCES_RUNTIME, 'MPL-2.0', 'CC-BY-4.0'])

interface LockedPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression; empty when the package states none. */
  readonly licence: string
  /** `sha512-` and base64; absent for a package that comes with another. */
  readonly integrity: string | undefined
  readonly isDevelopment: boolean
  /** Paths in the lockfile of what it depends on. */
  readonly dependencies: readonly string[]
  /** Path in the lockfile. */
  readonly path: string
}

interface LockEntry {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface Lockfile {
  readonly name: string
  readonly version: string
  readonly packages: Readonly<Record<string, LockEntry>>
}

export function readLockfile(path = join(ROOT, 'package-lock.json')): Lockfile {
  return JSON.parse(readFileSync(path, 'utf8')) as Lockfile
}

/** All packages but the project itself, by path. */
export function lockedPackages({ packages }: Lockfile): readonly LockedPackage[] {
  const known = new Map(Object.entries(packages))
  return [...known]
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      licence: entry.license ?? '',
      integrity: entry.integrity,
      isDevelopment: entry.dev === true,
      dependencies: dependenciesOf(path, entry, known),
      path,
    }))
}

/** As Node finds them: beside the package, then in each folder above. */
function dependenciesOf(from: string, entry: LockEntry, known: ReadonlyMap<string, LockEntry>): string[] {
  return Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }).flatMap((name) => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
      if (known.has(path)) return [path]
      // An optional package that is not for this lockfile's platforms is in no folder.
      if (folder === '') return []
    }
  })
}

/** Whether one of the alternatives of an SPDX expression is allowed, with all of its parts. */
export function isAllowed(licence: string, allowed: ReadonlySet<string>): boolean {
  const alternatives = licence.replace(/[()]/g, '').split(' OR ')
  return alternatives.some((one) => one.split(' AND ').every((part) => allowed.has(part.trim())))
}

/** The same package may lie in several folders; it is one of the program when one of them is. */
function distinct(packages: readonly LockedPackage[]): ReadonlyMap<string, LockedPackage> {
  const forRuntime = packages.toSorted((a, b) => Number(b.isDevelopment) - Number(a.isDevelopment))
  return new Map(forRuntime.map((one) => [purlOf(one), one]))
}

/** A package URL; the scope is a name of its own. */
function purlOf({ name, version }: LockedPackage): string {
  return `pkg:npm/${name.split('/').map(encodeURIComponent).join('/')}@${version}`
}

export function bomOf(lockfile: Lockfile, packages: readonly LockedPackage[]): object {
  const components = distinct(packages)
  const purls = new Map(packages.map((one) => [one.path, purlOf(one)]))
  const root = `pkg:npm/${lockfile.name}@${lockfile.version}`
  const { dependencies = {}, devDependencies = {} } = (lockfile.packages[''] ?? {}) as {
    readonly dependencies?: object
    readonly devDependencies?: object
  }
  const direct = Object.keys({ ...dependencies, ...devDependencies }).flatMap(
    (name) => purls.get(`node_modules/${name}`) ?? [],
  )
  const refs = (paths: readonly string[]): string[] =>
    [...new Set(paths.flatMap((path) => purls.get(path) ?? []))].sort()
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { type: 'application', 'bom-ref': root, name: lockfile.name, version: lockfile.version, purl: root },
    },
    components: [...components].sort(([a], [b]) => (a < b ? -1 : 1)).map(([purl, one]) => componentOf(purl, one)),
    dependencies: [
      { ref: root, dependsOn: direct.sort() },
      ...[...components].map(([purl, one]) => ({ ref: purl, dependsOn: refs(one.dependencies) })),
    ],
  }
}

function componentOf(purl: string, { name, version, licence, integrity, isDevelopment }: LockedPackage): object {
  const [algorithm, digest] = integrity?.split('-') ?? []
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    scope: isDevelopment ? 'excluded' : 'required',
    ...(algorithm === 'sha512' && digest !== undefined
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
      : {}),
    licenses: / (OR|AND) /.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }],
    purl,
  }
}

/** One line for each package and version, by licence. */
export function licenceTable(packages: readonly LockedPackage[]): string {
  const rows = [...distinct(packages).values()].map(({ name, version, licence, isDevelopment }) => {
    return `${licence.padEnd(36)}${name}@${version}${isDevelopment ? ' (development)' : ''}`
  })
  return rows.sort().join('\n')
}
