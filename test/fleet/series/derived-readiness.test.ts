import { expect, test } from 'vitest'
import { readinessValues } from '../../../src/fleet/series/derived-readiness.ts'
import { createFleetIndex } from '../../../src/fleet/clusters/fleet-index.ts'
import { changedRecord, HOUR, modification, NOW, seen } from '../readiness/healthy.ts'

test('a cluster has one verdict, its hazards with their age, and acceptances with their rest', () => {
  const index = createFleetIndex()
  const cluster = { ...changedRecord({ facts: { pausedPools: seen(['worker']) } }), cluster: 'a' }
  const modifications = [{ ...modification({}), cluster: 'a' }]
  index.put({ cluster, intervals: [], upgrades: [], modifications })
  index.readiness.setAlerts([])
  index.readiness.accept([
    { id: 'r', cluster: 'a', hazard: 'json_patch', reason: 'r', by: 'a', acceptedMs: NOW, expiresMs: NOW + 2 * HOUR },
  ])
  const of = (nowMs: number) => readinessValues([index.readiness.of('a', undefined, nowMs)!], nowMs)
  expect(of(NOW).map(({ name, labels, value }) => [name, ...Object.values(labels), value])).toEqual([
    ['daytwo_cluster_readiness', 'a', expect.stringMatching(/^1\.17\./), 'at_risk', 1],
    ['daytwo_cluster_hazard_seconds', 'a', 'json_patch', 'true', 30 * 3600],
    ['daytwo_risk_acceptance_expires_seconds', 'a', 'json_patch', 2 * 3600],
    ['daytwo_cluster_hazard_seconds', 'a', 'paused_pool', 'false', 30 * 3600],
  ])
  expect(of(NOW + 2 * HOUR).map(({ name }) => name)).not.toContain('daytwo_risk_acceptance_expires_seconds')
  expect(of(NOW + 8 * 24 * HOUR)).toEqual([])
})
