import type { ClusterProfile } from '../cluster-profile.ts'
import { randomOf } from '../random.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../scenarios/window.ts'
import { STALLS, type HistoryStall, type MigrationLife, type StallKind, type WorkloadMove } from './cluster-history.ts'
import { uidOf } from './uid.ts'

/** KubeVirt's limit for a whole cluster. */
const PARALLEL = 5
/** A machine that finds no node is given up after this time, and tried again. */
const PENDING_LIMIT_MS = 5 * MINUTE_MS

const ONE_HELD = ['not_migratable', 'migrations_pending', 'migration_endless', 'migrations_failing'] as const
const FAILURE =
  'Live migration failed error encountered during MigrateToURI3 libvirt api call: virError(Code=9, Domain=10): operation failed: guest CPU does not match the CPU of the target node'

/**
 * All machines at the moment KubeVirt is done, then five at a time. What cannot move waits: without a method nothing
 * begins; machines that cannot migrate stay until somebody restarts them.
 */
export function planWorkloads(
  profile: ClusterProfile,
  index: number,
  startMs: number,
  wish: { readonly kind: StallKind; readonly lastsMs: number } | undefined,
): WorkloadMove & { readonly stall: HistoryStall | undefined } {
  const random = randomOf(profile.seed, 'history workloads', index)
  const machines = profile.vms
  const migrations: MigrationLife[] = []
  const restartsMs: number[] = []
  const add = (
    vmi: string,
    createdMs: number,
    runningMs: number,
    endMs: number,
    hasSucceeded: boolean,
    failureReason?: string,
  ): void => {
    const uid = uidOf(profile.seed, 'vmim', index, vmi, migrations.length)
    migrations.push({
      ...{ uid, vmi, createdMs, schedulingMs: createdMs + SECOND_MS, runningMs, endMs, hasSucceeded },
      cause: 'workload_update',
      ...(failureReason === undefined ? {} : { failureReason }),
    })
  }
  const isWished = (kind: StallKind): boolean => wish?.kind === kind
  const beginMs = startMs + (isWished('no_method') ? wish!.lastsMs : 0) + random.int(3, 30) * SECOND_MS
  const held = ONE_HELD.some(isWished) ? 1 : 0
  const lanes = Array.from({ length: PARALLEL }, () => beginMs)
  for (let i = held; i < machines; i++) {
    const lane = lanes.indexOf(Math.min(...lanes))
    const createdMs = lanes[lane]!
    const runningMs = createdMs + random.int(3, 12) * SECOND_MS
    const endMs = runningMs + random.int(30, 100) * SECOND_MS
    add(`vm-${i}`, createdMs, runningMs, endMs, true)
    lanes[lane] = endMs + random.int(1, 5) * SECOND_MS
  }
  let endMs = Math.max(beginMs, ...migrations.map((migration) => migration.endMs))
  let stall: HistoryStall | undefined
  const stands = (kind: StallKind, fromMs: number): number => {
    const untilMs = fromMs + wish!.lastsMs
    stall = { kind, ...STALLS[kind], fromMs, untilMs }
    return untilMs
  }
  if (isWished('no_method')) stands('no_method', startMs)
  if (isWished('not_migratable')) {
    endMs = stands('not_migratable', endMs) + random.int(30, 300) * SECOND_MS
    restartsMs.push(endMs)
  }
  if (isWished('migration_endless')) {
    const createdMs = endMs
    endMs = stands('migration_endless', endMs) + random.int(30, 120) * SECOND_MS
    add('vm-0', createdMs, createdMs + 8 * SECOND_MS, endMs, true)
  }
  if (isWished('migrations_failing')) {
    const untilMs = stands('migrations_failing', endMs)
    let atMs = endMs
    // KubeVirt waits longer after each failure, up to five minutes.
    for (let i = 0; atMs + PENDING_LIMIT_MS < untilMs; i++) {
      const failedMs = atMs + random.int(20, 70) * SECOND_MS
      add('vm-0', atMs, atMs + random.int(4, 10) * SECOND_MS, failedMs, false, FAILURE)
      atMs = failedMs + Math.min(PENDING_LIMIT_MS, 20 * SECOND_MS * 2 ** i)
    }
    endMs = Math.max(untilMs, atMs) + random.int(40, 110) * SECOND_MS
    add('vm-0', endMs - 35 * SECOND_MS, endMs - 30 * SECOND_MS, endMs, true)
  }
  if (isWished('migrations_pending')) {
    let atMs = endMs
    const untilMs = stands('migrations_pending', endMs)
    for (
      ;
      atMs + PENDING_LIMIT_MS < Math.min(untilMs, endMs + 8 * HOUR_MS);
      atMs += PENDING_LIMIT_MS + 20 * SECOND_MS
    ) {
      add('vm-0', atMs, Infinity, atMs + PENDING_LIMIT_MS, false)
    }
    endMs = Math.max(untilMs, atMs) + random.int(40, 110) * SECOND_MS
    add('vm-0', endMs - 35 * SECOND_MS, endMs - 30 * SECOND_MS, endMs, true)
  }
  const migratedMs = migrations.filter(({ hasSucceeded }) => hasSucceeded).map((migration) => migration.endMs)
  const movedMs = [...migratedMs, ...restartsMs].sort((a, b) => a - b)
  return { startMs, endMs, machines, migrations, movedMs, stall }
}
