import { describe, expect, test } from 'vitest'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

// Prometheus divides the factor of a rate by its range, and multiplies the gain with that: other last digits than those
// of a gain that is divided. runs.test.ts and rollups.test.ts hold the other ways to read to the same bits.

const MINUTE_MS = 60_000

/** The value of an expression over a series with a sample a minute. */
async function valueOf(expr: string, values: readonly number[], timeMs: number): Promise<number> {
  const store = new MemoryQueryable()
  values.forEach((value, minute) => {
    store.append(Labels.of({ __name__: 'x_total' }), minute * MINUTE_MS, value)
  })
  const engine = createLocalEngine({ queryable: store, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
  const { value } = await engine.instant({ expr, timeMs })
  return value.type === 'vector' ? value.samples[0]!.value : NaN
}

/** From 1000 on, so that the extrapolation does not end at zero, with a gain of `gain` between the first and the last. */
const gaining = (gain: number): number[] => [1000, 1000, 1000, 1000, 1000, 1000 + gain]

describe('a rate rounds as in Prometheus', () => {
  test.each([13, 23, 31, 46, 62, 77])('of a gain of %d', async (gain) => {
    // Four distances of a minute are extrapolated to the window's five.
    expect(await valueOf('rate(x_total[5m])', gaining(gain), 5 * MINUTE_MS)).toBe(gain * (1.25 / 300))
    expect(await valueOf('increase(x_total[5m])', gaining(gain), 5 * MINUTE_MS)).toBe(gain * 1.25)
    expect(await valueOf('delta(x_total[5m])', gaining(gain), 5 * MINUTE_MS)).toBe(gain * 1.25)
  })

  test('over a range that is no whole number of seconds', async () => {
    const factor = (300 + 0.001) / 300
    expect(await valueOf('rate(x_total[300001ms])', gaining(13), 5 * MINUTE_MS)).toBe(13 * (factor / (300 + 0.001)))
  })
})
