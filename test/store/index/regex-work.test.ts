import { describe, expect, test } from 'vitest'
import { FleetError } from '../../../src/base/errors.ts'
import { RegexWork } from '../../../src/model/regex-limits.ts'
import type { Matcher } from '../../../src/model/matcher.ts'
import { PairTable } from '../../../src/store/index/pair-table.ts'
import { SeriesIndex } from '../../../src/store/index/postings.ts'

const PODS = 100

/** Series with a pod of ten characters of their own. */
function indexOf(pods: number): { readonly index: SeriesIndex; readonly add: (pods: number) => void } {
  const pairs = new PairTable()
  const index = new SeriesIndex(pairs)
  let count = 0
  const add = (more: number): void => {
    for (const end = count + more; count < end;) {
      count++
      pairs.add(count, 'pod', `virt-${String(count).padStart(5, '0')}`)
      index.add({ ref: count, slot: count, pairIds: [count] })
    }
  }
  add(pods)
  return { index, add }
}

function found(index: SeriesIndex, op: Matcher['op'], value: string, stepsMax: number): number | string {
  try {
    return index.select([{ name: 'pod', op, value }], { work: new RegexWork(stepsMax) }).length
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(FleetError)
    expect((thrown as FleetError).code).toBe('query_limit')
    return (thrown as FleetError).message
  }
}

const LARGE = `${'((virt|x)+-?)*'.repeat(20)}0001.`

describe('the cost of a matcher', () => {
  test.each<[string, Matcher['op'], string, number]>([
    ['a pattern', '=~', 'virt-0000.', 9],
    ['a pattern that is not wanted', '!~', 'virt-0000.', PODS - 9],
    ['a pattern with many instructions', '=~', LARGE, 10],
    ['texts', '=~', 'virt-00001|virt-00002|nobody|virt-00001', 2],
    ['texts that are not wanted', '!~', 'virt-00001|virt-00002', PODS - 2],
    ['texts and the empty one', '=~', 'virt-00001|', 1],
    ['the empty text, not wanted', '!~', '', PODS],
    ['not equal', '!=', 'virt-00001', PODS - 1],
  ])('of %s is within a limit that is large', (_name, op, value, wanted) => {
    expect(found(indexOf(PODS).index, op, value, 1e6)).toBe(wanted)
  })

  test('is refused beyond the limit, by name and value', () => {
    const { index } = indexOf(PODS)
    expect(found(index, '=~', 'virt-0000.', 500)).toBe(
      'regular expression "virt-0000." takes more than 500 steps (promql.regex-steps-max)',
    )
    expect(found(index, '=~', 'virt-0000.', 30_000)).toBe(9)
    // The same values, a pattern with a large program: the states of its automaton cost more.
    expect(found(index, '=~', `x?${LARGE}`, 30_000)).toContain('takes more than 30000 steps')
  })

  test('is that of all selections of a query, and of series that came since', () => {
    const { index, add } = indexOf(PODS)
    const matchers: Matcher[] = [{ name: 'pod', op: '=~', value: 'virt-.*1' }]
    const work = new RegexWork(20_000)
    expect(index.select(matchers, { work }).length).toBe(10)
    expect(index.select(matchers, { work }).length).toBe(10)
    add(1500)
    expect(() => index.select(matchers, { work: new RegexWork(2000) })).toThrow('promql.regex-steps-max')
    expect(index.select(matchers, { work: new RegexWork(20_000) }).length).toBe(160)
  })

  test('of texts does not depend on how many values there are', () => {
    const { index } = indexOf(PODS)
    for (const value of ['virt-00001|virt-00002', 'virt-00001|nobody|virt-00003'])
      expect(found(index, '=~', value, 10)).toBe(2)
    expect(found(index, '=', 'virt-00001', 0)).toBe(1)
    expect(found(index, '!=', 'virt-00001', 0)).toBe(PODS - 1)
  })
})
