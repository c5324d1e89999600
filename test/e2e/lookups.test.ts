import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { builtApp } from '../support/built-app.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// Small queries that are asked again are answered beside HTTP: with the same bytes, and with all that was acknowledged.

const T0_MS = Date.UTC(2026, 7, 20, 10)
const MINUTE_MS = 60_000

let app: App
let data: ReturnType<typeof tempDir>

beforeAll(async () => {
  data = tempDir('lookups')
  const options = new Map([
    ['listen', '127.0.0.1:0'],
    ['data', data.path],
    ['log.level', 'silent'],
  ])
  const { startApp } = await builtApp()
  const config = readConfig(options, undefined, {})
  app = await startApp({ config, clock: new FakeClock(T0_MS), log: silentLog, isDemo: false })
})

afterAll(async () => {
  await app.stop()
  data.remove()
})

async function send(cluster: string, minute: number): Promise<void> {
  const samples = [{ timeMs: T0_MS + minute * MINUTE_MS, value: minute * 3 }]
  const response = await postWrite(app.url, writeBody([{ labels: { __name__: 'asked_total', cluster }, samples }]))
  expect(response.status).toBe(204)
}

/** @param isMain the answer came from main: `daytwo_query_answers_total` tells. */
async function ask(path: string): Promise<{ readonly text: string; readonly isMain: boolean }> {
  const before = await answersOfMain()
  const text = await (await fetch(`${app.url}/api/v1/${path}`)).text()
  return { text, isMain: (await answersOfMain()) > before }
}

async function answersOfMain(): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text()
  return Number(/^daytwo_query_answers_total\{thread="main"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

/** Asks until main answers; all answers must be the same. */
async function askUntilMain(path: string): Promise<string> {
  const first = await ask(path)
  expect(first.isMain).toBe(false)
  await until(`main to answer ${path}`, async () => {
    const { text, isMain } = await ask(path)
    expect(text).toBe(first.text)
    return isMain ? true : undefined
  })
  return first.text
}

function instant(query: string, minute: number): string {
  return `query?${new URLSearchParams({ query, time: String((T0_MS + minute * MINUTE_MS) / 1000) }).toString()}`
}

test('a query that is asked again is answered beside HTTP, and what is new is in it at once', async () => {
  for (let minute = -9; minute <= 0; minute++) await send('a', minute)
  const rate = instant('rate(asked_total{cluster="a"}[5m])', 0)
  expect(await askUntilMain(rate)).toContain('"0.05"')
  const range = { start: String(T0_MS / 1000 - 300), end: String(T0_MS / 1000), step: '60' }
  const overTime = `query_range?${new URLSearchParams({ query: 'sum(asked_total) * 2', ...range }).toString()}`
  expect(await askUntilMain(overTime)).toContain('"0"]')
  expect(await askUntilMain(instant('absent(asked_total{cluster="b"})', 0))).toContain('"1"')

  // The next sample, and then a series that was not there when it was learnt.
  await send('a', 1)
  expect((await ask(instant('asked_total{cluster="a"}', 1))).text).toContain('"3"')
  expect((await ask(instant('rate(asked_total{cluster="a"}[5m])', 1))).isMain).toBe(true)
  await send('b', 1)
  const absent = await ask(instant('absent(asked_total{cluster="b"})', 1))
  expect(JSON.parse(absent.text)).toMatchObject({ data: { result: [] } })
  expect((await ask(instant('sum(asked_total) * 2', 1))).text).toContain('"12"')
})

test('what is no look-up, and what is wrong, is never answered there', async () => {
  await send('a', 0)
  const others = ['max_over_time(asked_total[5m:1m])', '{cluster="a"}', 'asked_total +', 'count({__name__=~"ask.+"})']
  for (const query of others) {
    for (let i = 0; i < 3; i++) expect((await ask(instant(query, 0))).isMain, query).toBe(false)
  }
})
