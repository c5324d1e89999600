import { compareVersions } from './version-order.ts'

interface Counted {
  readonly value: string | null
  readonly count: number
}

export interface VersionChoice extends Counted {
  readonly text: string
}

/** `1.17` of `1.17.0`; `undefined` of what is no version. */
export function minorOf(version: string): string | undefined {
  return /^v?(\d+\.\d+)(?:\.|$)/.exec(version)?.[1]
}

/** Each minor of which there are several versions, before them: `all of 1.17`. Newest first, what is not known last. Pure. */
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

/** Steps of the ramp by age: 0 is the newest minor, the last stands for it and all older ones. */
export const VERSION_AGES = 5

/** How old a version is among those the fleet runs, by minors; `undefined` when nobody can tell. */
export function versionAge(version: string, versions: readonly Counted[]): number | undefined {
  // HCO's versions (`1.17.0`) stand beside those of its OpenShift build (`4.20.1`) and KubeVirt's (`v1.7.0`): lines of
  // their own, of which none is older than another.
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
