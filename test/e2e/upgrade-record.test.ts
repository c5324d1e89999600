import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import type { UpgradeItem, UpgradeItems } from '../../src/contract/fleet-upgrades.ts'
import { builtApp } from '../support/built-app.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// From a Collector's bodies to the upgrade over HTTP: the whole app, its real threads, real HTTP, the clock in the test's
// hand. The stored bodies hold one upgrade 1.16.0 -> 1.17.0, and golden/README.md says its times.

const GOLDEN = resolve(import.meta.dirname, '../../../shared/golden/otlp')
const CLUSTER = '6f3c1d52-9f0e-4c1b-8a53-0d6c5a1e7b10'
const T0_MS = Date.UTC(2026, 7, 20, 10)
const at = (seconds: number): string => new Date(T0_MS + seconds * 1000).toISOString()

interface LogsBody {
  readonly resourceLogs: readonly {
    readonly scopeLogs: readonly { readonly logRecords: readonly unknown[] }[]
  }[]
}

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

async function start(): Promise<{ readonly app: App; readonly clock: FakeClock }> {
  const data = tempDir('upgrade-record')
  const clock = new FakeClock(T0_MS + 3_600_000)
  const options = new Map([
    ['listen', '127.0.0.1:0'],
    ['data', data.path],
    ['log.level', 'silent'],
    ['rules', NO_CONTENT],
    ['runbooks', NO_CONTENT],
    ['dashboards', NO_CONTENT],
  ])
  const { startApp } = await builtApp()
  const app = await startApp({ config: readConfig(options, undefined, {}), clock, log: silentLog, isDemo: false })
  stops.push(async () => {
    await app.stop()
    data.remove()
  })
  return { app, clock }
}

async function post(app: App, body: string | Buffer, type: string): Promise<void> {
  const answer = await fetch(`${app.url}/v1/logs`, { method: 'POST', headers: { 'content-type': type }, body })
  expect(answer.status).toBe(200)
}

async function get<T>(app: App, path: string): Promise<T> {
  const answer = await fetch(`${app.url}/api/fleet/v1/${path}`)
  expect([path, answer.status]).toEqual([path, 200])
  return (await answer.json()) as T
}

/** Each record of a body as a body of its own. */
function onesOf(body: LogsBody): readonly string[] {
  return body.resourceLogs.flatMap((resource) =>
    resource.scopeLogs.flatMap((scope) =>
      scope.logRecords.map((record) =>
        JSON.stringify({ resourceLogs: [{ ...resource, scopeLogs: [{ ...scope, logRecords: [record] }] }] }),
      ),
    ),
  )
}

const JSON_TYPE = 'application/json'

describe.skipIf(!existsSync(GOLDEN))('the stored upgrade (skipped where it is not beside the project)', () => {
  const read = (name: string): Buffer => readFileSync(resolve(GOLDEN, name))
  const ones = (): readonly string[] => onesOf(JSON.parse(read('logs-k8s-watch.json').toString('utf8')) as LogsBody)

  const WAYS: readonly { readonly way: string; readonly send: (app: App) => Promise<void> }[] = [
    { way: 'as JSON', send: (app) => post(app, read('logs-k8s-watch.json'), JSON_TYPE) },
    { way: 'as protobuf', send: (app) => post(app, read('logs-k8s-watch.pb'), 'application/x-protobuf') },
    {
      way: 'record by record, the last first, each twice, with a beat between',
      send: async (app) => {
        for (const body of ones().toReversed()) {
          await post(app, body, JSON_TYPE)
          await app.runCycle()
          await post(app, body, JSON_TYPE)
        }
      },
    },
  ]

  test('is one upgrade with its times, however it comes', async () => {
    const answers: UpgradeItem[] = []
    for (const { send } of WAYS) {
      const { app } = await start()
      await send(app)
      await app.runCycle()
      const { upgrades, coverage } = await get<UpgradeItems>(app, 'upgrades')
      expect(upgrades.length).toBe(1)
      expect(coverage).toMatchObject({ clusters: 1, withObjects: 1, withMetrics: 0 })
      answers.push(await get<UpgradeItem>(app, `upgrades/${upgrades[0]!.id}`))
      expect(answers.at(-1)).toEqual(upgrades[0])
    }
    const [first] = answers
    expect(first).toMatchObject({
      cluster: CLUSTER,
      operator: 'kubevirt-hyperconverged',
      from: '1.16.0',
      to: '1.17.0',
      state: 'succeeded',
      startedAt: at(0),
      endedAt: at(840),
      blockedBy: null,
      resolutionSeconds: 1,
    })
    const times = Object.fromEntries(first!.phases.map(({ name, startedAt, endedAt }) => [name, [startedAt, endedAt]]))
    expect(times).toMatchObject({
      'olm.pending': [at(0), at(20)],
      'olm.install_ready': [at(20), at(21)],
      'olm.installing': [at(21), at(95)],
    })
    for (const other of answers) expect(other).toEqual(first)
  }, 120_000)

  test('the cluster runs the version from the moment it was reached', async () => {
    const { app } = await start()
    await post(app, read('logs-k8s-watch.json'), JSON_TYPE)
    await app.runCycle()
    const cluster = await get<Record<string, unknown>>(app, `clusters/${CLUSTER}`)
    expect(cluster).toMatchObject({ cluster: CLUSTER, version: '1.17.0', upgradeCount: 1, open: [] })
    const intervals = cluster['intervals'] as {
      operator: string
      version: string
      from: string
      until: string | null
    }[]
    expect(
      intervals
        .filter(({ operator }) => operator === 'kubevirt-hyperconverged')
        .map(({ version, from, until }) => [version, from, until]),
    ).toEqual([
      ['1.16.0', expect.any(String), at(840)],
      ['1.17.0', at(840), null],
    ])
    const edges = await get<{ edges: { from: string; to: string; attempts: number }[] }>(app, 'edges')
    expect(edges.edges).toMatchObject([{ from: '1.16.0', to: '1.17.0', attempts: 1, success: { share: 1, of: 1 } }])
  }, 60_000)
})
