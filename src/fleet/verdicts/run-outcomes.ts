/**
 * How upgrades ended. An upgrade counts when its horizon has passed, and not before: of recent upgrades, the quick ones end
 * first, and whether those are the good or the bad ones depends on what goes wrong.
 */
import type { RolloutMember, RolloutRun } from '../../model/rollout-verdict.ts'

/** `undefined`: the cluster was not observed until the horizon, and the upgrade had not ended. */
export function isFailure({ startedMs, ended, observedUntilMs }: RolloutRun, horizonMs: number): boolean | undefined {
  const deadlineMs = startedMs + horizonMs
  if (ended !== undefined && ended.atMs <= deadlineMs) return ended.isFailure
  return ended !== undefined || observedUntilMs >= deadlineMs ? true : undefined
}

/** From start to success; Infinity: it did not end within the horizon; `undefined`: it failed, or its outcome is unknown. */
export function secondsOf(run: RolloutRun, horizonMs: number): number | undefined {
  const { startedMs, ended } = run
  const failed = isFailure(run, horizonMs)
  if (failed === false) return (ended!.atMs - startedMs) / 1000
  return failed === true && (ended === undefined || ended.atMs > startedMs + horizonMs) ? Infinity : undefined
}

/** What is compared of an upgrade, beside its score. */
export function memberOf({
  id,
  cluster,
  isCanary,
  stratum,
  startedMs,
}: RolloutRun): RolloutMember & { readonly id: string } {
  return { id, cluster, isCanary, stratum, startedMs }
}
