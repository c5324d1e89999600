import { expect, test } from 'vitest'
import { decommissionFault, decommissionRequest } from '../../../src/web/lib/decommission-draft.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')
const DRAFT = { clusters: ['prague'], reason: 'sold', since: '', kind: 'decommissioned' as const }

test.each([
  ['nothing is missing', DRAFT, undefined],
  ['a moment that is over', { ...DRAFT, since: '2026-08-20T09:59' }, undefined],
  ['no reason', { ...DRAFT, reason: '  ' }, 'Enter a reason.'],
  ['a moment to come', { ...DRAFT, since: '2026-08-20T10:01' }, 'The time must not be in the future.'],
  ['a moment that is none', { ...DRAFT, since: 'monday' }, 'Enter a complete time, or leave the field empty.'],
])('%s', (_, draft, fault) => {
  expect(decommissionFault(draft, NOW_MS, 'utc')).toBe(fault)
})

test('what is empty is left out of the request', () => {
  expect(decommissionRequest(DRAFT, ' ', 'utc')).toEqual({ clusters: ['prague'], reason: 'sold' })
  expect(decommissionRequest({ ...DRAFT, kind: 'opted_out' }, '', 'utc')).toEqual({
    ...{ clusters: ['prague'], reason: 'sold', kind: 'opted_out' },
  })
  expect(decommissionRequest({ ...DRAFT, reason: ' sold ', since: '2026-08-20T09:00' }, 'ada ', 'utc')).toEqual({
    ...{ clusters: ['prague'], reason: 'sold', since: '2026-08-20T09:00:00.000Z', by: 'ada' },
  })
})
