import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { KnownMetricItems, type KnownMetricItem } from '../../../src/contract/metric-catalog.ts'
import { SMALL_CONTENT, catalogOf } from '../../catalog/checks/small-content.ts'
import { makeServer, type TestServer } from '../test-server.ts'

const RECORDED = `groups:
  - name: mine
    rules:
      - record: mine:half
        expr: kubevirt_virt_handler_ready_status / 2
`

let server: TestServer
let metrics: readonly KnownMetricItem[]
beforeAll(async () => {
  server = await makeServer({ catalog: catalogOf({ ...SMALL_CONTENT, 'alert-rules/mine.yaml': RECORDED }) })
  const response = await server.app.inject('/api/fleet/v1/metrics')
  metrics = Value.Parse(KnownMetricItems, response.json()).metrics
})
afterAll(() => server.app.close())

const find = (name: string): KnownMetricItem | undefined => metrics.find((one) => one.name === name)

test('says what a metric is, and which rules and panels read it', () => {
  expect(find('kubevirt_virt_handler_ready_status')).toMatchObject({
    type: 'gauge',
    isGone: false,
    rules: [
      { name: 'cluster:kubevirt_virt_handler_ready:sum', kind: 'recording' },
      { name: 'mine:half', kind: 'recording' },
    ],
  })
  expect(find('cluster:kubevirt_virt_handler_ready:sum')).toMatchObject({
    type: 'recorded',
    since: null,
    rules: [{ name: 'NoReadyVirtHandler', kind: 'alerting' }],
  })
  expect(find('mine:half')).toMatchObject({ type: 'recorded', labels: ['*'], rules: [], panels: [] })
  const shown = metrics.flatMap(({ panels }) => panels)
  expect(shown[0]).toMatchObject({ dashboard: 'virt', panel: 'ready' })
})

test('lists names once, in order, what is gone with its present name among them', () => {
  const names = metrics.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)].sort())
  const renamed = metrics.filter(({ replacedBy }) => replacedBy !== null)
  expect(renamed.length).toBeGreaterThan(0)
  expect(renamed.every(({ isGone }) => isGone)).toBe(true)
  expect(metrics.some(({ since }) => /^HCO \d/.test(since ?? ''))).toBe(true)
})

test('knows what this server says of itself', () => {
  expect(metrics.some(({ name }) => name.startsWith('daytwo_'))).toBe(true)
})
