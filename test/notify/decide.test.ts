import { describe, expect, test } from 'vitest'
import { NOTIFY_REASONS, RESOLVED_REPEAT_MS, decideNotify, pickOnePerFingerprint } from '../../src/notify/decide.ts'
import type { NotifyReason, Told } from '../../src/notify/decide.ts'
import type { NotifiableAlert } from '../../src/notify/notification.ts'
import { T0, firing, pending, resolved } from './alerts.ts'

const told = (state: Told['state'], toldAtMs: number, activeAtMs = T0 - 60_000): Told => ({
  state,
  toldAtMs,
  activeAtMs,
})
const DELAY_MS = 60_000

const ROWS: readonly [string, NotifiableAlert, Told | undefined, number, boolean, NotifyReason][] = [
  ['a firing alert nobody heard of', firing('A'), undefined, T0, true, 'first'],
  ['a firing alert told a moment ago', firing('A'), told('firing', T0), T0 + 59_999, false, 'nothing_new'],
  ['a firing alert told a minute ago', firing('A'), told('firing', T0), T0 + 60_000, true, 'resend_due'],
  ['a new run of an alert that was told', firing('A'), told('firing', T0, 5), T0 + 1, true, 'first'],
  ['one that fires again after resolved', firing('A'), told('resolved', T0), T0 + 1, true, 'first'],
  ['one told in a future that the clock went back from', firing('A'), told('firing', T0 + 9e6), T0, true, 'resend_due'],
  ['a resolved alert', resolved('A', T0), told('firing', T0), T0, true, 'resolved'],
  ['a resolved alert nobody heard of', resolved('A', T0), undefined, T0 + 1, true, 'resolved'],
  ['a resolved alert told a moment ago', resolved('A', T0), told('resolved', T0), T0 + 1, false, 'nothing_new'],
  ['a resolved alert told a minute ago', resolved('A', T0), told('resolved', T0), T0 + 60_000, true, 'resend_due'],
  [
    'a resolved alert of long ago',
    resolved('A', T0),
    told('resolved', T0),
    T0 + RESOLVED_REPEAT_MS + 1,
    false,
    'resolved_long_ago',
  ],
  ['a pending alert', pending('A'), undefined, T0, false, 'pending'],
]

describe('decideNotify', () => {
  test.each(ROWS)('%s', (_, alert, before, nowMs, sends, reason) => {
    expect(decideNotify(alert, before, nowMs, DELAY_MS)).toEqual({ sends, reason })
  })

  test('every reason but the one of equal labels has a row', () => {
    const used = new Set(ROWS.map((row) => row[5]))
    expect(NOTIFY_REASONS.filter((reason) => !used.has(reason))).toEqual(['same_labels'])
  })
})

test('of alerts with the same labels the firing one counts, in any order', () => {
  const alerts = [pending('A'), firing('A'), resolved('A', T0)]
  for (const order of [alerts, alerts.toReversed()]) {
    expect([...pickOnePerFingerprint(order).values()].map(({ state }) => state)).toEqual(['firing'])
  }
})
