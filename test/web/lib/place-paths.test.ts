import { expect, test } from 'vitest'
import {
  EXPLORE_PAGES,
  dashboardPath,
  logsPath,
  metricsPath,
  promqlPath,
  tracePath,
  tracesPath,
} from '../../../src/web/lib/explore-paths.ts'
import {
  FLEET_PAGES,
  clusterPath,
  clustersPath,
  edgePath,
  edgesPath,
  gatePath,
  modificationsPath,
  upgradePath,
  upgradesPath,
} from '../../../src/web/lib/fleet-paths.ts'
import { placeOf } from '../../../src/web/lib/paths.ts'

test.each([
  [clustersPath({ state: ['stuck', 'silent'], text: 'a b' }), '/fleet/clusters?state=stuck&state=silent&text=a+b'],
  [clusterPath('../x y'), '/fleet/clusters/..%2Fx%20y'],
  [upgradesPath(), '/fleet/upgrades'],
  [upgradePath('0f'), '/fleet/upgrades/0f'],
  [edgesPath({ sort: '' }), '/fleet/edges'],
  [edgePath('openshift', '4.19.1', '4.20.0'), '/fleet/edges/openshift/4.19.1/4.20.0'],
  [edgePath('kubevirt', 'v1', 'v2', { than: 'v0..v1' }), '/fleet/edges/kubevirt/v1/v2?than=v0..v1'],
  [gatePath('a/b', { show: 'patched' }), '/fleet/gates/a%2Fb?show=patched'],
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
