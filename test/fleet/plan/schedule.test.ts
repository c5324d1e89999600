import { describe, expect, test } from 'vitest'
import { quantilesOf } from '../../../src/fleet/plan/distribution.ts'
import { HORIZON_MS, scheduleOf, type ScheduledCluster } from '../../../src/fleet/plan/schedule.ts'
import { durationsOf } from '../../../src/fleet/statistics/durations.ts'

const HOUR = 3600
const START_MS = Date.UTC(2026, 8, 1)
const hours = (ms: number | undefined): number | undefined =>
  ms === undefined ? undefined : (ms - START_MS) / (HOUR * 1000)
const fixed = (seconds: number) => quantilesOf(durationsOf([seconds], []))
const cluster = (name: string, ...steps: number[]): ScheduledCluster => ({
  ...{ cluster: name, unknownSteps: 0 },
  steps: steps.map(fixed),
})
const ANY_TIME = { startMs: START_MS, windows: [], timeZone: 'UTC' }
/** Four hours each day. */
const SPANS = Array.from({ length: 730 }, (_, day) => {
  const startMs = START_MS + (day * 24 + 2) * HOUR * 1000
  return { startMs, endMs: startMs + 4 * HOUR * 1000 }
})
const NIGHTS = { ...ANY_TIME, windows: ['daily 02:00-06:00'], spans: SPANS }

describe('waves', () => {
  test('a wave is done when its slowest cluster is, and the next one starts then', async () => {
    const clusters = [cluster('a', HOUR), cluster('b', 3 * HOUR), cluster('c', HOUR, HOUR), cluster('d', HOUR)]
    const { waves, endP50Ms, endP90Ms } = await scheduleOf(clusters, { ...ANY_TIME, clustersAtOnce: 2 })
    expect(waves.map(({ clusters }) => clusters)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(waves.map(({ startP50Ms, endP90Ms }) => [hours(startP50Ms), hours(endP90Ms)])).toEqual([
      [0, 3],
      [3, 5],
    ])
    expect([hours(endP50Ms), hours(endP90Ms)]).toEqual([5, 5])
  })

  test('more at a time are done sooner', async () => {
    const clusters = Array.from({ length: 12 }, (_, i) => cluster(String(i), HOUR))
    const ends = await Promise.all(
      [1, 4, 5, 12].map(async (clustersAtOnce) =>
        hours((await scheduleOf(clusters, { ...ANY_TIME, clustersAtOnce })).endP50Ms),
      ),
    )
    expect(ends).toEqual([12, 3, 3, 1])
  })

  test('no cluster has no wave and no end', async () => {
    const schedule = await scheduleOf([], { ...ANY_TIME, clustersAtOnce: 5 })
    expect(schedule).toMatchObject({ waves: [], unknownSteps: 0 })
    expect(schedule).not.toHaveProperty('endP50Ms')
  })

  test('steps of unknown duration are counted, and the end is a lower bound', async () => {
    const one = { ...cluster('a', HOUR), unknownSteps: 2 }
    expect(await scheduleOf([one], { ...ANY_TIME, clustersAtOnce: 1 })).toMatchObject({ unknownSteps: 2 })
  })

  test('a duration beyond all that was observed has no end; half of such draws leave the p50 unknown', async () => {
    const steps = [quantilesOf(durationsOf([HOUR, HOUR, HOUR, HOUR, HOUR, HOUR, HOUR], [2 * HOUR, 2 * HOUR, 2 * HOUR]))]
    const { endP50Ms, waves } = await scheduleOf([{ cluster: 'a', steps, unknownSteps: 0 }], {
      ...ANY_TIME,
      clustersAtOnce: 1,
    })
    expect(hours(endP50Ms)).toBe(1)
    expect(waves[0]).not.toHaveProperty('endP90Ms')
  })
})

describe('maintenance windows', () => {
  test('a step waits for a window with room for it', async () => {
    const { waves } = await scheduleOf([cluster('a', 3 * HOUR, 2 * HOUR)], { ...NIGHTS, clustersAtOnce: 1 })
    // 02:00 to 05:00; the hour that is left is too short, so the next night from 02:00 to 04:00.
    expect(waves.map(({ startP50Ms, endP50Ms }) => [hours(startP50Ms), hours(endP50Ms)])).toEqual([[2, 28]])
  })

  test('a step that fits exactly is not put off', async () => {
    const { endP50Ms } = await scheduleOf([cluster('a', 3 * HOUR, HOUR)], { ...NIGHTS, clustersAtOnce: 1 })
    expect(hours(endP50Ms)).toBe(6)
  })

  test('a step that is longer than each window starts with one and runs on; it is counted', async () => {
    const schedule = await scheduleOf([cluster('a', HOUR, 10 * HOUR)], { ...NIGHTS, clustersAtOnce: 1 })
    expect(hours(schedule.endP50Ms)).toBe(26 + 10)
    expect(schedule.overlongSteps).toBe(1)
  })

  test('what would start after the horizon has no end', async () => {
    const steps = Array.from({ length: 800 }, () => 3 * HOUR)
    const { waves, endP50Ms } = await scheduleOf([cluster('a', ...steps)], { ...NIGHTS, clustersAtOnce: 1 })
    expect(endP50Ms).toBeUndefined()
    expect(waves[0]).not.toHaveProperty('endP50Ms')
    expect(HORIZON_MS).toBeGreaterThan(700 * 24 * HOUR * 1000)
  })
})
