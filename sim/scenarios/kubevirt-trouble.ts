import type { TroubleKind } from './habits.ts'
import { noiseAt } from '../random.ts'
import type { ClusterPlan } from '../cluster-plan.ts'
import { outdatedVmsAt } from './upgrade.ts'
import { MINUTE_MS } from './window.ts'

export function hasTrouble(plan: ClusterPlan, kind: TroubleKind, timeMs: number): boolean {
  return plan.trouble?.kind === kind && timeMs >= plan.trouble.fromMs
}

/** Since when a canary has not become ready; `undefined` when none is waited for. */
export function stalledCanarySinceMs(plan: ClusterPlan, timeMs: number): number | undefined {
  for (const { stall } of plan.upgrades) {
    if (stall?.kind === 'canary' && timeMs >= stall.fromMs && timeMs < stall.untilMs) return stall.fromMs
  }
  return undefined
}

/** Where the machines of these stories live. */
export const TENANT = 'tenants'

/** They ask for live migration and sit on disks that only one node can mount. */
export const FIXED_MACHINES = ['erp-db-0', 'erp-db-1', 'licence-0'] as const

export interface FileSystem {
  readonly name: string
  readonly mountPoint: string
  readonly disk: string
  readonly type: string
  readonly capacityBytes: number
  /** Share that is used at the beginning. */
  readonly usedShare: number
}

const GIB = 2 ** 30

export const FILE_SYSTEMS: readonly FileSystem[] = [
  {
    ...{ name: 'erp-db-0', mountPoint: '/var/lib/pgsql', disk: 'vdb1', type: 'xfs' },
    ...{ capacityBytes: 200 * GIB, usedShare: 0.902 },
  },
  {
    ...{ name: 'build-1', mountPoint: '/var/lib/containers', disk: 'vda4', type: 'xfs' },
    ...{ capacityBytes: 80 * GIB, usedShare: 0.968 },
  },
  { ...{ name: 'web-3', mountPoint: '/', disk: 'vda4', type: 'xfs' }, ...{ capacityBytes: 40 * GIB, usedShare: 0.41 } },
]

/** Used bytes now: some hundredths more or less, so that it lives and no limit is crossed. */
export function usedBytesAt({ capacityBytes, usedShare }: FileSystem, timeMs: number): number {
  return Math.round(capacityBytes * (usedShare + 0.004 * noiseAt(capacityBytes % 9973, Math.floor(timeMs / MINUTE_MS))))
}

export const THRASHING_MACHINE = 'cache-2'
export const QUEUEING_MACHINE = 'build-1'

export const STUCK_WITHOUT_INSTANCE = { name: 'web-7', status: 'provisioning', group: 'starting' } as const
export const STUCK_ON_NODE = { name: 'web-8', status: 'stopping', group: 'non_running' } as const

export const MOVING_MACHINE = 'erp-app-1'
const MOVES_EVERY_MS = 8 * MINUTE_MS
/** KubeVirt keeps this many finished migrations of a machine. */
const MIGRATIONS_KEPT = 5
const MIGRATIONS_ALERT = 12

/** Numbers of the migrations that can be seen, oldest first. The first ones were there when the history began. */
export function migrationsAt(plan: ClusterPlan, timeMs: number): readonly number[] {
  if (plan.trouble?.kind !== 'ping_pong') return []
  const newest = Math.floor((timeMs - plan.startMs) / MOVES_EVERY_MS) + MIGRATIONS_KEPT - 1
  return Array.from({ length: MIGRATIONS_KEPT }, (_, i) => newest - MIGRATIONS_KEPT + 1 + i)
}

/** When the migration with this number is done; it is seen from then on, until as many newer ones are there as are kept. */
export function migrationWindow(
  plan: ClusterPlan,
  number: number,
): { readonly fromMs: number; readonly untilMs: number } {
  const fromMs = plan.startMs + (number - MIGRATIONS_KEPT + 1) * MOVES_EVERY_MS
  return { fromMs, untilMs: fromMs + MIGRATIONS_KEPT * MOVES_EVERY_MS }
}

/** Since when a server that saw the whole history has counted too many of them. */
export function excessiveSinceMs(plan: ClusterPlan): number {
  return migrationWindow(plan, MIGRATIONS_ALERT - 1).fromMs
}

/** Of the trouble itself; an upgrade leaves others behind. */
const NEVER_MOVED = 7

export function outdatedAt(plan: ClusterPlan, timeMs: number): number {
  if (hasTrouble(plan, 'outdated', timeMs)) return Math.min(NEVER_MOVED, plan.profile.vms)
  return outdatedVmsAt(plan.profile, plan.upgrades, timeMs)
}

/** Since when some machine has been outdated without a pause; `undefined` when none is. */
export function outdatedSinceMs(plan: ClusterPlan, timeMs: number): number | undefined {
  if (hasTrouble(plan, 'outdated', timeMs)) return plan.trouble?.fromMs
  if (outdatedVmsAt(plan.profile, plan.upgrades, timeMs) === 0) return undefined
  const begins = plan.upgrades
    .filter((upgrade) => upgrade.hasKubevirtRoll && upgrade.kubevirtObservedMs <= timeMs)
    .map((upgrade) => upgrade.kubevirtObservedMs)
  const isFresh = (beginMs: number): boolean => outdatedVmsAt(plan.profile, plan.upgrades, beginMs - 1) === 0
  return begins.findLast(isFresh) ?? begins[0]
}
