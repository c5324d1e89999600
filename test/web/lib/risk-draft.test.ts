import { expect, test } from 'vitest'
import { nextFriday, riskFault, riskRequest, type RiskDraft } from '../../../src/web/lib/risk-draft.ts'

const NOW = Date.parse('2026-11-28T12:00:00Z') // a Saturday
const DRAFT: RiskDraft = {
  hazard: 'json_patch',
  of: { selector: {}, to: '1.20.0' },
  reason: ' CHG-1 ',
  until: '2026-12-04T18:00',
}

test.each([
  ['2026-11-28T12:00:00Z', '2026-12-04T18:00'],
  ['2026-11-30T00:00:00Z', '2026-12-04T18:00'],
  ['2026-12-04T17:59:00Z', '2026-12-04T18:00'],
  ['2026-12-04T18:00:00Z', '2026-12-11T18:00'],
])('after %s Friday is %s', (now, friday) => {
  expect(nextFriday(Date.parse(now), 'utc')).toBe(friday)
})

test.each([
  [{}, undefined],
  [{ reason: ' ' }, 'Enter a reason.'],
  [{ until: '' }, 'Enter when the acceptance expires.'],
  [{ until: '2026-11-28T12:00' }, 'The expiry must be in the future.'],
])('%j cannot be sent', (more, fault) => {
  expect(riskFault({ ...DRAFT, ...more }, NOW, 'utc')).toBe(fault)
})

test('the request has the clusters, and the author only where one is set', () => {
  expect(riskRequest(DRAFT, ' ', 'utc')).toEqual({
    hazard: 'json_patch',
    selector: {},
    to: '1.20.0',
    reason: 'CHG-1',
    expiresAt: '2026-12-04T18:00:00.000Z',
  })
  expect(riskRequest({ ...DRAFT, of: { clusters: ['a'] }, until: '' }, 'ada', 'utc')).toMatchObject({
    clusters: ['a'],
    by: 'ada',
    expiresAt: '',
  })
})
