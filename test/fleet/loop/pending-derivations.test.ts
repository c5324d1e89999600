import { describe, expect, test } from 'vitest'
import { PendingDerivations } from '../../../src/fleet/loop/pending-derivations.ts'
import { randomOf } from '../../../sim/random.ts'

describe('derivations that are pending', () => {
  test('reach a position when all that waited at it is stored, whatever came since', () => {
    const pending = new PendingDerivations<number>()
    expect(pending.reachedWith([])).toBeUndefined()
    for (const cluster of ['a', 'b']) pending.add({ cluster, sinceMs: 0 })
    pending.addedUpTo(1)
    const a = pending.take()!
    pending.add({ cluster: 'c', sinceMs: 5 })
    pending.addedUpTo(2)
    expect(pending.reachedWith([a])).toBeUndefined()
    pending.stored([a])
    const b = pending.take()!
    expect([b.cluster, pending.reachedWith([b])]).toEqual(['b', 1])
    pending.stored([b])
    // Reached, so the next one counts, and `c` waits for it.
    pending.addedUpTo(3)
    expect(pending.reachedWith([])).toBeUndefined()
    expect(pending.reachedWith([pending.take()!])).toBe(3)
  })

  test('that fail hold back the position and the moment, and wait again after a minute or with news', () => {
    const pending = new PendingDerivations<number>()
    pending.add({ cluster: 'bad', sinceMs: -Infinity })
    pending.addedUpTo(1)
    expect(pending.hasUntried).toBe(true)
    pending.fail(pending.take()!, 1000)
    expect([pending.hasUntried, pending.oldestMs, pending.clusters()]).toEqual([false, -Infinity, ['bad']])
    pending.retry(60_999)
    expect([pending.take(), pending.reachedWith([])]).toEqual([undefined, undefined])
    pending.retry(61_000)
    expect([pending.hasUntried, pending.clusters()]).toEqual([false, ['bad']])
    pending.fail(pending.take()!, 61_000)
    pending.add({ cluster: 'bad', sinceMs: 60_000 })
    const news = pending.take()!
    expect([news.sinceMs, pending.reachedWith([news])]).toEqual([60_000, 1])
    pending.stored([news])
    expect([pending.oldestMs, pending.clusters()]).toEqual([Infinity, []])
  })

  test('whatever happens, a position that is reached leaves none behind that changed before it', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomOf('pending', seed)
      const below = (max: number): number => random.int(0, max - 1)
      const pending = new PendingDerivations<number>()
      /** By cluster: the position of the last change that is not stored. */
      const owed = new Map<string, number>()
      let reached = 0
      for (let position = 1; position < 60; position++) {
        for (let i = below(4); i > 0; i--) {
          const cluster = `c${below(6)}`
          if (!owed.has(cluster)) owed.set(cluster, position)
          pending.add({ cluster, sinceMs: position })
        }
        pending.retry(position * 20_000)
        pending.addedUpTo(position)
        const batch = []
        for (let i = below(5); i > 0; i--) {
          const next = pending.take()
          if (next === undefined) break
          if (random.chance(0.3)) pending.fail(next, position * 20_000)
          else batch.push(next)
        }
        const at = pending.reachedWith(batch)
        if (random.chance(0.2)) {
          for (const one of batch) pending.add(one)
          continue
        }
        pending.stored(batch)
        for (const { cluster } of batch) owed.delete(cluster)
        reached = Math.max(reached, at ?? 0)
        expect(Math.min(Infinity, ...owed.values())).toBeGreaterThan(reached)
        expect(new Set(pending.clusters())).toEqual(new Set(owed.keys()))
      }
      expect(reached).toBeGreaterThan(0)
    }
  })
})
