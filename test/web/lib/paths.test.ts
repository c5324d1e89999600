import { describe, expect, test } from 'vitest'
import {
  alertPath,
  alertsPath,
  deliveryPath,
  explorePath,
  isSamePage,
  lintPath,
  placeOf,
  resolvedPath,
  rulePath,
  rulesPath,
  runbookPath,
  silencesPath,
} from '../../../src/web/lib/paths.ts'

test.each([
  [alertsPath(), '/alerts'],
  [alertsPath({ cluster: 'a b&c' }), '/alerts?cluster=a+b%26c'],
  [alertPath('00ff', { sort: 'newest' }), '/alerts/00ff?sort=newest'],
  [alertPath('../x'), '/alerts/..%2Fx'],
  [alertsPath({ groupBy: 'label:node', show: 'open' }), '/alerts?group=label:node&show=open'],
  [resolvedPath(), '/alerts/resolved'],
  [resolvedPath({ alert: 'A', cluster: '', q: 'x y' }), '/alerts/resolved?alert=A&q=x+y'],
  [rulePath('A:b/c'), '/alerts/rules/A%3Ab%2Fc'],
  [rulePath('A', 'hco'), '/alerts/rules/A?group=hco'],
  [rulesPath({ health: 'err' }), '/alerts/rules?health=err'],
  [silencesPath('5f'), '/alerts/silences?id=5f'],
  [deliveryPath({ fingerprint: '00ff' }), '/alerts/delivery?fingerprint=00ff'],
  [lintPath(), '/alerts/lint'],
  [runbookPath('KubeVirtCRModified'), '/rb/KubeVirtCRModified'],
  [runbookPath('A/B', '00ff'), '/rb/A%2FB?instance=00ff'],
  [explorePath(''), '/explore'],
  [explorePath('up == 0'), '/explore?expr=up+%3D%3D+0'],
])('%s', (path, want) => {
  expect(path).toBe(want)
})

describe('the place of an address', () => {
  test.each([
    ['/', 'Now'],
    ['/alerts', 'Alerts'],
    ['/alerts/00ff', 'Alerts'],
    ['/alerts/rules/A', 'Alerts'],
    ['/rb/KubeVirtCRModified', 'Alerts'],
    ['/explore', 'Explore'],
    ['/alertsx', undefined],
    ['/nothing', undefined],
  ])('%s is in %s', (pathname, name) => {
    expect(placeOf(pathname)?.name).toBe(name)
  })
})

test.each([
  ['/alerts', '/alerts/04c2a1b0de8f7a31', true],
  ['/alerts/04c2a1b0de8f7a31', '/alerts/14c2a1b0de8f7a31', true],
  ['/alerts', '/alerts/rules', false],
  ['/alerts/rules', '/alerts/rules/VirtAPIDown', false],
  ['/', '/alerts', false],
  ['/fleet', '/fleet', true],
])('an alert beside its list is no other page: %s and %s', (from, to, expected) => {
  expect(isSamePage(from, to)).toBe(expected)
  expect(isSamePage(to, from)).toBe(expected)
})
