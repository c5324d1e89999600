/** Which accepted risks are in effect, by cluster. Pure. */
import { HAZARD_IDS, type AcceptedRisk } from '../../model/readiness.ts'
import { bitOf } from './verdict.ts'

export function isInEffect({ expiresMs, withdrawn }: AcceptedRisk, nowMs: number): boolean {
  return withdrawn === undefined && nowMs < expiresMs
}

/** Of one cluster: the hazards whose risk is accepted, as a set. */
export function acceptedAt(accepted: readonly AcceptedRisk[], nowMs: number): number {
  let set = 0
  for (const one of accepted) if (isInEffect(one, nowMs)) set |= bitOf(one.hazard)
  return set
}

/** The one that lasts longest; `undefined`: the risk is not accepted. */
export function acceptanceOf(
  accepted: readonly AcceptedRisk[],
  hazard: AcceptedRisk['hazard'],
  nowMs: number,
): AcceptedRisk | undefined {
  return accepted
    .filter((one) => one.hazard === hazard && isInEffect(one, nowMs))
    .toSorted((a, b) => b.expiresMs - a.expiresMs)[0]
}

/** Stored by another version of the program, which may know other hazards. */
export function isOfKnownHazard({ hazard }: AcceptedRisk): boolean {
  return HAZARD_IDS.includes(hazard)
}
