import { expect, test } from 'vitest'
import { strandedCount, strandedSentence } from '../../../src/web/lib/stranded-words.ts'

const ITEM = {
  ...{ version: '1.16.0', clusters: 3, population: 12, names: [], newest: '1.18.1', endedLately: 7 },
  ...{ succeededLately: 0, lastLeftAt: null, notOffered: 0 },
} as const

test.each([
  ['failing', /^7 upgrades from it/],
  ['never_left', /others run 1\.18\.1/],
  ['not_lately', /last 90 days/],
  ['not_offered', /^Others leave 1\.16\.0/],
] as const)('%s', (reason, want) => {
  expect(strandedSentence({ ...ITEM, reason })).toMatch(want)
})

test('how many of how many', () => {
  expect(strandedCount(ITEM)).toBe('3 of 12 clusters')
  expect(strandedCount({ clusters: 1, population: 1 })).toBe('1 cluster')
  expect(strandedCount({ clusters: 5, population: 5 })).toBe('all 5 clusters')
})
