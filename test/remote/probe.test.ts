import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ServerResponse } from 'node:http'
import { FEATURES, lackingFeatures } from '../../src/remote/features.ts'
import { findPeer } from '../support/peers.ts'
import { FakeStore, storeAt } from './fake-store.ts'
import { TARGETS } from './pushdown-targets.ts'

// Mimir and Thanos are not packaged: their answers are written after the published formats, and no real server was asked.

let fake: FakeStore
beforeEach(async () => {
  fake = await new FakeStore().start()
})
afterEach(() => fake.stop())

const json = (body: string) => (_: unknown, response: ServerResponse) => {
  response.end(body)
}
const missing = (_: unknown, response: ServerResponse): void => {
  response.statusCode = 404
  response.end('404 page not found')
}

test('Prometheus 3 lacks nothing', async () => {
  const store = storeAt(fake.url)
  expect(await store.traits()).toEqual({
    ...{ product: 'Prometheus', version: '3.5.0', isMetricsQl: false, isLeftOpen: true },
    ...{ lookbackParam: 'lookback_delta', samplesFrom: 'read', queryBytesMax: Infinity },
    lacks: new Set(['changes_prometheus']),
  })
  expect(store.status()).toMatchObject({ store: 'Prometheus 3.5.0', lacks: ['changes_prometheus'] })
  store.close()
})

test('Mimir says so in its build information', async () => {
  fake.answers.set(
    '/api/v1/status/buildinfo',
    json(
      '{"status":"success","data":{"application":"Grafana Mimir","version":"2.10.0","revision":"6ce5a3b","branch":"release-2.10","goVersion":"go1.21.1","features":{"ruler_config_api":"true","alertmanager_config_api":"true","query_sharding":"false","federated_rules":"false"}}}',
    ),
  )
  const store = storeAt(fake.url)
  expect(await store.traits()).toMatchObject({ product: 'Mimir', version: '2.10.0', samplesFrom: 'read' })
  store.close()
})

test('Thanos has versions below 1 and a list of stores, and no remote read', async () => {
  fake.answers.set(
    '/api/v1/status/buildinfo',
    json(
      '{"status":"success","data":{"version":"0.35.0","revision":"1bb6a4e","branch":"HEAD","buildUser":"","buildDate":"","goVersion":"go1.21.9"}}',
    ),
  )
  fake.answers.set(
    '/api/v1/stores',
    json(
      '{"status":"success","data":{"sidecar":[{"name":"thanos-sidecar:10902","lastCheck":"2026-05-03T12:00:00Z","lastError":null,"labelSets":[{"cluster":"prod"}],"minTime":1746100000000,"maxTime":1746273600000}]}}',
    ),
  )
  fake.answers.set('/api/v1/read', missing)
  const store = storeAt(fake.url)
  expect(await store.traits()).toMatchObject({ product: 'Thanos', version: '0.35.0', samplesFrom: 'ranges' })
  store.close()
})

test('a store without build information is known by what it does', async () => {
  fake.answers.set('/api/v1/status/buildinfo', missing)
  const store = storeAt(fake.url)
  expect(await store.traits()).toMatchObject({ product: 'Prometheus', version: '', isLeftOpen: true })
  store.close()
})

test('a store that does not answer is probed again, not for each query', async () => {
  await fake.stop()
  const store = storeAt(fake.url)
  await expect(store.traits()).rejects.toMatchObject({ code: 'remote_unavailable' })
  await expect(store.traits()).rejects.toMatchObject({ code: 'remote_unavailable' })
  expect(store.status()).not.toHaveProperty('store')
  expect(store.counters.totals().requests).toEqual({ remote_unavailable: 1 })
  await fake.start()
  store.close()
})

describe.each([
  [
    'prometheus',
    'Prometheus',
    { isLeftOpen: false, isMetricsQl: false, samplesFrom: 'read', lookbackParam: undefined },
    [
      'limitk',
      'info',
      'double_exponential_smoothing',
      'sort_by_label',
      'quoted label names',
      'a fill modifier',
      'a duration as a number',
    ],
    ['the @ modifier', 'a negative offset', 'present_over_time', 'atan2'],
  ],
  [
    'victoria-metrics',
    'VictoriaMetrics',
    {
      isLeftOpen: true,
      isMetricsQl: true,
      samplesFrom: 'export',
      lookbackParam: 'max_lookback',
      queryBytesMax: 16_384,
    },
    [
      'info',
      'double_exponential_smoothing',
      'histogram_fraction',
      'limit_ratio',
      'quoted label names',
      'the anchored modifier',
    ],
    ['the @ modifier', 'a negative offset', 'changes_prometheus', 'limitk', 'sort_by_label'],
  ],
] as const)('a real %s', (program, product, traits, lacked, had) => {
  const path = findPeer(program)
  test.skipIf(path === undefined)('has and lacks what it has and lacks', { timeout: 60_000 }, async () => {
    const target = await TARGETS[program](path!)
    const store = storeAt(target.url)
    try {
      const found = await store.traits()
      expect(found).toMatchObject({ product, ...traits })
      expect(lacked.filter((name) => !found.lacks.has(name))).toEqual([])
      expect(had.filter((name) => found.lacks.has(name))).toEqual([])
    } finally {
      store.close()
      await target.stop()
    }
  })
})

test('features are found with few queries', async () => {
  const lacking = new Set(['info', 'limitk', 'the smoothed modifier'])
  const probes = new Map(FEATURES.map(({ name, probe }) => [name, probe]))
  let queries = 0
  const found = await lackingFeatures(FEATURES, (expr) => {
    queries++
    return Promise.resolve(![...lacking].some((name) => expr.includes(probes.get(name)!)))
  })
  expect(new Set(found)).toEqual(lacking)
  expect(queries).toBeLessThan(50)
  expect(await lackingFeatures([], () => Promise.resolve(false))).toEqual([])
})
