import { compareVersions } from '../version-order.ts'

/** Order of versions and of minors (`1.17`), older first: a minor is a version whose patch is not told. */
export function compareReleases(a: string, b: string): number {
  return compareVersions(full(a), full(b))
}

function full(version: string): string {
  return /^v?\d+\.\d+$/.test(version) ? `${version}.0` : version
}
