import { afterEach, expect, test } from 'vitest'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { createShippingSchedule, type ShippingSchedule, type ShippingThread } from '../../src/runtime/shipping.ts'
import { OwnReport } from '../../src/runtime/own-report.ts'
import type { ShippingStep } from '../../src/store/shipping/shipper.ts'
import { NOW_MS } from '../store/temp-store.ts'

const HOUR_MS = 3_600_000

const schedules: Rig[] = []
afterEach(async () => {
  for (const { schedule } of schedules.splice(0)) await schedule.stop(NOW_MS)
})

/** A schedule whose thread answers what the test says. */
class Rig {
  readonly metrics = createOwnMetrics('0')
  readonly calls: string[] = []
  readonly report = new OwnReport(() => [])
  steps: (ShippingStep | Error)[] = []
  erasing: readonly string[] = []
  starts = 0
  readonly schedule: ShippingSchedule = createShippingSchedule({
    start: () => Promise.resolve(this.#thread()),
    ingest: {
      store: {
        removeShipped: (seq) => {
          this.calls.push(`removed ${seq}`)
          return Promise.resolve(false)
        },
      },
      erasures: {
        list: () => Promise.resolve([{ id: '1', by: 'a', startedMs: 0, removed: 0, names: this.erasing }]),
      },
    },
    metrics: this.metrics,
    log: { warn: () => undefined } as never,
    report: this.report,
  })

  constructor() {
    schedules.push(this)
  }

  async value(name: string): Promise<number | undefined> {
    const line = (await this.metrics.registry.metrics()).split('\n').find((text) => text.startsWith(`${name} `))
    return line === undefined ? undefined : Number(line.split(' ')[1])
  }

  #thread(): ShippingThread {
    this.starts++
    const idle = { shipped: 0, refused: 0, changesLeft: 0, shippedSeq: 0 }
    return {
      remote: {
        shipping: {
          step: () => {
            const next = this.steps.shift() ?? idle
            this.calls.push('step')
            return next instanceof Error ? Promise.reject(next) : Promise.resolve(next)
          },
          retain: () => {
            this.calls.push('retain')
            return Promise.resolve(false)
          },
          erase: (names) => {
            if (names.length > 0) this.calls.push(`erase ${names.join(' ')}`)
            return Promise.resolve(0)
          },
          close: () => Promise.resolve(),
        },
      },
      terminate: () => Promise.resolve(),
    }
  }
}

const step = (shipped: number, changesLeft: number | undefined, shippedSeq = 0, refused = 0): ShippingStep => {
  return { shipped, refused, changesLeft, shippedSeq }
}

test('ships until nothing is left, removes what is shipped, and applies retention once an hour', async () => {
  const rig = new Rig()
  rig.steps = [step(5, undefined, 0), step(7, 3, 4, 2), step(1, 0, 7, 2)]
  await rig.schedule.tick(NOW_MS)
  expect(rig.calls).toEqual(['step', 'removed 0', 'step', 'removed 4', 'step', 'removed 7', 'retain'])
  expect(await rig.value('daytwo_shipping_rows_total')).toBe(13)
  expect(await rig.value('daytwo_shipping_refused_rows_total')).toBe(2)
  expect(await rig.value('daytwo_shipping_lag_seconds')).toBe(0)
  rig.calls.length = 0
  await rig.schedule.tick(NOW_MS + HOUR_MS - 1)
  expect(rig.calls).toEqual(['step', 'removed 0'])
  await rig.schedule.tick(NOW_MS + HOUR_MS)
  expect(rig.calls.at(-1)).toBe('retain')
})

test('pauses ever longer while PostgreSQL is away, with a new thread, and says how far behind it is', async () => {
  const rig = new Rig()
  await rig.schedule.tick(NOW_MS)
  expect(rig.starts).toBe(1)
  rig.steps = [new Error('away'), new Error('away'), new Error('away')]
  await rig.schedule.tick(NOW_MS + 1000)
  expect(await rig.value('daytwo_shipping_lag_seconds')).toBe(1)
  await rig.schedule.tick(NOW_MS + 1999)
  expect(rig.steps).toHaveLength(2)
  await rig.schedule.tick(NOW_MS + 2000)
  await rig.schedule.tick(NOW_MS + 3999)
  expect(rig.steps).toHaveLength(1)
  await rig.schedule.tick(NOW_MS + 4000)
  expect(rig.steps).toHaveLength(0)
  expect(await rig.value('daytwo_shipping_failures_total')).toBe(3)
  expect(await rig.value('daytwo_shipping_lag_seconds')).toBe(4)
  await rig.schedule.tick(NOW_MS + 8000)
  expect(await rig.value('daytwo_shipping_lag_seconds')).toBe(0)
  expect(rig.starts).toBe(4)
})

test('ships all that is stored at a call, however many ticks that takes, and ends when PostgreSQL fails', async () => {
  const rig = new Rig()
  rig.steps = [...Array.from({ length: 25 }, () => step(1, 7)), step(1, 0)]
  const tick = rig.schedule.tick(NOW_MS)
  await rig.schedule.flush(NOW_MS)
  expect(rig.steps).toEqual([])
  await tick
  // What is under way may have begun before the call.
  rig.steps = [step(1, 0), step(1, 0)]
  const other = rig.schedule.tick(NOW_MS + 1)
  await rig.schedule.flush(NOW_MS + 1)
  expect(rig.steps).toEqual([])
  await other
  rig.steps = [step(1, 7), new Error('away'), step(1, 0)]
  await rig.schedule.flush(NOW_MS + 2)
  expect(rig.steps).toHaveLength(1)
  await rig.schedule.flush(NOW_MS + 3)
  expect(rig.steps).toHaveLength(1)
})

test('erases once a minute what is being erased', async () => {
  const rig = new Rig()
  rig.erasing = ['prague', 'uid-1']
  await rig.schedule.tick(NOW_MS)
  await rig.schedule.tick(NOW_MS + 59_999)
  expect(rig.calls.filter((call) => call.startsWith('erase'))).toEqual(['erase prague uid-1'])
  await rig.schedule.tick(NOW_MS + 60_000)
  expect(rig.calls.filter((call) => call.startsWith('erase'))).toHaveLength(2)
})
