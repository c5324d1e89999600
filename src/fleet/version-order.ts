/**
 * Order of operator versions: semantic versioning 2.0.0 section 11, as OLM and KubeVirt write them (`1.16.0`,
 * `v1.6.0-rc.1`, OpenShift's `4.20.3`). A text that is not a version sorts below all versions.
 */
const PATTERN = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/

/** Negative when `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [PATTERN.exec(a), PATTERN.exec(b)]
  if (left === null || right === null) {
    return left === right ? compareTexts(a, b) : left === null ? -1 : 1
  }
  for (let i = 1; i <= 3; i++) {
    const order = Number(left[i]) - Number(right[i])
    if (order !== 0) return order
  }
  return comparePrereleases(left[4], right[4])
}

/** Orders versions and minors, older first: the minor `1.17` sorts as `1.17.0`. */
export function compareReleases(a: string, b: string): number {
  return compareVersions(full(a), full(b))
}

function full(version: string): string {
  return /^v?\d+\.\d+$/.test(version) ? `${version}.0` : version
}

/** `undefined`: there are none. */
export function newestOf(versions: Iterable<string>): string | undefined {
  return [...versions].sort(compareVersions).at(-1)
}

/** `4.20` of `4.20.3`, `1.17` of `v1.17.0`; a text that is not a version is returned unchanged. */
export function minorOf(version: string): string {
  return /^v?(\d+\.\d+)/.exec(version)?.[1] ?? version
}

/** The version in a CSV's name: `kubevirt-hyperconverged-operator.v1.16.0` has 1.16.0. */
export function versionOfCsv(name: string): string | undefined {
  return /\.v(\d+\.\d+\.\d+.*)$/.exec(name)?.[1]
}

/** A release is newer than its prereleases; numbers sort as numbers, before words. */
function comparePrereleases(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined) return 1
  if (b === undefined) return -1
  const [left, right] = [a.split('.'), b.split('.')]
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareParts(left[i]!, right[i]!)
    if (order !== 0) return order
  }
  return left.length - right.length
}

function compareParts(a: string, b: string): number {
  const [isLeftNumber, isRightNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isLeftNumber && isRightNumber) return Number(a) - Number(b)
  if (isLeftNumber !== isRightNumber) return isLeftNumber ? -1 : 1
  return compareTexts(a, b)
}

/** By code unit, independent of the locale. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
