/**
 * Stores each occurrence of an alert that fired, when it fires and when it resolves. Compares all alerts in each cycle with
 * what is stored, so no change events are needed, and a failed write is repeated in a later cycle.
 */
import { eachInSteps, inSlices, ownTurn, type Steps } from '../base/thread-slices.ts'
import type { Alert } from '../model/alert.ts'
import { runKeyOf, type AlertRunRecord } from '../model/alert-run.ts'

/** Occurrences that are written without a pause for other work: thousands of alerts may fire at once. */
const SLICE = 500

/** Durable when it resolves; storing an occurrence twice is the same as storing it once. */
export interface AlertRunStore {
  /** Occurrences that have not ended. */
  listOpen(): Promise<readonly AlertRunRecord[]>
  record(runs: readonly AlertRunRecord[]): Promise<void>
}

export interface AlertHistory {
  /** Call in each evaluation cycle, with all alerts. Rejects when the store does. */
  update(alerts: readonly Alert[], nowMs: number): Promise<void>
  /** Another process has written until now. Rejects when the store does. */
  reread(): Promise<void>
}

export async function createAlertHistory(store: AlertRunStore): Promise<AlertHistory> {
  /** Stored as firing and not as resolved. */
  const open = new Map((await store.listOpen()).map((run) => [runKeyOf(run), run]))
  /** Stored as resolved, and still among the alerts. */
  let ended = new Set<string>()
  /** What is to be written. @param stillEnded gets the occurrences that are stored as resolved */
  function* changes(alerts: readonly Alert[], nowMs: number, stillEnded: Set<string>): Steps<AlertRunRecord[]> {
    const written: AlertRunRecord[] = []
    const seen = new Set<string>()
    yield* eachInSteps(yield* onePerRun(alerts), ([key, alert]) => {
      const firedAtMs = alert.firedAtMs ?? alert.activeAtMs
      seen.add(key)
      if (alert.state === 'firing') {
        if (!open.has(key)) written.push(recordOf(alert, firedAtMs))
      } else if (ended.has(key)) stillEnded.add(key)
      // An alert that fired and resolved between two cycles is stored too.
      else written.push({ ...(open.get(key) ?? recordOf(alert, firedAtMs)), resolvedAtMs: alert.resolvedAtMs ?? nowMs })
    })
    // Its end is unknown: it was firing before the server stopped, and is absent now.
    yield* eachInSteps(open, ([key, run]) => {
      if (!seen.has(key)) written.push({ ...run, resolvedAtMs: nowMs })
    })
    return written
  }
  return {
    reread: async () => {
      const stored = await store.listOpen()
      open.clear()
      for (const run of stored) open.set(runKeyOf(run), run)
      ended = new Set()
    },
    update: async (alerts, nowMs) => {
      const stillEnded = new Set<string>()
      const written = await inSlices(changes(alerts, nowMs, stillEnded), ownTurn)
      for (let from = 0; from < written.length; from += SLICE) {
        if (from > 0) await ownTurn()
        const slice = written.slice(from, from + SLICE)
        await store.record(slice)
        for (const run of slice) {
          const key = runKeyOf(run)
          if (run.resolvedAtMs === undefined) open.set(key, run)
          else {
            open.delete(key)
            stillEnded.add(key)
            ended.add(key)
          }
        }
      }
      ended = stillEnded
    },
  }
}

/** Alerts that fired, by occurrence. Of two with equal labels (a moved rule leaves a resolved one) the firing one counts. */
function* onePerRun(alerts: readonly Alert[]): Steps<ReadonlyMap<string, Alert>> {
  const byKey = new Map<string, Alert>()
  yield* eachInSteps(alerts, (alert) => {
    if (alert.state === 'pending') return
    const key = runKeyOf(alert)
    if (byKey.get(key)?.state !== 'firing') byKey.set(key, alert)
  })
  return byKey
}

function recordOf(alert: Alert, firedAtMs: number): AlertRunRecord {
  const { fingerprint, labels, annotations, activeAtMs } = alert
  return { fingerprint, labels, annotations, activeAtMs, firedAtMs }
}
