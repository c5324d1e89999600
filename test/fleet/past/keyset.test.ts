import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pageOf, type Place } from '../../../src/fleet/past/keyset.ts'

interface Item {
  readonly key: number
  readonly id: string
}

const order = { keyOf: ({ key }: Item) => key, idOf: ({ id }: Item) => id }
const items = fc.uniqueArray(fc.record({ key: fc.integer({ min: 0, max: 5 }), id: fc.string({ maxLength: 3 }) }), {
  selector: ({ id }) => id,
  maxLength: 40,
})

test('pages of any size give each item once, in the order of one large page', () => {
  fc.assert(
    fc.property(items, fc.boolean(), fc.integer({ min: 1, max: 7 }), (list, isDescending, limit) => {
      const whole = pageOf(list, order, { isDescending, limit: 1000 })
      const sign = isDescending ? -1 : 1
      expect(whole).toEqual(list.toSorted((a, b) => sign * (a.key - b.key || (a.id < b.id ? -1 : 1))))
      const found: Item[] = []
      let after: Place | undefined
      for (;;) {
        const page = pageOf(list, order, { isDescending, limit, ...(after === undefined ? {} : { after }) })
        found.push(...page)
        if (page.length < limit) break
        after = page.at(-1)!
      }
      expect(found).toEqual(whole)
      expect(new Set(found.map(({ id }) => id)).size).toBe(list.length)
    }),
  )
})

test('an item that goes away between two pages takes no other with it', () => {
  const list = ['a', 'b', 'c', 'd'].map((id) => ({ key: 1, id }))
  const first = pageOf(list, order, { isDescending: false, limit: 2 })
  const without = list.filter(({ id }) => id !== 'b')
  const second = pageOf(without, order, { isDescending: false, limit: 2, after: first.at(-1)! })
  expect(second.map(({ id }) => id)).toEqual(['c', 'd'])
})
