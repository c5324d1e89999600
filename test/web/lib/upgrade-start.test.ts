import { expect, test } from 'vitest'
import type { UpgradeItem } from '../../../src/contract/fleet-upgrades.ts'
import { noStartText, waitsForApproval } from '../../../src/web/lib/upgrade-start.ts'

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
  ['offered, and nobody has approved it', upgrade('in_progress', null, 'in_progress'), true, 'not begun'],
  ['approved, and its CSV is not seen yet', upgrade('in_progress', null, 'succeeded'), false, 'not known'],
  ['it runs', upgrade('in_progress', AT, 'succeeded'), false, 'not known'],
  ['told by metrics alone: nothing of an approval', upgrade('in_progress', null), false, 'not known'],
  ['another one took its place before it was approved', upgrade('superseded', null, 'in_progress'), false, 'not known'],
] as const)('%s', (_name, item, waits, text) => {
  expect(waitsForApproval(item)).toBe(waits)
  expect(noStartText(item)).toBe(text)
})
