import { expect, test } from 'vitest'
import { stepsAlone } from '../../../src/web/lib/chart-columns.ts'

test.each([
  ['a sample between gaps', [null, 1, null, 2, 3, null], [1]],
  ['at both ends', [1, null, NaN, 2], [0, 3]],
  ['the only one', [1], [0]],
  ['none of a line', [1, 2, 3], []],
  ['none of nothing', [null, undefined], []],
])('seen as points: %s', (_what, values, want) => {
  expect(stepsAlone(values)).toEqual(want)
})
