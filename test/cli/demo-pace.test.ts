import { expect, test } from 'vitest'
import { demoCommand } from '../../src/cli/demo.ts'
import { paceOf, WHOLE_CLUSTERS_MAX } from '../../src/cli/demo-pace.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

test('a small fleet tells everything, and the rules run over all of it', () => {
  expect(paceOf(WHOLE_CLUSTERS_MAX, 2 * HOUR_MS, YEAR_MS)).toEqual({
    isRelayed: false,
    pastMs: YEAR_MS,
    replayMs: 2 * HOUR_MS,
    replayStepMs: 30_000,
    sending: 'Sending 2h of history of 1000 clusters',
  })
})

test('the past is over a year, of thousands of clusters none, and whatever is asked for', () => {
  const pastMs = (clusters: number, asked?: number): number => paceOf(clusters, HOUR_MS, asked).pastMs
  expect([pastMs(200), pastMs(10_000)]).toEqual([395 * 24 * HOUR_MS, 0])
  expect([pastMs(200, 0), pastMs(10_000, YEAR_MS)]).toEqual([0, YEAR_MS])
})

test('thousands of clusters tell less of their past, and it is said', () => {
  const pace = paceOf(10_000, 2 * HOUR_MS, undefined)
  expect(pace).toMatchObject({ isRelayed: true, pastMs: 0 })
  expect(pace.sending).toBe('Sending 2h of history of 10000 clusters, metrics every 4 minutes')
  // An hour, which is what the slowest rules wait, in steps that no alert seems to end between.
  expect(pace.replayMs).toBeGreaterThan(HOUR_MS)
  expect(pace.replayStepMs).toBeLessThanOrEqual(5 * 60_000)
  expect(demoCommand.help()).toContain(`more than ${WHOLE_CLUSTERS_MAX} clusters`)
})

test('no more is replayed than there is history', () => {
  expect(paceOf(10_000, HOUR_MS / 2, YEAR_MS).replayMs).toBe(HOUR_MS / 2)
})
