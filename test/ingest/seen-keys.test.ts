import { describe, expect, test } from 'vitest'
import { SeenKeys } from '../../src/ingest/seen-keys.ts'

describe('idempotency keys', () => {
  test('are seen after they were added', () => {
    const keys = new SeenKeys(10)
    expect(keys.has('a')).toBe(false)
    keys.add('a')
    expect([keys.has('a'), keys.has('b')]).toEqual([true, false])
  })

  test('that were not used for the longest time go first', () => {
    const keys = new SeenKeys(3)
    for (const key of ['a', 'b', 'c']) keys.add(key)
    keys.has('a')
    keys.add('d')
    expect(['a', 'b', 'c', 'd'].map((key) => keys.has(key))).toEqual([true, false, true, true])
    expect(keys.size).toBe(3)
  })

  test('added twice count once', () => {
    const keys = new SeenKeys(2)
    keys.add('a')
    keys.add('b')
    keys.add('a')
    keys.add('c')
    expect(['a', 'b', 'c'].map((key) => keys.has(key))).toEqual([true, false, true])
  })

  test.each(['', 'x'.repeat(201)])('are not remembered when empty or long', (key) => {
    const keys = new SeenKeys(2)
    keys.add(key)
    expect([keys.has(key), keys.size]).toEqual([false, 0])
  })
})
