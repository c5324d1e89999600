/**
 * Writes down each run of an alert that fired: when it fires, and when it resolves. Compares all alerts in each cycle, so
 * that it needs no message of each change; what could not be written is written in a later cycle.
 */
import type { Alert } from '../model/alert.ts'
import { runKeyOf, type AlertRunRecord } from '../model/alert-run.ts'

/** Stores runs. Durable when it resolves; writing a run twice writes it once. */
export interface AlertRunStore {
  /** Runs that have not ended. */
  listOpen(): Promise<readonly AlertRunRecord[]>
  record(runs: readonly AlertRunRecord[]): Promise<void>
}

export interface AlertHistory {
  /** To be called in each evaluation cycle, with all alerts. Rejects when the store does. */
  note(alerts: readonly Alert[], nowMs: number): Promise<void>
}

export async function createAlertHistory(store: AlertRunStore): Promise<AlertHistory> {
  /** Written as firing, and not as resolved. */
  const open = new Map((await store.listOpen()).map((run) => [runKeyOf(run), run]))
  /** Written as resolved, and still among the alerts. */
  let ended = new Set<string>()
  return {
    note: async (alerts, nowMs) => {
      const written: AlertRunRecord[] = []
      const seen = new Set<string>()
      const stillEnded = new Set<string>()
      for (const [key, alert] of onePerRun(alerts)) {
        const firedAtMs = alert.firedAtMs ?? alert.activeAtMs
        seen.add(key)
        if (alert.state === 'firing') {
          if (!open.has(key)) written.push(recordOf(alert, firedAtMs))
        } else if (ended.has(key)) stillEnded.add(key)
        // One that fired and resolved between two cycles is written too.
        else
          written.push({ ...(open.get(key) ?? recordOf(alert, firedAtMs)), resolvedAtMs: alert.resolvedAtMs ?? nowMs })
      }
      // Nobody knows when it ended: it was firing before the server stopped, and is unknown now.
      for (const [key, run] of open) if (!seen.has(key)) written.push({ ...run, resolvedAtMs: nowMs })

      if (written.length > 0) await store.record(written)
      for (const run of written) {
        const key = runKeyOf(run)
        if (run.resolvedAtMs === undefined) open.set(key, run)
        else {
          open.delete(key)
          stillEnded.add(key)
        }
      }
      ended = stillEnded
    },
  }
}

/** Those that fired, by run. Two may have equal labels (a moved rule leaves a resolved one behind): what fires wins. */
function onePerRun(alerts: readonly Alert[]): ReadonlyMap<string, Alert> {
  const byKey = new Map<string, Alert>()
  for (const alert of alerts) {
    if (alert.state === 'pending') continue
    const key = runKeyOf(alert)
    if (byKey.get(key)?.state !== 'firing') byKey.set(key, alert)
  }
  return byKey
}

function recordOf(alert: Alert, firedAtMs: number): AlertRunRecord {
  const { fingerprint, labels, annotations, activeAtMs } = alert
  return { fingerprint, labels, annotations, activeAtMs, firedAtMs }
}
