/** The target of a plan: `4.18`, `1.14`, an exact version of HCO, or `openshift 4.18.3`. */
import { hcoReleaseOf } from '../derive/hco-release.ts'
import { openshiftMinorOf, pairedMinorOf } from '../platform-minor.ts'
import type { Flavour } from './plan-graph.ts'

export interface PlanTarget {
  /** As it was given. */
  readonly text: string
  /** Of OpenShift; HCO goes to the minor that pairs with it. */
  readonly minor: number
  /** An exact version of HCO, for clusters of its flavour. */
  readonly hco?: { readonly version: string; readonly flavour: Flavour }
  /** An exact version of OpenShift. */
  readonly openshift?: string
}

/** What a target may be, for messages. */
export const TARGET_FORM = 'a minor such as 4.18 or 1.14, a version of HCO such as 1.14.2, or openshift 4.18.3'

const EXACT = /^v?\d{1,3}\.\d{1,3}\.\d{1,5}$/
const MINOR = /^v?\d{1,3}\.\d{1,3}$/

/** `undefined`: no target. */
export function targetOf(given: string): PlanTarget | undefined {
  const text = given.trim()
  if (text.startsWith('openshift ')) {
    const version = text.slice('openshift '.length).trim()
    const minor = openshiftMinorOf(version)
    if (minor === undefined || !(EXACT.test(version) || MINOR.test(version))) return undefined
    return { text, minor, ...(EXACT.test(version) ? { openshift: version } : {}) }
  }
  if (!(EXACT.test(text) || MINOR.test(text))) return undefined
  const minor = pairedMinorOf(text)
  if (minor === undefined) return undefined
  const release = EXACT.test(text) ? hcoReleaseOf(text) : undefined
  return { text, minor, ...(release === undefined ? {} : { hco: { version: text, flavour: release.flavour } }) }
}
