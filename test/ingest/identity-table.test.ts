import { describe, expect, test } from 'vitest'
import { IdentityTable, type IdentityScope } from '../../src/ingest/identity-table.ts'
import { hashBytes } from '../../src/wire/label-hash.ts'

const HOUR_MS = 3_600_000

/** Keys that differ and are the same in each run. */
function keys(): () => Int32Array {
  let drawn = 0
  return () => Int32Array.of(++drawn, 2, 3, 4)
}

/** The hash and the length of a text, as those of a label set. */
function hashed(text: string, scope: IdentityScope): readonly [hashes: Int32Array, series: number, length: number] {
  const bytes = new TextEncoder().encode(text)
  const hashes = new Int32Array(8)
  hashBytes(scope, new DataView(bytes.buffer), 0, bytes.length, hashes, 4)
  return [hashes, 1, bytes.length]
}

function find(table: IdentityTable, text: string, scope: IdentityScope = table.scope(undefined)): number {
  return table.find(...hashed(text, scope))
}

/** 1 to `last`. */
function numbers(last: number): number[] {
  return Array.from({ length: last }, (_, i) => i + 1)
}

function remember(
  table: IdentityTable,
  text: string,
  ref: number,
  scope: IdentityScope = table.scope(undefined),
): void {
  table.remember(...hashed(text, scope), ref)
}

function refuse(table: IdentityTable, text: string): void {
  table.rememberRefusal(...hashed(text, table.scope(undefined)), { reason: 'bad_labels', example: text })
}

describe('the identity table', () => {
  test('knows what it was told, through growth', () => {
    const table = new IdentityTable(100_000, keys())
    for (let i = 1; i <= 20_000; i++) remember(table, `series ${i}`, i)
    expect(table.size).toBe(20_000)
    expect(numbers(20_000).filter((i) => find(table, `series ${i}`) !== i)).toEqual([])
    expect(find(table, 'series 0')).toBe(0)
    expect(find(table, '')).toBe(0)
  })

  test('the same bytes under another bound cluster are another series', () => {
    const table = new IdentityTable(100, keys())
    remember(table, 'up', 1)
    remember(table, 'up', 2, table.scope('a'))
    expect(find(table, 'up')).toBe(1)
    expect(find(table, 'up', table.scope('a'))).toBe(2)
    expect(find(table, 'up', table.scope('b'))).toBe(0)
    expect(table.scope('a')).toBe(table.scope('a'))
  })

  test('remembering again replaces', () => {
    const table = new IdentityTable(100, keys())
    remember(table, 'up', 1)
    remember(table, 'up', 7)
    expect([find(table, 'up'), table.size]).toEqual([7, 1])
  })

  test('a refusal comes back with its reason', () => {
    const table = new IdentityTable(100, keys())
    refuse(table, 'first')
    remember(table, 'up', 1)
    refuse(table, 'second')
    expect(table.refusal(find(table, 'first'))).toEqual({ reason: 'bad_labels', example: 'first' })
    expect(table.refusal(find(table, 'second'))).toEqual({ reason: 'bad_labels', example: 'second' })
    expect(find(table, 'up')).toBe(1)
  })

  test('when full, the half that was found longest ago goes', () => {
    const table = new IdentityTable(1000, keys())
    table.setTime(0)
    for (let i = 1; i <= 1000; i++) remember(table, `series ${i}`, i)
    table.setTime(HOUR_MS)
    for (let i = 1; i <= 300; i++) find(table, `series ${i}`)
    table.setTime(2 * HOUR_MS)
    remember(table, 'one more', 5000)
    expect(table.size).toBe(501)
    expect(numbers(300).filter((i) => find(table, `series ${i}`) !== i)).toEqual([])
    expect(find(table, 'one more')).toBe(5000)
  })

  test('when all are equally new, half of them stay, and it goes on', () => {
    const table = new IdentityTable(64, keys())
    const wrong = numbers(10_000).filter((i) => {
      remember(table, `series ${i}`, i)
      return table.size > 64 || find(table, `series ${i}`) !== i
    })
    expect(wrong).toEqual([])
  })

  test('refusals have a bound of their own, and series outlive them', () => {
    const table = new IdentityTable(100_000, keys())
    remember(table, 'up', 1)
    const sizes = numbers(40_000).map((i) => {
      refuse(table, `bad ${i}`)
      return table.refusal(find(table, `bad ${i}`)).example === `bad ${i}` ? table.size : NaN
    })
    expect(Math.max(...sizes)).toBe(10_001)
    expect([find(table, 'up'), find(table, 'bad 5')]).toEqual([1, 0])
  })

  test('forgets dropped series and no others', () => {
    const table = new IdentityTable(1000, keys())
    for (let i = 1; i <= 500; i++) remember(table, `series ${i}`, i)
    remember(table, 'series 7 written in another way', 7)
    table.forget(new Set([7, 8, 9999]))
    expect(['series 7', 'series 7 written in another way', 'series 8'].map((text) => find(table, text))).toEqual([
      0, 0, 0,
    ])
    expect([find(table, 'series 9'), table.size]).toEqual([9, 498])
  })

  test('finds each of them in whatever order, in every state, with its sender', () => {
    const table = new IdentityTable(500, keys())
    const known = new Map<string, number>()
    let state = 11
    const draw = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below
    for (let round = 1; round <= 20_000; round++) {
      const from = draw(400)
      // A run of neighbours, as a scrape is one, then from somewhere else.
      for (let n = from; n < from + draw(5); n++) {
        const text = `series ${n}`
        expect([text, find(table, text)]).toEqual([text, known.get(text) ?? 0])
        expect(table.foundSender).toBe(0 - (known.get(text) ?? 0))
        if (known.has(text)) continue
        table.remember(...hashed(text, table.scope(undefined)), round, -round)
        known.set(text, round)
      }
      if (draw(500) > 0) continue
      const dropped = new Set([...known.values()].filter((ref) => ref % 3 === 0))
      table.forget(dropped)
      for (const [text, ref] of known) if (dropped.has(ref)) known.delete(text)
      expect(table.size).toBe(known.size)
    }
  })

  test('label sets whose hashes differ in one word, or only in length, are different ones', () => {
    const table = new IdentityTable(100, keys())
    const variants = [
      [1, 2, 3, 4, 9],
      [0, 2, 3, 4, 9],
      [1, 0, 3, 4, 9],
      [1, 2, 0, 4, 9],
      [1, 2, 3, 0, 9],
      [1, 2, 3, 4, 8],
    ] as const
    for (const [at, [a, b, c, d, length]] of variants.entries()) {
      expect(table.find(Int32Array.of(a, b, c, d), 0, length)).toBe(0)
      table.remember(Int32Array.of(a, b, c, d), 0, length, at + 1)
    }
    // Each after each: expected at its place, or sought.
    for (const first of variants.keys()) {
      for (const second of variants.keys()) {
        const found = [first, second].map((at) => {
          const [a, b, c, d, length] = variants[at]!
          return table.find(Int32Array.of(a, b, c, d), 0, length)
        })
        expect(found).toEqual([first + 1, second + 1])
      }
    }
  })

  test('works with keys of its own', () => {
    const table = new IdentityTable(10)
    remember(table, 'up', 3)
    expect(find(table, 'up')).toBe(3)
  })

  test('times before the epoch are times', () => {
    const table = new IdentityTable(2, keys())
    table.setTime(-HOUR_MS)
    remember(table, 'a', 1)
    table.setTime(0)
    remember(table, 'b', 2)
    remember(table, 'c', 3)
    expect([find(table, 'a'), find(table, 'b'), find(table, 'c')]).toEqual([0, 2, 3])
  })
})
