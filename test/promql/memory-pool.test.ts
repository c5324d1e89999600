import { describe, expect, test } from 'vitest'
import type { FleetError } from '../../src/base/errors.ts'
import { Labels } from '../../src/model/labels.ts'
import { createLocalEngine } from '../../src/promql/engine.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../src/promql/engine-options.ts'
import { MemoryPool } from '../../src/promql/memory-pool.ts'
import { MemoryQueryable } from '../support/memory-queryable.ts'

const T0 = 1_787_220_000_000

/** A user that notes why it was evicted. */
const user = () => {
  const evictions: string[] = []
  return { evictions, evict: (reason: string) => evictions.push(reason) }
}

describe('the memory of all queries', () => {
  test('beyond it the largest query ends, whichever asks', () => {
    const pool = new MemoryPool(100)
    const [small, large, last] = [user(), user(), user()]
    pool.grow(small, 10)
    pool.grow(large, 60)
    pool.grow(last, 30)
    expect([small, large, last].flatMap(({ evictions }) => evictions)).toEqual([])
    pool.grow(small, 1)
    expect(large.evictions).toEqual([
      'the running queries need 101 bytes together, 60 of them for this one: limit is 100 (query.memory-bytes-max)',
    ])
    // What it held is free.
    pool.grow(small, 59)
    expect([small.evictions, last.evictions]).toEqual([[], []])
    pool.grow(last, 1)
    expect([small.evictions.length, last.evictions.length]).toEqual([1, 0])
  })

  test('a query that has ended gives its memory back, once', () => {
    const pool = new MemoryPool(100)
    const [first, second] = [user(), user()]
    pool.grow(first, 100)
    pool.release(first)
    pool.release(first)
    pool.grow(second, 100)
    expect(second.evictions).toEqual([])
    pool.grow(second, 1)
    expect(second.evictions).toHaveLength(1)
  })
})

describe('queries of one engine', () => {
  const queryable = new MemoryQueryable()
  for (let i = 0; i < 100; i++) queryable.append(Labels.of({ __name__: 'x', i: String(i) }), T0, i)
  const options = DEFAULT_ENGINE_OPTIONS
  const range = { startMs: T0, endMs: T0 + 99_000, stepMs: 1000 }
  /** 100 series of 100 steps, 9 bytes each. */
  const GRID_BYTES = 90_000

  test('the largest is answered overloaded with the limit, small ones beside it are answered', async () => {
    const pool = new MemoryPool(3 * GRID_BYTES)
    let clockMs = 0
    const engine = createLocalEngine({ queryable, options, nowMs: () => (clockMs += 30), pool })
    const large = engine.range({ expr: 'x + x * 2 + x * 3 + x * 4', ...range }).catch((thrown: unknown) => thrown)
    const small = Array.from({ length: 5 }, () => engine.instant({ expr: 'sum(x)', timeMs: T0 }))
    const failure = (await large) as FleetError
    expect(failure).toMatchObject({ code: 'overloaded', status: 503 })
    expect(failure.message).toContain(`limit is ${3 * GRID_BYTES} (query.memory-bytes-max)`)
    for (const answer of await Promise.all(small)) expect(answer.value).toMatchObject({ samples: [{ value: 4950 }] })
  })

  test.each([
    ['that succeeds', 'x * 2', undefined],
    ['that fails', 'x * on(nothing) x', undefined],
    ['that is canceled', 'x * 2', { aborted: true }],
  ])('a query %s leaves nothing behind', async (_, expr, signal) => {
    const pool = new MemoryPool(4 * GRID_BYTES)
    const engine = createLocalEngine({ queryable, options, nowMs: () => 0, pool })
    for (let i = 0; i < 10; i++) await engine.range({ expr, ...range }, signal).catch(() => undefined)
    const rest = user()
    pool.grow(rest, 4 * GRID_BYTES)
    expect(rest.evictions).toEqual([])
  })
})
