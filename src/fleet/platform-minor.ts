/**
 * Minors of OpenShift as numbers in one order: 4.20 is 20, and 5.0, which continues 4.22, is 23. HCO 1.y pairs with OpenShift
 * 4.(y+4), so a minor of HCO has the number of its OpenShift.
 */
import { hcoReleaseOf } from './derive/hco-release.ts'

/** 4.22 is the last minor of OpenShift 4: 4.23 is 5.0. */
const LAST_OF_4 = 22
const HCO_BEHIND = 4

/** `undefined`: no version of OpenShift. A minor alone, such as `4.18`, is one too. */
export function openshiftMinorOf(version: string): number | undefined {
  const parts = /^v?([45])\.(\d{1,3})(?:\.|$)/.exec(version)
  if (parts === null) return undefined
  return parts[1] === '4' ? Number(parts[2]) : LAST_OF_4 + 1 + Number(parts[2])
}

/** Of a version of HCO: the minor of OpenShift that it pairs with. `undefined`: no version of HCO. */
export function pairedMinorOf(hcoVersion: string): number | undefined {
  const release = hcoReleaseOf(/^v?\d+\.\d+$/.test(hcoVersion) ? `${hcoVersion}.0` : hcoVersion)
  return release === undefined ? undefined : release.minor + HCO_BEHIND
}

export function openshiftMinorText(minor: number): string {
  return minor > LAST_OF_4 ? `5.${minor - LAST_OF_4 - 1}` : `4.${minor}`
}

/** Of HCO, as its flavour counts. */
export function hcoMinorText(minor: number, flavour: 'community' | 'openshift'): string {
  return flavour === 'community' ? `1.${minor - HCO_BEHIND}` : openshiftMinorText(minor)
}

/** Even minors have Extended Update Support: worker nodes may skip the odd minor between two of them. */
export function isEven(minor: number): boolean {
  return minor % 2 === 0
}

const KUBERNETES_AHEAD = 13

/** The minor of OpenShift whose kubelet this is: Kubernetes 1.29 belongs to 4.16. */
export function minorOfKubelet(kubeletVersion: string): number | undefined {
  const parts = /^v?1\.(\d{1,3})\./.exec(kubeletVersion)
  return parts === null ? undefined : Number(parts[1]) - KUBERNETES_AHEAD
}
