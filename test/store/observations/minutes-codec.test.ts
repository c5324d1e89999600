import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MalformedBytesError } from '../../../src/store/bytes.ts'
import { packMinutes, unpackMinutes } from '../../../src/store/observations/minutes-codec.ts'

const minutes = fc
  .array(fc.oneof(fc.constantFrom(30, 15, 1), fc.integer({ min: 1, max: 100_000 })), { maxLength: 40 })
  .map((gaps) => gaps.reduce<number[]>((all, gap) => [...all, (all.at(-1) ?? 29_000_000) + gap], []))

test('minutes are what they were', () => {
  fc.assert(
    fc.property(minutes, (list) => {
      expect(unpackMinutes(packMinutes(list))).toEqual(list)
    }),
    { seed: 1, numRuns: 300 },
  )
})

test('a year of even pulls is a few bytes', () => {
  const year = Array.from({ length: 17_520 }, (_, i) => 29_000_000 + i * 30)
  expect(packMinutes(year).length).toBeLessThan(12)
  expect(unpackMinutes(packMinutes(year))).toEqual(year)
})

test.each([[[]], [[2, 0, 0, 0]], [[1, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x7f]], [[1, 5, 3]]])(
  'bytes %j are no minutes',
  (bytes) => {
    expect(() => unpackMinutes(Uint8Array.from(bytes))).toThrow(MalformedBytesError)
  },
)

test('whatever bytes come, they are minutes or malformed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 30 }), (bytes) => {
      // Long runs are cheap to write and dear to read; the limit on them is tried above.
      fc.pre(bytes.every((byte) => byte < 0x80))
      try {
        unpackMinutes(bytes)
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(MalformedBytesError)
      }
    }),
    { seed: 2, numRuns: 200 },
  )
})
