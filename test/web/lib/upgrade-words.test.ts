import { expect, test } from 'vitest'
import { baselineWords, stillWords } from '../../../src/web/lib/upgrade-words.ts'

const LEARNED = {
  phase: 'olm.pending',
  p50Seconds: 34,
  p95Seconds: 59.4,
  thresholdSeconds: 240,
  runs: 27,
  learnedFrom: 'edge',
  perWave: false,
} as const

test('what is usual says by what it is known', () => {
  expect(baselineWords(LEARNED)).toBe('usually 34 s, at most 4 min, by 27 runs of this edge')
  expect(stillWords(LEARNED)).toBe(
    'half stand still for 34 s at most, 95 of 100 for 59 s; stuck after 4 min without progress; by 27 runs of this edge',
  )
  const borrowed = { ...LEARNED, learnedFrom: 'fleet', runs: 0, perWave: true } as const
  expect(stillWords(borrowed)).toMatch(/stuck after 4 min in a wave without progress; by all upgrades here$/)
})

test('where nothing is learned no share of upgrades is told, and many known ones are not called few', () => {
  const rule = {
    ...LEARNED,
    phase: 'workloads',
    p50Seconds: 300,
    thresholdSeconds: 3600,
    runs: 0,
    learnedFrom: 'seed',
  } as const
  expect(stillWords(rule)).toBe('stuck after 1 h without progress, by the rule for what nothing is learned of')
  expect(baselineWords(rule)).toBe('at most 1 h, by the rule for what nothing is learned of')
  expect(baselineWords(null)).toBe('measured by the rule for what nothing is learned of')
})
