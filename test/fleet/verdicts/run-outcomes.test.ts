import { expect, test } from 'vitest'
import { isFailure, secondsOf } from '../../../src/fleet/verdicts/run-outcomes.ts'

const HORIZON_MS = 100
const run = (observedUntilMs: number, ended?: { readonly atMs: number; readonly isFailure: boolean }) => ({
  ...{ id: 'u', cluster: 'a', isCanary: true, stratum: '', startedMs: 1000, observedUntilMs },
  ...(ended === undefined ? {} : { ended }),
})

test('an upgrade that ends at its horizon has ended in time, one that ends later failed', () => {
  const endedAt = (atMs: number) => run(atMs, { atMs, isFailure: false })
  expect([1099, 1100, 1101].map((atMs) => isFailure(endedAt(atMs), HORIZON_MS))).toEqual([false, false, true])
  expect([1100, 1101].map((atMs) => secondsOf(endedAt(atMs), HORIZON_MS))).toEqual([0.1, Infinity])
  expect(isFailure(run(1050, { atMs: 1050, isFailure: true }), HORIZON_MS)).toBe(true)
})

test('one that has not ended failed when it was observed until its horizon, and is unknown before', () => {
  expect([1099, 1100].map((atMs) => isFailure(run(atMs), HORIZON_MS))).toEqual([undefined, true])
})
