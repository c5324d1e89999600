import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { MixedLoad } from '../chaos/mixed-load.ts'
import { get, type Target } from '../chaos/target.ts'
import { daytwo } from '../cli/run.ts'
import { skipInScaleOut } from '../support/mode.ts'
import { requirePeer, type Skippable } from '../support/peers.ts'
import { findPostgres, startPostgres, type PostgresServer } from '../support/postgres.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { MAIN, startServer, withoutContent, type RunningServer } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'
import { startVictoriaMetrics } from '../support/victoria-metrics.ts'

// The command as it ships moves the folder of a server that goes on receiving, to real stores, and is killed meanwhile.

const POSTGRES = findPostgres()
const METRICS = 12
const CLUSTERS = 3
const STEP_MS = 30_000
const HOUR_MS = 3_600_000
/** What VictoriaMetrics has, and what is in PostgreSQL. */
const MOVED = new Set([
  'write1-1',
  'spans',
  'log records',
  'object states',
  'alerts, acknowledgements',
  'silences',
  'decommissions',
  'tokens',
])

let folder: ReturnType<typeof tempDir>
/** Of the first token; empty: there is none, and none is needed. */
let token = ''
const stopping: (() => Promise<unknown>)[] = []

beforeEach(() => {
  folder = tempDir('migrate')
  token = ''
})

afterEach(async () => {
  for (const stop of stopping.splice(0).reverse()) await stop()
  folder.remove()
})

const data = (): string => join(folder.path, 'data')

async function start(...more: readonly string[]): Promise<RunningServer> {
  const flushEvery = more.includes('--store.flush-every') ? [] : ['--store.flush-every', '10m']
  const server = await startServer([
    ...['serve', '--listen', '127.0.0.1:0', '--data', data(), '--own-metrics', 'false', '--retention.raw', '100y'],
    ...[...flushEvery, '--ingest.out-of-order', '1m', ...withoutContent(), ...more],
  ])
  stopping.push(() => server.kill())
  return server
}

/** One scrape of all clusters. */
async function scrape(server: RunningServer, timeMs: number): Promise<void> {
  const series = Array.from({ length: METRICS * CLUSTERS }, (_, i) => ({
    labels: { __name__: `load_${i % METRICS}_total`, cluster: `cluster-${Math.floor(i / METRICS)}` },
    samples: [{ timeMs, value: (timeMs / STEP_MS) * (i + 1) }],
  }))
  const { status } = await postWrite(
    server.url,
    writeBody(series),
    token === '' ? {} : { authorization: `Bearer ${token}` },
  )
  expect(status).toBe(204)
}

async function fill(server: RunningServer, fromMs: number, toMs: number): Promise<void> {
  for (let timeMs = fromMs; timeMs < toMs; timeMs += STEP_MS) await scrape(server, timeMs)
}

const position = (): string => {
  const file = join(data(), 'migration.json')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Kills the command when its position has moved. */
async function migrateAndKill(...args: readonly string[]): Promise<void> {
  const before = position()
  const child = spawn(process.execPath, [MAIN, 'migrate', '--data', data(), '--no-verify', ...args], {
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  await until(
    'the position to move',
    () => (position() !== before || child.exitCode !== null ? true : undefined),
    120_000,
  )
  child.kill('SIGKILL')
  await ended
}

const startMs = Math.floor(Date.now() / STEP_MS) * STEP_MS - 30 * HOUR_MS

describe.skipIf(POSTGRES === undefined)('a migration', () => {
  let postgres: PostgresServer

  beforeEach(async (context) => {
    skipInScaleOut(context, 'a folder whose facts are in PostgreSQL already has none to move')
    postgres = await startPostgres(POSTGRES!)
    stopping.push(() => postgres.stop())
  })

  test('beside a running server, killed again and again, is complete, and servers on the remote stores answer alike', async (context) => {
    const victoria = await startVictoriaMetrics(requirePeer('victoria-metrics', context))
    stopping.push(() => victoria.stop())
    const url = await postgres.createDatabase()
    mkdirSync(data(), { mode: 0o700 })
    const made = await daytwo('token', 'add', '--role', 'admin', '--name', 'first', '--data', data())
    token = made.stdout.trim()
    const server = await start()
    await fill(server, startMs, startMs + 2 * HOUR_MS)
    const load = new MixedLoad(Date.now() - HOUR_MS, startMs, (name) => MOVED.has(name))
    const target = (of: RunningServer, environment: Target['environment'] = {}): Target => {
      return { url: of.url, dataPath: data(), token, environment, position: () => 0 }
    }
    await load.prepare(target(server))
    let isOver = false
    const running = load.run(target(server), () => isOver)
    const stores = ['--store.metrics', victoria.url, '--store.facts', url]
    for (let kill = 0; kill < 3; kill++) await migrateAndKill(...stores, '--samples-rate', '20000')
    await until('enough of everything', () => (load.ackedCount > 300 ? true : undefined), 60_000)
    isOver = true
    await running
    await fill(server, startMs + 2 * HOUR_MS, startMs + 2.5 * HOUR_MS)
    expect(await server.stop()).toBe(0)
    // VictoriaMetrics loses what is not on its disk, and gets it again.
    const moved = spawn(process.execPath, [MAIN, 'migrate', '--data', data(), ...stores], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    moved.stdout.on('data', (part: Buffer) => (output += part.toString()))
    moved.stderr.on('data', (part: Buffer) => (output += part.toString()))
    const [code] = (await once(moved, 'exit')) as [number]
    expect(output).toMatch(/(\d+) queries at .*: \1 equal, 0 different/)
    expect([code, output]).toEqual([0, expect.stringContaining('none can start meanwhile')])
    expect(output).toContain('0 refused, 0 refused as repeats')

    const remote = await start(...stores, '--process.name', 'a', '--store.metrics-exact', 'true')
    const there = target(remote, { DAYTWO_STORE_FACTS: url })
    expect([...(await load.faults(there))].filter(([, faults]) => faults.length > 0)).toEqual([])
    const form = new URLSearchParams({
      query: '{__name__=~"load_.*"}[3h]',
      time: String((startMs + 2.5 * HOUR_MS) / 1000),
    })
    const all = await get<{ data: { result: { values: unknown[] }[] } }>(there, `/api/v1/query?${form.toString()}`)
    const counts = all.data.result.map(({ values }) => values.length)
    expect(counts).toEqual(Array.from({ length: METRICS * CLUSTERS }, () => (2.5 * HOUR_MS) / STEP_MS))
    expect(await remote.stop()).toBe(0)
    const late = await daytwo('migrate', '--data', data(), '--store.facts', url)
    expect(late).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has its facts in PostgreSQL already') as string,
    })
  }, 400_000)

  test('of facts alone is refused for a database that is not there', async () => {
    const server = await start()
    const url = (await postgres.createDatabase()).replace(/[^/]+$/, 'nowhere')
    const ran = await daytwo('migrate', '--data', data(), '--store.facts', url)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('create the database that store.facts names')
    const alone = await daytwo('migrate', '--data', data(), '--store.facts', await postgres.createDatabase())
    expect(alone.stdout + alone.stderr).toMatch(/queries at .*, 0 different/)
    expect(alone.code).toBe(0)
    await server.stop()
  }, 120_000)
})

describe('a migration of samples alone', () => {
  async function prometheus(context: Skippable): Promise<string> {
    const path = requirePeer('prometheus', context)
    const running = await startPrometheus({
      path,
      targets: [],
      isReceiver: true,
      isOfLongAgo: true,
      hasNativeHistograms: true,
    })
    stopping.push(() => running.stop())
    return running.url
  }

  test('fills an empty Prometheus in the order of time, and compares answers', async (context) => {
    const url = await prometheus(context)
    const server = await start()
    await fill(server, startMs, startMs + 3 * HOUR_MS)
    const live = await daytwo('migrate', '--data', data(), '--store.metrics', url)
    expect(live.stdout).toContain('in its memory, of the last hours, are copied by a run after it has stopped')
    expect(live).toMatchObject({ code: 0 })
    await fill(server, startMs + 3 * HOUR_MS, startMs + 3.5 * HOUR_MS)
    await server.stop()
    const still = await daytwo('migrate', '--data', data(), '--store.metrics', url)
    expect(still.stdout + still.stderr).toMatch(/(\d+) queries at .*: \1 equal, 0 different/)
    expect(still.code).toBe(0)
    expect(still.stdout).toContain(' 0 refused,')
  }, 240_000)

  test('ends when the store refuses what is old, with an example of it', async (context) => {
    const url = await prometheus(context)
    const newest = [
      { labels: { __name__: 'x', cluster: 'c' }, samples: [{ timeMs: startMs + 20 * HOUR_MS, value: 1 }] },
    ]
    expect((await postWrite(url, writeBody(newest))).status).toBe(204)
    const server = await start()
    await fill(server, startMs, startMs + HOUR_MS / 2)
    await server.stop()
    const ran = await daytwo('migrate', '--data', data(), '--store.metrics', url, '--refused-max', '100')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(/the metrics store refused \d+ samples, last \{__name__="load_.*out of bounds/)
    expect(ran.stderr).toContain('only into an empty store')
  }, 120_000)

  test('names a wrong address, a retention that is too short, and missing options', async () => {
    const server = await start('--store.flush-every', '1000d')
    await fill(server, startMs, startMs + HOUR_MS)
    // What it has is in its log alone.
    await server.kill()
    let metrics =
      'flag{name="retentionPeriod", value="1d", is_set="true"} 1\nvm_app_version{short_version="v1.79.5"} 1\n'
    metrics += 'process_start_time_seconds 1\n'
    const http = createServer((request, response) => {
      request.resume()
      const body = request.url === '/metrics' ? metrics : '{"status":"success","data":{}}'
      response.end(request.url?.startsWith('/nothing') === true ? (response.writeHead(404), '') : body)
    })
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    stopping.push(() => {
      http.close()
      return Promise.resolve()
    })
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    const migrate = (...args: readonly string[]) => daytwo('migrate', '--data', data(), ...args)
    const short = await migrate('--store.metrics', url)
    expect(short).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('retains 1d, and there are samples since') as string,
    })
    const wrong = await migrate('--store.metrics', `${url}/nothing`)
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('HTTP 404') as string })
    const dead = await migrate('--store.metrics', 'http://127.0.0.1:1')
    expect(dead).toMatchObject({ code: 2, stderr: expect.stringContaining('ECONNREFUSED') as string })
    const none = await migrate()
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('want one of them') as string })
    const bad = await migrate('--store.metrics', url, '--rate', 'fast')
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('option --rate') as string })
  }, 120_000)
})
