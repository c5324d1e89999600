import { expect, test } from 'vitest'
import { demoCommand } from '../../src/cli/demo.ts'
import { paceOf, replayTimes, WHOLE_CLUSTERS_MAX } from '../../src/cli/demo-pace.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const YEAR_MS = 365 * 24 * HOUR_MS

test('a small fleet has every scrape of the last hour, sparse ones before, and rules are evaluated as often', () => {
  expect(paceOf(WHOLE_CLUSTERS_MAX, { pastMs: YEAR_MS })).toEqual({
    isRelayed: false,
    historyMs: 6 * HOUR_MS,
    denseMs: HOUR_MS,
    pastMs: YEAR_MS,
    replays: [
      { lengthMs: 5 * HOUR_MS, stepMs: 4 * MINUTE_MS },
      { lengthMs: HOUR_MS, stepMs: 30_000 },
    ],
    sending: 'Sending 6h of history of 1000 clusters',
  })
})

test('the past is over a year, of thousands of clusters none, and whatever is asked for', () => {
  const pastMs = (clusters: number, asked?: number): number =>
    paceOf(clusters, asked === undefined ? {} : { pastMs: asked }).pastMs
  expect([pastMs(200), pastMs(10_000)]).toEqual([395 * 24 * HOUR_MS, 0])
  expect([pastMs(200, 0), pastMs(10_000, YEAR_MS)]).toEqual([0, YEAR_MS])
})

test('thousands of clusters tell less of their past, and it is said', () => {
  const pace = paceOf(10_000, {})
  expect(pace).toMatchObject({ isRelayed: true, historyMs: 2 * HOUR_MS, pastMs: 0 })
  expect(pace.sending).toBe('Sending 2h of history of 10000 clusters, metrics every 4 minutes')
  // An hour, which is what the slowest rules wait, in steps that no alert seems to end between.
  const [replay] = pace.replays
  expect(replay!.lengthMs).toBeGreaterThan(HOUR_MS)
  expect(replay!.stepMs).toBeLessThanOrEqual(5 * MINUTE_MS)
  expect(demoCommand.help()).toContain(`more than ${WHOLE_CLUSTERS_MAX} clusters`)
})

test('rules are evaluated over no more than the history, up to the present', () => {
  const timesOf = (clusters: number, historyMs: number) =>
    replayTimes(paceOf(clusters, { historyMs }).replays, 0).map((timeMs) => timeMs / MINUTE_MS)
  expect(timesOf(10_000, 12 * MINUTE_MS)).toEqual([-12, -7, -2, 0])
  expect(timesOf(200, MINUTE_MS)).toEqual([-1, -0.5, 0])
  expect(timesOf(200, 69 * MINUTE_MS).slice(0, 5)).toEqual([-69, -65, -61, -60, -59.5])
})
