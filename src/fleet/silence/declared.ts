/** Decommissioned and opted out: a user declared it, or the cluster itself showed it before it fell silent. */
import type { SilenceEvidence } from '../../model/cluster-silence.ts'
import { CADENCE, type SilentCluster } from './silent-cluster.ts'
import { minutesText, timeText } from './silence-texts.ts'

/** What happened longer before the silence has nothing to do with it. */
export const BEFORE_MS = 24 * 3600_000

export function decommissioned({ gone, record, sinceMs }: SilentCluster): readonly SilenceEvidence[] {
  const cause = 'decommissioned'
  if (gone?.why.kind === 'declared' && gone.why.decommission.kind !== 'opted_out') {
    const { by, reason } = gone.why.decommission
    return [{ cause, text: `Declared decommissioned by ${by}: ${reason}`, atMs: gone.sinceMs }]
  }
  const removedMs = record?.hyperConvergedRemovedMs
  if (removedMs === undefined || !isShortlyBefore(removedMs, sinceMs)) return []
  const before = beforeText(removedMs, sinceMs)
  return [{ cause, text: `HyperConverged was deleted ${before}: the operator was uninstalled.`, atMs: removedMs }]
}

export function optedOut({ gone, record, sinceMs, sources }: SilentCluster): readonly SilenceEvidence[] {
  const cause = 'opted_out'
  if (gone?.why.kind === 'declared' && gone.why.decommission.kind === 'opted_out') {
    const { by, reason } = gone.why.decommission
    return [{ cause, text: `Declared opted out by ${by}: ${reason}`, atMs: gone.sinceMs }]
  }
  const off = record?.telemetryOff
  // The setting is about metrics: it does not stop the Collector alone.
  if (off === undefined || !sources.includes('metrics')) return []
  const { sinceMs: offMs, by } = off
  if (offMs === undefined || !isShortlyBefore(offMs, sinceMs)) return []
  const setBy = by === undefined ? '' : `, written by ${by}`
  const text = `HyperConverged allows no metrics (allowedMetrics: none), set ${beforeText(offMs, sinceMs)}${setBy}.`
  return [{ cause, text, atMs: offMs }]
}

/** A report may follow what happened, and the last list of objects may come before it. */
function isShortlyBefore(eventMs: number, silentMs: number): boolean {
  return eventMs >= silentMs - BEFORE_MS && eventMs <= silentMs + CADENCE.objectsMs
}

function beforeText(eventMs: number, silentMs: number): string {
  const when = `at ${timeText(eventMs)}`
  return eventMs >= silentMs
    ? `${when}, when the reports ended`
    : `${when}, ${minutesText(silentMs - eventMs)} before the last report`
}
