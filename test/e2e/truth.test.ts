import { describe, expect, test } from 'vitest'
import { scoreOf, type Score } from '../../bench/truth/score.ts'
import { runTrial } from '../../bench/truth/trial.ts'

/**
 * Derivation and stuck detection held against a small fleet whose truth is known, over half a year and in process;
 * `npm run bench -- truth` does it at full size. What is promised of medians and shares needs the full size: here nothing
 * may be missed, made up or wrong.
 */
const HALF_YEAR = { seed: 'small', clusters: 8, fromMs: Date.UTC(2026, 1, 1), untilMs: Date.UTC(2026, 7, 1) } as const

function score(mode: 'objects' | 'metrics' | 'all'): Score {
  return scoreOf(runTrial({ ...HALF_YEAR, mode, stallShare: 0.3 }))
}

describe.each(['objects', 'all', 'metrics'] as const)('of %s', (mode) => {
  const got = score(mode)

  test('every upgrade is found and none made up', () => {
    expect(got.real).toBeGreaterThan(15)
    expect({ missed: got.missed, invented: got.invented, states: got.states.wrong }).toEqual({
      ...{ missed: [], invented: [], states: [] },
    })
  })

  test('times of phases are exact to the second, or to a scrape, or not told', () => {
    expect(got.times.told).toBeGreaterThan(100)
    expect(got.times.wrong).toEqual([])
    if (mode !== 'metrics') expect(got.times.exactShare).toBeGreaterThan(0.99)
  })

  test('an unlisted fault is never given a name', () => {
    expect(got.stalls.count).toBeGreaterThan(0)
    expect(got.causes.named).toEqual([])
  })
})
