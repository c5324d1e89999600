/** Broken by its upgrade: the silence started in a phase of an upgrade in progress, soon after the phase started. */
import type { SilenceEvidence, SilenceShare } from '../../model/cluster-silence.ts'
import type { OpenUpgrade } from '../clusters/cluster-states.ts'
import { minutesText, shareText, timeText } from './silence-texts.ts'
import type { SilentCluster } from './silent-cluster.ts'

/** A phase that started longer before the silence is a stuck upgrade, whose cluster may fall silent for any reason. */
export const PHASE_RECENT_MS = 6 * 3600_000

/** Silent clusters with an upgrade in progress, of all of them; `elsewhere`: of clusters without one. */
export type UpgradeShare = SilenceShare & { readonly elsewhere: SilenceShare }

export function brokenByUpgrade(one: SilentCluster, share: UpgradeShare): readonly SilenceEvidence[] {
  if (!one.isTotal) return []
  return one.open.flatMap((open): SilenceEvidence[] => {
    const started = isRunning(open) ? phaseStart(open) : undefined
    if (started === undefined || started.atMs > one.untilMs) return []
    if (one.sinceMs - started.atMs > PHASE_RECENT_MS) return []
    const { from, to, operator } = open.record.upgrade
    const versions = from === undefined ? `to ${to}` : `${from} to ${to}`
    const after = Math.max(0, one.sinceMs - started.atMs)
    const text =
      `Silent since ${minutesText(after)} after the start of ${started.what} in the upgrade of ${operator} ${versions} ` +
      `(${timeText(started.atMs)}). Silent: ${shareText(share)} with an upgrade in progress, ${shareText(share.elsewhere)} without.`
    return [{ cause: 'upgrade', text, atMs: started.atMs, share }]
  })
}

/** Its control plane is being upgraded: waiting for an approval and moving VMs are no risk for the cluster. */
export function isRunning({ record, verdict }: OpenUpgrade): boolean {
  const { upgrade } = record
  return upgrade.state === 'in_progress' && upgrade.startedMs !== undefined && verdict.phase !== 'workloads'
}

function phaseStart({
  record: { upgrade },
  verdict,
}: OpenUpgrade): { readonly atMs: number; readonly what: string } | undefined {
  const { phase, phaseSinceMs } = verdict
  if (phase !== undefined && phaseSinceMs !== undefined) return { atMs: phaseSinceMs, what: `the phase ${phase}` }
  return upgrade.startedMs === undefined ? undefined : { atMs: upgrade.startedMs, what: 'the upgrade' }
}
