import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readVerdictPolicy } from '../../src/config/verdict-policy.ts'
import { DEFAULT_ROLLOUT_POLICY } from '../../src/model/rollout-verdict.ts'

const path = join(mkdtempSync(join(tmpdir(), 'daytwo-policy-')), 'policy.yaml')

function policyOf(text: string) {
  writeFileSync(path, text)
  return readVerdictPolicy(path)
}

test('without a file, and of an empty one, the defaults', () => {
  expect(readVerdictPolicy('')).toEqual(DEFAULT_ROLLOUT_POLICY)
  expect(policyOf('')).toEqual(DEFAULT_ROLLOUT_POLICY)
})

test('all fields', () => {
  const text = `
error_rate: 0.01
horizon: 2h
window: 12h
strata: [region, environment, region]
signals: { modifications: false, alerts: false, failures: true }
proceed: { canaries_min: 50, failure_margin: 0.05 }
hold: { slowdown_min: 1.5, failure_difference_min: 0.02 }
`
  expect(policyOf(text)).toEqual({
    alpha: 0.01,
    horizonMs: 2 * 3600_000,
    windowMs: 12 * 3600_000,
    strata: ['region', 'environment'],
    signals: ['failures', 'failures_concurrent', 'duration'],
    canariesMin: 50,
    failureMargin: 0.05,
    slowdownMin: 1.5,
    failureDifferenceMin: 0.02,
  })
})

test.each([
  ['horizon: 15m', { horizonMs: 900_000 }],
  ['horizon: 30d', { horizonMs: 30 * 86_400_000 }],
  ['window: 1h', { windowMs: 3600_000 }],
  ['error_rate: 0.5', { alpha: 0.5 }],
  ['error_rate: 0.0001', { alpha: 0.0001 }],
  ['strata: []', { strata: [] }],
  ['proceed: { canaries_min: 1, failure_margin: 0 }', { canariesMin: 1, failureMargin: 0 }],
  ['hold: { slowdown_min: 1 }', { slowdownMin: 1 }],
])('%s is the bound', (text, want) => {
  expect(policyOf(text)).toMatchObject(want)
})

test.each([
  ['error_rate: 5', 'error_rate: got 5, want a number from 0.0001 to 0.5'],
  ['error_rate: 0', 'error_rate: got 0, want a number from 0.0001 to 0.5'],
  ['error_rate: low', 'error_rate: got "low", want a number from 0.0001 to 0.5'],
  ['horizon: 6', 'horizon: got 6, want a duration such as 6h, from 15m to 30d'],
  ['horizon: 14m', 'horizon: got "14m", want a duration such as 6h, from 15m to 30d'],
  ['window: 59m', 'window: got "59m", want a duration such as 6h, from 1h to 30d'],
  ['strata: [sise]', 'strata[0]: got "sise"; did you mean size?'],
  ['strata: size', 'strata: got "size", want a list'],
  ['signals: { alerts: 0 }', 'signals.alerts: got 0, want true or false'],
  ['signals: { alarms: true }', 'signals: unknown key "alarms"; did you mean alerts?'],
  [
    'signals: { failures: false, failures_concurrent: false, duration: false, alerts: false, modifications: false }',
    'signals: got all of them false, want at least one true',
  ],
  ['proceed: { canaries_min: 2.5 }', 'proceed.canaries_min: got 2.5, want a whole number'],
  ['proceed: { canaries_min: 0 }', 'proceed.canaries_min: got 0, want a number from 1 to 100000'],
  ['hold: { slowdown_min: 0.9 }', 'hold.slowdown_min: got 0.9, want a number from 1 to 100'],
  [
    '- proceed',
    'the file: got ["proceed"], want a map with error_rate, horizon, window, strata, signals, proceed, hold',
  ],
])('%s is refused', (text, message) => {
  expect(() => policyOf(text)).toThrow(`cannot use the policy of verdicts in ${path}: ${message}`)
})

test('a file that is not there', () => {
  expect(() => readVerdictPolicy('/nowhere/policy.yaml')).toThrow(/cannot use the policy of verdicts in \/nowhere/)
})
