import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { onePerFingerprint } from '../../src/notify/dispatch.ts'
import {
  HandOver,
  RESOLVED_REPEAT_MS,
  decideHandOver,
  type HandOverOptions,
  type HandedOver,
} from '../../src/notify/hand-over.ts'
import type { HttpAnswer, HttpRequest } from '../../src/notify/http-client.ts'
import type { NotifyReason } from '../../src/notify/pipeline-state.ts'
import type { NotifiableAlert } from '../../src/notify/ports.ts'
import type { PostableAlert } from '../../src/notify/receivers/alertmanager.ts'
import { T0, firing, pending, resolved } from './alerts.ts'
import { atOnce } from '../support/at-once.ts'

const answered = (status: number | undefined, text = ''): HttpAnswer => ({
  status,
  text,
  contentType: '',
  latencyMs: 3,
})
const OK = answered(200)

/** A receiver that keeps what it was sent and answers what it is told to. */
function receiver(answer: (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer> = () => OK) {
  const requests: HttpRequest[] = []
  return {
    requests,
    alerts: (i: number) => JSON.parse(requests[i]!.body) as PostableAlert[],
    http: async (request: HttpRequest): Promise<HttpAnswer> => {
      requests.push(request)
      return answer(request)
    },
  }
}

function handOver(http: HandOverOptions['http'], over: Partial<HandOverOptions> = {}): HandOver {
  return new HandOver({
    urls: ['http://am:9093'],
    http,
    externalUrl: 'https://daytwo.example',
    ...over,
  })
}

describe('what is sent', () => {
  test('a firing alert, with the time after which nobody need believe it', async () => {
    const am = receiver()
    const notify = handOver(am.http)
    atOnce(notify.offer([firing('HCOInstallationIncomplete')], T0))
    await notify.deliver(T0)
    expect(am.requests[0]).toMatchObject({
      url: 'http://am:9093/api/v2/alerts',
      headers: { 'content-type': 'application/json' },
    })
    expect(am.alerts(0)).toEqual([
      {
        labels: { alertname: 'HCOInstallationIncomplete', cluster: 'c1', severity: 'critical' },
        annotations: { summary: 'HCOInstallationIncomplete is wrong' },
        startsAt: '2026-08-20T10:00:00Z',
        endsAt: '2026-08-20T10:04:00Z',
        generatorURL: 'https://daytwo.example/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
      },
    ])
  })

  test('the end is four beats away, the slower of group and repetition', async () => {
    const am = receiver()
    const notify = handOver(am.http)
    atOnce(notify.offer([firing('A', { rule: { expr: 'x', intervalMs: 300_000 } })], T0))
    await notify.deliver(T0)
    expect(am.alerts(0)[0]!.endsAt).toBe('2026-08-20T10:20:00Z')
  })

  test('a resolved alert ends when it resolved', async () => {
    const am = receiver()
    const notify = handOver(am.http)
    atOnce(notify.offer([resolved('A', T0 + 5000)], T0 + 6000))
    await notify.deliver(T0 + 6000)
    expect(am.alerts(0)[0]!.endsAt).toBe('2026-08-20T10:00:05Z')
  })

  test('a pending alert never, and an empty queue sends nothing', async () => {
    const am = receiver()
    const notify = handOver(am.http)
    expect(atOnce(notify.offer([pending('A')], T0))).toMatchObject([{ sends: false, reason: 'pending' }])
    await notify.deliver(T0)
    expect(am.requests).toEqual([])
  })

  test('a whole life: first, repeated each minute, resolved, repeated for 15 minutes, then silence', async () => {
    const am = receiver()
    const notify = handOver(am.http)
    const timeline: string[] = []
    for (let second = 0; second <= 20 * 60; second += 30) {
      const nowMs = T0 + second * 1000
      const alert = second < 120 ? firing('A') : resolved('A', T0 + 120_000)
      const [decision] = atOnce(notify.offer([alert], nowMs))
      const sent = await notify.deliver(nowMs)
      if (sent.length > 0) timeline.push(`${second}s ${decision!.reason}`)
    }
    expect(timeline).toEqual([
      '0s first',
      '60s repeat_due',
      '120s resolved',
      ...Array.from({ length: 15 }, (_, i) => `${180 + i * 60}s repeat_due`),
    ])
  })

  test('a large fleet in batches of 256', async () => {
    const am = receiver()
    const notify = handOver(am.http)
    atOnce(
      notify.offer(
        Array.from({ length: 600 }, (_, i) => firing(`A${i}`)),
        T0,
      ),
    )
    const sent = await notify.deliver(T0)
    expect(sent.map(({ count, reasons }) => [count, reasons])).toEqual([
      [256, { first: 256 }],
      [256, { first: 256 }],
      [88, { first: 88 }],
    ])
  })

  test('an alert that is gone is forgotten, and a first when it comes back', () => {
    const notify = handOver(receiver().http)
    atOnce(notify.offer([firing('A')], T0))
    atOnce(notify.offer([], T0 + 1000))
    expect(atOnce(notify.offer([firing('A')], T0 + 2000))).toMatchObject([{ reason: 'first' }])
  })

  test('two alerts with the same labels are told once, and the other one says why not', () => {
    const notify = handOver(receiver().http)
    const decisions = atOnce(notify.offer([resolved('A', T0), firing('A')], T0))
    expect(decisions.map(({ reason }) => reason)).toEqual(['same_labels', 'first'])
    const again = atOnce(notify.offer([resolved('A', T0), firing('A')], T0 + 1000))
    expect(again.map(({ reason }) => reason)).toEqual(['same_labels', 'nothing_new'])
  })
})

describe('a receiver in trouble', () => {
  test.each([
    [answered(undefined, 'connect ECONNREFUSED'), 'failed'],
    [answered(503, 'starting'), 'failed'],
    [answered(429, 'slow down'), 'failed'],
    [answered(400, '"bad label"'), 'refused'],
    [answered(302, 'moved'), 'refused'],
  ] as const)('%j is %s', async (answer, outcome) => {
    const am = receiver(() => answer)
    const notify = handOver(am.http)
    atOnce(notify.offer([firing('A')], T0))
    const [delivery] = await notify.deliver(T0)
    expect(delivery).toMatchObject({ outcome, error: answer.text, count: 1, attempt: 1 })
    // Only what failed still waits to be sent.
    expect(await notify.deliver(T0 + 1000)).toHaveLength(outcome === 'failed' ? 1 : 0)
  })

  test('is tried again after 1 s, 2 s, 4 s, up to a minute, and then gets what is true now', async () => {
    let isDown = true
    const am = receiver(() => (isDown ? answered(500, 'no') : OK))
    const notify = handOver(am.http)
    atOnce(notify.offer([firing('A')], T0))
    const attempts: number[] = []
    for (let second = 0; second < 200; second++) {
      const sent = await notify.deliver(T0 + second * 1000)
      if (sent.length > 0) attempts.push(second)
    }
    expect(attempts).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183])

    // It resolves while nobody listens: one message, the last state, and the end as of the sending.
    isDown = false
    atOnce(notify.offer([resolved('A', T0 + 200_000)], T0 + 240_000))
    const [delivery] = await notify.deliver(T0 + 243_000)
    expect(delivery).toMatchObject({ outcome: 'delivered', attempt: 10, reasons: { resolved: 1 } })
    expect(am.alerts(am.requests.length - 1).map(({ endsAt }) => endsAt)).toEqual(['2026-08-20T10:03:20Z'])
    expect(await notify.deliver(T0 + 244_000)).toEqual([])
  })

  test('a firing alert that waited is told with an end in the future', async () => {
    let isDown = true
    const am = receiver(() => (isDown ? answered(500, 'no') : OK))
    const notify = handOver(am.http)
    atOnce(notify.offer([firing('A')], T0))
    await notify.deliver(T0)
    isDown = false
    const late = T0 + 3_600_000
    atOnce(notify.offer([firing('A')], late))
    await notify.deliver(late)
    expect(Date.parse(am.alerts(1)[0]!.endsAt)).toBe(late + 240_000)
  })

  test('its Retry-After is respected, within reason', async () => {
    const am = receiver(() => ({ ...answered(503), retryAfterMs: 30_000 }))
    const notify = handOver(am.http)
    atOnce(notify.offer([firing('A')], T0))
    expect((await notify.deliver(T0))[0]!.retryAtMs).toBe(T0 + 30_000)
    expect(await notify.deliver(T0 + 29_999)).toEqual([])
    expect(await notify.deliver(T0 + 30_000)).toHaveLength(1)
  })

  test('does not hold up another one', async () => {
    let answerSlow: (result: HttpAnswer) => void = () => undefined
    const slow = new Promise<HttpAnswer>((resolve) => {
      answerSlow = resolve
    })
    const am = receiver(({ url }) => (url.startsWith('http://slow') ? slow : OK))
    const notify = handOver(am.http, { urls: ['http://slow:1', 'http://quick:2/'] })
    atOnce(notify.offer([firing('A')], T0))
    const first = notify.deliver(T0)
    await setImmediate()
    atOnce(notify.offer([firing('A'), firing('B')], T0 + 1000))
    expect(await notify.deliver(T0 + 1000)).toMatchObject([
      { url: 'http://quick:2/api/v2/alerts', outcome: 'delivered' },
    ])
    answerSlow(OK)
    expect(await first).toHaveLength(2)
    // What came while it was busy is still there for it.
    expect(await notify.deliver(T0 + 2000)).toMatchObject([{ url: 'http://slow:1/api/v2/alerts', count: 1 }])
  })

  test('a full queue refuses, counts, and the alert is decided again', async () => {
    const am = receiver()
    const notify = handOver(am.http, { queueAlertsMax: 1 })
    expect(atOnce(notify.offer([firing('A'), firing('B')], T0))).toMatchObject([{ refusedBy: 0 }, { refusedBy: 1 }])
    await notify.deliver(T0)
    expect(atOnce(notify.offer([firing('A'), firing('B')], T0 + 1))).toMatchObject([
      { reason: 'nothing_new' },
      { reason: 'first', refusedBy: 0 },
    ])
  })

  test('a clock that went back does not stop retries', async () => {
    const am = receiver(() => answered(500))
    const notify = handOver(am.http)
    atOnce(notify.offer([firing('A')], T0))
    await notify.deliver(T0)
    expect(await notify.deliver(T0 - 86_400_000)).toHaveLength(1)
  })
})

test('what an attempt came to has no password', async () => {
  const am = receiver()
  const notify = handOver(am.http, { urls: ['http://me:secret@am:9093'] })
  atOnce(notify.offer([firing('A')], T0))
  expect(await notify.deliver(T0)).toEqual([
    {
      url: 'http://am:9093/api/v2/alerts',
      status: 200,
      outcome: 'delivered',
      count: 1,
      reasons: { first: 1 },
      attempt: 1,
    },
  ])
  expect(am.requests[0]!.url).toContain('me:secret@')
})

const sent = (state: HandedOver['state'], atMs: number, activeAtMs = T0 - 60_000): HandedOver => ({
  state,
  atMs,
  activeAtMs,
})
const DELAY_MS = 60_000

const ROWS: readonly [string, NotifiableAlert, HandedOver | undefined, number, boolean, NotifyReason][] = [
  ['a firing alert that was never sent', firing('A'), undefined, T0, true, 'first'],
  ['a firing alert sent a moment ago', firing('A'), sent('firing', T0), T0 + 59_999, false, 'nothing_new'],
  ['a firing alert sent a minute ago', firing('A'), sent('firing', T0), T0 + 60_000, true, 'repeat_due'],
  ['a new run of an alert that was sent', firing('A'), sent('firing', T0, 5), T0 + 1, true, 'first'],
  ['one that fires again after resolved', firing('A'), sent('resolved', T0), T0 + 1, true, 'first'],
  ['one sent in a future that the clock went back from', firing('A'), sent('firing', T0 + 9e6), T0, true, 'repeat_due'],
  ['a resolved alert', resolved('A', T0), sent('firing', T0), T0, true, 'resolved'],
  ['a resolved alert that was never sent', resolved('A', T0), undefined, T0 + 1, true, 'resolved'],
  ['a resolved alert sent a moment ago', resolved('A', T0), sent('resolved', T0), T0 + 1, false, 'nothing_new'],
  ['a resolved alert sent a minute ago', resolved('A', T0), sent('resolved', T0), T0 + 60_000, true, 'repeat_due'],
  [
    'a resolved alert of long ago',
    resolved('A', T0),
    sent('resolved', T0),
    T0 + RESOLVED_REPEAT_MS + 1,
    false,
    'resolved_long_ago',
  ],
  ['a pending alert', pending('A'), undefined, T0, false, 'pending'],
]

describe('decideHandOver', () => {
  test.each(ROWS)('%s', (_, alert, before, nowMs, sends, reason) => {
    expect(decideHandOver(alert, before, nowMs, DELAY_MS)).toEqual({ sends, reason })
  })
})

test('of alerts with the same labels the firing one counts, in any order', () => {
  const alerts = [pending('A'), firing('A'), resolved('A', T0)]
  for (const order of [alerts, alerts.toReversed()]) {
    expect([...atOnce(onePerFingerprint(order)).values()].map(({ state }) => state)).toEqual(['firing'])
  }
})
