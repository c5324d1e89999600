import { expect, test } from 'vitest'
import { outcomes } from '../browser/work-fixtures.ts'
import {
  endedText,
  endText,
  evidenceLines,
  quantileText,
  timesText,
  timesTitle,
  uselessSteps,
  workingSteps,
} from '../../../src/web/lib/outcome-text.ts'

const SOME = outcomes('A', Date.UTC(2026, 7, 20))

test('each number has its denominator', () => {
  expect(endedText(SOME.summary)).toBe('a fix 5, the end of the upgrade 1, no intervention 1 (of 7 that ended)')
  expect(endedText({ ...SOME.summary, runs: 9, firing: 2 })).toContain('(of 7 that ended)')
  expect(endedText({ ...SOME.summary, runs: 2, firing: 2 })).toBe('none has ended')
  expect(timesText(SOME.summary.acknowledge)).toBe('p50 4 min, p90 15 min; 6 of 7')
  expect(timesText({ ...SOME.summary.acknowledge, complete: 0, of: 0 })).toBe('none')
  expect(quantileText(null)).toBe('–')
})

test('the uncertainty of a median is said, with open bounds', () => {
  const { acknowledge } = SOME.summary
  expect(timesTitle(acknowledge)).toBe(
    '6 of 7 times are complete; the others count as observed until now. 95 % interval of the median: 2 min to 10 min.',
  )
  expect(timesTitle({ ...acknowledge, p50High: null })).toContain('2 min to open.')
  expect(timesTitle({ ...acknowledge, p50Low: null, p50High: null })).toContain('Too few complete times')
})

test('a cause says whether a person stated it', () => {
  expect(endText({ cause: 'fix', isStated: true })).toBe('a fix (stated)')
  expect(endText({ cause: 'by_itself', isStated: false })).toBe('no intervention (derived)')
})

test('steps that worked are mitigation steps, the most frequent first; those that never helped were ticked', () => {
  expect(workingSteps(SOME).map(({ key }) => key)).toEqual(['m1'])
  const two = [...SOME.steps, { ...SOME.steps[3]!, key: 'm3', helped: 6 }]
  expect(workingSteps({ steps: two }).map(({ key }) => key)).toEqual(['m3', 'm1'])
  expect(uselessSteps(SOME).map(({ key }) => key)).toEqual(['d2', 'm2'])
  expect(uselessSteps({ steps: SOME.steps.map((step) => ({ ...step, ticked: 0, helped: 0 })) })).toEqual([])
})

test('evidence names no cluster, and there is none without occurrences', () => {
  const lines = evidenceLines(SOME)
  expect(lines[0]).toMatch(/^In 365 days: 7 occurrences, 6 with recorded work\. Ended by: a fix 5/)
  expect(lines).toHaveLength(4)
  expect(lines.join('\n')).not.toContain('prague')
  expect(evidenceLines({ ...SOME, summary: { ...SOME.summary, runs: 0 } })).toEqual([])
})
