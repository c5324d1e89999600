import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  DEPTH_MAX,
  JsonStream,
  JsonStreamError,
  TEXT_BYTES_MAX,
  type JsonEvents,
} from '../../src/remote/json-stream.ts'

/** Builds what `JSON.parse` builds; objects as lists of pairs, the last of equal keys. */
class Tree implements JsonEvents {
  readonly documents: unknown[] = []
  readonly #open: { value: unknown; key: string }[] = []

  open(isList: boolean): void {
    this.#open.push({ value: isList ? [] : new Map<string, unknown>(), key: '' })
  }

  close(): void {
    const { value } = this.#open.pop()!
    this.#put(value instanceof Map ? Object.fromEntries(value as Map<string, unknown>) : value)
  }

  key(token: { text(): string }): void {
    this.#open.at(-1)!.key = token.text()
  }

  text(token: { text(): string }): void {
    this.#put(token.text())
  }

  number(value: number): void {
    this.#put(value)
  }

  literal(value: boolean | null): void {
    this.#put(value)
  }

  #put(value: unknown): void {
    const parent = this.#open.at(-1)
    if (parent === undefined) this.documents.push(value)
    else if (Array.isArray(parent.value)) parent.value.push(value)
    else (parent.value as Map<string, unknown>).set(parent.key, value)
  }
}

/** In chunks of the given sizes, the last size repeated. */
function read(bytes: Uint8Array, sizes: readonly number[], options = {}): unknown[] {
  const tree = new Tree()
  const stream = new JsonStream(tree, options)
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[Math.min(i, sizes.length - 1)]!
    stream.push(bytes.subarray(at, at + size))
    at += size
  }
  stream.end()
  return tree.documents
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })

describe('like JSON.parse', () => {
  test('every value, whatever the chunks', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), sizes, fc.constantFrom(undefined, 1, '\t'), (json, chunks, space) => {
        const text = JSON.stringify(JSON.parse(json), undefined, space)
        expect(read(bytesOf(text), chunks)).toEqual([JSON.parse(text)])
      }),
      { numRuns: 1000 },
    )
  })

  test('every number', () => {
    const parts = [fc.double(), fc.integer(), fc.bigInt().map(Number), fc.float()] as const
    fc.assert(
      fc.property(fc.oneof(...parts), sizes, (number, chunks) => {
        const text = JSON.stringify([number, String(number)])
        expect(read(bytesOf(text), chunks)).toEqual([JSON.parse(text)])
      }),
      { numRuns: 2000 },
    )
  })

  test('texts that are nearly JSON', () => {
    const pieces = fc.constantFrom(
      ...[
        '[',
        ']',
        '{',
        '}',
        ',',
        ':',
        '"a"',
        '"\\u00e9"',
        '"\\x"',
        '"',
        '1',
        '-',
        '01',
        '0.',
        '.5',
        '1e',
        '1e5',
        '-0',
      ],
      ...[
        'true',
        'nul',
        'null',
        ' ',
        '\n',
        'NaN',
        '+1',
        '\u0001',
        'é',
        '[1,2]',
        '{"a":1}',
        '"\\ud800"',
        '1.5E-3',
        '00',
      ],
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), sizes, (list, chunks) => {
        const text = list.join('')
        let wanted: unknown
        try {
          wanted = JSON.parse(text)
        } catch {
          expect(() => read(bytesOf(text), chunks), text).toThrow(JsonStreamError)
          return
        }
        expect(read(bytesOf(text), chunks), text).toEqual([wanted])
      }),
      { numRuns: 20_000 },
    )
  })
})

test.each([
  ['an open list', '[1'],
  ['a text without its end', '"abc'],
  ['nothing', ''],
  ['a second document', '1 2'],
  ['a bare infinity', '[+Inf]'],
])('%s is refused', (_, text) => {
  expect(() => read(bytesOf(text), [2])).toThrow(JsonStreamError)
})

test('documents one after the other, with bare numbers', () => {
  expect(read(bytesOf('{"a":[+Inf,-Inf,NaN,1]}\n[null]\n'), [3], { hasMany: true, hasBareNumbers: true })).toEqual([
    { a: [Infinity, -Infinity, NaN, 1] },
    [null],
  ])
  expect(read(bytesOf('\n'), [1], { hasMany: true })).toEqual([])
  expect(() => read(bytesOf('{"a":1}\n{"a"'), [3], { hasMany: true })).toThrow(JsonStreamError)
})

test('limits on depth and on one text', () => {
  const nested = (depth: number): Uint8Array => bytesOf('['.repeat(depth) + ']'.repeat(depth))
  expect(read(nested(DEPTH_MAX), [7])).toHaveLength(1)
  expect(() => read(nested(DEPTH_MAX + 1), [7])).toThrow(/deeper than/)
  expect(() => read(bytesOf(`"${'a'.repeat(TEXT_BYTES_MAX * 2)}"`), [1 << 20])).toThrow(/longer than/)
})

test.each([
  ['1', 1],
  ['-0', -0],
  ['1e-07', 1e-7],
  ['0.1', 0.1],
  ['123456789.12345678', 123456789.12345678],
  ['NaN', NaN],
  ['+Inf', Infinity],
  ['-Inf', -Infinity],
  ['.5', 0.5],
  ['1e400', Infinity],
  ['', undefined],
  ['x', undefined],
  ['1.2.3', undefined],
  ['0x10', undefined],
])('the sample %s', (text, wanted) => {
  const seen: (number | undefined)[] = []
  const tree = new Tree()
  tree.text = (token: { text(): string; sample?(): number | undefined }) => {
    seen.push(token.sample!())
  }
  const stream = new JsonStream(tree)
  stream.push(bytesOf(JSON.stringify([text])))
  stream.end()
  expect(seen).toEqual([wanted])
})

test('every float as Prometheus prints it', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (value) => {
      const tree = new Tree()
      let got: number | undefined
      tree.text = (token: { text(): string; sample?(): number | undefined }) => {
        got = token.sample!()
      }
      new JsonStream(tree).push(bytesOf(`["${Object.is(value, -0) ? '-0' : value}"]`))
      expect(Object.is(got, value)).toBe(true)
    }),
    { numRuns: 5000 },
  )
})
