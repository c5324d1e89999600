/** Which schemas a version of HCO has: the release that the data files know, and the API that HCO writes. */
import versions from '../data/schemas/versions.json' with { type: 'json' }
import { hcoReleaseOf } from '../derive/hco-release.ts'
import { RELEASES } from '../releases.ts'
import { compareVersions } from '../version-order.ts'

/** The releases with a schema, oldest first. `main` is the development branch, of which the newest known bundles are made. */
export const SCHEMA_VERSIONS: readonly string[] = versions

const MAIN = 'main'

/** The position in `SCHEMA_VERSIONS` for a version of HCO or OpenShift Virtualization; `undefined`: there is no schema. */
export function schemaVersionAt(version: string): number | undefined {
  const release = hcoReleaseOf(version)
  if (release === undefined) return undefined
  const ofMinor = SCHEMA_VERSIONS.filter((one) => one !== MAIN && hcoReleaseOf(one)?.minor === release.minor)
  // The z-streams of OpenShift Virtualization are numbered on their own.
  const upTo =
    release.flavour === 'community'
      ? ofMinor.filter((one) => (hcoReleaseOf(one)?.patch ?? 0) <= release.patch)
      : ofMinor
  const found = upTo.at(-1) ?? ofMinor[0] ?? (isOfMain(release.minor) ? MAIN : undefined)
  return found === undefined ? undefined : SCHEMA_VERSIONS.indexOf(found)
}

function isOfMain(minor: number): boolean {
  return RELEASES.some(({ version, seenAt }) => seenAt === MAIN && hcoReleaseOf(version)?.minor === minor)
}

/** The version of KubeVirt in a version of HCO, without the `v`; `undefined`: not known. */
export function kubevirtVersionOf(version: string): string | undefined {
  const release = hcoReleaseOf(version)
  if (release === undefined) return undefined
  const ofMinor = RELEASES.filter((one) => hcoReleaseOf(one.version)?.minor === release.minor)
  const known = ofMinor.filter((one) => release.flavour === 'openshift' || compareVersions(one.version, version) <= 0)
  return (known.at(-1) ?? ofMinor[0])?.operands['kubevirt']?.replace(/^v/, '')
}

/** The newest known release of the next minor; `undefined`: none is known. */
export function nextMinorOf(version: string): string | undefined {
  const release = hcoReleaseOf(version)
  if (release === undefined) return undefined
  return RELEASES.findLast((one) => hcoReleaseOf(one.version)?.minor === release.minor + 1)?.version
}
