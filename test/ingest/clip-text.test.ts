import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clipText, clipTextBytes } from '../../src/ingest/clip-text.ts'

describe('clipping a text', () => {
  test.each([
    ['short', 10, 'short'],
    ['exactly10!', 10, 'exactly10!'],
    ['longer than that', 10, 'longer th…'],
    ['12345678😀x', 10, '12345678…'],
    ['a\nb\u001b[31m\u202ec\u0085d', 20, 'a b [31m c d'],
  ])('%j to %i characters', (text, max, want) => {
    expect(clipText(text, max)).toBe(want)
  })

  test.each([
    ['žžž', 6, 'žžž'],
    ['žžžž', 7, 'žž…'],
    ['😀😀', 7, '😀…'],
    ['abc', 3, 'abc'],
    ['abcd', 3, '…'],
    ['a\nb', 3, 'a b'],
  ])('%j to %i bytes', (text, max, want) => {
    expect(clipTextBytes(text, max)).toBe(want)
  })

  test('keeps the bound, one line, and whole characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 3, max: 40 }), (text, max) => {
        expect(clipText(text, max).length).toBeLessThanOrEqual(max)
        expect(Buffer.byteLength(clipTextBytes(text, max))).toBeLessThanOrEqual(max)
        for (const clipped of [clipText(text, max), clipTextBytes(text, max)]) {
          expect(clipped).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
          expect(clipped).not.toMatch(/\p{Cs}/u)
        }
      }),
      { seed: 1 },
    )
  })
})
