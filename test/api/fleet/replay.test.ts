import { Value } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Replay } from '../../../src/contract/replay.ts'
import { Labels } from '../../../src/model/labels.ts'
import { DEFAULT_ENGINE_OPTIONS } from '../../../src/promql/engine-options.ts'
import { createLocalEngine } from '../../../src/promql/engine.ts'
import type { ReplayPorts } from '../../../src/rules/replay.ts'
import { replayRules } from '../../../src/rules/replay-request.ts'
import { groupsOf } from '../../rules/harness.ts'
import { MemoryQueryable } from '../../support/memory-queryable.ts'
import { until } from '../../support/until.ts'
import { NOW_MS, makeServer, type TestServer } from '../test-server.ts'

const HOUR_MS = 3_600_000
const GROUPS = groupsOf(
  'groups:\n- name: g\n  rules:\n  - {alert: Down, expr: up == 0, for: 2m, labels: {severity: critical}}\n',
)

const store = new MemoryQueryable()
// Down for a minute, for four, and at the end.
;[1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0].forEach((value, i) => {
  store.append(Labels.of({ __name__: 'up', cluster: 'a' }), NOW_MS - HOUR_MS + i * 60_000, value)
})

/** Queries wait until this resolves. */
let gate: Promise<void> = Promise.resolve()
let started = 0
let canceled = 0
let server: TestServer
beforeAll(async () => {
  const engine = createLocalEngine({ queryable: store, options: DEFAULT_ENGINE_OPTIONS, nowMs: () => 0 })
  const ports: ReplayPorts = {
    range: (query, signal) => engine.range(query, signal),
    instant: (query, signal) => engine.instant(query, signal),
    externalUrl: '',
    language: DEFAULT_ENGINE_OPTIONS,
  }
  server = await makeServer({
    replay: async (asked, signal) => {
      started++
      signal!.addEventListener('abort', () => canceled++)
      await gate
      return replayRules(asked, GROUPS, ports, signal)
    },
  })
})
afterAll(() => server.app.close())

const WINDOW = { fromMs: NOW_MS - HOUR_MS, toMs: NOW_MS - HOUR_MS + 11 * 60_000 }

async function ask(payload: object): Promise<{ readonly statusCode: number; readonly body: unknown }> {
  const response = await server.app.inject({ method: 'POST', url: '/api/fleet/v1/rules/replay', payload })
  return { statusCode: response.statusCode, body: response.json() }
}

test('the present rule beside the edited one', async () => {
  const response = await ask({
    ...WINDOW,
    alertname: 'Down',
    rule: 'alert: Down\nexpr: up == 0\nlabels: {severity: page}',
  })
  expect(response.statusCode).toBe(200)
  const replay = Value.Parse(Replay, response.body)
  expect(replay).toMatchObject({ ...WINDOW, stepMs: 60_000, blockMs: 60_000 })
  expect(replay.present).toMatchObject({ expr: 'up == 0', forMs: 120_000, fires: 1, neverFired: 1, firingSeconds: 120 })
  expect(replay.edited).toMatchObject({ forMs: 0, fires: 3, flaps: 2, neverFired: 0, clusters: 1 })
  expect(replay.edited?.runs[0]).toEqual({
    labels: { alertname: 'Down', cluster: 'a', severity: 'page' },
    activeAtMs: WINDOW.toMs,
    firedAtMs: WINDOW.toMs,
    value: '0',
  })
})

describe('refusals', () => {
  test.each([
    [{}, 400, 'fromMs'],
    [{ ...WINDOW }, 400, 'want alertname, rule or both'],
    [{ ...WINDOW, fromMs: 'x' }, 400, 'fromMs'],
    [{ ...WINDOW, alertname: 'Up' }, 404, 'no loaded alerting rule is called "Up"'],
    [{ ...WINDOW, rule: 'alert: A\nexpr: up ==' }, 400, 'rule:2:'],
  ])('%j', async (payload, status, message) => {
    const response = await ask(payload)
    expect([response.statusCode, (response.body as { readonly error: string }).error]).toEqual([
      status,
      expect.stringContaining(message) as string,
    ])
  })

  test('a third at the same time is told to wait; a client that leaves cancels its own', async () => {
    let open = (): void => undefined
    gate = new Promise((resolve) => (open = resolve))
    started = 0
    canceled = 0
    const url = await server.app.listen({ host: '127.0.0.1', port: 0 })
    const controller = new AbortController()
    const send = (signal?: AbortSignal): Promise<Response> =>
      fetch(`${url}/api/fleet/v1/rules/replay`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...WINDOW, alertname: 'Down' }),
        ...(signal === undefined ? {} : { signal }),
      })
    const [first, second] = [send(), send(controller.signal).catch(() => 'gone')]
    await until('two replays to run', () => (started === 2 ? true : undefined))
    const third = await send()
    expect([third.status, third.headers.get('retry-after')]).toEqual([503, '5'])
    controller.abort()
    expect(await second).toBe('gone')
    await until('the server to notice', () => (canceled === 1 ? true : undefined))
    open()
    expect((await first).status).toBe(200)
    expect((await send()).status).toBe(200)
  })
})
