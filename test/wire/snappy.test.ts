import fc from 'fast-check'
import { compressSync, uncompressSync } from 'snappy'
import { describe, expect, test } from 'vitest'
import { DecodeError } from '../../src/wire/decode-error.ts'
import { SnappyDecoder, encodeSnappy } from '../../src/wire/snappy.ts'

const MIB = 1024 * 1024

function decode(block: Uint8Array, decodedBytesMax = MIB): Uint8Array {
  return new SnappyDecoder(decodedBytesMax).decode(block).slice()
}

function bytes(...parts: (number | string | readonly number[])[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) =>
      typeof part === 'string' ? [...Buffer.from(part)] : typeof part === 'number' ? [part] : [...part],
    ),
  )
}

/** Text with repeats at all distances, as label sets have. */
const repetitive = fc
  .array(
    fc.tuple(
      fc.constantFrom('cluster_id', 'x', 'instance=10.0.0.1:8443', 'ab', '\0'.repeat(90), 'kubevirt'),
      fc.nat(999),
    ),
    { maxLength: 300 },
  )
  .map((parts) => new Uint8Array(Buffer.from(parts.map(([word, n]) => word.repeat(1 + (n % 4)) + String(n)).join(''))))
const anyBytes = fc.oneof(fc.uint8Array({ maxLength: 2000 }), repetitive)

describe('decoding', () => {
  test.each([
    ['nothing', [0], ''],
    ['a short literal', [4, 3 << 2, 'abcd'], 'abcd'],
    ['a literal with one byte of length', [64, 60 << 2, 63, 'x'.repeat(64)], 'x'.repeat(64)],
    ['a literal with four bytes of length', [2, 63 << 2, 1, 0, 0, 0, 'ab'], 'ab'],
    ['a copy with one byte of offset', [8, 3 << 2, 'abcd', (0 << 2) | 1, 4], 'abcdabcd'],
    ['a copy with two bytes of offset', [6, 3 << 2, 'abcd', (1 << 2) | 2, 4, 0], 'abcdab'],
    ['a copy with four bytes of offset', [7, 3 << 2, 'abcd', (2 << 2) | 3, 4, 0, 0, 0], 'abcdabc'],
    ['a copy that repeats one byte', [10, 0, 'a', (8 << 2) | 2, 1, 0], 'a'.repeat(10)],
    ['a copy that repeats three bytes', [11, 2 << 2, 'abc', (7 << 2) | 2, 3, 0], 'abcabcabcab'],
    ['a copy that repeats five bytes', [14, 4 << 2, 'abcde', (8 << 2) | 2, 5, 0], 'abcdeabcdeabcd'],
  ] as const)('%s', (_, block, want) => {
    expect(Buffer.from(decode(bytes(...block))).toString()).toBe(want)
  })

  test('agrees with the reference on whatever it compresses', () => {
    fc.assert(
      fc.property(anyBytes, (input) => {
        expect(decode(compressSync(Buffer.from(input)) as Uint8Array)).toEqual(input)
      }),
      { seed: 1 },
    )
  })

  test('one decoder takes blocks of any size after each other', () => {
    const decoder = new SnappyDecoder(MIB)
    for (const size of [10, 200_000, 0, 70_000, MIB]) {
      const input = Uint8Array.from({ length: size }, (_, i) => (i * i) >>> 7)
      expect(Buffer.compare(decoder.decode(encodeSnappy(input)), input), `size ${size}`).toBe(0)
    }
  })

  test.each([
    ['an empty body', [], 'the end of the body, want the decoded length, at byte 0'],
    ['a cut length', [0x80, 0x80], 'the end of the body, want the decoded length, at byte 2'],
    ['a length of 35 bits', [255, 255, 255, 255, 255, 1], 'a decoded length of more than 32 bits'],
    ['a length of 33 bits', [255, 255, 255, 255, 31], 'a decoded length of more than 32 bits'],
    ['a length over the limit', [255, 255, 255, 255, 15], 'a block of 4294967295 bytes, want at most 1048576'],
    ['a length nothing fills', [0x80, 0x80, 4, 0, 'a'], '2 bytes that announce 65536, want enough to fill them'],
    ['no elements', [4, 'xxx'.slice(3)], '0 bytes that announce 4'],
    ['a cut literal', [4, 3 << 2, 'abc'], 'the end of the body, want the rest of an element, at byte 2'],
    ['a cut literal length', [4, 61 << 2, 3], 'the end of the body, want the rest of an element, at byte 2'],
    ['a huge literal length', [4, 63 << 2, 255, 255, 255, 255], 'the end of the body, want the rest of an element'],
    ['a cut copy, short', [8, 3 << 2, 'abcd', 1], 'the end of the body, want the rest of an element, at byte 7'],
    ['a cut copy, middle', [8, 3 << 2, 'abcd', 2, 4], 'the end of the body, want the rest of an element, at byte 7'],
    [
      'a cut copy, long',
      [8, 3 << 2, 'abcd', 3, 4, 0, 0],
      'the end of the body, want the rest of an element, at byte 7',
    ],
    ['a copy from nowhere', [8, 3 << 2, 'abcd', 1, 5], 'a copy from 5 back, want 1..4, at byte 8'],
    ['a copy from itself', [8, 3 << 2, 'abcd', 1, 0], 'a copy from 0 back, want 1..4, at byte 8'],
    ['a literal too much', [3, 3 << 2, 'abcd'], 'more decoded bytes than announced, want 3, at byte 2'],
    ['a copy too much', [7, 3 << 2, 'abcd', 1, 4], 'more decoded bytes than announced, want 7, at byte 8'],
    ['too little', [5, 3 << 2, 'abcd'], '4 decoded bytes, want 5 as announced, at byte 6'],
    ['a framed stream', [0xff, 6, 0, 0, 'sNaPpY', 1, 2], 'a framed stream, want a block, at byte 0'],
  ] as const)('refuses %s', (_, block, want) => {
    expect(() => decode(bytes(...block))).toThrow(DecodeError)
    expect(() => decode(bytes(...block))).toThrow(`snappy: corrupt input: got ${want}`)
  })

  test('takes a block of exactly the limit and not one byte more', () => {
    expect(decode(encodeSnappy(new Uint8Array(1000)), 1000)).toHaveLength(1000)
    expect(() => decode(encodeSnappy(new Uint8Array(1001)), 1000)).toThrow(
      'got a block of 1001 bytes, want at most 1000',
    )
  })

  test('throws nothing but DecodeError on mutated blocks, and never more bytes than announced', () => {
    const mutated = fc.tuple(repetitive, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }))
    const decoder = new SnappyDecoder(MIB)
    fc.assert(
      fc.property(mutated, fc.nat(), ([input, edits], cut) => {
        const block = encodeSnappy(input).slice()
        for (const [at, value] of edits) block[at % block.length] = value
        for (const body of [block, block.subarray(0, cut % (block.length + 1))]) {
          let ours: Uint8Array | undefined
          try {
            ours = decoder.decode(body)
          } catch (error) {
            expect(error).toBeInstanceOf(DecodeError)
          }
          // What we take is what the reference takes.
          if (ours !== undefined) expect(Buffer.compare(uncompressSync(Buffer.from(body)) as Buffer, ours)).toBe(0)
        }
      }),
      { seed: 2, numRuns: 500 },
    )
  })
})

describe('encoding', () => {
  test('the reference reads what we write', () => {
    fc.assert(
      fc.property(anyBytes, (input) => {
        expect(Buffer.compare(uncompressSync(Buffer.from(encodeSnappy(input))) as Buffer, input)).toBe(0)
      }),
      { seed: 3 },
    )
  })

  test.each([0, 1, 14, 15, 16, 60, 61, 256, 257, 65_535, 65_536, 65_537, 200_000])('%i bytes', (size) => {
    for (const input of [
      new Uint8Array(size),
      Uint8Array.from({ length: size }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 24),
    ]) {
      expect(Buffer.compare(uncompressSync(Buffer.from(encodeSnappy(input))) as Buffer, input)).toBe(0)
    }
  })

  test('is about as small as the reference on text that repeats', () => {
    const text = Array.from({ length: 2000 }, (_, i) => `kubevirt_vmi_phase_count{cluster="c${i % 37}",n="${i}"}`)
    const input = Buffer.from(text.join('\n'))
    expect(encodeSnappy(input).length).toBeLessThan(compressSync(input).length * 1.2)
  })
})

test('a repetition is a copy up to the last byte', () => {
  // The length; one literal byte; a copy of 63 bytes from one byte back.
  expect([...encodeSnappy(new Uint8Array(64).fill(97))]).toEqual([64, 0, 97, (62 << 2) | 2, 1, 0])
})
