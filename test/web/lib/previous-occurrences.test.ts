import { expect, test } from 'vitest'
import type { AlertRun } from '../../../src/contract/alert-history.ts'
import { previousOccurrences } from '../../../src/web/lib/previous-occurrences.ts'

const MINUTE_MS = 60_000

/** @param minutes how long it fired; absent while it does */
function run(cluster: string, firedAtMs: number, minutes?: number, more: Partial<AlertRun> = {}): AlertRun {
  return {
    fingerprint: `${cluster} ${firedAtMs}`,
    alertname: 'A',
    cluster,
    severity: 'warning',
    labels: {},
    annotations: {},
    activeAtMs: firedAtMs,
    firedAtMs,
    ...(minutes === undefined ? {} : { resolvedAtMs: firedAtMs + minutes * MINUTE_MS }),
    ...more,
  }
}

test('counts runs that are over, with the time in which half of them and all were', () => {
  const runs = [run('a', 900), run('a', 800, 11), run('b', 700, 3), run('c', 600, 120), run('a', 500, 40)]
  expect(previousOccurrences(runs, 'a')).toEqual({
    count: 4,
    clusters: 3,
    here: 2,
    medianMs: 11 * MINUTE_MS,
    longestMs: 120 * MINUTE_MS,
    oldestFiredAtMs: 500,
    acknowledged: 0,
    noted: [],
  })
})

test('notes of this cluster stand before newer ones of others; who wrote nothing is counted', () => {
  const by = { acknowledgedBy: 'ada' }
  const runs = [
    run('a', 900, undefined, { ...by, acknowledgedNote: 'still at it' }),
    run('b', 800, 5, { ...by, acknowledgedNote: 'there' }),
    run('b', 700, 5, by),
    run('a', 600, 5, { ...by, acknowledgedNote: 'here' }),
  ]
  const { acknowledged, noted } = previousOccurrences(runs, 'a')
  expect([acknowledged, noted.map(({ acknowledgedNote }) => acknowledgedNote)]).toEqual([3, ['here', 'there']])
})

test('of none it says no length', () => {
  expect(previousOccurrences([run('a', 900)])).toEqual({ count: 0, clusters: 0, here: 0, acknowledged: 0, noted: [] })
})
