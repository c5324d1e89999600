import { describe, expect, test } from 'vitest'
import { FleetError } from '../../../src/base/errors.ts'
import type { Matcher } from '../../../src/model/matcher.ts'
import { PairTable } from '../../../src/store/index/pair-table.ts'
import { SeriesIndex } from '../../../src/store/index/postings.ts'

const PODS = 100

/** A hundred series, each with a pod of ten characters of its own. */
function indexWith(matchStepsMax: number): SeriesIndex {
  const pairs = new PairTable()
  const index = new SeriesIndex(pairs, matchStepsMax)
  for (let i = 1; i <= PODS; i++) {
    pairs.add(i, 'pod', `virt-${String(i).padStart(5, '0')}`)
    index.add({ ref: i, slot: i, pairIds: [i] })
  }
  return index
}

function found(index: SeriesIndex, op: Matcher['op'], value: string): number | string {
  try {
    return index.match([{ name: 'pod', op, value }]).length
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(FleetError)
    expect((thrown as FleetError).code).toBe('query_limit')
    return (thrown as FleetError).message
  }
}

describe('the cost of a matcher', () => {
  test.each<[string, Matcher['op'], string, number]>([
    ['a pattern', '=~', 'virt-0000.', 9],
    ['a pattern that is not wanted', '!~', 'virt-0000.', PODS - 9],
    ['a pattern on the linear machine', '=~', `${'((virt|x)+-?)*'.repeat(20)}0001.`, 10],
    ['texts', '=~', 'virt-00001|virt-00002|nobody|virt-00001', 2],
    ['texts that are not wanted', '!~', 'virt-00001|virt-00002', PODS - 2],
    ['texts and the empty one', '=~', 'virt-00001|', 1],
    ['the empty text, not wanted', '!~', '', PODS],
    ['not equal', '!=', 'virt-00001', PODS - 1],
  ])('of %s is within a limit that is large', (_name, op, value, wanted) => {
    expect(found(indexWith(1e6), op, value)).toBe(wanted)
  })

  test('is refused beyond the limit, by name and value', () => {
    expect(found(indexWith(1000), '=~', 'virt-0000.')).toBe('matching pod=~"virt-0000." takes more than 1000 steps')
    expect(found(indexWith(5000), '=~', 'virt-0000.')).toBe(9)
    // The same values, a pattern with a large program: each character is looked at for each instruction.
    expect(found(indexWith(5000), '=~', `${'((virt|x)+-?)*'.repeat(20)}0001.`)).toContain('takes more than 5000 steps')
  })

  test('of texts does not depend on how many values there are', () => {
    expect(found(indexWith(1), '=~', 'virt-00001|virt-00002')).toBe(2)
    expect(found(indexWith(1), '=', 'virt-00001')).toBe(1)
    expect(found(indexWith(1), '!=', 'virt-00001')).toBe(PODS - 1)
  })
})
