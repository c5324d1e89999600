import { Value } from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DashboardAnswer, DashboardList, DashboardUnknown } from '../../../src/contract/dashboards.ts'
import { BoundRunbook } from '../../../src/contract/runbooks.ts'
import { EVERY_KIND } from '../../catalog/dashboards/every-kind.ts'
import { SMALL_CONTENT, catalogOf } from '../../catalog/checks/small-content.ts'
import { makeServer, type TestServer } from '../test-server.ts'

const MODIFIED = `kind: Dashboard
metadata: { name: modified }
spec:
  panels:
    named:
      kind: Panel
      spec:
        display: { name: Firing }
        plugin: { kind: StatChart }
        queries:
          - kind: TimeSeriesQuery
            spec:
              plugin:
                kind: PrometheusTimeSeriesQuery
                spec: { query: 'count(ALERTS{alertname="KubeVirtCRModified"}) or vector(0)' }
`

let server: TestServer
beforeAll(async () => {
  server = await makeServer({
    catalog: catalogOf({
      ...SMALL_CONTENT,
      'dashboards/every.yaml': EVERY_KIND,
      'dashboards/modified.yaml': MODIFIED,
    }),
  })
})
afterAll(() => server.app.close())

test('lists what is loaded by title, with how many panels, faults and alerts each has', async () => {
  const response = await server.app.inject('/api/dashboards/v1')
  const { dashboards } = Value.Parse(DashboardList, response.json())
  expect(dashboards.map(({ name, panels, faults, alerts }) => [name, panels, faults, alerts])).toEqual([
    ['every-kind', 29, 3, 0],
    ['modified', 1, 0, 1],
    ['virt', 1, 0, 1],
  ])
})

test('answers a dashboard as it is drawn and as it is written, with its faults by line', async () => {
  const response = await server.app.inject('/api/dashboards/v1/every-kind')
  const answer = Value.Parse(DashboardAnswer, response.json())
  expect(answer.source).toBe(EVERY_KIND)
  expect(answer.dashboard.panels[0]?.notDone).toEqual([answer.faults[0]?.message])
  expect(answer.dashboard.panels[0]).toMatchObject({ id: 'lines', title: 'CPU by node' })
  const line = EVERY_KIND.split('\n').findIndex((text) => text.includes('kind: FlameChart')) + 1
  expect(answer.faults[1]).toMatchObject({ severity: 'warning', message: 'unknown kind FlameChart', line, column: 19 })
})

test.each([
  ['a panel about a metric', 'virt', 'ready', 'NoReadyVirtHandler'],
  ['a panel about an alert', 'modified', 'named', 'KubeVirtCRModified'],
])('%s names the alert that reads it', async (_what, dashboard, panel, alert) => {
  const answer = Value.Parse(DashboardAnswer, (await server.app.inject(`/api/dashboards/v1/${dashboard}`)).json())
  expect(answer.alerts[panel]).toEqual([{ name: alert, hasRunbook: true, firing: 0 }])
})

test('a runbook names the panels that show what its alert is about', async () => {
  const response = await server.app.inject('/api/runbooks/v1/pages/KubeVirtCRModified')
  expect(Value.Parse(BoundRunbook, response.json()).panels).toEqual([
    { dashboard: 'modified', dashboardTitle: 'modified', panel: 'named', panelTitle: 'Firing' },
  ])
})

test('an unknown name is answered with the nearest ones', async () => {
  const response = await server.app.inject('/api/dashboards/v1/every-kin')
  expect(response.statusCode).toBe(404)
  expect(Value.Parse(DashboardUnknown, response.json()).nearest).toEqual(['every-kind'])
})
