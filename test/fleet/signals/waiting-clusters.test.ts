import { describe, expect, test } from 'vitest'
import { WaitingClusters } from '../../../src/fleet/signals/waiting-clusters.ts'

describe('clusters that wait', () => {
  test('come in the order in which they began to, and keep their place and the earlier moment', () => {
    const waiting = new WaitingClusters<string>()
    expect([waiting.size, waiting.next(), waiting.oldestMs]).toEqual([0, undefined, Infinity])
    waiting.add('b', 20)
    waiting.add('a', 10)
    waiting.add('b', 30)
    expect([...waiting.keys()]).toEqual(['b', 'a'])
    expect([waiting.next(), waiting.sinceMs('b'), waiting.oldestMs]).toEqual(['b', 20, 10])
    expect([waiting.take('a'), waiting.oldestMs, waiting.has('a')]).toEqual([10, 20, false])
    expect([waiting.take('a'), waiting.sinceMs('a')]).toEqual([Infinity, Infinity])
  })

  test('since the start are untried until they were tried', () => {
    const waiting = new WaitingClusters<number>()
    waiting.add(1, 50)
    expect(waiting.hasUntried).toBe(false)
    waiting.add(2, -Infinity)
    expect([waiting.hasUntried, waiting.oldestMs]).toEqual([true, -Infinity])
    waiting.add(2, waiting.take(2), true)
    expect([waiting.hasUntried, waiting.oldestMs]).toEqual([false, -Infinity])
    // News of one that failed does not make it untried.
    waiting.add(2, 60)
    expect(waiting.hasUntried).toBe(false)
  })
})
