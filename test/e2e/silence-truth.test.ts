import { beforeAll, expect, test } from 'vitest'
import { runSilenceTrial, type SilenceTrial } from '../../bench/truth/silence-trial.ts'
import { PLANTED_CAUSES } from '../../sim/history/planted-silences.ts'
import { builtApp } from '../support/built-app.ts'

/** The small form of `npm run bench -- truth --silences`: the product over HTTP, silences of all six causes. */
let trial: SilenceTrial
beforeAll(async () => {
  const { startApp } = await builtApp({ sharesEachCycle: false })
  trial = await runSilenceTrial({ seed: 'suite', clusters: 60, silences: 24, fromMs: Date.UTC(2026, 5, 24), startApp })
}, 600_000)

test('each planted silence is listed, none with a wrong cause', () => {
  expect(trial.wrong).toEqual([])
  expect(trial.planted).toBe(24)
  for (const cause of PLANTED_CAUSES) expect(trial.atEnd.get(cause)!.get('none') ?? 0).toBe(0)
})

test('all six causes are found, and unknown is answered only where no evidence was planted', () => {
  for (const cause of PLANTED_CAUSES)
    expect([cause, trial.atEnd.get(cause)!.get(cause)]).not.toEqual([cause, undefined])
  const unknown = PLANTED_CAUSES.map((cause) => trial.atEnd.get(cause)!.get('unknown') ?? 0)
  expect(unknown.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(trial.undecidable + 1)
})

test('clusters that report are not listed', () => {
  expect([...trial.atEnd.get('none')!.keys()]).toEqual(['none'])
})
