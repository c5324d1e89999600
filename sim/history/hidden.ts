import type { TruthStall } from './history-truth.ts'
import type { Tells } from './cluster-history.ts'

/**
 * What nobody can know of a stall by the ways its cluster tells: that it stands still at all, or why. Objects hide
 * nothing. Of metrics (facts 1.4, 5.4): OLM exports neither plans, approvals nor conditions of a Subscription, so before
 * the CSV there is nothing to see; HCO's health does not count since 1.16 that it is under way, so who only waits for HCO
 * looks done; and before 1.16 a warning is both being under way and failing to reconcile.
 */
export function hiddenOf(
  { objects }: Tells,
  { kind }: Pick<TruthStall, 'kind'>,
  to: string,
): 'stall' | 'cause' | undefined {
  if (objects) return undefined
  // Gauges count migrations that run and not what becomes of them; of machine-config only that it is degraded is exported.
  if (kind === 'migrations_failing' || kind === 'pool') return 'cause'
  if (kind === 'bundle_unpack' || kind === 'approval') return 'stall'
  if (kind === 'hco_hangs') return warnsOnlyOfFailures(to) ? 'stall' : undefined
  return kind === 'reconcile' && !warnsOnlyOfFailures(to) ? 'cause' : undefined
}

/** HCO from 1.16 on, OpenShift Virtualization from 4.20 on. */
function warnsOnlyOfFailures(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major === 1 ? minor >= 16 : minor >= 20
}
