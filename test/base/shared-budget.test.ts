import { describe, expect, test } from 'vitest'
import { SharedBudget } from '../../src/base/shared-budget.ts'

const KINDS = ['cluster', 'token'] as const

/** Takes pieces for an owner until one is refused; answers how many it got, and why it got no more. */
function takeAll(budget: SharedBudget<'cluster' | 'token'>, name: string, pieceBytes = 1) {
  for (let taken = 0; ; taken++) {
    const refused = budget.take(budget.ownerOf('cluster', name), pieceBytes, 0)
    if (refused !== undefined) return [taken, refused]
  }
}

describe('a budget of 1000', () => {
  test('one greedy owner gets half, the next a half of the rest, and a newcomer always some', () => {
    const budget = new SharedBudget(1000, KINDS)
    expect(takeAll(budget, 'a')).toEqual([500, 'share'])
    expect(takeAll(budget, 'b')).toEqual([250, 'total'])
    expect(budget.take(budget.ownerOf('cluster', 'quiet'), 100, 0)).toBeUndefined()
    expect(budget.heldBytes).toBe(850)
  })

  test('ten greedy owners get an eleventh each', () => {
    const budget = new SharedBudget(1100, KINDS)
    const names = Array.from({ length: 10 }, (_, i) => `cluster ${i}`)
    for (let round = 0; round < 200; round++) {
      for (const name of names) budget.take(budget.ownerOf('cluster', name), 1, 0)
    }
    expect(names.map((name) => budget.ownerOf('cluster', name).heldBytes)).toEqual(names.map(() => 100))
    expect(budget.take(budget.ownerOf('cluster', 'newcomer'), 50, 0)).toBeUndefined()
  })

  test('the reason is the share of one who holds more than its part', () => {
    const budget = new SharedBudget(1000, KINDS)
    const [loud, quiet] = [budget.ownerOf('cluster', 'loud'), budget.ownerOf('cluster', 'quiet')]
    expect(budget.take(loud, 450, 0)).toBeUndefined()
    expect(budget.take(quiet, 10, 0)).toBeUndefined()
    expect(budget.take(loud, 60, 0)).toBe('share')
    expect(budget.take(quiet, 300, 0)).toBe('total')
  })

  test('what is given back is there again, and an owner without any is forgotten', () => {
    const budget = new SharedBudget(1000, KINDS)
    const owner = budget.ownerOf('cluster', 'a')
    expect(budget.take(owner, 400, 0)).toBeUndefined()
    expect(budget.ownerOf('cluster', 'a')).toBe(owner)
    budget.give(owner, 400)
    expect(budget.heldBytes).toBe(0)
    expect(budget.ownerOf('cluster', 'a')).not.toBe(owner)
    expect(takeAll(budget, 'a')).toEqual([500, 'share'])
  })

  test('equal names of two kinds are two owners', () => {
    const budget = new SharedBudget(1000, KINDS)
    expect(takeAll(budget, 'a')).toEqual([500, 'share'])
    expect(budget.ownerOf('token', 'a').heldBytes).toBe(0)
    expect(budget.take(budget.ownerOf('token', 'a'), 200, 0)).toBeUndefined()
  })

  test('a request that is alone gets what it needs, in several parts too', () => {
    const budget = new SharedBudget(1000, KINDS)
    const owner = budget.ownerOf('cluster', 'a')
    expect(budget.take(owner, 900, 0)).toBeUndefined()
    expect(budget.take(owner, 900, 900)).toBeUndefined()
    expect(budget.take(budget.ownerOf('cluster', 'b'), 1, 0)).toBe('total')
    expect(budget.take(owner, 1, 0)).toBe('share')
  })
})
