import { compareVersions } from '../version-order.ts'

/** Orders versions and minors, older first: the minor `1.17` sorts as `1.17.0`. */
export function compareReleases(a: string, b: string): number {
  return compareVersions(full(a), full(b))
}

function full(version: string): string {
  return /^v?\d+\.\d+$/.test(version) ? `${version}.0` : version
}
