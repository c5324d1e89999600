import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { builtApp } from '../support/built-app.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { activeAlerts, NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The server as it ships, with its own alerts and a metrics store that nobody can reach.

const folder = tempDir('metrics-store-away')
const clock = new FakeClock(Date.UTC(2026, 6, 16, 7, 25))
let app: App

beforeAll(async () => {
  const rules = join(folder.path, 'rules')
  mkdirSync(rules)
  copyFileSync(join(import.meta.dirname, '../../alert-rules/daytwo.yaml'), join(rules, 'daytwo.yaml'))
  const options = {
    ...{ listen: '127.0.0.1:0', data: join(folder.path, 'data'), rules, runbooks: NO_CONTENT, dashboards: NO_CONTENT },
    ...{ 'content.watch': 'false', 'log.level': 'silent', 'store.metrics': 'http://127.0.0.1:1' },
  }
  const config = readConfig(new Map(Object.entries(options)), undefined, {})
  app = await (await builtApp()).startApp({ config, clock, log: silentLog, isDemo: false })
}, 120_000)
afterAll(async () => {
  await app.stop()
  folder.remove()
})

test('alerts about the metrics store and about forwarding fire although it does not answer', async () => {
  const wanted = ['DaytwoForwardingLags', 'DaytwoMetricsStoreUnavailable']
  const deadlineMs = clock.nowMs() + 30 * 60_000
  await until(
    'the alerts',
    async () => {
      expect(clock.nowMs()).toBeLessThan(deadlineMs)
      // One round of upkeep stores its metrics; then rules are evaluated.
      clock.advance(15_000)
      await app.runCycle()
      const firing = (await activeAlerts(app.url)).filter(({ state }) => state === 'firing')
      const names = new Set(firing.map(({ labels }) => labels['alertname']))
      return wanted.every((name) => names.has(name)) || undefined
    },
    110_000,
  )
  const lag = await fetch(`${app.url}/api/v1/query?query=daytwo_metrics_store_up&time=${clock.nowMs() / 1000}`)
  expect(await lag.json()).toMatchObject({
    data: { result: [{ value: [expect.any(Number), '0'] }] },
    warnings: [expect.stringContaining('only what this process measured itself')],
  })
  const other = await fetch(`${app.url}/api/v1/query?query=up&time=${clock.nowMs() / 1000}`)
  expect(other.status).toBe(503)
  const ready = await (await fetch(`${app.url}/-/ready`)).text()
  expect(ready).toContain('PromQL queries and rules fail: ')
}, 120_000)
