import releases from './data/releases.json' with { type: 'json' }
import type { Release } from '../model/release.ts'

/** The known bundles of HCO, the oldest version first. `data/README.md` says where they are from. */
export const RELEASES: readonly Release[] = releases

const BY_VERSION = new Map(RELEASES.map((release) => [release.version, release]))

export function releaseOf(version: string): Release | undefined {
  return BY_VERSION.get(version)
}
