import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BoundedQueue } from '../../src/base/queue.ts'

describe('BoundedQueue', () => {
  test('refuses what does not fit and keeps what it has', () => {
    const queue = new BoundedQueue<number>(2)
    expect([queue.push(1), queue.push(2), queue.push(3)]).toEqual([true, true, false])
    expect(queue.isFull).toBe(true)
    expect(queue.drain()).toEqual([1, 2])
    expect(queue.size).toBe(0)
  })

  test('behaves as a bounded list, whatever the order of calls', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(), fc.constant('shift' as const)), { maxLength: 5000 }), (calls) => {
        const queue = new BoundedQueue<number>(50)
        const list: number[] = []
        for (const call of calls) {
          if (call === 'shift') {
            expect(queue.shift()).toBe(list.shift())
          } else {
            expect(queue.push(call)).toBe(list.length < 50)
            if (list.length < 50) list.push(call)
          }
          expect(queue.size).toBe(list.length)
        }
      }),
      { numRuns: 50 },
    )
  })
})
