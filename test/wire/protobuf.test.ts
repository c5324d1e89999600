import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DecodeError } from '../../src/wire/decode-error.ts'
import {
  FIXED32,
  FIXED64,
  LENGTH_DELIMITED,
  ProtobufReader,
  ProtobufWriter,
  VARINT,
  tagOf,
} from '../../src/wire/protobuf.ts'

function readerOf(...bytes: number[]): ProtobufReader {
  return new ProtobufReader(Uint8Array.from(bytes))
}

describe('varints', () => {
  test.each([
    [[0], 0],
    [[1], 1],
    [[0x7f], 127],
    [[0x80, 1], 128],
    [[0x80, 0], 0],
    [[0xff, 0xff, 0xff, 0xff, 0x0f], 0xffffffff],
  ])('32 bits: %j is %d', (bytes, want) => {
    const reader = readerOf(...bytes)
    expect(reader.varint32(bytes.length)).toBe(want)
    expect(reader.position).toBe(bytes.length)
  })

  test.each([
    [[0], 0],
    [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], -1],
    [[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], -(2 ** 63)],
    [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 2 ** 63],
    [[0x80, 0xfa, 0xf3, 0xf4, 0x81, 0x34], 1_787_220_000_000],
    [[0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0], 1],
  ])('64 bits: %j is %d', (bytes, want) => {
    expect(readerOf(...bytes).int64(bytes.length)).toBe(want)
  })

  test('safe integers come back, negatives in ten bytes', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer()), (value) => {
        const writer = new ProtobufWriter()
        writer.int64(value)
        const bytes = writer.finish()
        expect(new ProtobufReader(bytes).int64(bytes.length)).toBe(value)
        if (value < 0) expect(bytes).toHaveLength(10)
      }),
      { seed: 1 },
    )
  })

  test('integers beyond 2^53 are never read as safe ones', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }), fc.boolean(), (size, isNegative) => {
        const bytes: number[] = []
        let left = BigInt.asUintN(64, isNegative ? -size : size)
        for (; left >= 0x80n; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80)
        bytes.push(Number(left))
        expect(Number.isSafeInteger(readerOf(...bytes).int64(bytes.length))).toBe(false)
      }),
      { seed: 2 },
    )
  })

  test.each([
    ['a cut varint', [0x80], 1, 'protobuf: got the end of the message, want the rest of a varint, at byte 1'],
    ['a varint behind its message', [0x80, 1], 1, 'protobuf: got the end of the message, want the rest of a varint'],
    ['33 bits', [0xff, 0xff, 0xff, 0xff, 0x1f], 5, 'protobuf: got a varint of more than 32 bits, want at most 32 bits'],
    ['six bytes', [0x80, 0x80, 0x80, 0x80, 0x80, 1], 6, 'protobuf: got a varint of more than 32 bits'],
  ])('refuses %s where 32 bits stand', (_, bytes, end, want) => {
    expect(() => readerOf(...bytes).varint32(end)).toThrow(want)
  })

  test.each([
    [
      '65 bits',
      [...Array<number>(9).fill(0xff), 2],
      'protobuf: got a varint of more than 64 bits, want at most 64 bits',
    ],
    ['eleven bytes', [...Array<number>(10).fill(0x80), 1], 'protobuf: got a varint of more than 64 bits'],
    [
      'a cut varint',
      [...Array<number>(9).fill(0x80)],
      'protobuf: got the end of the message, want the rest of a varint',
    ],
  ])('refuses %s where 64 bits stand', (_, bytes, want) => {
    expect(() => readerOf(...bytes).int64(bytes.length)).toThrow(want)
  })
})

describe('fields', () => {
  test.each([
    ['field 0', [0x02, 0], 'got field number 0, want 1 or more'],
    ['a group', [0x0b], 'got wire type 3 in field 1, want type 0, 1, 2 or 5'],
    ['the end of a group', [0x0c], 'got wire type 4 in field 1'],
    ['wire type 6', [0x16], 'got wire type 6 in field 2'],
    ['wire type 7', [0x17], 'got wire type 7 in field 2'],
    ['a tag above 32 bits', [0xff, 0xff, 0xff, 0xff, 0x7f], 'got a varint of more than 32 bits'],
    ['no tag', [], 'got the end of the message, want the rest of a varint, at byte 0'],
  ])('refuses %s', (_, bytes, want) => {
    expect(() => readerOf(...bytes).tag(bytes.length)).toThrow(want)
  })

  test('takes the largest field number', () => {
    expect(readerOf(0xf8, 0xff, 0xff, 0xff, 0x0f).tag(5)).toBe(tagOf(2 ** 29 - 1, VARINT))
  })

  test.each([
    [VARINT, [0x80, 1], 2],
    [FIXED64, [1, 2, 3, 4, 5, 6, 7, 8], 8],
    [LENGTH_DELIMITED, [3, 1, 2, 3], 4],
    [FIXED32, [1, 2, 3, 4], 4],
  ])('skips wire type %i and refuses it when it is cut', (wireType, content, size) => {
    const reader = readerOf(...content, 99)
    reader.skip(tagOf(9, wireType), content.length)
    expect(reader.position).toBe(size)
    expect(() => {
      readerOf(...content).skip(tagOf(9, wireType), content.length - 1)
    }).toThrow(DecodeError)
  })

  test('skips unknown fields and refuses known ones of another type', () => {
    const reader = readerOf(5)
    expect(() => {
      reader.skipUnknown(tagOf(2, VARINT), 1, 0b110)
    }).toThrow('got wire type 0 in field 2, want the type of that field, at byte 0')
    reader.skipUnknown(tagOf(3, VARINT), 1, 0b110)
    reader.position = 0
    reader.skipUnknown(tagOf(34, VARINT), 1, 0b110)
    expect(reader.position).toBe(1)
  })

  test('a length may not leave its message', () => {
    expect(() => readerOf(3, 1, 2, 3).lengthDelimitedEnd(3)).toThrow(
      'got a field of 3 bytes, want at most 2, at byte 0',
    )
    expect(readerOf(3, 1, 2, 3).lengthDelimitedEnd(4)).toBe(4)
  })

  test('a writer keeps what it wrote when it grows, and starts over when cleared', () => {
    const writer = new ProtobufWriter()
    for (let i = 0; i < 1000; i++) writer.text(1, `value ${i}`)
    const bytes = writer.finish()
    const reader = new ProtobufReader(bytes)
    for (let i = 0; i < 1000; i++) {
      expect(reader.tag(bytes.length)).toBe(tagOf(1, LENGTH_DELIMITED))
      const end = reader.lengthDelimitedEnd(bytes.length)
      expect(Buffer.from(bytes.subarray(reader.position, end)).toString()).toBe(`value ${i}`)
      reader.position = end
    }
    writer.clear()
    writer.fixed64(0x7ff00000, 2)
    writer.double(1)
    expect([...writer.finish()]).toEqual([2, 0, 0, 0, 0, 0, 0xf0, 0x7f, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f])
  })

  test('texts are written as any bytes are, whatever they are made of', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit: 'binary', maxLength: 200 }))),
        (texts) => {
          const [written, want] = [new ProtobufWriter(), new ProtobufWriter()]
          for (const text of texts) {
            written.text(7, text)
            want.bytes(7, new TextEncoder().encode(text))
          }
          expect(Buffer.compare(written.finish(), want.finish())).toBe(0)
        },
      ),
      { seed: 5 },
    )
  })

  test('a message written where it stands is the one that is written apart and put in', () => {
    interface Tree {
      readonly text: string
      readonly inside: readonly Tree[]
    }
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.record({
        text: fc.oneof(
          fc.string(),
          fc.constantFrom(120, 130, 20_000).map((length) => 'x'.repeat(length)),
        ),
        inside: fc.oneof({ maxDepth: 4 }, fc.constant([]), fc.array(tie('tree'), { maxLength: 3 })),
      }),
    }))
    const inPlace = (writer: ProtobufWriter, { text, inside }: Tree): void => {
      const opened = writer.open(1)
      writer.text(2, text)
      for (const one of inside) inPlace(writer, one)
      writer.close(opened)
    }
    const apart = ({ text, inside }: Tree): Uint8Array => {
      const writer = new ProtobufWriter()
      writer.text(2, text)
      for (const one of inside) writer.bytes(1, apart(one))
      return writer.finish()
    }
    fc.assert(
      fc.property(tree, (root) => {
        const [written, want] = [new ProtobufWriter(), new ProtobufWriter()]
        inPlace(written, root)
        want.bytes(1, apart(root))
        expect(Buffer.compare(written.finish(), want.finish())).toBe(0)
      }),
      { seed: 6, numRuns: 40 },
    )
  })
})
