import { expect, test } from 'vitest'
import { dayStartMs } from '../../../src/fleet/adoption/day.ts'
import { DayCountStage } from '../../../src/fleet/loop/day-count-stage.ts'
import { createLoopState } from '../../../src/fleet/loop/loop-state.ts'
import type { CountingPorts } from '../../../src/fleet/adoption/count-days.ts'
import { recordOf } from '../adoption/fleet.ts'

const NOON_MS = dayStartMs('2026-03-20') + 12 * 3_600_000

function stageOf() {
  const updated = new Map<string, number>()
  const put: string[] = []
  const ports: CountingPorts = {
    facts: { intervalsAt: () => Promise.resolve([]) },
    clusters: () => Promise.resolve([recordOf('a', { firstSeenMs: dayStartMs('2026-03-14'), lastSeenMs: NOON_MS })]),
    goneAt: () => Promise.resolve(new Set()),
    days: () => Promise.resolve(Array.from(updated, ([day, updatedMs]) => ({ day, updatedMs }))),
    putDay: (day, _rows, _usage, nowMs) => {
      updated.set(day, nowMs)
      put.push(day.slice(8))
      return Promise.resolve()
    },
  }
  const stage = new DayCountStage(ports, createLoopState())
  const run = async (nowMs: number, isComplete = true) => {
    await stage.run(isComplete, nowMs)
    return put.splice(0).join(' ')
  }
  return { stage, run, updated }
}

test('days are counted when all that was stored is derived, then once a minute those that are due', async () => {
  const { stage, run } = stageOf()
  expect(await run(NOON_MS, false)).toBe('')
  expect(await run(NOON_MS)).toBe('14 15 16 17 18 19 20')
  expect(await run(NOON_MS + 15 * 60_000, false)).toBe('20')
  expect(stage.daysLeft).toBe(0)
})

test('a start counts the last two days again', async () => {
  const { run, updated } = stageOf()
  for (let day = 14; day <= 20; day++) updated.set(`2026-03-${day}`, NOON_MS - 1)
  expect(await run(NOON_MS)).toBe('18 19 20')
})

test('days from a change on are counted at once', async () => {
  const { stage, run } = stageOf()
  await run(NOON_MS)
  expect(await run(NOON_MS + 1000)).toBe('')
  stage.recount(dayStartMs('2026-03-18') + 5, NOON_MS + 1000)
  expect(await run(NOON_MS + 2000)).toBe('18 19 20')
})
