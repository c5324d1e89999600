import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Now } from '../../src/contract/now.ts'
import { ackedBy, bodyOf, createSenders, missing, randomOf, type Sender } from '../support/acked-samples.ts'
import { builtApp } from '../support/built-app.ts'
import { failingThreads, type FailingThreads, type WorkerFile } from '../support/failing-threads.ts'
import { postWrite } from '../support/remote-write.ts'
import { instantQuery, NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// Worker threads that die and hang in the server as it ships, in this process: each comes back, what was acknowledged is
// there once, and rules are evaluated again. The long form prints how long that took.

const FAILURES = Number(process.env['DAYTWO_THREAD_FAILURES'] ?? 1)
const SEED = Number(process.env['DAYTWO_THREAD_SEED'] ?? 20261127)
const IS_LONG = process.env['DAYTWO_THREAD_FAILURES'] !== undefined
const SENDERS = 4
const INTERVAL_MS = 10_000

const RULES = `
groups:
  - name: g
    interval: 10s
    rules:
      - { record: alive, expr: vector(1) }
      - { alert: Fires, expr: vector(1) }
`

let folder: ReturnType<typeof tempDir>
let threads: FailingThreads
let app: App
let logged: string

beforeEach(() => {
  folder = tempDir('thread-failures')
  mkdirSync(join(folder.path, 'rules'))
  writeFileSync(join(folder.path, 'rules', 'rules.yaml'), RULES)
  threads = failingThreads()
  logged = ''
})

afterEach(async () => {
  await app.stop()
  threads.stop()
  folder.remove()
})

async function start(options: Readonly<Record<string, string>> = {}): Promise<void> {
  const all = {
    ...{ listen: '127.0.0.1:0', data: join(folder.path, 'data'), rules: join(folder.path, 'rules') },
    ...{ runbooks: NO_CONTENT, dashboards: NO_CONTENT, 'retention.raw': '100y', 'ingest.out-of-order': '10s' },
    ...{ 'watchdog.hung-after': '3s', 'watchdog.stable-after': '0s' },
    ...options,
  }
  const log = createLog('info', { write: (line) => (logged += line) })
  const { startApp } = await builtApp()
  const config = readConfig(new Map(Object.entries(all)), undefined, {})
  app = await startApp({ config, clock: systemClock, log, isDemo: false })
  app.startCycles()
}

async function textOf(path: string): Promise<readonly [number, string]> {
  const response = await fetch(app.url + path)
  return [response.status, await response.text()]
}

async function failuresOf(thread: string, reason: string): Promise<number> {
  const [, metrics] = await textOf('/metrics')
  const line = metrics
    .split('\n')
    .find((one) => one.startsWith(`daytwo_thread_failures_total{thread="${thread}",reason="${reason}"`))
  return Number(line?.split(' ').at(-1))
}

async function lastEvaluationMs(): Promise<number> {
  const response = await fetch(`${app.url}/api/v1/rules`)
  if (!response.ok) return 0
  const { data } = (await response.json()) as { data: { groups: { lastEvaluation: string }[] } }
  return Date.parse(data.groups[0]?.lastEvaluation ?? '')
}

const untilHealthy = (): Promise<true> =>
  until('it to be healthy', async () => ((await textOf('/-/healthy'))[0] === 200 ? true : undefined), 60_000)

/** One step after the other; what is answered 503 is sent again, as senders do. */
async function send(sender: Sender, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const response = await postWrite(app.url, bodyOf(sender, sender.nextStep))
    const text = await response.text()
    if (response.status === 204) sender.acked.add(sender.nextStep++)
    else {
      expect([response.status, response.headers.get('retry-after')], text).toEqual([503, '5'])
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

interface PostedSilence {
  readonly silenceID: string
}

/** Silences until it is over; the ids of those that were acknowledged. */
async function silence(isOver: () => boolean): Promise<readonly string[]> {
  const ids: string[] = []
  for (let i = 0; !isOver(); i++) {
    const body = JSON.stringify({
      matchers: [{ name: 'number', value: String(i), isRegex: false }],
      ...{ startsAt: new Date().toISOString(), endsAt: '2100-01-01T00:00:00Z', createdBy: 'test', comment: 'test' },
    })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${app.url}/api/v2/silences`, { method: 'POST', headers, body })
    if (response.ok) ids.push(((await response.json()) as PostedSilence).silenceID)
    else expect(response.status).toBe(503)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return ids
}

type Kind = 'kill' | 'hang' | 'fault'

describe('worker threads that fail under load', () => {
  test('come back; all that was acknowledged is there once, and rules go on', { timeout: 3_600_000 }, async () => {
    await start({ 'store.flush-every': '30s' })
    const random = randomOf(SEED)
    const kinds: readonly Kind[] = IS_LONG ? ['kill', 'hang'] : ['kill', 'hang', 'fault']
    const plan = kinds
      .flatMap((kind) => Array.from({ length: FAILURES }, () => kind))
      .flatMap((kind, i): [number, Kind, WorkerFile][] =>
        // The long form: half of each kind in each of the workers.
        (IS_LONG
          ? ([i % 2 === 0 ? 'ingest-worker' : 'query-worker'] as const)
          : (['ingest-worker', 'query-worker'] as const)
        ).map((file) => [random(), kind, file]),
      )
      .sort(([a], [b]) => a - b)
    const senders = createSenders(SENDERS)
    let isOver = false
    const sending = Promise.all(senders.map((sender) => send(sender, () => isOver)))
    const silencing = silence(() => isOver)
    const delaysMs: number[] = []
    const took: string[] = []
    for (const [, kind, file] of plan) {
      const wanted = ackedBy(senders) + Math.ceil(random() * 200)
      await until('acknowledgements', () => (ackedBy(senders) >= wanted ? true : undefined), 120_000)
      await new Promise((resolve) => setTimeout(resolve, random() * 50))
      const failedMs = Date.now()
      await threads[kind](file)
      await until(
        'rules to be evaluated',
        async () => ((await lastEvaluationMs()) > failedMs ? true : undefined),
        120_000,
      )
      delaysMs.push(Date.now() - failedMs)
      took.push(`${kind} ${file} ${delaysMs.at(-1)}`)
      await untilHealthy()
    }
    isOver = true
    await sending
    const silenced = await silencing
    const check = async (): Promise<void> => {
      expect((await Promise.all(senders.map((sender) => missing(app.url, sender)))).flat()).toEqual([])
      const stored = (await (await fetch(`${app.url}/api/v2/silences`)).json()) as { id: string }[]
      const ids = new Set(stored.map(({ id }) => id))
      expect(silenced.filter((id) => !ids.has(id))).toEqual([])
    }
    await check()
    const hung = await Promise.all((['ingest-worker', 'query-worker'] as const).map((file) => failuresOf(file, 'hung')))
    const died = await Promise.all((['ingest-worker', 'query-worker'] as const).map((file) => failuresOf(file, 'died')))
    expect(hung.every((count) => count >= Math.floor(FAILURES / 2)) && died.every((count) => count >= 1)).toBe(true)
    // The thread that watches main is there.
    expect(logged).not.toContain('main-watch-worker')
    expect(logged).not.toContain('upkeep stopped')
    // The stack of each that hung was logged.
    expect(logged.split('\n').filter((line) => line.includes('at endlessLoop')).length).toBeGreaterThanOrEqual(FAILURES)
    if (IS_LONG) {
      const acked = senders.reduce((sum, { acked: steps }) => sum + steps.size * 50, 0)
      const sorted = [...delaysMs].sort((a, b) => a - b)
      const summary = {
        ...{ seed: SEED, failures: plan.length, hung, died, ackedSamples: acked, silences: silenced.length },
        ...{ intervalMs: INTERVAL_MS, medianMs: sorted[Math.floor(sorted.length / 2)], maxMs: sorted.at(-1) },
      }
      process.stdout.write(`${took.join('\n')}\n${JSON.stringify(summary)}\n`)
    }
    // And after a restart of the whole.
    await app.stop()
    await start({ 'store.flush-every': '30s' })
    await check()
    const alive = await instantQuery(app.url, 'count(ALERTS{alertname="Fires", alertstate="firing"})')
    expect(alive[0]?.value[1]).toBe('1')
  })
})

describe('a worker that does not answer', () => {
  test('is named by the probes and on the Now page, and its calls are refused until it is back', async () => {
    await start()
    expect((await textOf('/-/healthy'))[0]).toBe(200)
    // It waits for another program: nothing ends that, and it comes back by itself.
    await threads.block('ingest-worker', 9000)
    const told = await until('the probe to name it', async () => {
      const [status, text] = await textOf('/-/healthy')
      return status === 503 ? text : undefined
    })
    expect(told).toMatch(/^the ingest worker has not answered for \d+s/)
    expect(await textOf('/-/ready')).toEqual([503, expect.stringMatching(/^the ingest worker has not answered/)])
    const now = (await (await fetch(`${app.url}/api/fleet/v1/now`)).json()) as Now
    expect(now.faults?.threads).toEqual([
      expect.objectContaining({ thread: 'ingest-worker', state: 'hung', serving: false }),
    ])
    const [sender] = createSenders(1)
    const refused = await postWrite(app.url, bodyOf(sender!, 0))
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await textOf('/metrics'))[1]).toContain('daytwo_thread_up{thread="ingest-worker"} 0')
    await untilHealthy()
    expect((await postWrite(app.url, bodyOf(sender!, 0))).status).toBe(204)
    expect(await failuresOf('ingest-worker', 'hung')).toBe(1)
    expect(await failuresOf('ingest-worker', 'died')).toBe(0)
    expect(logged).toMatch(/"thread":"ingest-worker".*"stack":"not in JavaScript.*a thread does not answer/)
  })
})
