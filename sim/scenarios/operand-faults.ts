import type { OperandFaultKind } from './habits.ts'
import type { Release } from '../release.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { HOUR_MS } from './window.ts'

export function isFaulty(plan: ClusterPlan, kind: OperandFaultKind, timeMs: number): boolean {
  return plan.operandFault?.kind === kind && timeMs >= plan.operandFault.sinceMs
}

/** The address that two machines share. */
export const SHARED_MAC = '02:4a:e7:00:00:17'

/** The claim that fills up, and where it is. */
export const FILLING_VOLUME = { namespace: 'shop', persistentvolumeclaim: 'orders-db-0' } as const

export const VOLUME_BYTES = 200 * 1024 ** 3

const TOLD_BELOW_SHARE = 0.1
const LASTS_MS = 72 * HOUR_MS

/** Bytes that are left in the volume: from a tenth at the time of the fault it loses the same each hour, as it did before. */
export function volumeBytesLeft(plan: ClusterPlan, timeMs: number): number {
  const sinceMs = plan.operandFault?.sinceMs ?? timeMs
  const share = TOLD_BELOW_SHARE * (1 - (timeMs - sinceMs) / LASTS_MS)
  return Math.round(VOLUME_BYTES * Math.min(0.9, Math.max(0, share)))
}

/** Kubemacpool tells of each address since CNAO 0.102, which HCO 1.18 brought. */
export function tellsOfMacs(release: Release): boolean {
  return release.minor >= 18
}
