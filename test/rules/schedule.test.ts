import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dueAt, spreadOffset, type GroupSchedule, type Due } from '../../src/rules/schedule.ts'

const scheduleOf = (key: string, intervalMs: number): GroupSchedule => ({
  intervalMs,
  offsetMs: spreadOffset(key, intervalMs),
})

const BEAT = { intervalMs: 30_000, offsetMs: 7000 }

describe('dueAt', () => {
  test.each<[number | undefined, number, Due, string]>([
    [undefined, 12_345, { isDue: true, timeMs: 12_345, missed: 0 }, 'the first evaluation is due at once'],
    [37_000, 66_999, { isDue: false, nextMs: 67_000 }, 'not before the next slot'],
    [37_000, 67_000, { isDue: true, timeMs: 67_000, missed: 0 }, 'on schedule'],
    [37_000, 95_000, { isDue: true, timeMs: 67_000, missed: 0 }, 'a late evaluation is for its scheduled time'],
    [37_000, 97_000, { isDue: true, timeMs: 97_000, missed: 1 }, 'one evaluation was missed'],
    [37_000, 337_000, { isDue: true, timeMs: 337_000, missed: 9 }, 'nine were'],
    [66_999, 67_000, { isDue: true, timeMs: 67_000, missed: 0 }, 'a late evaluation does not shift the schedule'],
    [67_000, 66_000, { isDue: false, nextMs: 97_000 }, 'a clock set back a little evaluates nothing twice'],
    [967_000, 7000, { isDue: true, timeMs: 7000, missed: 0 }, 'a clock set back far starts at once'],
  ])('last %s, now %i: %j (%s)', (lastMs, nowMs, want) => {
    expect(dueAt(BEAT, lastMs, nowMs)).toEqual(want)
  })

  test('ticking each second evaluates once per interval and misses nothing', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 600 }), (key, intervalSeconds) => {
        const schedule = scheduleOf(key, intervalSeconds * 1000)
        let lastMs: number | undefined
        let evaluations = 0
        let missed = 0
        for (let second = 0; second < 1800; second++) {
          const nowMs = 1_787_220_000_000 + second * 1000
          const due = dueAt(schedule, lastMs, nowMs)
          if (!due.isDue) continue
          expect(due.timeMs).toBe(nowMs)
          lastMs = due.timeMs
          evaluations++
          missed += due.missed
        }
        expect(missed).toBe(0)
        expect(Math.abs(evaluations - 1800 / intervalSeconds)).toBeLessThanOrEqual(2)
      }),
      { numRuns: 50 },
    )
  })

  test('however late the heart slots, evaluations are whole intervals apart', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.integer({ min: 1, max: 40_000 }), { maxLength: 60 }), (key, pauses) => {
        const schedule = scheduleOf(key, 30_000)
        let nowMs = 1_787_220_000_000
        let lastMs = nowMs - schedule.intervalMs
        let slots = 0
        const times: number[] = []
        for (const pauseMs of pauses) {
          nowMs += pauseMs
          const due = dueAt(schedule, lastMs, nowMs)
          if (!due.isDue) continue
          expect(due.timeMs).toBeLessThanOrEqual(nowMs)
          slots += due.missed + 1
          lastMs = due.timeMs
          times.push(due.timeMs)
        }
        const [first = 0] = times
        expect(times.every((timeMs) => (timeMs - first) % 30_000 === 0)).toBe(true)
        expect(slots).toBeGreaterThanOrEqual(times.length)
      }),
    )
  })

  test('groups are spread over their interval', () => {
    const offsets = Array.from({ length: 200 }, (_, i) => scheduleOf(`rules/file-${i}.yaml;group`, 60_000).offsetMs)
    const perTenth = Array.from({ length: 10 }, (_, i) => offsets.filter((ms) => Math.floor(ms / 6000) === i).length)
    expect(Math.min(...perTenth)).toBeGreaterThan(5)
    expect(scheduleOf('a', 60_000)).toEqual(scheduleOf('a', 60_000))
  })
})
