import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Labels } from '../../../src/model/labels.ts'
import { bitsOf, isStaleAt } from '../../../src/model/sample.ts'
import { SampleStore, type StoredValue } from '../../../src/rules/unit-test/sample-store.ts'

const M = Labels.of({ __name__: 'm' })
const ALL = { matchers: [{ name: '__name__', op: '=' as const, value: 'm' }], maxSamples: 1e9 }

test('whatever the order, the last value of each time is there, oldest first, in any range', () => {
  const sample = fc.tuple(
    fc.integer({ min: 0, max: 40 }),
    fc.oneof(fc.integer({ max: 99 }), fc.constant('stale' as const)),
  )
  fc.assert(
    fc.property(fc.array(sample, { maxLength: 60 }), fc.nat(40), fc.nat(40), (samples, fromMs, toMs) => {
      const store = new SampleStore()
      const wanted = new Map<number, StoredValue>()
      for (const [timeMs, value] of samples) {
        store.put(M, timeMs, value)
        wanted.set(timeMs, value)
      }
      const [columns] = store.select({ ...ALL, fromMs, toMs })
      const bits = bitsOf(Float64Array.from(columns?.values ?? []))
      const got = Array.from(columns?.timesMs ?? [], (timeMs, i) => [
        timeMs,
        isStaleAt(bits, i) ? 'stale' : columns!.values[i],
      ])
      const inRange = [...wanted].filter(([timeMs]) => timeMs >= fromMs && timeMs <= toMs).sort(([a], [b]) => a - b)
      expect(got).toEqual(inRange)
    }),
  )
})

test('appending changes nothing that is there', () => {
  const store = new SampleStore()
  expect([store.append(M, 5, 1), store.append(M, 5, 1), store.append(M, 5, 2), store.append(M, 4, 1)]).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect([...store.select({ ...ALL, fromMs: 0, toMs: 9 })[0]!.values]).toEqual([1])
})
