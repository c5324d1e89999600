import { expect, test } from 'vitest'
import { compareVersions, minorOf, newestOf, versionOfCsv } from '../../src/fleet/version-order.ts'

test('versions sort as semantic versioning says, other texts first', () => {
  const sorted = [
    'latest',
    'main',
    'v0.9.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    'v1.2.0',
    '1.10.0',
    '4.9.10',
    '4.20.3+build.7',
    '5.0.0',
  ]
  expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted)
})

test.each([
  [[], undefined],
  [['1.9.0', '1.10.0'], '1.10.0'],
  [['x'], 'x'],
])('the newest of %j is %s', (versions, newest) => {
  expect(newestOf(versions)).toBe(newest)
})

test.each([
  ['kubevirt-hyperconverged-operator.v1.16.0', '1.16.0'],
  ['kubevirt-hyperconverged-operator.v4.17.0-rc.2', '4.17.0-rc.2'],
  ['kubevirt-hyperconverged-operator', undefined],
])('the CSV %s has version %s', (name, version) => {
  expect(versionOfCsv(name)).toBe(version)
})

test.each([
  ['v1.7.1', '1.7'],
  ['4.20.3', '4.20'],
  ['odd', 'odd'],
])('the minor of %s is %s', (version, minor) => {
  expect(minorOf(version)).toBe(minor)
})
