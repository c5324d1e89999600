/**
 * How the hazards of a cluster combine to one verdict. Accepted risks are shown and do not count.
 *
 * - `not_recommended`: at least one hazard with this verdict. The upgrade is likely to be refused, to stop or to take VMs down.
 * - `at_risk`: otherwise, at least one hazard. What is missing as well is listed, and does not change the verdict: with the
 *   missing signal it would be at least as bad.
 * - `unknown`: otherwise, the signal of at least one hazard is missing, or the cluster is silent, so that all signals are old.
 * - `ready`: every hazard that applies is ruled out or accepted, by signals of a cluster that reports.
 */
import { HAZARD_IDS, type HazardFinding, type HazardId, type ReadinessVerdict } from '../../model/readiness.ts'
import type { Evaluated } from './hazard.ts'

/** Sets of hazards: bit n is `HAZARD_IDS[n]`. */
export interface HazardSets {
  readonly notRecommended: number
  readonly atRisk: number
  readonly unknown: number
}

export function verdictOf(
  { notRecommended, atRisk, unknown }: HazardSets,
  accepted: number,
  isSilent: boolean,
): ReadinessVerdict {
  if ((notRecommended & ~accepted) !== 0) return 'not_recommended'
  if ((atRisk & ~accepted) !== 0) return 'at_risk'
  return (unknown & ~accepted) !== 0 || isSilent ? 'unknown' : 'ready'
}

export function bitOf(hazard: HazardId): number {
  return 1 << HAZARD_IDS.indexOf(hazard)
}

/** @param findings in the order of `HAZARD_IDS` */
export function setsOf(findings: readonly (HazardFinding | Evaluated)[]): HazardSets {
  const setOf = (isIn: (finding: HazardFinding | Evaluated) => boolean): number =>
    findings.reduce((set, finding, i) => (isIn(finding) ? set | (1 << i) : set), 0)
  return {
    notRecommended: setOf((finding) => finding.state === 'present' && finding.verdict === 'not_recommended'),
    atRisk: setOf((finding) => finding.state === 'present' && finding.verdict === 'at_risk'),
    unknown: setOf(({ state }) => state === 'unknown'),
  }
}

/** The hazards of a set, in their order. */
export function hazardsIn(set: number): readonly HazardId[] {
  return HAZARD_IDS.filter((_, i) => (set & (1 << i)) !== 0)
}
