import { beforeAll, describe, expect, test } from 'vitest'
import { runHttpTrial, type HttpTrial } from '../../bench/truth/over-http.ts'
import { scoreOf } from '../../bench/truth/score.ts'
import { builtApp } from '../support/built-app.ts'

/**
 * The product over the wire against a fleet whose truth is known: real threads, real HTTP, eight days in seconds. One
 * server is told of two clusters by each way, with requests that come twice, out of order and hours late, a wrong clock, an
 * outage, spans of an instrumented operator and a pair of replicas of which one goes. The seed was chosen for having all of
 * that in few upgrades; `npm run bench -- truth --over-http` plays more of them, for longer.
 */
const FROM_MS = Date.UTC(2026, 5, 24)
const DAY_MS = 86_400_000
const MODES = ['objects', 'metrics', 'all'] as const

let trial: HttpTrial
beforeAll(async () => {
  const { startApp } = await builtApp({ sharesEachCycle: false })
  trial = await runHttpTrial({
    ...{ seed: 'wire4404', fromMs: FROM_MS, untilMs: FROM_MS + 8 * DAY_MS, stallShare: 0.6, beatMs: 60_000, startApp },
    fleet: MODES.map((mode) => ({ mode, clusters: 2 })),
  })
}, 600_000)

describe.each(MODES)('told by %s', (mode) => {
  test('every upgrade is found, none made up, and no time is wrong', () => {
    const score = scoreOf(trial.scored.get(mode)!)
    expect(score.real).toBeGreaterThanOrEqual(2)
    expect({ missed: score.missed, invented: score.invented, states: score.states.wrong }).toEqual({
      ...{ missed: [], invented: [], states: [] },
    })
    expect(score.times.told).toBeGreaterThanOrEqual(15)
    expect(score.times.wrong).toEqual([])
    if (mode !== 'metrics') expect(score.times.exactShare).toBeGreaterThan(0.98)
  })

  test('who stands still is called stuck, and nobody else is', () => {
    const { stalls, causes, falseAlarms } = scoreOf(trial.scored.get(mode)!)
    expect(falseAlarms).toMatchObject({ examples: [] })
    expect(falseAlarms.calm).toBeGreaterThan(0)
    expect(stalls.detected).toBe(stalls.count)
    expect(causes.named).toEqual([])
    // Metrics alone show few causes.
    if (mode !== 'metrics') expect(causes.wrong).toEqual([])
  })
})

test('a stall that objects tell is known with its cause within minutes', () => {
  const { stalls, causes } = scoreOf(trial.scored.get('objects')!)
  expect([stalls.count, causes.listed, causes.rightShare]).toEqual([1, 1, 1])
  expect(stalls.medianSeconds).toBeLessThanOrEqual(6 * 60)
})

test('who runs what, the edges and the traces are as they really were', () => {
  expect(trial.differences).toEqual([])
})

test('nothing that was sent is refused', () => {
  const { samples, objects, spans } = trial.sent
  expect([samples.lastRefusal, objects.lastRefusal, spans.lastRefusal]).toEqual(['', '', ''])
  expect(Math.min(samples.taken, objects.taken, spans.taken)).toBeGreaterThan(0)
})
