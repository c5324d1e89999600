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
