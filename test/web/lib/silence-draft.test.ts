import { describe, expect, test } from 'vitest'
import {
  draftFault,
  draftOf,
  endOf,
  newDraft,
  requestOf,
  toDateField,
  type SilenceDraft,
} from '../../../src/web/lib/silence-draft.ts'

const NOW_MS = Date.UTC(2026, 10, 4, 2, 30)
const HOUR_MS = 3_600_000
const draft: SilenceDraft = {
  ...newDraft([{ name: 'a', op: '=', value: 'b' }], NOW_MS, 'utc'),
  comment: ' why ',
}

test.each([
  ['1h', 1],
  ['4h', 4],
  ['1d', 24],
  ['resolved', 7 * 24],
] as const)('%s ends after %d hours', (length, hours) => {
  expect(endOf({ ...draft, length }, NOW_MS, 'utc')).toBe(NOW_MS + hours * HOUR_MS)
})

test('a chosen end is read in the zone it was written in', () => {
  expect(endOf({ ...draft, length: 'until', until: '2026-11-04T06:00' }, NOW_MS, 'utc')).toBe(Date.UTC(2026, 10, 4, 6))
  expect(toDateField(NOW_MS, 'utc')).toBe('2026-11-04T02:30')
})

describe('cannot be sent', () => {
  test.each<[string, Partial<SilenceDraft>, RegExp | undefined]>([
    ['without a reason', { comment: ' ' }, /Enter a comment/],
    ['without an end', { length: 'until', until: '' }, /Enter an end time/],
    ['with an end that is over', { length: 'until', until: '2026-11-04T02:30' }, /in the past/],
    ['without matchers', { matchers: [] }, /At least one matcher/],
    ['when all is there', {}, undefined],
  ])('%s', (_what, part, want) => {
    const fault = draftFault({ ...draft, ...part }, NOW_MS, 'utc')
    if (want === undefined) expect(fault).toBeUndefined()
    else expect(fault).toMatch(want)
  })
})

test('what is sent has the reason without its edges, and the name only when there is one', () => {
  expect(requestOf({ ...draft, length: 'resolved' }, ' ', NOW_MS, 'utc')).toEqual({
    matchers: draft.matchers,
    endsAtMs: NOW_MS + 7 * 24 * HOUR_MS,
    comment: 'why',
    untilResolved: true,
  })
  expect(requestOf(draft, 'Eva', NOW_MS, 'utc').createdBy).toBe('Eva')
})

test('editing begins with what the silence is', () => {
  const edited = draftOf(
    {
      id: 'x',
      state: 'active',
      matchers: [...draft.matchers],
      startsAtMs: 0,
      endsAtMs: NOW_MS + HOUR_MS,
      updatedAtMs: 0,
      createdBy: 'Eva',
      comment: 'c',
      untilResolved: false,
      hides: [],
    },
    'utc',
  )
  expect(edited).toEqual({
    id: 'x',
    matchers: draft.matchers,
    length: 'until',
    until: '2026-11-04T03:30',
    comment: 'c',
  })
})
