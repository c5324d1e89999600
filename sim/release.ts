/**
 * HCO releases with what they bundle, oldest first, and which of them follows which. Only released versions, since the
 * metric names of today (1.10). The date order is not the version order: 1.17.2 is younger than 1.18.0.
 */
export interface Release {
  /** Upstream version, `1.16.0`. */
  readonly hco: string
  readonly minor: number
  readonly patch: number
  /** With the leading `v`, as `kubevirt_info` shows it. */
  readonly kubevirt: string
  readonly cdi: string
  readonly cnao: string
  readonly ssp: string
  readonly goVersion: string
}

export const RELEASES: readonly Release[] = [
  release('1.10.7', 'v1.0.1', 'v1.57.0', 'v0.89.2', 'v0.18.3', 'go1.19.9'),
  release('1.11.1', 'v1.1.1', 'v1.58.3', 'v0.91.1', 'v0.19.1', 'go1.19.9'),
  release('1.12.0', 'v1.2.2', 'v1.59.0', 'v0.93.0', 'v0.20.0', 'go1.21.8'),
  release('1.13.0', 'v1.3.1', 'v1.60.3', 'v0.95.0', 'v0.21.1', 'go1.22.6'),
  release('1.14.0', 'v1.4.0', 'v1.61.1', 'v0.97.3', 'v0.22.2', 'go1.22.8'),
  release('1.15.0', 'v1.5.2', 'v1.62.0', 'v0.98.2', 'v0.23.1', 'go1.23.9'),
  release('1.15.2', 'v1.5.2', 'v1.62.0', 'v0.98.2', 'v0.23.1', 'go1.23.9'),
  release('1.16.0', 'v1.6.2', 'v1.63.1', 'v0.100.2', 'v0.24.1', 'go1.23.9'),
  release('1.17.0', 'v1.7.1', 'v1.64.0', 'v0.101.2', 'v0.24.1', 'go1.24.7'),
  release('1.17.1', 'v1.7.1', 'v1.64.0', 'v0.101.2', 'v0.24.1', 'go1.24.7'),
  release('1.17.3', 'v1.7.4', 'v1.64.0', 'v0.101.2', 'v0.24.1', 'go1.24.9'),
  release('1.18.0', 'v1.8.4', 'v1.65.0', 'v0.102.0', 'v0.25.0', 'go1.25.3'),
  release('1.18.1', 'v1.8.4', 'v1.65.0', 'v0.102.0', 'v0.25.0', 'go1.25.3'),
]

function release(hco: string, kubevirt: string, cdi: string, cnao: string, ssp: string, goVersion: string): Release {
  const [, minor, patch] = hco.split('.').map(Number)
  return { hco, minor: minor!, patch: patch!, kubevirt, cdi, cnao, ssp, goVersion }
}

export function releaseOf(hco: string): Release | undefined {
  return RELEASES.find((candidate) => candidate.hco === hco)
}

/**
 * The release a cluster goes to next: the newest patch of its own minor, else the newest patch of the following one, as
 * catalogs in semver mode offer it; minors are never skipped. `undefined` at the end of the line.
 */
export function nextRelease(from: Release): Release | undefined {
  const newestOf = (minor: number): Release | undefined => RELEASES.findLast((release) => release.minor === minor)
  const sameMinor = newestOf(from.minor)
  return sameMinor === from ? newestOf(from.minor + 1) : sameMinor
}

/** Minor version of KubeVirt: `8` for `v1.8.4`. */
export function kubevirtMinorOf(release: Release): number {
  return Number(release.kubevirt.split('.')[1])
}

/** The OpenShift minor that goes with a release: HCO 1.y belongs to 4.(y+4). */
export function openshiftMinorOf(release: Release): number {
  return release.minor + 4
}
