/** Versions, newest first; what is no version (`unknown`) last. Numbers compare as numbers, a pre-release before its release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  if (left === undefined || right === undefined) {
    return Number(left === undefined) - Number(right === undefined) || (a < b ? -1 : a > b ? 1 : 0)
  }
  for (let i = 0; i < 3; i++) {
    const difference = right.numbers[i]! - left.numbers[i]!
    if (difference !== 0) return difference
  }
  if (left.pre === right.pre) return 0
  if (left.pre === '') return -1
  if (right.pre === '') return 1
  return left.pre < right.pre ? 1 : -1
}

interface Version {
  readonly numbers: readonly number[]
  /** What follows the dash; empty for a release. */
  readonly pre: string
}

function parse(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:-([^+]*))?(?:\+.*)?$/.exec(text)
  if (match === null) return undefined
  return { numbers: [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)], pre: match[4] ?? '' }
}

interface Counted {
  readonly value: string | null
  readonly count: number
}

export interface VersionChoice extends Counted {
  readonly text: string
}

/** `1.17` of `1.17.0`; `undefined` without a version. */
export function minorOf(version: string): string | undefined {
  return /^v?(\d+\.\d+)(?:\.|$)/.exec(version)?.[1]
}

/** Newest first, unknown last. `all of 1.17` precedes the versions of a minor with several. */
export function versionChoices(versions: readonly Counted[]): readonly VersionChoice[] {
  const choices: VersionChoice[] = []
  let minorBefore: string | undefined
  for (const { value, count } of [...versions].sort(byVersion)) {
    const minor = value === null || value.startsWith('v') ? undefined : minorOf(value)
    const same = versions.filter((one) => one.value !== null && minorOf(one.value) === minor)
    if (minor !== undefined && minor !== minorBefore && same.length > 1) {
      choices.push({ value: minor, text: `all of ${minor}`, count: same.reduce((sum, one) => sum + one.count, 0) })
    }
    minorBefore = minor
    choices.push({ value, text: value ?? '', count })
  }
  return choices
}

function byVersion({ value: a }: Counted, { value: b }: Counted): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return compareVersions(a, b)
}

/** Steps by age: 0 is the newest minor, the last includes all older ones. */
export const VERSION_AGES = 5

/** The age of a version among those of the fleet, in minors; `undefined` when not known. */
export function versionAge(version: string, versions: readonly Counted[]): number | undefined {
  // Versions of HCO, of its OpenShift build and of KubeVirt are lines of their own that do not compare.
  const same = versions.filter(({ value }) => value !== null && lineOf(value) === lineOf(version))
  const minors = [...new Set(same.flatMap(({ value }) => (value === null ? [] : [minorOf(value)])))]
  const ordered = minors.filter((minor) => minor !== undefined).sort((a, b) => compareVersions(`${a}.0`, `${b}.0`))
  const at = ordered.indexOf(minorOf(version) ?? '')
  return at < 0 ? undefined : Math.min(at, VERSION_AGES - 1)
}

/** `4` of `4.20.1`, `v1` of `v1.7.0`. */
function lineOf(version: string): string {
  return version.split('.', 1)[0] ?? ''
}
