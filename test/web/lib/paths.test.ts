import { EXPLORE_PAGES } from '../../../src/web/lib/explore-pages.ts'
import { describe, expect, test } from 'vitest'
import {
  alertPath,
  alertsPath,
  deliveryPath,
  promqlPath,
  isSamePage,
  lintPath,
  placeOf,
  resolvedPath,
  rulePath,
  rulesPath,
  runbookPath,
  silencesPath,
  dashboardPath,
  logsPath,
  metricsPath,
  tracePath,
  tracesPath,
  clusterPath,
  clustersPath,
  edgePath,
  edgesPath,
  gatePath,
  patchesPath,
  patchPath,
  modificationsPath,
  upgradePath,
  upgradesPath,
} from '../../../src/web/lib/paths.ts'
import { FLEET_PAGES } from '../../../src/web/lib/fleet-pages.ts'

test.each([
  [alertsPath(), '/alerts'],
  [alertsPath({ cluster: 'a b&c' }), '/alerts?cluster=a+b%26c'],
  [alertPath('00ff', { sort: 'newest' }), '/alerts/00ff?sort=newest'],
  [alertPath('../x'), '/alerts/..%2Fx'],
  [alertsPath({ groupBy: 'label:node', show: 'open' }), '/alerts?group=label:node&show=open'],
  [resolvedPath(), '/alerts/resolved'],
  [resolvedPath({ alert: 'A', cluster: '', q: 'x y' }), '/alerts/resolved?alert=A&q=x+y'],
  [rulePath('A:b/c'), '/alerts/rules/A%3Ab%2Fc'],
  [rulePath('A', { group: 'hco' }), '/alerts/rules/A?group=hco'],
  [rulesPath({ health: 'err' }), '/alerts/rules?health=err'],
  [silencesPath('5f'), '/alerts/silences?id=5f'],
  [deliveryPath({ fingerprint: '00ff' }), '/alerts/delivery?fingerprint=00ff'],
  [lintPath(), '/alerts/lint'],
  [runbookPath('KubeVirtCRModified'), '/rb/KubeVirtCRModified'],
  [runbookPath('A/B', '00ff'), '/rb/A%2FB?instance=00ff'],
  [promqlPath('up == 0'), '/explore?expr=up+%3D%3D+0'],
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

test.each([
  [clustersPath({ state: ['stuck', 'silent'], text: 'a b' }), '/fleet/clusters?state=stuck&state=silent&text=a+b'],
  [clusterPath('../x y'), '/fleet/clusters/..%2Fx%20y'],
  [upgradesPath(), '/fleet/upgrades'],
  [upgradePath('0f'), '/fleet/upgrades/0f'],
  [edgesPath({ sort: '' }), '/fleet/edges'],
  [edgePath('openshift', '4.19.1', '4.20.0'), '/fleet/edges/openshift/4.19.1/4.20.0'],
  [edgePath('kubevirt', 'v1', 'v2', { than: 'v0..v1' }), '/fleet/edges/kubevirt/v1/v2?than=v0..v1'],
  [patchesPath({ to: '1.19.0', breaking: 'true' }), '/fleet/patches?to=1.19.0&breaking=true'],
  [patchPath('0f', { to: '' }), '/fleet/patches/0f'],
  [gatePath('a/b', { show: 'patched' }), '/fleet/configuration/gates/a%2Fb?show=patched'],
  [modificationsPath({ kind: 'json_patch' }), '/fleet/modifications?kind=json_patch'],
  [promqlPath('up == 0', { range: '6h' }), '/explore?expr=up+%3D%3D+0&range=6h'],
  [metricsPath({ q: 'kubevirt' }), '/explore/metrics?q=kubevirt'],
  [tracesPath({ service: 'x' }), '/explore/traces?service=x'],
  [tracePath('0f', { than: '0e' }), '/explore/traces/0f?than=0e'],
  [logsPath({ cluster: 'c' }), '/explore/logs?cluster=c'],
  [dashboardPath('a/b', { 'var-cluster': ['x', 'y'] }), '/explore/dashboards/a%2Fb?var-cluster=x&var-cluster=y'],
])('%s', (path, want) => {
  expect(path).toBe(want)
})

test('every page is in its place', () => {
  for (const { path } of FLEET_PAGES) expect(placeOf(path)?.name).toBe('Fleet')
  for (const { path } of EXPLORE_PAGES) expect(placeOf(path)?.name).toBe('Explore')
})
