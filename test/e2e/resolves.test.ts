import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { builtApp } from '../support/built-app.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { activeAlerts, instantQuery } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { eventually } from '../support/until.ts'

// The same spine with the clock in the test's hand: the whole app, its real threads, real HTTP.

const T0_MS = Date.UTC(2026, 7, 20, 10)
const MINUTE_MS = 60_000
const SCRAPE_MS = 30_000

const SERIES = {
  __name__: 'kubevirt_hco_out_of_band_modifications_total',
  cluster: 'prague-prod-01',
  component_name: 'kubevirt/kubevirt-kubevirt-hyperconverged',
  namespace: 'kubevirt-hyperconverged',
  job: 'kubevirt-hyperconverged-operator-metrics',
  pod: 'hyperconverged-cluster-operator-0',
}

let clock: FakeClock
let app: App
let data: ReturnType<typeof tempDir>

async function start(): Promise<void> {
  const options = new Map([
    ['listen', '127.0.0.1:0'],
    ['data', data.path],
    ['log.level', 'silent'],
  ])
  const { startApp } = await builtApp()
  app = await startApp({ config: readConfig(options, undefined, {}), clock, log: silentLog, isDemo: false })
}

beforeEach(async () => {
  clock = new FakeClock(T0_MS)
  data = tempDir('resolves')
  await start()
})

afterEach(async () => {
  await app.stop()
  data.remove()
})

/** One scrape interval passes: the counter is sent (or the cluster only says that it is there), and the app beats. */
async function scrape(value: number | undefined): Promise<string> {
  clock.set(clock.nowMs() + 1)
  const samples = [{ timeMs: clock.nowMs(), value: value ?? 0 }]
  const up = {
    labels: { __name__: 'up', cluster: 'prague-prod-01', job: 'x' },
    samples: [{ timeMs: clock.nowMs(), value: 1 }],
  }
  const counter = value === undefined ? [] : [{ labels: SERIES, samples }]
  const response = await postWrite(app.url, writeBody([up, ...counter]))
  expect(response.status).toBe(204)
  // The group's beat is somewhere in the 30 s after the scrape; it is evaluated for that time.
  clock.set(clock.nowMs() + SCRAPE_MS - 1)
  await app.runCycle()
  return state()
}

async function state(): Promise<string> {
  const alert = (await activeAlerts(app.url)).find(({ labels }) => labels['alertname'] === 'KubeVirtCRModified')
  return alert === undefined ? 'quiet' : `${alert.state} ${Number(alert.value)}`
}

/** Scrapes with the same value until `untilMs` after T0; answers when the state changed to `wanted`, in ms after T0. */
async function scrapeUntil(value: number, wanted: string, untilMs: number): Promise<number> {
  while (clock.nowMs() - T0_MS < untilMs) {
    if ((await scrape(value)) === wanted) return clock.nowMs() - T0_MS
  }
  throw new Error(`the state was never ${wanted}, it is ${await state()}`)
}

describe('KubeVirtCRModified over time', () => {
  test('fires with the first increment, and resolves ten minutes after the last one', async () => {
    for (let i = 0; i < 24; i++) expect(await scrape(undefined)).toBe('quiet')
    const bornAtMs = clock.nowMs() - T0_MS + SCRAPE_MS
    expect(await scrape(1)).toBe('firing 1')
    const quietAtMs = await scrapeUntil(1, 'quiet', bornAtMs + 15 * MINUTE_MS)
    // Seen at the evaluation that follows: the group is evaluated every 30 s.
    expect(quietAtMs - bornAtMs).toBeGreaterThanOrEqual(10 * MINUTE_MS)
    expect(quietAtMs - bornAtMs).toBeLessThanOrEqual(10 * MINUTE_MS + 2 * SCRAPE_MS)

    expect(await scrape(2)).toMatch(/^firing/)
    const last = {
      fleet: await fetch(`${app.url}/api/fleet/v1/alerts`).then(
        (answer) => answer.json() as Promise<{ alerts: { state: string; cluster: string }[] }>,
      ),
    }
    expect(last.fleet.alerts.map(({ state: now, cluster }) => `${now} ${cluster}`)).toContain('firing prague-prod-01')
  })

  test('a restart in the middle keeps it firing since when it fired', async () => {
    for (let i = 0; i < 24; i++) await scrape(undefined)
    expect(await scrape(1)).toBe('firing 1')
    const [before] = await activeAlerts(app.url)
    await app.stop()
    await start()
    expect(await scrape(1)).toBe('firing 1')
    const [after] = await activeAlerts(app.url)
    expect(after?.activeAt).toBe(before?.activeAt)
    // What it wrote about itself is there as well, from both lives.
    const expr = 'count_over_time(ALERTS{alertname="KubeVirtCRModified"}[5m])'
    await eventually(async () => {
      const states = await instantQuery(app.url, expr, clock.nowMs())
      expect(states.map(({ metric, value }) => [metric['alertstate'], value[1]])).toEqual([['firing', '2']])
    })
  })
})
