import { describe, expect, test } from 'vitest'
import { onePerFingerprint } from '../../src/notify/dispatch.ts'
import { RESOLVED_REPEAT_MS, decideHandOver, type HandedOver } from '../../src/notify/hand-over-decision.ts'
import type { NotifyReason } from '../../src/notify/notify-reason.ts'
import type { NotifiableAlert } from '../../src/notify/ports.ts'
import { T0, firing, pending, resolved } from './alerts.ts'

const sent = (state: HandedOver['state'], atMs: number, activeAtMs = T0 - 60_000): HandedOver => ({
  state,
  atMs,
  activeAtMs,
})
const DELAY_MS = 60_000

const ROWS: readonly [string, NotifiableAlert, HandedOver | undefined, number, boolean, NotifyReason][] = [
  ['a firing alert that was never sent', firing('A'), undefined, T0, true, 'first'],
  ['a firing alert sent a moment ago', firing('A'), sent('firing', T0), T0 + 59_999, false, 'nothing_new'],
  ['a firing alert sent a minute ago', firing('A'), sent('firing', T0), T0 + 60_000, true, 'repeat_due'],
  ['a new run of an alert that was sent', firing('A'), sent('firing', T0, 5), T0 + 1, true, 'first'],
  ['one that fires again after resolved', firing('A'), sent('resolved', T0), T0 + 1, true, 'first'],
  ['one sent in a future that the clock went back from', firing('A'), sent('firing', T0 + 9e6), T0, true, 'repeat_due'],
  ['a resolved alert', resolved('A', T0), sent('firing', T0), T0, true, 'resolved'],
  ['a resolved alert that was never sent', resolved('A', T0), undefined, T0 + 1, true, 'resolved'],
  ['a resolved alert sent a moment ago', resolved('A', T0), sent('resolved', T0), T0 + 1, false, 'nothing_new'],
  ['a resolved alert sent a minute ago', resolved('A', T0), sent('resolved', T0), T0 + 60_000, true, 'repeat_due'],
  [
    'a resolved alert of long ago',
    resolved('A', T0),
    sent('resolved', T0),
    T0 + RESOLVED_REPEAT_MS + 1,
    false,
    'resolved_long_ago',
  ],
  ['a pending alert', pending('A'), undefined, T0, false, 'pending'],
]

describe('decideHandOver', () => {
  test.each(ROWS)('%s', (_, alert, before, nowMs, sends, reason) => {
    expect(decideHandOver(alert, before, nowMs, DELAY_MS)).toEqual({ sends, reason })
  })
})

test('of alerts with the same labels the firing one counts, in any order', () => {
  const alerts = [pending('A'), firing('A'), resolved('A', T0)]
  for (const order of [alerts, alerts.toReversed()]) {
    expect([...onePerFingerprint(order).values()].map(({ state }) => state)).toEqual(['firing'])
  }
})
