import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MalformedBytesError } from '../../../src/store/bytes.ts'
import { readSeriesBatch, writeSeriesBatch } from '../../../src/store/index/series-batch.ts'

function read(batch: Uint8Array): unknown[] {
  const series: unknown[] = []
  readSeriesBatch(batch, (ref, pairIds) => series.push({ ref, pairIds: [...pairIds] }))
  return series
}

describe('a batch of series', () => {
  test('comes back as it was written', () => {
    const pairIds = fc.array(fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 0xffffffff })))
    const batches = fc
      .uniqueArray(fc.integer({ min: 1, max: 0xffffffff }))
      .chain((refs) =>
        fc.tuple(...refs.sort((a, b) => a - b).map((ref) => pairIds.map((ids) => ({ ref, pairIds: ids })))),
      )
    fc.assert(
      fc.property(batches, (series) => {
        expect(read(writeSeriesBatch(series))).toEqual(series)
      }),
    )
  })

  test('costs a byte a label for neighbours that share their pairs', () => {
    const series = Array.from({ length: 100 }, (_, i) => ({
      ref: 1000 + i,
      pairIds: Array.from({ length: 14 }, (_unused, at) => (at === 0 ? 5000 + i : 70_000 + at)),
    }))
    expect(writeSeriesBatch(series).length).toBeLessThan(100 * 17 + 60)
  })

  test('cut anywhere but between two series it is malformed', () => {
    const series = [
      { ref: 1, pairIds: [3, 4] },
      { ref: 500, pairIds: [3, 900] },
    ]
    const whole = writeSeriesBatch(series)
    const first = writeSeriesBatch(series.slice(0, 1)).length
    for (let length = 1; length < whole.length; length++) {
      if (length === first) expect(read(whole.subarray(0, length))).toEqual(series.slice(0, 1))
      else expect(() => read(whole.subarray(0, length)), `${length}`).toThrow(MalformedBytesError)
    }
  })
})
