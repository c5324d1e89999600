import { describe, expect, test } from 'vitest'
import { fingerprintOf, type Alert, type AlertState } from '../../src/model/alert.ts'
import type { AlertRunRecord } from '../../src/model/alert-run.ts'
import { Labels } from '../../src/model/labels.ts'
import { createAlertHistory, type AlertRunStore } from '../../src/notify/alert-history.ts'

function alertOf(name: string, state: AlertState, activeAtMs = 10, more: Partial<Alert> = {}): Alert {
  const labels = Labels.of({ alertname: name })
  return {
    fingerprint: fingerprintOf(labels),
    labels,
    annotations: {},
    state,
    activeAtMs,
    ...(state === 'pending' ? {} : { firedAtMs: activeAtMs + 1 }),
    ...(state === 'resolved' ? { resolvedAtMs: activeAtMs + 5 } : {}),
    lastHeldAtMs: activeAtMs,
    value: 1,
    ...more,
  }
}

/** What a database would hold, and each write as a text. */
class Kept implements AlertRunStore {
  readonly rows = new Map<string, AlertRunRecord>()
  readonly writes: string[] = []
  isFull = false
  /** The disk is full after so many writes. */
  writesMax = Infinity

  listOpen(): Promise<readonly AlertRunRecord[]> {
    return Promise.resolve([...this.rows.values()].filter(({ resolvedAtMs }) => resolvedAtMs === undefined))
  }

  record(runs: readonly AlertRunRecord[]): Promise<void> {
    if (this.isFull || this.writes.length >= this.writesMax) return Promise.reject(new Error('the disk is full'))
    for (const run of runs) {
      this.rows.set(`${run.fingerprint} ${run.activeAtMs}`, run)
      const end = run.resolvedAtMs === undefined ? 'fires' : `resolved at ${run.resolvedAtMs}`
      this.writes.push(`${run.labels.get('alertname')} ${run.activeAtMs} ${end}`)
    }
    return Promise.resolve()
  }
}

describe('the history of alerts', () => {
  test('has one row for each run that fired, written when it fires and when it resolves', async () => {
    const kept = new Kept()
    const history = await createAlertHistory(kept)
    await history.update([alertOf('A', 'pending')], 10)
    await history.update([alertOf('A', 'firing'), alertOf('Waits', 'pending')], 11)
    await history.update([alertOf('A', 'firing')], 12)
    await history.update([alertOf('A', 'resolved')], 15)
    await history.update([alertOf('A', 'resolved')], 16)
    await history.update([alertOf('A', 'firing', 20)], 21)
    await history.update([], 30)
    expect(kept.writes).toEqual(['A 10 fires', 'A 10 resolved at 15', 'A 20 fires', 'A 20 resolved at 30'])
  })

  test('goes on after a kill at any moment, and writes no run twice', async () => {
    const kept = new Kept()
    const beats: readonly (readonly Alert[])[] = [
      [alertOf('A', 'firing')],
      [alertOf('A', 'firing'), alertOf('B', 'firing', 11)],
      [alertOf('A', 'resolved'), alertOf('B', 'firing', 11)],
      [alertOf('A', 'resolved'), alertOf('B', 'firing', 11)],
    ]
    // A new process for each beat.
    for (const [i, alerts] of beats.entries()) await (await createAlertHistory(kept)).update(alerts, 20 + i)
    expect([...kept.rows.values()].map(({ activeAtMs, resolvedAtMs }) => [activeAtMs, resolvedAtMs])).toEqual([
      [10, 15],
      [11, undefined],
    ])
    // What fired before the kill and is not there after it has ended.
    await (await createAlertHistory(kept)).update([], 99)
    expect([...kept.rows.values()].map(({ resolvedAtMs }) => resolvedAtMs)).toEqual([15, 99])
  })

  test('writes later what could not be written', async () => {
    const kept = new Kept()
    const history = await createAlertHistory(kept)
    kept.isFull = true
    await expect(history.update([alertOf('A', 'firing')], 11)).rejects.toThrow('the disk is full')
    kept.isFull = false
    await history.update([alertOf('A', 'firing')], 12)
    kept.isFull = true
    await expect(history.update([alertOf('A', 'resolved')], 15)).rejects.toThrow('the disk is full')
    kept.isFull = false
    await history.update([alertOf('A', 'resolved')], 16)
    expect(kept.writes).toEqual(['A 10 fires', 'A 10 resolved at 15'])
  })

  test('writes many runs in parts with pauses, and after a failure only those that are missing', async () => {
    const kept = new Kept()
    const history = await createAlertHistory(kept)
    const alerts = Array.from({ length: 1001 }, (_, i) => alertOf(`A${i}`, 'firing'))
    // The disk is full after the first part.
    kept.writesMax = 500
    await expect(history.update(alerts, 11)).rejects.toThrow('the disk is full')
    expect(kept.writes).toHaveLength(500)
    kept.writesMax = Infinity
    await history.update(alerts, 12)
    expect(new Set(kept.writes).size).toBe(1001)
    expect(kept.writes).toHaveLength(1001)
    // The same for their ends: what has ended is not written again.
    const ended = alerts.map(({ labels }) => alertOf(labels.get('alertname'), 'resolved'))
    kept.writesMax = 1501
    await expect(history.update(ended, 15)).rejects.toThrow('the disk is full')
    kept.writesMax = Infinity
    await history.update(ended, 16)
    await history.update(ended, 17)
    expect(kept.writes).toHaveLength(2002)
  })

  test('has a run that fired and resolved between two beats, and takes what fires of two with equal labels', async () => {
    const kept = new Kept()
    const history = await createAlertHistory(kept)
    await history.update([alertOf('Short', 'resolved'), alertOf('Twice', 'resolved'), alertOf('Twice', 'firing')], 16)
    expect(kept.writes).toEqual(['Short 10 resolved at 15', 'Twice 10 fires'])
  })
})
