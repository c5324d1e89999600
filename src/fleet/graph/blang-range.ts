/**
 * Ranges of versions as OLM reads `skipRange`: the syntax of blang/semver, on top of node-semver. The two differ: `!1.2.3`,
 * no `~` and `^`, and a prerelease is in each range that contains it by order.
 */
import { SemVer } from 'semver'

/** Whether a version is in the range; a text that is no version is in none. */
export type VersionRange = (version: string) => boolean

/** Longer texts are no range; the longest in public catalogs are about a hundred characters. */
const TEXT_MAX = 1000

const TESTS: ReadonlyMap<string, (order: number) => boolean> = new Map([
  ['', (order: number) => order === 0],
  ['=', (order: number) => order === 0],
  ['==', (order: number) => order === 0],
  ['!', (order: number) => order !== 0],
  ['!=', (order: number) => order !== 0],
  ['>', (order: number) => order > 0],
  ['>=', (order: number) => order >= 0],
  ['<', (order: number) => order < 0],
  ['<=', (order: number) => order <= 0],
])

interface Comparator {
  readonly test: (order: number) => boolean
  readonly version: SemVer
}

/** `undefined`: not in blang's syntax. */
export function parseRange(text: string): VersionRange | undefined {
  if (text.length > TEXT_MAX) return undefined
  const alternatives: Comparator[][] = []
  for (const part of text.split('||')) {
    // An operator may have spaces after it.
    const words = part
      .replace(/([<>=!]) +/g, '$1')
      .split(' ')
      .filter((word) => word !== '')
    const comparators = words.map(comparatorsOf)
    if (words.length === 0 || comparators.includes(undefined)) return undefined
    alternatives.push(comparators.flatMap((some) => some ?? []))
  }
  return (version) => {
    const parsed = parseVersion(version)
    if (parsed === undefined) return false
    return alternatives.some((all) => all.every(({ test, version: bound }) => test(parsed.compare(bound))))
  }
}

function parseVersion(text: string): SemVer | undefined {
  // Also takes `v1.2.3` and spaces, which blang does not.
  if (!/^\d\S*$/.test(text) || text.length > 256) return undefined
  try {
    return new SemVer(text)
  } catch {
    return undefined
  }
}

/** One comparison, or the two that a wildcard (`1.2.x`) stands for; blang makes `!1.2.x` one that nothing fulfils. */
function comparatorsOf(word: string): readonly Comparator[] | undefined {
  const [, operator, text] = /^([<>=!]*)([^]*)$/.exec(word)!
  const test = TESTS.get(operator!)
  if (test === undefined) return undefined
  const wildcard = /^(\d{1,15})\.(?:x(?:\.x)?|(\d{1,15})\.x)$/.exec(text!)
  if (wildcard === null) {
    const version = parseVersion(text!)
    return version === undefined ? undefined : [{ test, version }]
  }
  const [major, minor] = [Number(wildcard[1]), wildcard[2] === undefined ? undefined : Number(wildcard[2])]
  const first = { test: TESTS.get('>=')!, version: new SemVer(`${major}.${minor ?? 0}.0`) }
  const next = new SemVer(minor === undefined ? `${major + 1}.0.0` : `${major}.${minor + 1}.0`)
  const from = { test: TESTS.get('>=')!, version: next }
  const before = { test: TESTS.get('<')!, version: next }
  const older = { test: TESTS.get('<')!, version: first.version }
  switch (operator) {
    case '>':
      return [from]
    case '>=':
      return [first]
    case '<':
      return [older]
    case '<=':
      return [before]
    case '!':
    case '!=':
      return [older, from]
    default:
      return [first, before]
  }
}
