import { expect, test } from 'vitest'
import { baselineWords, stillWords } from '../../../src/web/lib/upgrade-text.ts'
import { noStartText, waitsForApproval, upgradeWindow } from '../../../src/web/lib/upgrade-bands.ts'
import type { UpgradeItem } from '../../../src/contract/fleet-upgrades.ts'
import { stuckUpgrade } from '../browser/upgrade-fixtures.ts'

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
  expect(baselineWords(LEARNED)).toBe('typical 34 s, limit 4 min (27 upgrades on this path)')
  expect(stillWords(LEARNED)).toBe(
    'Typical time without progress: p50 34 s, p95 59 s (27 upgrades on this path). Considered stuck after 4 min.',
  )
  const borrowed = { ...LEARNED, learnedFrom: 'fleet', runs: 0, perWave: true } as const
  expect(stillWords(borrowed)).toMatch(/\(all upgrades of the fleet\)\. Considered stuck after 4 min per wave\.$/)
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
  expect(stillWords(rule)).toBe('Considered stuck after 1 h (fixed limit, not learned from upgrades).')
  expect(baselineWords(rule)).toBe('limit 1 h (fixed limit, not learned from upgrades)')
  expect(baselineWords(null)).toBe('fixed limit, not learned from upgrades')
})

const AT = '2026-09-21T14:00:00.000Z'

type PhaseState = UpgradeItem['phases'][number]['state']

function upgrade(state: UpgradeItem['state'], startedAt: string | null, approval?: PhaseState): UpgradeItem {
  const phase = { name: 'approval', startedAt: AT, endedAt: null, resolutionSeconds: 1, reconstructed: false }
  return {
    ...({} as UpgradeItem),
    state,
    startedAt,
    phases: approval === undefined ? [] : [{ ...phase, state: approval }],
  }
}

test.each([
  ['offered, and nobody has approved it', upgrade('in_progress', null, 'in_progress'), true, 'not started'],
  ['approved, and its CSV is not seen yet', upgrade('in_progress', null, 'succeeded'), false, 'not known'],
  ['it runs', upgrade('in_progress', AT, 'succeeded'), false, 'not known'],
  ['told by metrics alone: nothing of an approval', upgrade('in_progress', null), false, 'not known'],
  ['another one took its place before it was approved', upgrade('superseded', null, 'in_progress'), false, 'not known'],
] as const)('%s', (_name, item, waits, text) => {
  expect(waitsForApproval(item)).toBe(waits)
  expect(noStartText(item)).toBe(text)
})

const NOW_MS = Date.UTC(2026, 7, 20, 9)
const running = stuckUpgrade(NOW_MS)
const minute = (before: number): number => NOW_MS - before * 60_000

test('an upgrade ran from its begin to its end, or runs', () => {
  expect(upgradeWindow({ ...running, startedAt: null })).toBeUndefined()
  expect(upgradeWindow(running)).toEqual({ fromMs: minute(60), toMs: undefined, isEndKnown: true })
  const endedAt = new Date(NOW_MS).toISOString()
  expect(upgradeWindow({ ...running, state: 'succeeded', endedAt })).toMatchObject({ toMs: NOW_MS, isEndKnown: true })
})

test('of one whose end is not known the window ends with the last that its phases tell', () => {
  const superseded = { ...running, state: 'superseded', endedAt: null } as const
  expect(upgradeWindow(superseded)).toEqual({ fromMs: minute(60), toMs: minute(50), isEndKnown: false })
  expect(upgradeWindow({ ...superseded, phases: [] })).toEqual({
    fromMs: minute(60),
    toMs: minute(60),
    isEndKnown: false,
  })
})
