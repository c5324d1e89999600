import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DIMENSION_WORDS } from '../../../src/contract/adoption.ts'
import {
  atLeast,
  daysOf,
  FACETS,
  formatAdoptionView,
  olderOf,
  PANELS,
  RANGES,
  type AdoptionView,
  ADOPTION_VIEW,
} from '../../../src/web/lib/adoption-view.ts'

const words = fc.string({ minLength: 1, maxLength: 8 })
const views: fc.Arbitrary<AdoptionView> = fc.record({
  operator: fc.string({ maxLength: 8 }),
  by: fc.constantFrom(...DIMENSION_WORDS),
  range: fc.constantFrom(...RANGES.map(({ value }) => value)),
  from: fc.constant('2026-01-02'),
  to: fc.constant('2026-03-04'),
  only: fc.dictionary(fc.constantFrom(...FACETS), fc.array(words, { minLength: 1, maxLength: 3 })),
  measure: fc.constantFrom('share', 'clusters'),
  version: fc.string({ maxLength: 8 }),
  compare: fc.array(words, { maxLength: 3 }),
  older: fc.string({ maxLength: 8 }),
  cohort: fc.constantFrom(...FACETS),
  behind: fc.constantFrom('minors', 'releases'),
  tables: fc.subarray([...PANELS]),
  shows: fc.constantFrom('', 'denominator'),
  cite: fc.constantFrom('', 'share.0123456789abcdef'),
})

describe('what the page shows', () => {
  test('is the same after a way through its address', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(ADOPTION_VIEW.parse(formatAdoptionView(view))).toEqual({ ...view, only: { ...view.only } })
      }),
    )
  })

  test('is nothing in the address when it is as always', () => {
    expect(formatAdoptionView(ADOPTION_VIEW.initial)).toBe('')
    expect(ADOPTION_VIEW.parse('')).toEqual(ADOPTION_VIEW.initial)
  })

  test.each([
    ['by=size&range=2w&measure=vms&cohort=team&behind=days&shows=all&table=none'],
    ['from=2026-02-30&to=2026-03-04'],
    ['from=2026-03-04'],
    ['from=2026-03-04&to=2026-03-03'],
    ['cite=share.xyz'],
    ['cite=share'],
  ])('is as always where an address cannot be read: %s', (search) => {
    expect(ADOPTION_VIEW.parse(search)).toEqual(ADOPTION_VIEW.initial)
  })
})

describe('the days that are asked for', () => {
  test.each([
    [{ range: '30d' }, '2026-01-01', { from: '2026-10-22' }],
    [{ range: 'all' }, '2026-01-01', { from: '2026-01-01' }],
    [{ range: 'all' }, null, {}],
    [{ range: 'all' }, '2026-11-25', {}],
    [{ from: '2026-02-01', to: '2026-02-03' }, null, { from: '2026-02-01', to: '2026-02-03' }],
  ] as const)('%j since %s', (view, firstDay, days) => {
    expect(daysOf({ ...ADOPTION_VIEW.initial, ...view }, '2026-11-21', firstDay)).toEqual(days)
  })
})

describe('a version or newer', () => {
  const NEWEST_FIRST = ['1.20.1', '1.20.0', '1.19.3', '1.2.0', '1.1.9']
  test.each([
    ['1.19.3', 3],
    ['1.20', 2],
    ['1.2', 4],
    ['1.20.1', 1],
    ['1.18', 0],
    ['', 0],
  ])('%s', (version, count) => {
    expect(atLeast(NEWEST_FIRST, version)).toEqual(NEWEST_FIRST.slice(0, count))
    expect(olderOf(NEWEST_FIRST, version)).toEqual(NEWEST_FIRST.slice(count))
  })
})
