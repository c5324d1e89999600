import { expect, test } from 'vitest'
import { deriveCluster } from '../../../src/fleet/derive/derive-cluster.ts'
import { ATTEMPTS_MAX, hcoAttempts } from '../../../src/fleet/derive/hco-attempts.ts'
import { hcoWindows } from '../../../src/fleet/derive/hco-window.ts'
import { at, csv, hyperConverged, look, observed, overwritten } from './observed.ts'
import { csvNameOf, historyOf } from './random-objects.ts'

const reached = (second: number, operatorVersion: string) => look(second, hyperConverged({ operatorVersion }))
const csvMade = (second: number, version: string) =>
  look(second, csv(version, { createdMs: at(second), lastTransitionMs: at(second) }), {
    ...{ name: csvNameOf(version), uid: `csv-${version}-${second}` },
  })

test.each([
  ['up to a minute before it: to the CSV', 160, [['1.17.0', true, true]]],
  [
    'more than a minute before it: an attempt of its own',
    161,
    [
      ['1.17.0', false, true],
      ['1.17.0', true, false],
    ],
  ],
])('HCO changes to the version of a CSV %s', (_, made, attempts) => {
  const history = historyOf([reached(0, '1.16.0'), reached(100, '1.17.0'), csvMade(made, '1.17.0')])
  const found = hcoAttempts(history)
  expect(found.map(({ to, csv, window }) => [to, csv !== undefined, window !== undefined])).toEqual(attempts)
})

test('versions that HCO returns to without a CSV are attempts of their own, and the last CSV has the first one', () => {
  const states = ['1.16.0', '1.17.0', '1.16.0', '1.17.0', '1.16.0'].map((version, i) => reached(i * 1000, version))
  const found = hcoAttempts(historyOf(states, [csvMade(900, '1.17.0')]))
  const shown = found.map(({ to, csv, window }) => [to, csv !== undefined, (window!.ended!.atMs - at(0)) / 1000])
  expect(shown).toEqual([
    ['1.17.0', true, 1000],
    ['1.16.0', false, 2000],
    ['1.17.0', false, 3000],
    ['1.16.0', false, 4000],
  ])
})

test('an upgrade without a CSV that HCO reports again after another one is one attempt', () => {
  const upgrading = (second: number, to: string) => {
    const message = `to version ${to}`
    const conditions = [{ type: 'Progressing', status: 'True', reason: 'HCOUpgrading', message }]
    return look(second, hyperConverged({ operatorVersion: '1.16.0', conditions }))
  }
  const states = [upgrading(100, '1.17.0'), upgrading(200, '1.18.0'), upgrading(300, '1.17.0')]
  const found = hcoAttempts(historyOf([reached(0, '1.16.0'), ...states, reached(400, '1.17.0')]))
  expect(found.map(({ to, window }) => [to, window!.started?.atMs, window!.ended?.atMs])).toEqual([
    ['1.17.0', at(100), at(400)],
    ['1.18.0', at(200), undefined],
  ])
})

test('without HyperConverged the previous version is that of the last event of an end', () => {
  const event = (second: number, message: string) =>
    look(second, overwritten(message, { reason: 'UpgradeHCO', firstMs: at(second) }), { name: `e-${second}` })
  const history = historyOf([
    event(0, 'Upgrading the HyperConverged to version 1.16.0'),
    event(100, 'Upgrading the HyperConverged to version 1.17.0'),
    event(200, 'Successfully upgraded to version 1.17.0'),
    event(300, 'Upgrading the HyperConverged to version 1.18.0'),
    event(400, 'Upgrading the HyperConverged to version 1.19.0'),
  ])
  expect(hcoWindows(history).map(({ from, to, ended }) => [from, to, ended !== undefined])).toEqual([
    [undefined, '1.16.0', false],
    [undefined, '1.17.0', true],
    ['1.17.0', '1.18.0', false],
    ['1.17.0', '1.19.0', false],
  ])
})

test('of more attempts than a cluster may have the newest become upgrades, and the others are counted', () => {
  const derivedOf = (count: number) =>
    deriveCluster(observed(Array.from({ length: count }, (_, i) => csvMade(i * 100, `1.${i}.0`))))
  const whole = derivedOf(ATTEMPTS_MAX)
  expect(whole.dropped).toBeUndefined()
  const { upgrades, dropped } = derivedOf(ATTEMPTS_MAX + 3)
  expect(dropped).toEqual({ changes: 0, attempts: 3 })
  expect(upgrades.map(({ upgrade }) => upgrade.to)).toEqual([
    ...Array.from({ length: ATTEMPTS_MAX }, (_, i) => `1.${i + 3}.0`),
  ])
})
