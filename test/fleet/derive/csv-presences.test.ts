import { describe, expect, test } from 'vitest'
import { clusterHistory } from '../../../src/fleet/derive/cluster-history.ts'
import { csvPresences } from '../../../src/fleet/derive/csv-presences.ts'
import type { MetricRun } from '../../../src/model/observation.ts'
import { observed, run, T0, type RunEnds } from './observed.ts'

const HOUR = 3600

const succeeded = (value: number, range: readonly [number, number], ends: RunEnds): MetricRun =>
  run('csv_succeeded', { version: '1.16.0' }, value, range, ends)
const phase = (name: string, range: readonly [number, number], ends: RunEnds): MetricRun =>
  run('csv_abnormal', { version: '1.16.0', phase: name, reason: '' }, 1, range, ends)

const second = (ms: number | undefined): string => (ms === undefined ? '-' : String((ms - T0) / 1000))
/** `before first..last after`, when it succeeded, and its phases. */
const shown = (...metrics: readonly MetricRun[]): readonly string[] =>
  csvPresences(clusterHistory(observed([], metrics))).map(
    ({ beforeMs, firstMs, lastMs, afterMs, succeeded: done, phases }) =>
      [
        `${second(beforeMs)} ${second(firstMs)}..${second(lastMs)} ${second(afterMs)}`,
        second(done?.atMs),
        ...phases.map(({ labels }) => labels['phase']),
      ].join(' '),
  )

describe('a CSV is replaced, and created again before the next scrape', () => {
  // Replaced from 0 on, and no scrape between 600 and 690.
  const before = succeeded(1, [-900, -30], { before: -930, after: 0 })
  const replacing = phase('Replacing', [0, 600], { before: -30, after: 690 })
  const installing = phase('Installing', [690, 720], { before: 600 })
  const OLD = '-930 -900..600 690 -900 Replacing'

  test('the new one is being installed', () => {
    const current = (last: number) => succeeded(0, [0, last], { before: -30 })
    expect(shown(before, replacing, installing, current(750))).toEqual([OLD, '600 690..750 - - Installing'])
    // The last scrape of a current run is up to an hour old.
    expect(shown(before, replacing, installing, current(0))).toEqual([OLD, '600 690..690 - - Installing'])
  })

  test('the new one is already there', () => {
    const none = succeeded(0, [0, 600], { before: -30, after: 690 })
    expect(shown(before, replacing, none, succeeded(1, [690, 690], { before: 600 }))).toEqual([
      OLD,
      '600 690..690 - 690',
    ])
    // Its target was scraped later than the one before it.
    expect(shown(before, replacing, none, succeeded(1, [690, 690], { before: 630 }))).toEqual([
      OLD,
      '630 690..690 - 690',
    ])
  })

  test('twice', () => {
    const again = [
      phase('Installing', [690, 720], { before: 600, after: 750 }),
      phase('Replacing', [750, 810], { before: 720, after: 900 }),
      phase('Pending', [900, HOUR], { before: 810 }),
    ]
    expect(shown(before, replacing, ...again, succeeded(0, [0, HOUR], { before: -30 }))).toEqual([
      OLD,
      '600 690..810 900 - Installing Replacing',
      `810 900..${HOUR} - - Pending`,
    ])
  })

  test("not while one of OLM's pods still reports the old one", () => {
    const current = succeeded(0, [0, 750], { before: -30 })
    for (const ends of [{ before: -30 }, { before: -30, after: 720 }]) {
      expect(shown(before, phase('Replacing', [0, 600], ends), installing, current)).toHaveLength(1)
    }
  })
})

test('a CSV that is deleted because it was replaced is the same one', () => {
  const runs = [
    succeeded(1, [-900, -30], { before: -930, after: 0 }),
    succeeded(0, [0, 180], { before: -30, after: 210 }),
    phase('Replacing', [0, 120], { before: -30, after: 150 }),
    phase('Deleting', [150, 180], { before: 120, after: 210 }),
  ]
  expect(shown(...runs)).toEqual(['-930 -900..180 210 -900 Replacing Deleting'])
})
