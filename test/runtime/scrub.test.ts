import { expect, test } from 'vitest'
import { silentLog } from '../../src/base/log.ts'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { createScrubSchedule, type ScrubSchedule, type ScrubThread } from '../../src/runtime/scrub.ts'
import type { FoundDamage } from '../../src/store/integrity/damage.ts'
import type { ScrubStep } from '../../src/store/integrity/scrub.ts'

// When passes run. What a pass reads is in test/store/integrity.

const START_MS = 1_787_220_000_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 3_600_000
const DAMAGE: FoundDamage = { kind: 'pack', id: 1, message: 'damaged' }

class Passes {
  readonly events: string[] = []
  steps: (ScrubStep | Error)[] = []
  readonly reported: (readonly [readonly FoundDamage[], boolean | undefined])[] = []
  readonly metrics = createOwnMetrics('0')
  readonly schedule: ScrubSchedule = createScrubSchedule({
    start: () => {
      this.events.push('start')
      return Promise.resolve(this.#thread)
    },
    store: {
      reportDamage: (found, isPassEnd) => {
        this.reported.push([found, isPassEnd])
        return Promise.resolve()
      },
    },
    metrics: this.metrics,
    log: silentLog,
  })
  readonly #thread: ScrubThread = {
    remote: {
      scrub: {
        step: () => {
          const step = this.steps.shift() ?? { found: [], isPassEnd: false }
          this.events.push('step')
          return step instanceof Error ? Promise.reject(step) : Promise.resolve(step)
        },
        close: () => Promise.resolve(),
      },
    },
    terminate: () => {
      this.events.push('end')
      return Promise.resolve()
    },
  }

  take(): string[] {
    return this.events.splice(0)
  }
}

test('a pass begins ten minutes after the start and once a day, a step at a time', async () => {
  const passes = new Passes()
  await passes.schedule.tick(START_MS)
  await passes.schedule.tick(START_MS + 10 * MINUTE_MS - 1)
  expect(passes.take()).toEqual([])
  passes.steps = [
    { found: [], isPassEnd: false },
    { found: [DAMAGE], isPassEnd: false },
    { found: [], isPassEnd: true },
  ]
  const beganMs = START_MS + 10 * MINUTE_MS
  for (let i = 0; i < 4; i++) await passes.schedule.tick(beganMs + i * 1000)
  expect(passes.take()).toEqual(['start', 'step', 'step', 'step', 'end'])
  expect(passes.reported).toEqual([
    [[DAMAGE], false],
    [[], true],
  ])
  const { values } = await passes.metrics.storeScrubLastSeconds.get()
  expect(values[0]!.value).toBe((beganMs + 2000) / 1000)
  await passes.schedule.tick(beganMs + DAY_MS - 1)
  expect(passes.take()).toEqual([])
  await passes.schedule.tick(beganMs + DAY_MS)
  expect(passes.take()).toEqual(['start', 'step'])
  await passes.schedule.stop()
  expect(passes.take()).toEqual(['end'])
})

test('a step that is under way is not doubled', async () => {
  const passes = new Passes()
  await passes.schedule.tick(START_MS)
  const ticks = [11, 12, 13].map((minutes) => passes.schedule.tick(START_MS + minutes * MINUTE_MS))
  await Promise.all(ticks)
  expect(passes.take()).toEqual(['start', 'step'])
})

test('a pass that fails ends its thread, and is tried again after an hour', async () => {
  const passes = new Passes()
  await passes.schedule.tick(START_MS)
  passes.steps = [new Error('the thread died')]
  const failedMs = START_MS + 10 * MINUTE_MS
  await passes.schedule.tick(failedMs)
  expect(passes.take()).toEqual(['start', 'step', 'end'])
  await passes.schedule.tick(failedMs + 3_599_999)
  expect(passes.take()).toEqual([])
  await passes.schedule.tick(failedMs + 3_600_000)
  expect(passes.take()).toEqual(['start', 'step'])
})
